"""The scripts as one text each."""

from __future__ import annotations

from agentgym_web.browser.scripts.assembling import _FOLDER, _OWN_FILES, clock_script, page_script
from agentgym_web.browser.settings import PageSettings


def test_every_file_of_scripts_is_used() -> None:
    assert {path.name for path in _FOLDER.glob("*.js")} == {*_OWN_FILES, "clock.js", "person.js"}


def test_page_script_holds_all_files_and_the_secret() -> None:
    text = page_script("abc")

    assert text.endswith('})("abc");')
    assert all((_FOLDER / name).read_text() in text for name in _OWN_FILES)


def test_clock_script_has_its_values() -> None:
    text = clock_script("abc", PageSettings(virtual_time=True, start_ms=5), seed=7)

    assert text.rstrip().endswith('})("abc", true, 5, 7);')

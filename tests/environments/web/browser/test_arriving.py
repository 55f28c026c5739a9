"""Looks that are asked for while a click or a text is still on its way to the page."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from agentgym_web.browser.gate import Network
from agentgym_web.browser.hub import the_hub
from agentgym_web.browser.settings import PageSettings, View
from agentgym_web.miniwob.env import MiniWoBEnv, make_task
from tests.environments.web.browser.driving import Browser

SLOW = """<button onclick="let sum = 0; for (let count = 0; count < 3e7; count += 1) sum += count;
    out.textContent = 'clicked'">Go</button><p id=out></p>"""


def test_look_waits_for_a_click_that_takes_its_time(browser: Browser) -> None:
    browser.show(SLOW)

    assert '"clicked"' in browser.do("click", bid=browser.id("Go")).lines


def test_look_waits_for_a_text(browser: Browser) -> None:
    browser.show("<input aria-label=Name oninput='out.textContent = `typed ${this.value}`'><p id=out></p>")

    assert '"typed Ada"' in browser.do("fill", bid=browser.id("Name"), value="Ada").lines


@pytest.mark.parametrize("kept", ["pointerdown", "pointerup", "mouseup"])
def test_page_may_keep_events_to_itself(browser: Browser, kept: str) -> None:
    browser.show(
        f"<script>addEventListener('{kept}', (event) => {{ event.stopImmediatePropagation(); event.preventDefault(); "
        "}, true)</script><button onclick=\"out.textContent = 'clicked'\">Go</button><p id=out></p>"
    )

    assert '"clicked"' in browser.do("click", bid=browser.id("Go")).lines


def test_text_that_a_page_refuses_holds_nothing_up(browser: Browser) -> None:
    browser.show("<input aria-label=Name value=old onbeforeinput='event.preventDefault()'>")
    bid = browser.id("Name")

    assert browser.do("fill", bid=bid, value="Ada").lines == [f'[{bid}] textbox "Name" value="old" focused']


def test_look_waits_for_a_click_within_a_frame(browser: Browser) -> None:
    browser.show("<iframe srcdoc='<button onclick=\"out.textContent = 8\">Go</button><p id=out></p>'></iframe>")

    assert '"8"' in [line.strip() for line in browser.do("click", bid=browser.id("Go")).lines]


@pytest.mark.parametrize(
    "element",
    [
        "<a href='/next'>Go</a>",
        "<button onclick=\"location.href = '/next'\">Go</button>",
        "<form action='/next'><button>Go</button></form>",
        "<button onclick=\"setTimeout(() => { location.href = '/next' }, 100)\">Go</button>",
    ],
)
def test_click_that_leaves_the_page_shows_the_next_one(browser: Browser, element: str) -> None:
    browser.show(element, pages={"/next": "<p>next</p>"})

    sight = browser.do("click", bid=browser.id("Go"))

    assert (sight.lines, sight.notes) == (['"next"'], [])


def test_probe_is_answered_where_the_page_forbids_scripts_of_text(browser: Browser) -> None:
    browser.site.pages["/"] = (
        "<meta http-equiv=Content-Security-Policy content=\"script-src 'unsafe-inline'\"><script>var kept = 7</script>"
    )

    assert browser.page.open("http://a.test/", View(), "kept * 6").probe == 42


def test_cookie_of_a_window_without_a_page_is_cleared_too(browser: Browser, network: Network) -> None:
    browser.site.pages["/"] = "<p>here</p>"
    with closing(the_hub().open(PageSettings(virtual_time=True), network)) as page:
        page.start_over(network)
        page.set_cookies([{"name": "who", "value": "last", "url": "http://a.test/"}])
        page.start_over(network)
        page.open("http://a.test/", View())

        assert page.run_script("document.cookie") == ""


def test_dialog_of_a_task_is_no_reason_to_load_the_page_anew() -> None:
    with closing(MiniWoBEnv()) as env:
        env.reset(options={"task": make_task("click-dialog", 1)})
        env.page.run_script("window.kept = 1")
        env.reset(options={"task": make_task("click-dialog", 1)})
        before = env.page.run_script("document.querySelectorAll('.ui-dialog').length")
        env.reset(options={"task": make_task("click-dialog", 2)})

        assert env.page.run_script("document.querySelectorAll('.ui-dialog').length") == before == 1


def test_browser_starts_where_low_descriptors_are_free() -> None:
    code = (
        "import os, threading; from agentgym_web.browser.program.process import ProcessSettings, start_process\n"
        "os.closerange(3, 20)\n"
        "process = start_process(ProcessSettings())\n"
        'os.write(process.commands, b\'{"id": 1, "method": "Browser.getVersion"}\\0\')\n'
        "print(os.read(process.replies, 100)[:8].decode())\n"
        "process.end()\n"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)

    assert told.stdout.strip() == '{"id":1,', told.stderr


ENDED_BEFORE_THE_BROWSER_STARTS = """
import os, pathlib, subprocess, threading
from agentgym_web.browser.program.process import ProcessSettings, start_process

begun, never = threading.Event(), threading.Event()

class Waits(subprocess.Popen):
    def __init__(self, command, *arguments, **options):
        if "agentgym-web" in command:
            begun.set()
            never.wait()
        super().__init__(command, *arguments, **options)

subprocess.Popen = Waits
threading.Thread(target=start_process, args=(ProcessSettings(sandbox=False),), daemon=True).start()
assert begun.wait(60)
print(len(list(pathlib.Path(os.environ["TMPDIR"]).glob("agentgym-web-*"))))
raise KeyboardInterrupt
"""


def test_no_profile_folder_stays_where_the_program_ends_before_its_browser_starts(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", ENDED_BEFORE_THE_BROWSER_STARTS],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    assert ended.stdout.strip() == "1", ended.stderr
    assert list(tmp_path.glob("agentgym-web-*")) == []

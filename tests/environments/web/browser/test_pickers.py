"""The browser's own pickers: with one open, pages are still drawn, and answer as without it."""

from __future__ import annotations

import pytest

from agentgym_web.browser.settings import View
from tests.environments.web.browser.driving import RECORDER, Browser

PICTURE = View(screenshot=True)
PLACED = "style='position:absolute;left:0;top:0;width:200px;height:30px'"
OPTIONS = "<option>one<option>two</select>"
SELECT = f"<select id=it {PLACED}>{OPTIONS}"
FRAMED = f'<iframe src="/inner" {PLACED} frameborder=0></iframe>'
SHADOWED = f"""<div id=host></div><script>
  host.attachShadow({{mode: "open"}}).innerHTML = `<select {PLACED}>{OPTIONS}`;
</script>"""
OPENER = "<p style='margin:100px' onclick='it.showPicker()'>Open"
BY_MOUSE = ("mouse_click", {"x": 185, "y": 15})
PAGES = {
    "options by mouse": (SELECT, BY_MOUSE),
    "options by space": (SELECT.replace("id=it", "id=it autofocus"), ("keyboard_press", {"key": "Space"})),
    "options by a script": (f"{SELECT}{OPENER}", ("mouse_click", {"x": 120, "y": 115})),
    "options in a frame": (FRAMED, BY_MOUSE),
    "options in a shadow tree": (SHADOWED, BY_MOUSE),
    "a date": (f"<input type=date id=it {PLACED}>", BY_MOUSE),
    "a time": (f"<input type=time id=it {PLACED}>", BY_MOUSE),
    "a colour": (f"<input type=color id=it {PLACED}>", BY_MOUSE),
}  # fmt: skip


@pytest.mark.parametrize("name", PAGES)
def test_a_page_with_an_open_picker_is_drawn(browser: Browser, name: str) -> None:
    body, (action, arguments) = PAGES[name]
    browser.show(f"{RECORDER}<body style='margin:0'>{body}", pages={"/inner": f"<body style='margin:0'>{SELECT}"})
    sight = browser.do(action, PICTURE, **arguments)
    assert sight.picture is not None
    assert not sight.notes
    assert browser.events("change", "input") == []


@pytest.mark.parametrize("view", [View(), PICTURE], ids=["text", "pictures"])
def test_keys_choose_after_a_click(browser: Browser, view: View) -> None:
    browser.show(f"{RECORDER}<body style='margin:0'>{SELECT}")
    browser.do(BY_MOUSE[0], view, **BY_MOUSE[1])
    browser.do("keyboard_press", view, key="ArrowDown")
    assert browser.value("it.value") == "two"
    assert [event["type"] for event in browser.events("input", "change", "focusin")] == ["focusin", "input", "change"]
    browser.do("keyboard_press", view, key="Enter")
    assert browser.value("it.value") == "two"


@pytest.mark.parametrize("view", [View(), PICTURE], ids=["text", "pictures"])
def test_the_part_of_a_date_that_has_the_focus_keeps_it(browser: Browser, view: View) -> None:
    browser.show(f"<body style='margin:0'><input type=date id=it {PLACED}>")
    browser.do("mouse_click", view, x=10, y=15)
    browser.do("keyboard_type", view, text="12")
    browser.do("keyboard_type", view, text="25")
    browser.do("keyboard_type", view, text="2031")
    assert browser.value("it.value") == "2031-12-25"

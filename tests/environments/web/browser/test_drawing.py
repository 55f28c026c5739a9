"""Pages are drawn small until a picture is wanted, and notice nothing of it."""

from __future__ import annotations

from typing import Any

from agentgym_web.browser.settings import View
from tests.environments.web.browser.driving import RECORDER, Browser

CELLS = 12
GRID = RECORDER + "".join(
    f"<b id='c{n}' style='position:absolute;left:{300 + 3 * n}px;top:{200 + 3 * n}px;width:3px;height:3px'></b>"
    for n in range(CELLS)
)
SIZES = """[innerWidth, innerHeight, outerWidth, outerHeight, devicePixelRatio, screen.width, screen.height,
    visualViewport.width, visualViewport.height, visualViewport.scale, matchMedia("(min-resolution: 1dppx)").matches,
    matchMedia("(min-width: 1280px)").matches, document.body.getBoundingClientRect().width]"""
WATCHED = "<script>window.resized = 0; addEventListener('resize', () => window.resized++)</script>"


def hit(browser: Browser) -> list[tuple[str, int, int]]:
    found: list[tuple[str, int, int]] = []
    for n in range(CELLS):
        browser.do("mouse_click", x=301 + 3 * n, y=201 + 3 * n)
    for event in browser.events("click"):
        found.append((event["id"], event["x"], event["y"]))
    browser.value("window.events = []")
    return found


def test_input_arrives_to_the_pixel_before_and_after_a_picture(browser: Browser) -> None:
    browser.show(GRID)
    before = hit(browser)
    assert before == [(f"c{n}", 301 + 3 * n, 201 + 3 * n) for n in range(CELLS)]
    browser.page.look(View(screenshot=True))
    assert hit(browser) == before


def test_a_page_does_not_notice_that_it_is_drawn_in_full(browser: Browser) -> None:
    browser.show(WATCHED + "<p>Here</p>")
    sizes: Any = browser.value(SIZES)
    assert sizes[:5] == [1280, 720, 1280, 720, 1]
    picture = browser.page.look(View(screenshot=True)).picture
    assert picture is not None
    assert picture.shape[:2] == (720, 1280)
    assert browser.value(SIZES) == sizes
    assert browser.value("window.resized") == 0

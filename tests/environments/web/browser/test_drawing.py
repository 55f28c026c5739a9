"""Where time is virtual, frames are drawn only when they are asked for; what pages hear of with a frame still comes."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from agentgym_web.browser.drawing import Drawing
from agentgym_web.browser.gate import Network
from agentgym_web.browser.hub import the_hub
from agentgym_web.browser.page import WebPage
from agentgym_web.browser.settings import PageSettings, View
from tests.environments.web.browser.driving import RECORDER, Browser
from tests.environments.web.browser.string_site import StringSite

PICTURE = View(screenshot=True)
BAR = "<div id=bar style='position:absolute;left:0;top:0;width:400px;height:300px;background:rgb(200,0,0)'></div>"
LONG = "<div style='height:5000px'></div>"


@pytest.fixture
def num_frames(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many frames were drawn, as the only item."""
    count, draw = [0], Drawing._draw

    async def counted(self: Drawing, turn: asyncio.Lock, params: Any) -> Any:
        count[0] += 1
        return await draw(self, turn, params)

    monkeypatch.setattr(Drawing, "_draw", counted)
    return count


def test_clicks_texts_and_observations_draw_nothing(browser: Browser, num_frames: list[int]) -> None:
    browser.show(f"{RECORDER}<button onclick='one.value = 1'>One</button><input id=one>")
    browser.do("click", bid=browser.id("One"))
    browser.do("fill", bid=browser.id("textbox"), value="abc")
    browser.do("keyboard_press", key="End")

    assert browser.value("one.value") == "abc"
    assert num_frames == [0]


def test_a_picture_shows_the_page_as_it_is_now(browser: Browser, num_frames: list[int]) -> None:
    for color in ((200, 0, 0), (0, 90, 200)):
        browser.show(BAR.replace("200,0,0", ",".join(map(str, color))))
        picture = browser.page.look(PICTURE).picture
        assert picture is not None
        assert picture.shape == (720, 1280, 3)
        assert np.all(picture[10:290, 10:390] == color)
    browser.page.run_script("bar.style.background = 'rgb(0,150,0)'")
    picture = browser.page.look(PICTURE).picture
    assert picture is not None
    assert np.all(picture[10:290, 10:390] == (0, 150, 0))
    assert num_frames[0] >= 3


@pytest.mark.parametrize(
    "watch",
    [
        "new IntersectionObserver((all) => { if (all[0].isIntersecting) seen.textContent = 'Here'; }).observe(low)",
        "addEventListener('scroll', () => { seen.textContent = 'Here'; })",
        "onscroll = () => { seen.textContent = 'Here'; }",
        "document.body.onscroll = () => { seen.textContent = 'Here'; }",
        "document.body.setAttribute('onscroll', 'seen.textContent = `Here`')",
    ],
)
def test_a_page_hears_of_a_scroll_before_it_is_looked_at(browser: Browser, watch: str) -> None:
    browser.show(
        f"<button onclick='low.scrollIntoView()'>Go</button><p id=seen>Not</p>{LONG}<p id=low>Low</p>{LONG}"
        f"<script>const seen = document.getElementById('seen'); {watch}</script>"
    )
    assert any("Not" in line for line in browser.sight.lines)

    assert any("Here" in line for line in browser.do("click", bid=browser.id("Go")).lines)


def test_a_page_hears_of_a_size_before_it_is_looked_at(browser: Browser) -> None:
    tell = "(all) => { seen.textContent = `size ${all[0].contentRect.width}`; }"
    browser.show(
        "<button onclick='box.style.width = `300px`'>Wide</button><p id=seen></p><div id=box style='width:100px'></div>"
        f"<script>new ResizeObserver({tell}).observe(box)</script>"
    )
    assert any("size 100" in line for line in browser.sight.lines)

    assert any("size 300" in line for line in browser.do("click", bid=browser.id("Wide")).lines)


def test_the_end_of_a_transition_is_told(browser: Browser) -> None:
    browser.show(
        "<button onclick='box.style.opacity = 0.5'>Fade</button><p id=seen></p>"
        "<div id=box style='transition: opacity 2s' ontransitionend='seen.textContent = `ended`'>Box</div>"
    )

    assert any("ended" in line for line in browser.do("click", bid=browser.id("Fade")).lines)


def test_a_view_transition_changes_the_page(browser: Browser) -> None:
    change = "document.startViewTransition(() => { seen.textContent = 'changed'; })"
    browser.show(f'<button onclick="{change}">Go</button><p id=seen>Not</p>')

    assert any("changed" in line for line in browser.do("click", bid=browser.id("Go")).lines)


def test_a_hover_is_heard_of(browser: Browser) -> None:
    browser.show("<button onmouseenter='seen.textContent = `over`'>One</button><p id=seen></p>")

    assert any("over" in line for line in browser.do("hover", bid=browser.id("One")).lines)


AREA = "height:300px;overflow:auto"
HIGH = "style='height:300px'"
LINES = "x\n" * 90
KEEP = "<script>addEventListener('wheel', (event) => event.preventDefault(), {passive: false})</script>"
FIXED = "<b style='position:fixed;left:0;top:0;width:200px'>" + "<p>x</p>" * 9 + "</b>"
FIELDS = "".join(f"<input name={name}>" for name in ("parentElement", "parentNode", "scrollBy", "scrollTop"))
START = "<script>const start = a.getBoundingClientRect().top</script>"
MOVED = "Math.round(start - a.getBoundingClientRect().top)"
WHEELS: dict[str, tuple[str, str, int]] = {
    "the page": (f"<p>Top</p>{LONG}", "scrollY", 120),
    "an area": (f"<div id=a style='{AREA}'>{LONG}</div>{LONG}", "a.scrollTop", 120),
    "a text": (f"<textarea id=a {HIGH}>{LINES}</textarea>", "a.scrollTop", 120),
    "around what does not scroll": (f"<div style='{AREA}'>Short</div>{LONG}", "scrollY", 120),
    "kept by its area": (f"<div style='{AREA};overscroll-behavior:contain'>Short</div>{LONG}", "scrollY", 0),
    "kept by the page": (f"{LONG}{KEEP}", "scrollY", 0),
    "around a frame": (f"<iframe {HIGH} srcdoc='Short'></iframe>{LONG}", "scrollY", 120),
    "in a frame": (f'<iframe id=a {HIGH} srcdoc="{LONG}"></iframe>{LONG}', "a.contentWindow.scrollY", 120),
    "a frame that must not": (f'<iframe scrolling=no {HIGH} srcdoc="{LONG}"></iframe>{LONG}', "scrollY", 120),
    "a page that must not": (f"<style>body{{overflow:hidden}}</style>{LONG}", "scrollY", 0),
    "a body that contains": (f"<style>body{{overflow:auto;overscroll-behavior:contain}}</style>{LONG}", "scrollY", 120),
    "past an area": (f"<div style='{AREA}'>{FIXED}{LONG}</div>{LONG}", "scrollY", 120),
    "a form like an element": (f"<form style='{AREA}'>{FIELDS}<p id=a>x</p>{LONG}</form>{START}", MOVED, 120),
}


@pytest.mark.parametrize("kind", ["browser", "real_browser"])
@pytest.mark.parametrize("name", WHEELS)
def test_a_wheel_scrolls_as_far_as_it_turns_however_the_page_is_drawn(
    request: pytest.FixtureRequest, name: str, kind: str
) -> None:
    browser: Browser = request.getfixturevalue(kind)
    body, place, expected = WHEELS[name]
    browser.show(f"<!doctype html><body style='margin:0'>{RECORDER}{body}")
    for number in (1, 2):
        browser.do("scroll_at", x=60, y=60, dx=0, dy=120)
        assert browser.value(place) == number * expected
    if "frame" not in name:
        assert [event["trusted"] for event in browser.events("wheel")] == [True, True]


def test_a_wheel_that_the_page_hides_from_others_ends_in_time(browser: Browser) -> None:
    stop = "document.body.addEventListener('wheel', (event) => event.stopPropagation())"
    browser.show(f"<textarea style='width:300px;height:200px'>{'x ' * 2000}</textarea>{LONG}<script>{stop}</script>")
    began = time.monotonic()
    for _ in range(3):
        browser.do("scroll_at", x=60, y=60, dx=0, dy=120)
    assert browser.page.look(PICTURE).picture is not None
    assert time.monotonic() - began < 60


def test_windows_of_a_browser_take_turns(num_frames: list[int]) -> None:
    pages = [the_hub().open(PageSettings(virtual_time=True)) for _ in range(4)]

    async def draw(page: WebPage) -> None:
        for _ in range(10):
            await page._window.tab.drawing.next()

    async def draw_all() -> None:
        await asyncio.gather(*map(draw, pages))

    the_hub().run(draw_all())
    assert num_frames == [40]
    assert [page.run_script("1") for page in pages] == [1] * 4
    for page in pages:
        page.close()


SLOW = """<div id=box style='width:10px'>x</div><script>
    const spin = (ms) => { const end = new Event("x").timeStamp + ms; while (new Event("x").timeStamp < end); };
    new ResizeObserver(() => { if (box.style.width !== "10px") spin(300); }).observe(box);</script>"""


@pytest.mark.parametrize("close", ["replace", "renew"])
def test_a_window_that_leaves_in_the_middle_of_a_frame_harms_no_other(
    windows: Callable[..., WebPage], site: StringSite, close: str
) -> None:
    slow, other = Browser(windows(), site), windows(max_tabs=7)
    for _ in range(2):
        slow.page.start_over()
        slow.show(SLOW)
        slow.value("box.style.width = '99px'; 0")

        async def leave() -> bool:
            window, tab = slow.page._window, other._window.tab
            window.tab.drawing.begin()
            await asyncio.sleep(0.03)
            await (window.replace("Out of the way.") if close == "replace" else window.renew())
            for _ in range(5):
                await tab.drawing.next()
            return window._turn is not None and window._turn.locked()

        assert not the_hub().run(leave())
        assert other.look(PICTURE).picture is not None
    log = the_hub().processes()[0].log
    assert b"Reinitialized the GPU process" not in os.pread(log.fileno(), 1 << 20, 0)


def test_closed_tabs_draw_no_more(windows: Callable[..., WebPage], site: StringSite) -> None:
    slow, other = Browser(windows(), site), windows(max_tabs=7)
    slow.show(SLOW)
    slow.value("box.style.width = '99px'; 0")

    async def close() -> None:
        window = slow.page._window
        first = window.tab
        await window.new_tab()
        for tab in (first, window.tab):
            tab.drawing.begin()
        await asyncio.sleep(0.03)
        for tab in (first, window.tab):
            window.discard(tab)
        await window.new_tab()

    the_hub().run(close())
    assert other.look(PICTURE).picture is not None


def test_a_page_that_hangs_keeps_no_other_waiting_for_long() -> None:
    first, second = (the_hub().open(PageSettings(virtual_time=True, hang_s=30.0), Network()) for _ in range(2))
    hung, other = first._window, second._window

    async def both() -> float:
        hung.tab.post("Runtime.evaluate", {"expression": "for (;;);"}).add_done_callback(lambda done: done.exception())
        await asyncio.sleep(0.1)
        hung.tab.drawing.begin()
        began = time.monotonic()
        await other.tab.drawing.next()
        waited = time.monotonic() - began
        await hung.replace("It hangs.")
        await other.tab.drawing.next()
        return waited

    assert the_hub().run(both()) < 20
    assert second.look(PICTURE).picture is not None
    first.close()
    second.close()


def test_a_page_that_is_never_drawn_is_given_up() -> None:
    said: list[str] = []

    async def draw() -> None:
        silent: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()

        async def wait(future: asyncio.Future[Any]) -> Any:
            return await asyncio.wait_for(future, 5)

        drawing = Drawing(lambda method, params: silent, wait, said.append, asyncio.Lock(), stuck_s=0.05)
        drawing.begin()
        await asyncio.sleep(0.2)
        silent.set_result({})
        await drawing.over()

    asyncio.run(draw())
    assert said == ["The page was not drawn within 0.05 s and was closed."]

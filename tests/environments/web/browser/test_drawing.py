"""Where time is virtual, frames are drawn only when they are asked for; what pages hear of with a frame still comes."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import numpy as np
import pytest

from agentgym_web.browser.drawing import Drawing
from agentgym_web.browser.gate import Network
from agentgym_web.browser.hub import the_hub
from agentgym_web.browser.page import WebPage
from agentgym_web.browser.settings import PageSettings, View
from tests.environments.web.browser.driving import RECORDER, Browser

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


def test_a_hover_is_heard_of(browser: Browser) -> None:
    browser.show("<button onmouseenter='seen.textContent = `over`'>One</button><p id=seen></p>")

    assert any("over" in line for line in browser.do("hover", bid=browser.id("One")).lines)


WHEELS = {
    "the page": ("<p>Top</p>" + LONG, "scrollY", 120),
    "an area": ("<div id=a style='height:300px;overflow:auto'>" + LONG + "</div>" + LONG, "a.scrollTop", 120),
    "a text": ("<textarea id=a style='width:300px;height:200px'>" + "x\n" * 90 + "</textarea>", "a.scrollTop", 120),
    "around what does not scroll": ("<div id=a style='height:300px;overflow:auto'>Short</div>" + LONG, "scrollY", 120),
    "kept by its area": (
        "<div id=a style='height:300px;overflow:auto;overscroll-behavior:contain'>Short</div>" + LONG, "scrollY", 0,
    ),
    "kept by the page": (
        LONG + "<script>addEventListener('wheel', (e) => e.preventDefault(), {passive: false})</script>", "scrollY", 0,
    ),
    "around a frame": ("<iframe style='height:300px' srcdoc='Short'></iframe>" + LONG, "scrollY", 120),
    "in a frame": (
        f'<iframe id=a style="height:300px" srcdoc="{LONG}"></iframe>{LONG}', "a.contentWindow.scrollY", 120,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WHEELS)
def test_a_wheel_scrolls_as_far_as_it_turns(browser: Browser, name: str) -> None:
    body, place, expected = WHEELS[name]
    browser.show(f"<body style='margin:0'>{RECORDER}{body}")
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


def test_a_page_that_hangs_keeps_no_other_waiting_for_long() -> None:
    first, second = (the_hub().open(PageSettings(virtual_time=True, hang_s=2.0), Network()) for _ in range(2))
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

    assert the_hub().run(both()) < 1.9
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

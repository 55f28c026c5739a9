"""Fingers, on a touch screen."""

from __future__ import annotations

import pytest

from tests.environments.web.browser.driving import RECORDER, Browser

HELD = """<button id=one>One</button><p id=said></p><script>
  let timer;
  one.addEventListener("touchstart", () => { timer = setTimeout(() => { said.textContent = "held" }, 500) });
  one.addEventListener("touchend", () => clearTimeout(timer));
</script>"""


def test_tap_is_a_touch_and_a_click(touch_browser: Browser) -> None:
    touch_browser.show(f"{RECORDER}<button id=one>One</button>")
    touch_browser.do("tap", bid="1")

    events = touch_browser.events("touchstart", "touchend", "click")
    assert [(each["type"], each["id"], each["trusted"]) for each in events] == [
        ("touchstart", "one", True),
        ("touchend", "one", True),
        ("click", "one", True),
    ]


def test_long_press_holds_longer_than_a_tap(touch_browser: Browser) -> None:
    touch_browser.show(RECORDER + HELD)
    assert '"held"' not in touch_browser.do("tap", bid="1").lines

    assert '"held"' in touch_browser.do("long_press", bid="1").lines
    assert touch_browser.events("touchend")[-1]["trusted"] is True


@pytest.mark.parametrize(
    ("direction", "axis", "sign"), [("up", 1, -1), ("down", 1, 1), ("left", 0, -1), ("right", 0, 1)]
)
def test_swipe_moves_a_finger(touch_browser: Browser, direction: str, axis: int, sign: int) -> None:
    touch_browser.show("""<div id=one onclick='' style='position:fixed;left:150px;top:250px;width:100px;height:100px;
        touch-action:none'>Card</div><script>
        window.path = [];
        for (const type of ["touchstart", "touchmove", "touchend"]) one.addEventListener(type, (event) =>
          path.push([type, event.isTrusted, ...[...event.touches].map((touch) => [touch.clientX, touch.clientY])]));
        </script>""")
    touch_browser.do("swipe", bid="1", direction=direction)

    path = touch_browser.value("path")
    assert (path[0][0], path[-1][0]) == ("touchstart", "touchend")
    moves = [step[2] for step in path if step[0] == "touchmove"]
    assert all(step[1] for step in path)
    assert len(moves) >= 3
    assert (moves[-1][axis] - path[0][2][axis]) * sign > 50
    assert moves[-1][1 - axis] == path[0][2][1 - axis]


def test_swipe_up_scrolls_the_page(touch_browser: Browser) -> None:
    touch_browser.show("<div onclick='' style='height:3000px'>Long</div>")
    touch_browser.do("swipe", bid="1", direction="up")

    assert touch_browser.value("scrollY") > 50


def test_touch_on_a_covered_element_is_explained(touch_browser: Browser) -> None:
    touch_browser.show("<button>One</button><div style='position:fixed;inset:0'>Banner</div>")

    for name in ("tap", "long_press"):
        assert 'is covered by div "Banner"' in touch_browser.do(name, bid="1").error


def test_page_knows_of_the_touch_screen(touch_browser: Browser) -> None:
    touch_browser.show("<meta name=viewport content=width=device-width><p>One</p>")

    assert touch_browser.value("[navigator.maxTouchPoints, innerWidth, innerHeight]") == [5, 400, 600]


def test_tap_and_long_press_at_a_point(touch_browser: Browser) -> None:
    touch_browser.show(f"{RECORDER}<style>#one {{ position: fixed; left: 100px; top: 200px }}</style>{HELD}")
    touch_browser.do("tap_at", x=110, y=210)
    assert [each["id"] for each in touch_browser.events("touchstart", "click")] == ["one", "one"]

    assert '"held"' in touch_browser.do("long_press_at", x=110, y=210).lines


def test_swipe_from_a_point_to_another(touch_browser: Browser) -> None:
    touch_browser.show("<div style='height:3000px'>Long</div>")

    assert touch_browser.do("swipe_at", from_x=200, from_y=500, to_x=200, to_y=100).scroll[1] > 200


@pytest.mark.parametrize("name", ["tap_at", "long_press_at"])
def test_finger_outside_the_window_is_explained(touch_browser: Browser, name: str) -> None:
    touch_browser.show("<p>Text</p>")

    assert "lies outside the window" in touch_browser.do(name, x=400, y=5).error

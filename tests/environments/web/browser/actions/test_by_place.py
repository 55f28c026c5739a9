"""The mouse by coordinates, and the keyboard."""

from __future__ import annotations

import pytest

from tests.environments.web.browser.conftest import Opening
from tests.environments.web.browser.driving import RECORDER, Browser
from tests.environments.web.browser.string_site import StringSite

BOX = "<div id=box style='position:absolute;left:100px;top:50px;width:60px;height:40px;background:red'></div>"


def test_mouse_click_hits_what_lies_there(browser: Browser) -> None:
    browser.show(RECORDER + BOX)
    browser.do("mouse_click", x=159, y=89)
    browser.do("mouse_click", x=161, y=89)

    clicks = browser.events("click")
    assert [(each["id"], each["x"], each["y"], each["trusted"]) for each in clicks] == [
        ("box", 159, 89, True),
        ("", 161, 89, True),
    ]


@pytest.mark.parametrize("scale", [2.0, 0.5])
def test_coordinates_are_css_pixels_whatever_the_scale(windows: Opening, site: StringSite, scale: float) -> None:
    browser = Browser(windows(scale=scale), site)
    browser.show(RECORDER + BOX)
    browser.do("mouse_click", x=101, y=51)
    browser.do("mouse_click", x=98, y=51)

    assert [each["id"] for each in browser.events("click")] == ["box", ""]


def test_mouse_click_with_another_button(browser: Browser) -> None:
    browser.show(RECORDER + BOX)
    browser.do("mouse_click", x=120, y=60, button="right")

    assert [each["id"] for each in browser.events("contextmenu")] == ["box"]


def test_mouse_dblclick_is_two_clicks(browser: Browser) -> None:
    browser.show(RECORDER + BOX)
    browser.do("mouse_dblclick", x=120, y=60)

    assert [each["id"] for each in browser.events("dblclick")] == ["box"]


def test_mouse_down_move_and_up_are_a_drag(browser: Browser) -> None:
    browser.show(RECORDER + BOX)
    browser.do("mouse_down", x=120, y=60)
    browser.do("mouse_move", x=130, y=70)
    browser.do("mouse_up", x=140, y=80)

    events = browser.events("mousedown", "mousemove", "mouseup")
    first = next(number for number, each in enumerate(events) if each["type"] == "mousedown")
    assert [(each["type"], each["buttons"]) for each in events[first:]] == [
        ("mousedown", 1),
        ("mousemove", 1),
        ("mousemove", 1),
        ("mouseup", 0),
    ]


def test_mouse_down_with_right_button_holds_that_one(browser: Browser) -> None:
    browser.show(RECORDER + BOX)
    browser.do("mouse_down", x=120, y=60, button="right")
    browser.do("mouse_up", x=120, y=60, button="right")

    assert [(each["button"], each["buttons"]) for each in browser.events("mousedown", "mouseup")] == [(2, 2), (2, 0)]


def test_mouse_down_is_forgotten_by_a_new_episode(browser: Browser) -> None:
    browser.show(RECORDER + BOX)
    browser.do("mouse_down", x=120, y=60)
    browser.page.start_over()
    browser.show(RECORDER + BOX)
    browser.do("mouse_move", x=130, y=70)

    assert browser.events("mousemove")[-1]["buttons"] == 0


def test_mouse_drag_and_drop_ends_at_the_point(browser: Browser) -> None:
    browser.show(RECORDER + BOX)
    browser.do("mouse_drag_and_drop", from_x=120, from_y=60, to_x=300, to_y=200)

    up = browser.events("mouseup")[0]
    assert (up["x"], up["y"]) == (300, 200)


def test_scroll_at_scrolls_what_lies_there(browser: Browser) -> None:
    browser.show("<div id=one style='height:200px;overflow:auto'><div style='height:900px'>Long</div></div>"
                 "<div style='height:3000px'></div>")  # fmt: skip
    browser.do("scroll_at", x=50, y=50, dx=0, dy=120)

    assert browser.value("[one.scrollTop, scrollY]") == [120, 0]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("mouse_click", {"x": -1, "y": 5}),
        ("mouse_dblclick", {"x": 5, "y": 720}),
        ("mouse_move", {"x": 1280, "y": 5}),
        ("mouse_down", {"x": 5, "y": -3}),
        ("mouse_up", {"x": 5e9, "y": 5}),
        ("scroll_at", {"x": 5, "y": 9999, "dx": 0, "dy": 1}),
        ("mouse_drag_and_drop", {"from_x": 5, "from_y": 5, "to_x": 5, "to_y": 9999}),
    ],
)
def test_point_outside_the_window_is_explained(browser: Browser, name: str, arguments: dict[str, float]) -> None:
    browser.show(RECORDER + BOX)

    assert browser.do(name, **arguments).error.endswith("lies outside the window, which is 1280 x 720 pixels.")
    assert browser.events("mousedown", "wheel") == []


def test_mouse_upload_file(browser: Browser) -> None:
    browser.page.start_over(files={"plan.txt": b"the plan"})
    browser.show("<input id=one type=file style='position:absolute;left:0;top:0;width:300px;height:50px'>")
    browser.do("mouse_upload_file", x=20, y=10, file="plan.txt")

    assert browser.value("one.files[0].name") == "plan.txt"


TEXT = 'aZ 1!?"\\ é ß Ω 数字 😀 👨‍👩‍👧 '


def test_keyboard_type_types_any_text(browser: Browser) -> None:
    browser.show(f"{RECORDER}<input id=one autofocus>")
    browser.do("keyboard_type", text=TEXT)

    assert browser.value("one.value") == TEXT
    assert {each["trusted"] for each in browser.events("input")} == {True}


def test_keyboard_type_holds_shift_for_capitals_and_signs(browser: Browser) -> None:
    browser.show(f"{RECORDER}<input id=one autofocus>")
    browser.do("keyboard_type", text="aA1!")

    assert [(each["key"], each["keys"]) for each in browser.events("keydown")] == [
        ("a", ""),
        ("A", "shiftKey"),
        ("1", ""),
        ("!", "shiftKey"),
    ]


def test_keyboard_type_of_a_break_and_a_tab(browser: Browser) -> None:
    browser.show("<textarea id=one autofocus></textarea><input id=two>")
    browser.do("keyboard_type", text="a\r\nb\tc")

    assert browser.value("[one.value, two.value]") == ["a\nb", "c"]


def test_keyboard_type_of_an_endless_text_is_refused(browser: Browser) -> None:
    browser.show("<input id=one autofocus>")

    assert "at most 2000 are typed" in browser.do("keyboard_type", text="a" * 2001).error
    assert browser.value("one.value") == ""


def test_keyboard_insert_text_inserts_without_keys(browser: Browser) -> None:
    browser.show(f"{RECORDER}<input id=one autofocus>")
    browser.do("keyboard_insert_text", text=TEXT)

    assert browser.value("one.value") == TEXT
    assert browser.events("keydown") == []


def test_keyboard_without_a_focus_does_no_harm(browser: Browser) -> None:
    browser.show(f"{RECORDER}<input id=one>")
    for name, arguments in (("keyboard_type", {"text": "abc"}), ("keyboard_insert_text", {"text": "abc"}),
                            ("keyboard_press", {"key": "Enter"})):  # fmt: skip
        assert browser.do(name, **arguments).error == ""

    assert browser.value("one.value") == ""


def test_keyboard_press_of_a_combination(browser: Browser) -> None:
    browser.show(f"{RECORDER}<input id=one autofocus value=abc>")
    browser.do("keyboard_press", key="Control+a")
    browser.do("keyboard_press", key="Delete")

    assert browser.value("one.value") == ""


def test_keyboard_copies_cuts_and_pastes(browser: Browser) -> None:
    browser.show("<input id=one autofocus value=abc><input id=two>")
    for key in ("Control+a", "Control+x", "Tab", "Control+v", "Control+v"):
        browser.do("keyboard_press", key=key)

    assert browser.value("[one.value, two.value]") == ["", "abcabc"]
    browser.do("keyboard_press", key="Control+z")
    assert browser.value("two.value") == "abc"


@pytest.mark.parametrize(
    ("modifier", "held"), [("Alt", "altKey"), ("Control", "ctrlKey"), ("Meta", "metaKey"), ("Shift", "shiftKey")]
)
def test_keyboard_down_holds_a_modifier_until_up(browser: Browser, modifier: str, held: str) -> None:
    browser.show(f"{RECORDER}<button id=one>One</button>")
    browser.do("keyboard_down", key=modifier)
    browser.do("click", bid="1")
    browser.do("keyboard_up", key=modifier)
    browser.do("click", bid="1")

    assert [each["keys"] for each in browser.events("click")] == [held, ""]
    assert [each["key"] for each in browser.events("keydown", "keyup")] == [modifier, modifier]


def test_keyboard_down_and_up_of_a_letter(browser: Browser) -> None:
    browser.show(f"{RECORDER}<input id=one autofocus>")
    browser.do("keyboard_down", key="a")
    assert browser.value("one.value") == "a"
    browser.do("keyboard_up", key="a")

    assert [each["type"] for each in browser.events("keydown", "keyup")] == ["keydown", "keyup"]


@pytest.mark.parametrize("name", ["keyboard_press", "keyboard_down", "keyboard_up"])
def test_unknown_key_is_explained(browser: Browser, name: str) -> None:
    browser.show("<input autofocus>")

    assert browser.do(name, key="Hyper").error.startswith("There is no key 'Hyper'.")


def test_sequence_of_a_keyboard_is_what_a_person_makes(browser: Browser) -> None:
    browser.show(f"{RECORDER}<input id=one autofocus>")
    browser.do("keyboard_press", key="Control+Shift+k")

    assert [(each["type"], each["key"], each["keys"]) for each in browser.events("keydown", "keyup")] == [
        ("keydown", "Control", "ctrlKey"),
        ("keydown", "Shift", "ctrlKey+shiftKey"),
        ("keydown", "k", "ctrlKey+shiftKey"),
        ("keyup", "k", "ctrlKey+shiftKey"),
        ("keyup", "Shift", "ctrlKey"),
        ("keyup", "Control", ""),
    ]

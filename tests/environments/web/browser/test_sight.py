"""What is seen as text and as a picture: the head, the budget, the marks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from agentgym_web.browser.settings import View
from agentgym_web.browser.sight import Sight, TabTitle, draw_marks, estimate_tokens, fit, one_line
from tests.environments.web.browser.conftest import Opening
from tests.environments.web.browser.driving import Browser
from tests.environments.web.browser.string_site import StringSite

BOX = "position:absolute;left:100px;top:50px;width:60px;height:40px;padding:0;border:0;background:rgb(0,200,0)"


def pixels(sight: Sight) -> NDArray[np.uint8]:
    assert sight.picture is not None
    return sight.picture


def test_budget_keeps_what_matters_most() -> None:
    lines = ["far", "text", "usable", "focused", "options"]

    # Each line counts its length and one more; the note has 11.
    assert fit(lines, "32104", 11 + 1 + 8 + 7, lambda text: min(len(text), 11)) == [
        "usable", "focused", "(3 lines left out)",
    ]  # fmt: skip


def test_budget_prefers_earlier_lines_among_equals() -> None:
    kept = fit([f"line {number}" for number in range(9)], "2" * 9, 20, estimate_tokens)

    assert kept[:-1] == [f"line {number}" for number in range(len(kept) - 1)]
    assert kept[-1] == f"({9 - len(kept) + 1} lines left out)"


def test_budget_keeps_the_order_of_the_page() -> None:
    kept = fit(["a " * 9, "b", "c " * 9, "d"], "3131", 12, estimate_tokens)

    assert kept == ["b", "d", "(2 lines left out)"]


def test_budget_that_is_enough_changes_nothing() -> None:
    lines = ["one", "two"]

    assert fit(lines, "22", 4, estimate_tokens) == lines


@pytest.mark.parametrize("max_tokens", [20, 40, 100, 300])
def test_budget_is_kept_on_a_page(browser: Browser, max_tokens: int) -> None:
    view = View(max_tokens=max_tokens)
    browser.show(
        "<input aria-label=Here autofocus>" + "<p>Some text of the page.</p><button>Button</button>" * 60, view
    )
    text = browser.sight.text(view, with_head=False)

    assert estimate_tokens(text) <= max_tokens
    assert text.splitlines()[0] == '[1] textbox "Here" focused'
    assert all(line in browser.sight.lines for line in text.splitlines()[:-1])
    shown = len(text.splitlines()) - 1
    assert text.splitlines()[-1] == f"({121 - shown} lines left out)"


def test_tokens_are_counted_by_the_function_that_is_given(browser: Browser) -> None:
    view = View(max_tokens=100)
    browser.show("<p>word</p>" * 100)

    assert len(browser.sight.text(view, lambda text: 20, with_head=False).splitlines()) == 4


@pytest.mark.parametrize(("text", "count"), [("", 0), ("abcd", 1), ("abcde", 2), ("数字", 2), ("abcd数", 2), ("😀", 1)])
def test_tokens_are_estimated_by_characters(text: str, count: int) -> None:
    assert estimate_tokens(text) == count


def test_head_says_title_address_tabs_and_scrolling() -> None:
    tabs = [TabTitle("http://a.test/", "One"), TabTitle("http://b.test/", "")]
    sight = Sight("http://b.test/", "Two\nlines", ["x"], "2", tabs=tabs, active_tab=1, scroll=(0, 40, 80, 900, 80, 100))

    assert sight.text(View()).splitlines() == [
        "tab 0: One, http://a.test/",
        "tab 1: untitled, http://b.test/ (in front)",
        "page: Two lines, http://b.test/",
        "scrolled: 40 of 800 pixels",
        "x",
    ]


def test_error_and_notes_come_first() -> None:
    sight = Sight(lines=["x"], relevance="2", error="It failed.", notes=["A tab opened."])

    assert sight.text(View(), with_head=False) == "error: It failed.\nA tab opened.\nx"


def test_view_without_tree_has_no_lines() -> None:
    assert Sight(lines=["x"], relevance="2").text(View(tree=False), with_head=False) == ""


@pytest.mark.parametrize(
    ("text", "line"), [("a\nb", "a b"), ("a\u202eb", "a b"), ("  a  ", "a"), ("x" * 300, "x" * 200)]
)
def test_text_of_a_page_stays_on_one_line(text: str, line: str) -> None:
    assert one_line(text) == line


def test_screenshot_has_the_windows_size_and_colours(browser: Browser) -> None:
    browser.show(f"<body style='background:rgb(10,20,30)'><div style='{BOX}'></div>")
    found = pixels(browser.page.look(View(screenshot=True)))

    assert found.shape == (720, 1280, 3)
    assert found.dtype == np.uint8
    inside = np.zeros((720, 1280), dtype=bool)
    inside[50:90, 100:160] = True
    assert (found[inside] == (0, 200, 0)).all()
    assert (found[~inside] == (10, 20, 30)).all()


def test_screenshot_shows_the_scrolled_page(browser: Browser) -> None:
    browser.show("<div style='height:1000px'></div><div style='height:2000px;background:rgb(200,0,0)'></div>")
    sight = browser.do("scroll", View(screenshot=True), delta_x=0, delta_y=1100)

    assert (pixels(sight)[5:, 20:100] == (200, 0, 0)).all()


@pytest.mark.parametrize("scale", [2.0, 0.5])
def test_screenshot_and_marks_follow_the_scale(windows: Opening, site: StringSite, scale: float) -> None:
    browser = Browser(windows(scale=scale, width=400, height=300), site)
    browser.show(f"<button style='{BOX}'></button>")
    plain = pixels(browser.page.look(View(screenshot=True)))
    marked = pixels(browser.page.look(View(marks=True)))

    assert plain.shape == (300 * scale, 400 * scale, 3)
    assert tuple(plain[int(70 * scale), int(130 * scale)]) == (0, 200, 0)
    changed = np.argwhere((plain != marked).any(axis=2))
    assert changed[:, 1].min() == 100 * scale
    assert changed[:, 0].max() == 90 * scale


def test_marks_frame_what_can_be_used_and_nothing_else(browser: Browser) -> None:
    browser.show(f"<p>Some text</p><button style='{BOX}'></button>")
    plain = pixels(browser.page.look(View(screenshot=True)))
    marked = pixels(browser.page.look(View(marks=True)))

    changed = np.argwhere((plain != marked).any(axis=2))
    top, left = changed.min(axis=0)
    bottom, right = changed.max(axis=0)
    assert (left, right, bottom) == (100, 160, 90)
    assert 30 <= top < 50  # the label with the id is above the frame
    assert (marked[60:80, 110:150] == (0, 200, 0)).all()
    assert len({tuple(marked[row, 100]) for row in range(50, 90)}) == 1


def test_marks_leave_out_hidden_and_far_elements(browser: Browser) -> None:
    browser.show("""<button id=one>One</button><button onclick="one.style.display = 'none'">Hide</button>
        <div style='height:3000px'></div><button>Far</button>""")
    browser.do("click", bid=browser.id("Hide"))
    found = browser.page._hub.run(browser.page._looking._observe(View(marks=True), False))

    assert [mark[0] for mark in found["marks"]] == [2]


def test_marks_of_all_elements_have_frames_of_their_places(browser: Browser) -> None:
    place = "position:absolute;width:40px;height:20px;padding:0;border:0;left:{}px;top:{}px"
    places = [(10, 40), (200, 100), (400, 300)]
    browser.show("".join(f"<button style='{place.format(*each)}'></button>" for each in places))
    plain = pixels(browser.page.look(View(screenshot=True)))
    marked = pixels(browser.page.look(View(marks=True)))

    for left, top in places:
        for x, y in ((left, top + 10), (left + 40, top + 10), (left + 20, top + 20)):
            assert (plain[y, x] != marked[y, x]).any()


def test_marks_at_the_top_have_their_labels_within_the_picture() -> None:
    marked = draw_marks(np.full((60, 60, 3), 255, dtype=np.uint8), [[7, 0, 0, 30, 30], ["a8", 30, 30, 20, 20]])

    assert (marked[4:12, 2:8] != 255).any()
    assert (marked[30:50, 30] != 255).any()


def test_focused_element_is_named(browser: Browser) -> None:
    browser.show("<input aria-label=A><input aria-label=B autofocus>")
    assert browser.sight.focused == "2"

    browser.show("<p>nothing</p>")
    assert browser.sight.focused == ""


def test_error_of_the_last_action_is_there_once(browser: Browser) -> None:
    browser.show("<p>here</p>")
    assert browser.do("click", bid="7").text(View()).startswith("error: There is no element 7.")

    assert "error" not in browser.page.look(View()).text(View())


def test_same_actions_twice_give_the_same_bytes(browser: Browser) -> None:
    body = """<style>button:focus { color: red }</style><input aria-label=Name>
        <button onclick="document.body.append(new Date() + Math.random())">Go</button>
        <div style='height:2000px'>Long</div>"""
    view = View(dom=True, marks=True)
    steps: list[tuple[str, dict[str, Any]]] = [
        ("fill", {"bid": "1", "value": "Ada"}),
        ("click", {"bid": "2"}),
        ("hover", {"bid": "1"}),
        ("scroll", {"delta_x": 0, "delta_y": 90}),
        ("press", {"bid": "1", "key_comb": "Tab"}),
    ]
    runs = []
    for _ in range(2):
        browser.page.start_over()
        browser.show(body, view)
        seen = [browser.sight, *(browser.do(name, view, **arguments) for name, arguments in steps)]
        runs.append([(each.text(view), pixels(each).tobytes()) for each in seen])

    assert [text for text, _ in runs[0]] == [text for text, _ in runs[1]]
    assert [picture for _, picture in runs[0]] == [picture for _, picture in runs[1]]

"""Frames: of the same origin, of others, within each other."""

from __future__ import annotations

import pytest

from agentgym_web.browser.framing import _letters
from agentgym_web.browser.settings import View
from tests.environments.web.browser.driving import Browser

CLICKED = "document.body.append('clicked ' + event.isTrusted)"


def test_frame_of_same_origin_is_part_of_the_tree(browser: Browser) -> None:
    browser.site.pages["/in"] = f'<button onclick="{CLICKED}">Inner</button>'
    browser.show('<h1>Outer</h1><iframe src="/in" title="Box"></iframe>')

    assert browser.sight.lines == ['heading "Outer" level=1', '[1] iframe "Box"', ' [2] button "Inner"']
    assert browser.do("click", bid="2").lines[-1] == ' "clicked true"'


def test_frame_of_srcdoc_is_part_of_the_tree(browser: Browser) -> None:
    browser.show(f"""<iframe srcdoc="<button onclick=&quot;{CLICKED}&quot;>Inner</button>"></iframe>""")

    assert browser.do("click", bid="2").lines[-1] == ' "clicked true"'


def test_frame_of_other_origin_has_letters_in_its_ids(browser: Browser) -> None:
    browser.site.pages["b.test/in"] = f'<p>Text</p><button onclick="{CLICKED}">Inner</button>'
    browser.show('<button>Outer</button><iframe src="http://b.test/in"></iframe><button>Last</button>')

    assert browser.sight.lines == [
        '[1] button "Outer"',
        "[2] iframe",
        ' "Text"',
        ' [a1] button "Inner"',
        '[3] button "Last"',
    ]
    assert ' "clicked true"' in browser.do("click", bid="a1").lines
    assert browser.sight.focused == "a1"


def test_frames_within_frames_of_other_origins_are_read_and_clicked(browser: Browser) -> None:
    browser.site.pages["b.test/in"] = '<p>Second</p><iframe src="http://c.test/in"></iframe>'
    browser.site.pages["c.test/in"] = (
        '<p>Third</p><iframe src="/same"></iframe><iframe src="http://a.test/in"></iframe>'
    )
    browser.site.pages["c.test/same"] = f'<button onclick="{CLICKED}">Same</button>'
    browser.site.pages["a.test/in"] = f'<button onclick="{CLICKED}">Fourth</button>'
    browser.show('<h1>First</h1><iframe src="http://b.test/in" width=700 height=600></iframe>')

    assert browser.sight.lines == [
        'heading "First" level=1', "[1] iframe", ' "Second"', " [a1] iframe", '  "Third"', "  [b1] iframe",
        '   [b2] button "Same"', "  [b3] iframe", '   [c1] button "Fourth"',
    ]  # fmt: skip
    assert '   "clicked true"' in browser.do("click", bid="c1").lines
    assert browser.do("click", bid="b2").lines.count('   "clicked true"') == 2


def test_frame_of_other_origin_within_one_of_the_same(browser: Browser) -> None:
    browser.site.pages["/in"] = '<p>Second</p><iframe src="http://b.test/in"></iframe>'
    browser.site.pages["b.test/in"] = f'<button onclick="{CLICKED}">Third</button>'
    browser.show('<iframe src="/in" width=600 height=400></iframe>')

    assert browser.sight.lines == ["[1] iframe", ' "Second"', " [2] iframe", '  [a1] button "Third"']
    assert '  "clicked true"' in browser.do("click", bid="a1").lines


def test_frames_past_the_26th_have_letters_of_their_own(browser: Browser) -> None:
    browser.site.pages["b.test/in"] = f'<button onclick="{CLICKED}">Inner</button>'
    browser.show(
        "".join(f'<iframe src="http://b.test/in?{number}" width=90 height=60></iframe>' for number in range(30))
    )

    ids = [line.strip().partition("]")[0] for line in browser.sight.lines if "Inner" in line]
    assert ids == [f"[{_letters(number)}1" for number in range(30)]
    assert len(set(ids)) == 30
    browser.do("click", bid="ab1")
    assert [number for number, line in enumerate(browser.sight.lines) if "clicked" in line] == [2 * 27 + 2]


@pytest.mark.parametrize(
    ("number", "letters"), [(0, "a"), (25, "z"), (26, "aa"), (51, "az"), (52, "ba"), (701, "zz"), (702, "aaa")]
)
def test_letters_count_on_after_z(number: int, letters: str) -> None:
    assert _letters(number) == letters


def test_frame_keeps_its_letters_when_another_one_goes(browser: Browser) -> None:
    browser.site.pages["b.test/in"] = "<button>One</button>"
    browser.site.pages["c.test/in"] = "<button>Two</button>"
    browser.show("""<iframe id=one src="http://b.test/in"></iframe><iframe src="http://c.test/in"></iframe>
        <button onclick="one.remove()">Go</button>""")
    assert browser.id("Two") == "b1"

    browser.do("click", bid=browser.id("Go"))

    assert browser.id("Two") == "b1"
    assert "no longer" in browser.do("click", bid="a1").error


def test_frame_that_comes_later_takes_no_used_letters(browser: Browser) -> None:
    browser.site.pages["b.test/in"] = "<button>One</button>"
    browser.show("""<iframe id=one src="http://b.test/in"></iframe><button onclick="one.remove(); const next =
        document.createElement('iframe'); next.src = 'http://b.test/in'; document.body.append(next)">Go</button>""")

    browser.do("click", bid=browser.id("Go"))

    assert browser.id("One") == "b1"


def test_letters_begin_anew_on_the_next_page(browser: Browser) -> None:
    browser.site.pages["b.test/in"] = "<button>One</button>"
    for _ in range(2):
        browser.show('<iframe src="http://b.test/in"></iframe>')
        assert browser.id("One") == "a1"


def test_frame_that_goes_on_to_another_page_is_waited_for(browser: Browser) -> None:
    browser.site.pages["b.test/in"] = '<a href="/next">Next</a>'
    browser.site.pages["b.test/next"] = "<p>Arrived</p>"
    browser.show('<iframe src="http://b.test/in"></iframe>')

    assert ' "Arrived"' in browser.do("click", bid="a1").lines


def test_clock_of_frame_of_other_origin_goes_on(browser: Browser) -> None:
    browser.site.pages["b.test/in"] = (
        "<p id=p>early</p><script>setTimeout(() => { p.textContent = 'late' }, 700)</script>"
    )
    browser.show('<iframe src="http://b.test/in"></iframe>')
    assert ' "early"' in browser.sight.lines

    assert ' "late"' in browser.do("noop", wait_ms=300).lines


def test_element_far_down_in_a_frame_far_down_is_clicked(browser: Browser) -> None:
    browser.site.pages["b.test/in"] = f'<div style="height:3000px"></div><button onclick="{CLICKED}">Deep</button>'
    browser.show('<div style="height:3000px"></div><iframe src="http://b.test/in" height=1500></iframe>')

    assert ' "clicked true"' in browser.do("click", bid="a1").lines


def test_cover_over_a_frame_is_named(browser: Browser) -> None:
    browser.site.pages["b.test/in"] = "<button>Inner</button>"
    browser.show('<iframe src="http://b.test/in"></iframe><div style="position:fixed;inset:0">Cookies?</div>')

    assert browser.do("click", bid="a1").error == '[1] iframe is covered by div "Cookies?". Move or close that first.'


def test_errors_name_elements_of_frames_by_their_full_ids(browser: Browser) -> None:
    browser.site.pages["b.test/in"] = "<button disabled>Inner</button>"
    browser.show('<iframe src="http://b.test/in"></iframe>')

    assert browser.do("click", bid="a1").error == '[a1] button "Inner" is disabled.'
    assert browser.do("click", bid="a7").error.startswith("There is no element a7.")
    assert browser.do("click", bid="b1").error.startswith("There is no element b1.")


def test_fields_in_frames_are_filled_and_focused(browser: Browser) -> None:
    browser.site.pages["b.test/in"] = '<input aria-label="Name"><select aria-label="Size"><option>S<option>L</select>'
    browser.show('<input aria-label="Outer" autofocus><iframe src="http://b.test/in"></iframe>')

    assert ' [a1] textbox "Name" value="Ada" focused' in browser.do("fill", bid="a1", value="Ada").lines
    assert '[1] textbox "Outer"' in browser.sight.lines
    assert ' [a2] combobox "Size" value="L" focused' in browser.do("select_option", bid="a2", options="L").lines
    assert '[1] textbox "Outer" focused' in browser.do("focus", bid="1").lines
    assert not any("focused" in line for line in browser.sight.lines[1:])


def test_dom_and_marks_include_frames_of_other_origins(browser: Browser) -> None:
    browser.site.pages["b.test/in"] = (
        '<button style="position:absolute;left:10px;top:20px;width:50px;height:30px">Inner</button>'
    )
    browser.show(
        '<iframe src="http://b.test/in" style="position:absolute;left:100px;top:50px;border:2px solid"></iframe>'
    )
    sight = browser.page.look(View(dom=True, marks=True))

    assert '<button bid="a1">Inner</button>' in [line.strip() for line in sight.dom.splitlines()]
    picture = sight.picture
    assert picture is not None
    # The left edge of its frame: 100 + 2 + 10 from the left.
    assert tuple(picture[50 + 2 + 20 + 15, 100 + 2 + 10]) != (255, 255, 255)


def test_dom_alone_includes_frames(browser: Browser) -> None:
    browser.site.pages["b.test/in"] = "<p>Inner</p>"
    browser.show('<iframe src="http://b.test/in"></iframe>')

    assert browser.page.look(View(tree=False, dom=True)).dom == '<iframe bid="1">\n <p>Inner</p>\n</iframe>'

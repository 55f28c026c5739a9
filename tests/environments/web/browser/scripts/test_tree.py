"""The tree of a page: what has a line, and in which order."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agentgym_web.browser.settings import View
from tests.environments.web.browser.driving import VIEW, Browser
from tests.environments.web.browser.string_site import Text


def test_table_has_a_line_for_each_row(browser: Browser) -> None:
    sight = browser.show("""<table><caption>Ages</caption><tr><th>Name<th>Age<tr><td>Ada<td>36
        <tr><td>Bob<td><button>Edit</button></table>""")

    assert sight.lines == [
        'table "Ages"', ' row "Name | Age"', ' row "Ada | 36"', " row", '  cell "Bob"', "  cell",
        '   [1] button "Edit"',
    ]  # fmt: skip


def test_list_has_a_line_for_each_item(browser: Browser) -> None:
    sight = browser.show("<ul><li>One<li>Two <b>words</b><li><a href=#>Three</a> more</ul>")

    assert sight.lines == [
        "list", ' listitem "One"', ' listitem "Two words"', " listitem", '  [1] link "Three"', '  "more"',
    ]  # fmt: skip


def test_texts_are_split_by_blocks_and_joined_within(browser: Browser) -> None:
    sight = browser.show("<div>one <b>two</b> <i>three</i><p>four</p>five<br>six</div>")

    assert sight.lines == ['"one two three"', '"four"', '"five six"']


TAG = "<span style='display: inline-block; padding: 1px 8px'>"


@pytest.mark.parametrize(
    ("body", "line"),
    [
        (f"{TAG}5 stars: 0</span>{TAG}4 stars: 1</span>", '"5 stars: 0 4 stars: 1"'),
        ("<div style='display: flex; gap: 9px'><span>one</span><span>two</span></div>", '"one two"'),
        ("<span style='display: block'>one</span><span style='display: block'>two</span>", '"one two"'),
        ("<b style='margin-right: 5px'>one</b>two", '"one two"'),
        (f"one{TAG}two</span>three", '"one two three"'),
        ("un<b>believ</b>able", '"unbelievable"'),
        ("<span style='display: inline-block'>x</span><span style='display: inline-block'>y</span>", '"xy"'),
        (f"one {TAG} two</span>", '"one two"'),
    ],
)
def test_texts_are_apart_where_a_person_sees_them_apart(browser: Browser, body: str, line: str) -> None:
    assert browser.show(body).lines == [line]


def test_select_shows_its_options(browser: Browser) -> None:
    sight = browser.show("""<select aria-label=Size><optgroup label=G><option>S<option selected>M</optgroup>
        <option disabled label=Large>L</select>""")

    assert sight.lines == [
        '[1] combobox "Size" value="M"', ' option "S"', ' option "M" selected', ' option "Large" disabled',
    ]  # fmt: skip


def test_list_box_has_ids_for_its_options(browser: Browser) -> None:
    sight = browser.show("<select multiple aria-label=Size><option>S<option selected>M</select>")

    assert sight.lines == ['[1] listbox "Size"', ' [2] option "S"', ' [3] option "M" selected']


def test_long_select_says_how_many_options_are_missing(browser: Browser) -> None:
    sight = browser.show(f"<select aria-label=N>{''.join(f'<option>{number}' for number in range(100))}</select>")

    assert len(sight.lines) == 62
    assert sight.lines[-1] == ' "… 40 more options"'


def test_long_text_is_cut(browser: Browser) -> None:
    sight = browser.show(f"<p>{'word ' * 200}</p>", View(max_text=20))

    assert sight.lines == ['"word word word word …"']


def test_shadow_trees_are_read_with_what_is_put_into_them(browser: Browser) -> None:
    sight = browser.show("""<x-a id=a><b slot=s>given</b> light</x-a><script>
        a.attachShadow({ mode: "closed" }).innerHTML = "<h2>Shadow <slot name=s></slot></h2><slot></slot>"
        </script>""")

    assert sight.lines == ['heading "Shadow given" level=2', '"light"']


def test_declared_shadow_trees_within_each_other_are_read(browser: Browser) -> None:
    inner = "<x-b><template shadowrootmode=open><button>Deep</button></template></x-b>"
    sight = browser.show(f"<x-a><template shadowrootmode=open><p>One</p>{inner}</template></x-a>")

    assert sight.lines == ['"One"', '[1] button "Deep"']


def test_label_in_a_shadow_tree_names_its_field(browser: Browser) -> None:
    sight = browser.show("""<x-a><template shadowrootmode=open><label for=n>Inner</label><input id=n></template></x-a>
        <label for=n>Outer</label><input id=n>""")

    assert sight.lines == ['[1] textbox "Inner"', '[2] textbox "Outer"']


def test_dialog_over_the_page_is_read(browser: Browser) -> None:
    sight = browser.show(
        "<p>Page</p><dialog id=d aria-label=Ask><button>Yes</button></dialog><script>d.showModal()</script>"
    )

    assert sight.lines == ['"Page"', 'dialog "Ask"', ' [1] button "Yes" focused']


def test_ids_for_all_lines(browser: Browser) -> None:
    sight = browser.show("<h1>Head</h1><p>One <b>two</b></p><ul><li>Three</ul>", View(ids="all"))

    assert all(line.lstrip().startswith("[") or '"One"' in line for line in sight.lines)


def test_places_say_where_elements_are(browser: Browser) -> None:
    place = "position:absolute;left:100px;top:40px;width:60px;height:20px;padding:0;border:0"
    sight = browser.show(f"<button style='{place}'>A</button>", View(places=True))

    assert sight.lines == ['[1] button "A" at=130,50 size=60x20']


def test_places_in_frames_count_from_the_window(browser: Browser) -> None:
    style = "position:absolute;left:10px;top:10px;width:60px;height:20px;padding:0;border:0"
    browser.site.pages["/in"] = f"<button style='{style}'>A</button>"
    sight = browser.show(
        "<iframe src=/in style='position:absolute;left:100px;top:50px;border:0'></iframe>", View(places=True)
    )

    assert ' [2] button "A" at=140,70 size=60x20' in sight.lines


def test_shapes_say_what_is_drawn(browser: Browser) -> None:
    sight = browser.show("""<svg width=100 height=100 style='position:absolute;left:0;top:0'>
        <circle cx=50 cy=40 r=10 fill=red /><text x=5 y=90>Label</text></svg>""", View(shapes=True))  # fmt: skip

    assert "[2] circle color=red at=50,40 size=20x20" in [line.strip() for line in sight.lines]
    assert any('text "Label" color=black' in line for line in sight.lines)


@pytest.mark.parametrize(
    ("drawn", "line"),
    [
        ("<svg onclick='' width=20 height=20><circle cx=10 cy=10 r=8 /></svg>", "clickable"),
        ("<svg id=found width=20 height=20><title>Close</title><circle cx=10 cy=10 r=8 /></svg>", 'clickable "Close"'),
        ("<svg><g role=button aria-label=Play><circle cx=10 cy=10 r=8 /></g></svg>", 'button "Play"'),
        ("<svg><g tabindex=0><text y=20>Bar</text></g></svg>", 'clickable "Bar"'),
        ("<svg><path role=checkbox aria-label=On aria-checked=true d='M0 0h9v9z' /></svg>", 'checkbox "On" checked'),
        ("<svg><a href=/next><text y=20>Next</text></a></svg>", 'link "Next"'),
    ],
)
def test_drawn_things_that_can_be_used_have_lines_like_others(browser: Browser, drawn: str, line: str) -> None:
    listen = "<script>window.found?.addEventListener('click', () => { document.title = 'clicked' })</script>"

    assert browser.show(drawn + listen).lines == [f"[1] {line}"]
    assert browser.do("click", bid="1").error == ""


def test_click_on_a_group_of_shapes_meets_one_of_them(browser: Browser) -> None:
    browser.show("""<svg width=300 height=100><g role=button aria-label=Ends onclick="document.title = 'met'">
        <rect x=0 y=0 width=20 height=20 /><rect x=280 y=80 width=20 height=20 /></g></svg>""")

    assert browser.do("click", bid="1").title == "met"


def test_drawn_thing_that_is_hidden_or_for_nobody_has_no_line(browser: Browser) -> None:
    drawn = "<svg {}><circle cx=10 cy=10 r=8 /></svg>"
    hidden = ("aria-hidden=true onclick=''", "style='visibility:hidden' onclick=''", "tabindex=-1", "")

    assert browser.show("".join(drawn.format(each) for each in hidden)).lines == []


@pytest.mark.parametrize("element", ["<object data=/in type=text/html></object>", "<embed src=/in type=text/html>"])
def test_embedded_page_is_read_like_a_frame(browser: Browser, element: str) -> None:
    browser.site.pages["/in"] = "<button onclick='document.title = this.textContent = `done`'>Inner</button>"
    browser.show(f"<p>Text</p>{element}")
    assert [line.strip() for line in browser.sight.lines] == ['"Text"', "[1] iframe", '[2] button "Inner"']

    assert ' [2] button "done" focused' in browser.do("click", bid="2").lines


def test_embedded_page_of_another_site_is_read_like_a_frame(browser: Browser) -> None:
    browser.site.pages["/in"] = "<button>Inner</button>"

    assert browser.show("<object data=http://b.test/in type=text/html></object>").lines == [
        "[1] iframe", ' [a1] button "Inner"',
    ]  # fmt: skip


def test_page_of_xml_is_read_and_used_like_one_of_html(browser: Browser) -> None:
    form = '<h1>Form</h1><label>Name <input/></label><select aria-label="Kind"><option>one</option></select>'
    page = f'<html xmlns="http://www.w3.org/1999/xhtml"><body>{form}</body></html>'
    browser.site.pages["/xml"] = Text(page, "application/xhtml+xml")
    assert browser.page.open("http://a.test/xml", VIEW).lines == [
        'heading "Form" level=1', '[1] textbox "Name"', '[2] combobox "Kind" value="one"', ' option "one" selected',
    ]  # fmt: skip

    assert '[1] textbox "Name" value="Ada" focused' in browser.do("fill", bid="1", value="Ada").lines


def test_picture_that_is_a_page_of_its_own_is_read(browser: Browser) -> None:
    drawn = '<text y="20">Map</text><a href="/"><text y="50">Home</text></a>'
    browser.site.pages["/map"] = Text(f'<svg xmlns="http://www.w3.org/2000/svg">{drawn}</svg>', "image/svg+xml")

    assert browser.page.open("http://a.test/map", VIEW).lines == ['"Map"', '[1] link "Home"']


def test_object_without_a_page_shows_what_stands_in_for_it(browser: Browser) -> None:
    picture = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>"

    assert browser.show(f'<object data="{picture}"></object><object>Nothing here</object>').lines == ['"Nothing here"']


def test_parts_are_left_out_by_selectors(browser: Browser) -> None:
    sight = browser.show("<div id=ad><p>Buy</p></div><p class=x>X</p><p>Text</p>", View(skip=("#ad", ".x")))

    assert sight.lines == ['"Text"']


def test_visible_only_leaves_out_what_is_above_and_below(browser: Browser) -> None:
    gap = "<div style='height:1000px'></div>"
    body = f"<p>top</p><button>Top</button>{gap}<p>middle</p><button>Middle</button>{gap}<p>low</p><a href=#>Low</a>"
    browser.show(body)
    view = View(visible_only=True)
    sight = browser.do("scroll", view, delta_x=0, delta_y=900)

    assert sight.lines == ['"middle"', '[2] button "Middle"']
    assert sight.num_left_out == (2, 2)
    assert sight.text(view).splitlines()[-2:] == ["(2 elements above the window)", "(2 elements below the window)"]


def test_visible_only_in_a_frame_far_down(browser: Browser) -> None:
    browser.site.pages["/in"] = "<p>inner</p><button>Inner</button>"
    view = View(visible_only=True)
    sight = browser.show("<p>top</p><iframe src=/in style='margin-top:2000px'></iframe>", view)

    assert sight.lines == ['"top"']
    assert sight.num_left_out == (0, 3)


def test_relevance_ranks_focused_usable_texts_and_far_ones(browser: Browser) -> None:
    sight = browser.show("""<p>text</p><button>Near</button><input aria-label=Field autofocus>
        <div style='height:3000px'></div><button>Far</button>""", View(max_tokens=1000))  # fmt: skip

    assert dict(zip([line.split('"')[1] for line in sight.lines], sight.relevance, strict=True)) == {
        "text": "2", "Near": "1", "Field": "0", "Far": "3",
    }  # fmt: skip


def test_page_of_too_many_elements_is_cut_and_says_so(browser: Browser) -> None:
    view = View(max_elements=50)
    sight = browser.show("<p>word</p>" * 100, view)

    assert 49 <= len(sight.lines) <= 51
    assert sight.text(view).splitlines()[-1] == "(the page has more elements than are shown)"


def test_page_that_is_very_deep_is_cut_and_says_so(browser: Browser) -> None:
    browser.show("<p>begin</p>")
    browser.value("""let inner = document.body; for (let n = 0; n < 900; n += 1) {
        const next = document.createElement('div'); inner.append(next); inner = next } inner.append('deep')""")
    sight = browser.page.look(View())

    assert sight.lines[0] == '"begin"'
    assert sight.was_cut


PAGE = "<div><button>Button {0}</button><label>Field {0} <input></label><p>Text {0}</p></div>"


@pytest.mark.parametrize("view", [View(), View(max_tokens=500), View(dom=True, tree=False)])
def test_work_grows_with_the_page_and_no_faster(browser: Browser, view: View) -> None:
    """Counted in characters that cross to us and calls in the page, not in time."""
    calls = {}
    for num_parts in (200, 800):
        body = "".join(PAGE.format(number) for number in range(num_parts))
        browser.show(body, replace(view, max_tokens=None))
        calls[num_parts] = _calls_of_one_look(browser, view)

    assert calls[800] < 4.5 * calls[200]


def _calls_of_one_look(browser: Browser, view: View) -> int:
    """How many calls of functions, in the page's process, one look makes."""
    tab = browser.page._window.tab

    async def ask(method: str, **params: object) -> dict[str, object]:
        return await tab.post(method, params)

    run = browser.page._hub.run
    run(ask("Profiler.enable"))
    run(ask("Profiler.startPreciseCoverage", callCount=True, detailed=False))
    browser.page.look(view)
    found = run(ask("Profiler.takePreciseCoverage"))
    run(ask("Profiler.stopPreciseCoverage"))
    run(ask("Profiler.disable"))
    return sum(
        function["ranges"][0]["count"]
        for script in found["result"]  # type: ignore[attr-defined]
        for function in script["functions"]
    )


def test_page_of_ten_thousand_elements_is_whole(browser: Browser) -> None:
    sight = browser.show("".join(f"<div><button>B{number}</button></div><p>T{number}</p>" for number in range(3333)))

    assert len(sight.lines) == 6666
    assert sight.lines[-1] == '"T3332"'
    assert not sight.was_cut

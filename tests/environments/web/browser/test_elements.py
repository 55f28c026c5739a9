"""Elements by their ids: which stay, which are gone, and why one cannot be used."""

from __future__ import annotations

import pytest

from tests.environments.web.browser.driving import RECORDER, Browser

OVER = "<div style='position:fixed;inset:0;background:white'>{}</div>"


def test_ids_stay_when_other_parts_are_drawn_anew(browser: Browser) -> None:
    browser.show("""<div id=list><button>A</button><button>B</button></div><button id=stay>Stay</button>
        <button onclick="list.innerHTML = '<button>C</button>'">Draw</button>""")
    stay, drawing = browser.id("Stay"), browser.id("Draw")
    before = {browser.id('"A"'), browser.id('"B"'), stay, drawing}
    browser.do("click", bid=drawing)

    assert browser.id("Stay") == stay
    assert browser.id('"C"') not in before


def test_ids_stay_over_many_steps(browser: Browser) -> None:
    browser.show("<button>A</button><input aria-label=B><a href=#x>C</a>")
    ids = [browser.id(name) for name in ('"A"', '"B"', '"C"')]
    for number in range(5):
        browser.do("fill", bid=ids[1], value=str(number))
        browser.do("click", bid=ids[0])

    assert [browser.id(name) for name in ('"A"', '"B"', '"C"')] == ids


def test_ids_stay_when_an_element_moves(browser: Browser) -> None:
    browser.show("<p id=low></p><button id=one>A</button><button onclick='low.append(one)'>Move</button>")
    before = browser.id('"A"')
    browser.do("click", bid=browser.id("Move"))

    assert browser.id('"A"') == before


def test_id_comes_back_with_its_element(browser: Browser) -> None:
    browser.show("""<button id=one>A</button><button onclick="window.kept = one; kept.isConnected ? kept.remove() :
        document.body.append(kept)">Toggle</button><script>window.one = one</script>""")
    before, toggle = browser.id('"A"'), browser.id("Toggle")
    assert "no longer on the page" in (browser.do("click", bid=toggle), browser.do("click", bid=before))[1].error
    browser.do("click", bid=toggle)

    assert browser.id('"A"') == before


def test_id_of_a_gone_element_is_never_given_again(browser: Browser) -> None:
    browser.show("""<div id=list><button>Item</button></div>
        <button onclick="list.innerHTML = '<button>Item</button>'">Draw</button>""")
    draw = browser.id("Draw")
    seen = [browser.id("Item")]
    for _ in range(5):
        browser.do("click", bid=draw)
        seen.append(browser.id("Item"))

    assert len(set(seen)) == len(seen)
    assert browser.do("click", bid=seen[0]).error == (
        f"Element {seen[0]} is no longer on the page. Choose an id of the page that you see now."
    )


def test_first_script_of_a_page_leaves_ids_alone(browser: Browser) -> None:
    """A page without scripts gets its first world of scripts only when an attribute's script runs."""
    browser.show("<p><a href=#x>Link</a></p><button onclick='this.before(document.createElement(\"hr\"))'>Go</button>")
    ids = browser.id("Link"), browser.id("Go")
    browser.do("click", bid=ids[1])

    assert (browser.id("Link"), browser.id("Go")) == ids


@pytest.mark.parametrize("name", ["agentgym", "observe"])
def test_element_named_like_our_scripts_is_harmless(browser: Browser, name: str) -> None:
    assert browser.show(f"<form id={name} name=agentgym><input name=observe></form>").lines == ["[1] textbox"]


@pytest.mark.parametrize("bid", ["99", 99, "[99]", "0", "z9", "abc9"])
def test_unknown_id_is_explained(browser: Browser, bid: str) -> None:
    browser.show("<button>One</button>")

    said = str(bid).strip("[]")
    assert browser.do("click", bid=bid).error == (
        f"There is no element {said}. Choose an id of the page that you see now."
    )


@pytest.mark.parametrize("bid", ["", "button", "One", "1a", "-1", "1.5", "12345678901", "¹", "١"])
def test_text_that_is_no_id_is_explained(browser: Browser, bid: str) -> None:
    browser.show("<button>One</button>")

    assert browser.do("click", bid=bid).error == (
        f"{bid!r} is no id of an element. Ids are the numbers in brackets, such as 12."
    )


@pytest.mark.parametrize("bid", ["1", 1, "[1]", " 1 "])
def test_id_may_be_written_as_it_is_shown(browser: Browser, bid: str) -> None:
    browser.show(f"{RECORDER}<button id=one>One</button>")
    browser.do("click", bid=bid)

    assert [each["id"] for each in browser.events("click")] == ["one"]


def test_covered_element_names_what_covers_it(browser: Browser) -> None:
    browser.show(f"<button>One</button>{OVER.format('Cookies?')}")

    for name in ("click", "dblclick", "hover", "focus"):
        assert browser.do(name, bid="1").error == (
            '[1] button "One" is covered by div "Cookies?". Move or close that first.'
        )


FIELD_ACTIONS: dict[str, dict[str, str]] = {
    "fill": {"value": "new"},
    "clear": {},
    "focus": {},
    "press": {"key_comb": "Backspace"},
}


@pytest.mark.parametrize("name", FIELD_ACTIONS)
def test_covered_field_takes_no_text_and_no_keys(browser: Browser, name: str) -> None:
    browser.show(f"<input id=one aria-label=One value=old>{OVER.format('Cookies?')}")

    assert browser.do(name, bid="1", **FIELD_ACTIONS[name]).error == (
        '[1] textbox "One" is covered by div "Cookies?". Move or close that first.'
    )
    assert browser.value("one.value") == "old"
    assert browser.value("document.activeElement === document.body")


def test_covered_list_lets_no_option_be_chosen(browser: Browser) -> None:
    browser.show(f"<select id=one aria-label=Size><option>S<option>M</select>{OVER.format('Cookies?')}")

    assert browser.do("select_option", bid="1", options="M").error == (
        '[1] combobox "Size" is covered by div "Cookies?". Move or close that first.'
    )
    assert browser.value("one.value") == "S"


def test_field_of_a_covered_frame_of_another_site_takes_no_text(browser: Browser) -> None:
    browser.site.pages["/in"] = "<input aria-label=Inner value=old>"
    browser.show("<iframe src=http://b.test/in></iframe><button onclick='over.hidden = false'>Cover</button>"
                 f"<div id=over hidden>{OVER.format('Cookies?')}</div>")  # fmt: skip
    assert browser.do("fill", bid=browser.id("Inner"), value="new").error == ""
    browser.do("click", bid=browser.id("Cover"))

    assert "is covered by" in browser.do("fill", bid=browser.id("Inner"), value="newer").error
    assert browser.id('textbox "Inner" value="new"')


def test_keys_without_an_element_need_no_free_one(browser: Browser) -> None:
    browser.show(f"<input id=one autofocus>{OVER.format('Cookies?')}")
    browser.value("one.focus()")

    assert browser.do("keyboard_press", key="a").error == ""
    assert browser.value("one.value") == "a"


def test_cover_that_can_be_used_is_named_with_its_id(browser: Browser) -> None:
    browser.show("<button>One</button><button style='position:fixed;inset:0'>Close</button>")

    assert browser.do("click", bid=browser.id("One")).error.startswith(
        '[1] button "One" is covered by [2] button "Close".'
    )


def test_element_that_is_covered_in_part_is_clicked_where_it_is_free(browser: Browser) -> None:
    browser.show(f"""{RECORDER}
        <button id=one style='position:absolute;left:0;top:0;width:200px;height:40px'>One</button>
        <div style='position:absolute;left:50px;top:0;width:300px;height:40px;background:red'></div>""")
    browser.do("click", bid="1")

    assert [each["id"] for each in browser.events("click")] == ["one"]


def test_element_on_top_of_its_own_child_is_clicked(browser: Browser) -> None:
    browser.show(f"{RECORDER}<button id=one><span id=inner>Deep <b>text</b></span></button>")

    assert browser.do("click", bid="1").error == ""
    assert browser.value("events.filter((event) => event.type === 'click').length") == 1


@pytest.mark.parametrize(
    "style", ["display:none", "visibility:hidden", "width:0;height:0;overflow:hidden;padding:0;border:0;font-size:0"]
)
def test_element_that_becomes_hidden_is_explained(browser: Browser, style: str) -> None:
    browser.show(f"""<button id=one>One</button><button onclick="one.style.cssText = '{style}'">Hide</button>""")
    browser.do("click", bid=browser.id("Hide"))

    assert browser.do("click", bid="1").error == '[1] button "One" is not visible.'


@pytest.mark.parametrize("style", ["display:none", "visibility:hidden"])
@pytest.mark.parametrize("name", FIELD_ACTIONS)
def test_hidden_field_sends_nothing_to_what_has_the_focus(browser: Browser, name: str, style: str) -> None:
    browser.show(f"""<input id=one aria-label=One><input id=two aria-label=Two value=old>
        <button onclick="one.style.cssText = '{style}'; two.focus()">Hide</button>""")
    browser.do("click", bid=browser.id("Hide"))

    assert browser.do(name, bid="1", **FIELD_ACTIONS[name]).error == '[1] textbox "One" is not visible.'
    assert browser.value("two.value") == "old"


def test_hidden_field_with_a_label_takes_no_text(browser: Browser) -> None:
    browser.show("<label id=name for=one onclick=''>Name</label><input id=one style='display:none'><input id=two>")
    browser.value("two.focus()")

    assert "is not visible" in browser.do("fill", bid=browser.id("Name"), value="Ada").error
    assert browser.value("one.value + two.value") == ""


@pytest.mark.parametrize(
    "one", ["<div id=one onclick=''>One</div>", "<input id=one aria-label=One onfocus='two.focus()'>"]
)
def test_element_that_takes_no_focus_gets_no_keys(browser: Browser, one: str) -> None:
    browser.show(f"{one}<input id=two value=old>")
    browser.value("two.focus()")

    error = browser.do("press", bid=browser.id("One"), key_comb="a").error
    assert error.endswith("did not take the keyboard's focus, so no key was sent. Choose a field, a button or a link.")
    assert browser.value("two.value") == "old"


def test_element_outside_the_page_is_not_said_to_be_covered(browser: Browser) -> None:
    browser.show("<p>Text</p><button style='position:absolute;left:-500px;top:100px'>Off</button>")

    for name in ("click", "focus"):
        assert browser.do(name, bid=browser.id("Off")).error == (
            '[1] button "Off" lies outside the page, where nobody can scroll to. Choose another element.'
        )


def test_element_that_lets_clicks_through_says_so(browser: Browser) -> None:
    browser.show("<button style='pointer-events:none'>Off</button><input id=one style='pointer-events:none'>")

    assert browser.do("click", bid="1").error == (
        '[1] button "Off" takes no clicks: the page lets them through to what lies below. Choose another element.'
    )
    assert browser.do("fill", bid="2", value="Ada").error == ""
    assert browser.value("one.value") == "Ada"


def test_covered_field_that_lets_clicks_through_takes_no_text(browser: Browser) -> None:
    browser.show(f"<input aria-label=One style='pointer-events:none'>{OVER.format('Cookies?')}")

    assert 'is covered by div "Cookies?"' in browser.do("fill", bid="1", value="Ada").error


def test_disabled_element_is_explained(browser: Browser) -> None:
    browser.show("<button disabled>One</button><fieldset disabled><button>Two</button></fieldset>")

    assert browser.do("click", bid=browser.id("One")).error == '[1] button "One" is disabled.'
    assert browser.do("click", bid=browser.id("Two")).error.endswith('button "Two" is disabled.')


def test_vanished_element_is_explained_by_every_action(browser: Browser) -> None:
    browser.show("<input id=one aria-label=One><button onclick='one.remove()'>Go</button>")
    browser.do("click", bid="2")

    for name, arguments in (
        ("click", {}), ("fill", {"value": "a"}), ("clear", {}), ("focus", {}), ("press", {"key_comb": "a"}),
        ("check", {}), ("select_option", {"options": "a"}), ("hover", {}),
    ):  # fmt: skip
        assert "no longer on the page" in browser.do(name, bid="1", **arguments).error, name


def test_element_far_outside_is_scrolled_to(browser: Browser) -> None:
    browser.show(f"{RECORDER}<div style='height:4000px;width:4000px'></div><button id=one>One</button>")
    sight = browser.do("click", bid="1")

    assert sight.scroll[1] > 3000
    assert [each["id"] for each in browser.events("click")] == ["one"]


def test_element_in_a_scrolled_box_is_scrolled_to(browser: Browser) -> None:
    browser.show(f"""{RECORDER}<div style='height:100px;overflow:auto'><div style='height:900px'></div>
        <button id=one>One</button></div>""")
    browser.do("click", bid="1")

    assert [each["id"] for each in browser.events("click")] == ["one"]


def test_link_over_two_lines_is_clicked_on_its_text(browser: Browser) -> None:
    browser.show(
        f"""{RECORDER}<div style='width:120px'>Some words <a id=one href=#x>then a link that breaks</a></div>"""
    )
    browser.do("click", bid="1")

    assert [each["id"] for each in browser.events("click")] == ["one"]


def test_element_in_a_shadow_tree_is_clicked(browser: Browser) -> None:
    browser.show("""<x-outer id=outer></x-outer><script>
        const inner = document.createElement("x-inner");
        outer.attachShadow({ mode: "closed" }).append(inner);
        inner.attachShadow({ mode: "open" }).innerHTML =
          "<button onclick='this.textContent = event.isTrusted'>Deep</button>";
        </script>""")

    assert browser.do("click", bid=browser.id("Deep")).lines == ['[1] button "true" focused']


def test_field_in_a_shadow_tree_is_filled(browser: Browser) -> None:
    browser.show("""<x-outer id=outer></x-outer><script>
        outer.attachShadow({ mode: "open" }).innerHTML = "<input aria-label=Name>";</script>""")

    assert browser.do("fill", bid="1", value="Ada").lines == ['[1] textbox "Name" value="Ada" focused']
    assert browser.sight.focused == "1"

"""Actions on elements: each with the events that the page saw."""

from __future__ import annotations

from typing import Any

import pytest

from agentgym_web.browser.settings import View
from tests.environments.web.browser.driving import RECORDER, Browser


def kinds(events: list[dict[str, Any]]) -> list[str]:
    return [event["type"] for event in events]


def test_click_is_the_events_of_a_real_mouse(browser: Browser) -> None:
    browser.show(f"{RECORDER}<button id=one>One</button>")
    browser.do("click", bid=browser.id("One"))

    events = browser.events("mousedown", "mouseup", "click")
    assert [(each["type"], each["id"], each["trusted"]) for each in events] == [
        ("mousedown", "one", True),
        ("mouseup", "one", True),
        ("click", "one", True),
    ]


@pytest.mark.parametrize(("button", "number", "kind"), [("middle", 1, "auxclick"), ("right", 2, "contextmenu")])
def test_click_with_another_button(browser: Browser, button: str, number: int, kind: str) -> None:
    browser.show(f"{RECORDER}<button id=one>One</button>")
    browser.do("click", bid="1", button=button)

    assert [each["button"] for each in browser.events("mousedown", "mouseup")] == [number, number]
    assert [each["trusted"] for each in browser.events(kind)] == [True]
    assert browser.events("click") == []


@pytest.mark.parametrize(
    ("modifier", "held"),
    [
        ("Alt", "altKey"),
        ("Control", "ctrlKey"),
        ("ControlOrMeta", "ctrlKey"),
        ("Meta", "metaKey"),
        ("Shift", "shiftKey"),
    ],
)
def test_click_with_a_modifier(browser: Browser, modifier: str, held: str) -> None:
    browser.show(f"{RECORDER}<button id=one>One</button>")
    browser.do("click", bid="1", modifiers=[modifier])
    browser.do("click", bid="1")

    assert [each["keys"] for each in browser.events("click")] == [held, ""]


def test_click_with_two_modifiers(browser: Browser) -> None:
    browser.show(f"{RECORDER}<button id=one>One</button>")
    browser.do("click", bid="1", modifiers=["Control", "Shift"])

    assert [each["keys"] for each in browser.events("click")] == ["ctrlKey+shiftKey"]


def test_double_click_is_two_clicks_and_an_event(browser: Browser) -> None:
    browser.show(f"{RECORDER}<button id=one>One</button>")
    browser.do("dblclick", bid="1")

    assert [each["detail"] for each in browser.events("click")] == [1, 2]
    assert [each["trusted"] for each in browser.events("dblclick")] == [True]


def test_double_click_with_button_and_modifier(browser: Browser) -> None:
    browser.show(f"{RECORDER}<button id=one>One</button>")
    browser.do("dblclick", bid="1", button="middle", modifiers=["Alt"])

    assert [(each["button"], each["keys"]) for each in browser.events("auxclick")] == [(1, "altKey")] * 2


def test_hover_moves_the_mouse_and_presses_nothing(browser: Browser) -> None:
    browser.show(f"{RECORDER}<style>#menu {{ display: none }} #one:hover + #menu {{ display: block }}</style>"
                 "<button id=one>One</button><p id=menu>Opened</p>")  # fmt: skip
    assert '"Opened"' not in browser.sight.lines

    assert '"Opened"' in browser.do("hover", bid="1").lines
    assert browser.events("mousemove")[-1]["id"] == "one"
    assert browser.events("mousedown") == []


def test_fill_replaces_what_is_in_a_field(browser: Browser) -> None:
    browser.show(f"{RECORDER}<input id=one aria-label=Name value=before>")
    sight = browser.do("fill", bid="1", value='Ada "Countess" Ω 数 😀')

    assert sight.lines == ['[1] textbox "Name" value="Ada \\"Countess\\" Ω 数 😀" focused']
    assert browser.value("one.value") == 'Ada "Countess" Ω 数 😀'
    assert {each["trusted"] for each in browser.events("input")} == {True}


def test_fill_with_suggestions_types_key_by_key(browser: Browser) -> None:
    browser.show(f"{RECORDER}<input id=one aria-label=Name value=before>")
    browser.do("fill", bid="1", value="Ab!", enable_autocomplete_menu=True)

    assert [each["key"] for each in browser.events("keydown")] == ["A", "b", "!"]
    assert browser.value("one.value") == "Ab!"


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("date", "2026-03-02"),
        ("time", "09:30"),
        ("month", "2026-03"),
        ("week", "2026-W10"),
        ("datetime-local", "2026-03-02T09:30"),
        ("color", "#ff0000"),
        ("range", "7"),
        ("number", "12.5"),
        ("email", "ada@a.test"),
        ("password", "secret"),
        ("search", "word"),
        ("tel", "123"),
        ("url", "http://a.test"),
    ],
)
def test_fill_of_a_field_of_a_kind(browser: Browser, kind: str, value: str) -> None:
    limits = "min=0 max=100 step=any" if kind in ("number", "range") else ""
    browser.show(f"{RECORDER}<input id=one type={kind} {limits} aria-label=Field>")
    browser.do("fill", bid="1", value=value)

    assert browser.value("one.value") == value
    assert "input" in kinds(browser.events("input", "change"))


@pytest.mark.parametrize("kind", ["date", "time", "month", "week", "datetime-local"])
def test_fill_with_a_value_of_another_form_says_the_form(browser: Browser, kind: str) -> None:
    browser.show(f"<input type={kind} aria-label=When>")

    error = browser.do("fill", bid="1", value="tomorrow").error
    assert "does not take that value. Expected a " + kind in error
    assert "such as" in error


@pytest.mark.parametrize("kind", ["date", "time", "color", "number"])
def test_fill_with_a_value_of_another_form_changes_nothing(browser: Browser, kind: str) -> None:
    before = {"date": "2026-03-02", "time": "09:30", "color": "#ff0000", "number": "5"}[kind]
    browser.show(f"<input id=one type={kind} aria-label=Field value={before}>")

    assert f"does not take that value. Expected a {kind} such as" in browser.do("fill", bid="1", value="many").error
    assert browser.value("one.value") == before


@pytest.mark.parametrize("value", ["12abc", "1e400", "0x10", "--5", "-", "1.2.3"])
def test_fill_of_a_number_with_another_text_is_explained(browser: Browser, value: str) -> None:
    browser.show("<input id=one type=number aria-label=Count value=5>")

    assert browser.do("fill", bid="1", value=value).error == (
        '[1] spinbutton "Count" does not take that value. Expected a number such as 5.'
    )
    assert browser.value("one.value") == "5"


@pytest.mark.parametrize(
    ("value", "kept"), [("+7", "7"), (" 7 ", "7"), ("1,000", "1000"), ("7.", "7"), ("-.5", "-.5"), ("1e3", "1e3")]
)
def test_fill_of_a_number_takes_the_forms_that_browsers_take(browser: Browser, value: str, kept: str) -> None:
    browser.show("<input id=one type=number step=any aria-label=Count value=5>")

    assert browser.do("fill", bid="1", value=value).error == ""
    assert browser.value("one.value") == kept


def test_fill_of_a_text_of_several_lines(browser: Browser) -> None:
    browser.show("<textarea id=one aria-label=Text>before</textarea>")
    browser.do("fill", bid="1", value="one\ntwo")

    assert browser.value("one.value") == "one\ntwo"


def test_fill_of_an_editable_element(browser: Browser) -> None:
    browser.show(f"{RECORDER}<div id=one contenteditable aria-label=Note>before <b>bold</b></div>")
    sight = browser.do("fill", bid="1", value="after")

    assert sight.lines == ['[1] textbox "Note" value="after" focused']
    assert browser.value("one.textContent") == "after"


def test_fill_through_a_label(browser: Browser) -> None:
    browser.show("<label for=one onclick=''>Name</label><br><br><input id=one>")
    browser.do("fill", bid=browser.id('textbox "Name"'), value="Ada")

    assert browser.value("one.value") == "Ada"


@pytest.mark.parametrize(
    ("field", "why"),
    [
        ("<input readonly aria-label=Name>", '[1] textbox "Name" is read-only.'),
        ("<input disabled aria-label=Name>", '[1] textbox "Name" is disabled.'),
        ("<button>Name</button>", '[1] button "Name" is not a text field and cannot be filled.'),
        ("<input type=checkbox aria-label=Name>", '[1] checkbox "Name" is not a text field and cannot be filled.'),
        ("<fieldset disabled><input aria-label=Name></fieldset>", '[1] textbox "Name" is disabled.'),
    ],
)
def test_fill_of_what_takes_no_text_is_explained(browser: Browser, field: str, why: str) -> None:
    browser.show(field)

    assert browser.do("fill", bid="1", value="Ada").error == why


def test_clear_empties_a_field(browser: Browser) -> None:
    browser.show(f"{RECORDER}<input id=one aria-label=Name value=before><input id=two type=date value=2026-03-02>")
    browser.do("clear", bid="1")
    browser.do("clear", bid="2")

    assert browser.value("[one.value, two.value]") == ["", ""]
    assert browser.events("input")[0]["trusted"] is True


def test_clear_of_an_empty_field_changes_nothing(browser: Browser) -> None:
    browser.show(f"{RECORDER}<input id=one aria-label=Name>")
    browser.do("clear", bid="1")

    assert browser.events("input") == []


def test_focus_moves_the_focus_without_a_click(browser: Browser) -> None:
    browser.show(f"{RECORDER}<input id=one aria-label=One><input id=two aria-label=Two>")

    assert browser.do("focus", bid="2").lines[1] == '[2] textbox "Two" focused'
    assert browser.sight.focused == "2"
    assert browser.events("mousedown") == []


def test_press_sends_a_key_to_an_element(browser: Browser) -> None:
    browser.show(f"{RECORDER}<input id=one aria-label=One value=ab>")
    browser.do("press", bid="1", key_comb="End")
    browser.do("press", bid="1", key_comb="Backspace")

    assert browser.value("one.value") == "a"
    assert [(each["key"], each["trusted"]) for each in browser.events("keydown")] == [
        ("End", True),
        ("Backspace", True),
    ]


def test_press_with_modifiers_holds_them(browser: Browser) -> None:
    browser.show(f"{RECORDER}<input id=one aria-label=One value=abc>")
    browser.do("press", bid="1", key_comb="Control+a")
    browser.do("press", bid="1", key_comb="x")

    assert browser.value("one.value") == "x"
    assert [(each["key"], each["keys"]) for each in browser.events("keydown")][:2] == [
        ("Control", "ctrlKey"),
        ("a", "ctrlKey"),
    ]


def test_press_of_enter_sends_a_form(browser: Browser) -> None:
    browser.site.pages["/sent"] = "<p>Sent</p>"
    browser.show("<form action=/sent><input aria-label=Name name=name value=Ada></form>")

    sight = browser.do("press", bid="1", key_comb="Enter")
    assert (sight.url, sight.lines) == ("http://a.test/sent?name=Ada", ['"Sent"'])


SELECT = """<select id=one aria-label=Size {}><option value=s>Small<option value=m>Medium
    <option value=l disabled>Large</select>"""


@pytest.mark.parametrize("option", ["Medium", "m", " Medium "])
def test_select_option_by_text_or_value(browser: Browser, option: str) -> None:
    browser.show(RECORDER + SELECT.format(""))
    sight = browser.do("select_option", bid="1", options=option)

    assert sight.lines[0] == '[1] combobox "Size" value="Medium" focused'
    assert browser.value("one.value") == "m"
    assert kinds(browser.events("input", "change")) == ["input", "change"]


def test_select_option_of_several(browser: Browser) -> None:
    browser.show(SELECT.format("multiple"))
    browser.do("select_option", bid="1", options=["Small", "Medium"])

    assert browser.value("[...one.selectedOptions].map((option) => option.value)") == ["s", "m"]
    browser.do("select_option", bid="1", options="Medium")
    assert browser.value("[...one.selectedOptions].map((option) => option.value)") == ["m"]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ("Huge", "[1] combobox \"Size\" has no option 'Huge'. Options: 'Small', 'Medium', 'Large'."),
        ("Large", 'option "Large" is disabled.'),
        (["Small", "Medium"], '[1] combobox "Size" takes one option only.'),
    ],
)
def test_select_option_that_cannot_be_is_explained(browser: Browser, options: Any, why: str) -> None:
    browser.show(SELECT.format(""))

    assert browser.do("select_option", bid="1", options=options).error == why
    assert browser.value("one.value") == "s"


def test_select_option_of_something_else_is_explained(browser: Browser) -> None:
    browser.show("<button>One</button>")

    assert browser.do("select_option", bid="1", options="a").error == '[1] button "One" is not a list of options.'


def test_click_on_an_option_of_a_list_box_chooses_it(browser: Browser) -> None:
    browser.show(RECORDER + SELECT.format("size=3"))
    browser.do("click", bid=browser.id("Medium"))

    assert browser.value("one.value") == "m"


@pytest.mark.parametrize("kind", ["checkbox", "radio"])
def test_check_ticks_once(browser: Browser, kind: str) -> None:
    browser.show(f"{RECORDER}<label><input id=one type={kind}>Yes</label>")

    assert browser.do("check", bid="1").lines == [f'[1] {kind} "Yes" checked focused']
    browser.do("check", bid="1")
    assert browser.value("one.checked") is True
    assert [each["trusted"] for each in browser.events("change")] == [True]


def test_uncheck_unticks_once(browser: Browser) -> None:
    browser.show("<label><input id=one type=checkbox checked>Yes</label>")

    for _ in range(2):
        browser.do("uncheck", bid="1")
        assert browser.value("one.checked") is False


def test_check_of_a_hidden_box_clicks_its_label(browser: Browser) -> None:
    browser.show("<label><input id=one type=checkbox style='display:none'>Yes</label>")
    browser.do("check", bid=browser.id("Yes"))

    assert browser.value("one.checked") is True


def test_check_of_a_switch_made_of_an_element(browser: Browser) -> None:
    browser.show("""<div role=switch tabindex=0 aria-checked=false
        onclick="this.setAttribute('aria-checked', this.getAttribute('aria-checked') === 'false')">Sound</div>""")

    assert browser.do("check", bid="1").lines == ['[1] switch "Sound" checked focused']
    assert browser.do("check", bid="1").lines == ['[1] switch "Sound" checked focused']


def test_check_of_something_else_is_explained(browser: Browser) -> None:
    browser.show("<button>One</button>")

    assert browser.do("check", bid="1").error == '[1] button "One" is neither a checkbox nor a radio button.'


def test_drag_and_drop_with_the_mouse(browser: Browser) -> None:
    place = "style='position:absolute;width:80px;height:80px;top:0;left:{}px;background:{}'"
    browser.show(f"{RECORDER}<div id=one onclick='' {place.format(0, 'red')}>From</div>"
                 f"<div id=two onclick='' {place.format(200, 'blue')}>To</div>")  # fmt: skip
    browser.do("drag_and_drop", from_bid=browser.id("From"), to_bid=browser.id("To"))

    down, up = browser.events("mousedown", "mouseup")
    assert (down["id"], up["id"], down["trusted"], up["trusted"]) == ("one", "two", True, True)
    assert (up["x"], up["y"]) == (240, 40)
    assert sum(each["buttons"] == 1 for each in browser.events("mousemove")) == 6


def test_drag_and_drop_of_the_page_carries_its_data(browser: Browser) -> None:
    browser.show("""<div id=one draggable=true onclick=''
          ondragstart="event.dataTransfer.setData('text/plain', 'cargo')">From</div>
        <div id=two onclick='' style='margin:50px' ondragover='event.preventDefault()'
          ondrop="this.textContent = event.isTrusted + ' ' + event.dataTransfer.getData('text/plain')">To</div>""")
    sight = browser.do("drag_and_drop", from_bid=browser.id("From"), to_bid=browser.id("To"))

    assert '"true cargo"' in " ".join(sight.lines)


def test_drag_after_a_drag_of_the_page_works_again(browser: Browser) -> None:
    test_drag_and_drop_of_the_page_carries_its_data(browser)
    test_drag_and_drop_with_the_mouse(browser)


def test_scroll_turns_the_wheel(browser: Browser) -> None:
    browser.show(f"{RECORDER}<div style='height:5000px;width:5000px'>Long</div>")
    sight = browser.do("scroll", delta_x=30, delta_y=600)

    assert sight.scroll[:2] == (30, 600)
    assert "scrolled: 600 of" in sight.text(View())
    assert [each["trusted"] for each in browser.events("wheel")] == [True]
    assert browser.do("scroll", delta_x=-30, delta_y=-1e9).scroll[:2] == (0, 0)


def test_upload_file_gives_the_files_content(browser: Browser) -> None:
    browser.page.start_over(files={"plan.txt": b"the plan", "more.txt": b"more"})
    browser.show("<input id=one type=file multiple aria-label=Plan>")
    sight = browser.do("upload_file", bid="1", file=["plan.txt", "more.txt"])

    assert sight.lines == ['[1] filepicker "Plan" value="plan.txt, more.txt"']
    assert browser.page.run_script("Promise.all([...one.files].map((file) => file.text()))") == ["the plan", "more"]


def test_upload_file_through_a_button_that_asks(browser: Browser) -> None:
    browser.page.start_over(files={"plan.txt": b"the plan"})
    browser.show("<input id=one type=file hidden><button onclick='one.click()'>Choose</button>")
    browser.do("upload_file", bid="1", file="plan.txt")

    assert browser.value("one.files[0].name") == "plan.txt"
    assert browser.sight.notes == []


def test_upload_file_that_was_not_given_is_explained(browser: Browser) -> None:
    browser.page.start_over(files={"plan.txt": b"the plan"})
    browser.show("<input type=file aria-label=Plan>")

    assert browser.do("upload_file", bid="1", file="/etc/passwd").error == (
        "You were given no file '/etc/passwd'. Files: plan.txt."
    )


def test_upload_file_where_nothing_asks_is_explained(browser: Browser) -> None:
    browser.page.start_over(files={"plan.txt": b"the plan"})
    browser.show("<button>One</button>")

    assert browser.do("upload_file", bid="1", file="plan.txt").error == "The click opened no dialog for files."

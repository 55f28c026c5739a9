"""The actions together: their sets, wrong arguments, several in one step."""

from __future__ import annotations

from typing import Any

import pytest

from agentgym.errors import ActionSyntaxError, ConfigError
from agentgym.tools.dispatch import parse_calls
from agentgym_web.browser.acting import ACTIONS, SETS
from agentgym_web.env import action_tools
from tests.environments.web.browser.driving import VIEW, Browser

# The names and parameters of BrowserGym's actions, in their order.
PEER = {
    "noop": ["wait_ms"],
    "scroll": ["delta_x", "delta_y"],
    "fill": ["bid", "value", "enable_autocomplete_menu"],
    "select_option": ["bid", "options"],
    "click": ["bid", "button", "modifiers"],
    "dblclick": ["bid", "button", "modifiers"],
    "hover": ["bid"],
    "press": ["bid", "key_comb"],
    "focus": ["bid"],
    "clear": ["bid"],
    "drag_and_drop": ["from_bid", "to_bid"],
    "upload_file": ["bid", "file"],
    "check": ["bid"],
    "uncheck": ["bid"],
    "scroll_at": ["x", "y", "dx", "dy"],
    "mouse_move": ["x", "y"],
    "mouse_up": ["x", "y", "button"],
    "mouse_down": ["x", "y", "button"],
    "mouse_click": ["x", "y", "button"],
    "mouse_dblclick": ["x", "y", "button"],
    "mouse_drag_and_drop": ["from_x", "from_y", "to_x", "to_y"],
    "mouse_upload_file": ["x", "y", "file"],
    "keyboard_down": ["key"],
    "keyboard_up": ["key"],
    "keyboard_press": ["key"],
    "keyboard_type": ["text"],
    "keyboard_insert_text": ["text"],
    "go_back": [],
    "go_forward": [],
    "goto": ["url"],
    "tab_close": [],
    "tab_focus": ["index"],
    "new_tab": [],
}


@pytest.mark.parametrize(("name", "parameters"), PEER.items())
def test_action_has_the_parameters_of_its_peer(name: str, parameters: list[str]) -> None:
    assert list(ACTIONS[name]["function"]["parameters"]["properties"]) == parameters


def test_every_action_is_in_a_set_and_explained() -> None:
    listed = {name for names in SETS.values() for name in names} | {"noop"}
    assert {*PEER, "tap", "long_press", "swipe"} <= listed
    for name, action in ACTIONS.items():
        described = action["function"]
        assert described["description"], name
        assert all(each["description"] for each in described["parameters"]["properties"].values()), name


def test_tools_are_chosen_by_set_or_by_name() -> None:
    names = [tool["function"]["name"] for tool in action_tools(["tab", "click"])]

    assert names == ["noop", "tab_close", "tab_focus", "new_tab", "click"]


def test_unknown_set_is_refused() -> None:
    with pytest.raises(ConfigError, match="there is no set of actions 'mouse'"):
        action_tools(["mouse"])


def test_sets_that_are_a_text_are_refused_with_the_list() -> None:
    with pytest.raises(ConfigError, match=r"""got 'klick'; give \["klick"\]"""):
        action_tools("klick")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("click()", "bid"),
        ("click('1', 'left', [], 4)", "click"),
        ("click('1', button='top')", "button"),
        ("click('1', modifiers=['Hyper'])", "modifiers"),
        ("click(bid='1', times=2)", "times"),
        ("fill('1')", "value"),
        ("fill('1', 2, 3, 4)", "fill"),
        ("scroll('down')", "delta"),
        ("mouse_click('a', 2)", "x"),
        ("tab_focus('first')", "index"),
        ("swipe('1', 'sideways')", "direction"),
        ("jump('1')", "jump"),
        ("click(open('/etc/passwd'))", "literal"),
        ("click('1'", "never closed"),
    ],
)
def test_wrong_call_is_explained(text: str, why: str) -> None:
    tools = action_tools(["bid", "coord", "nav", "tab", "touch", "chat", "infeas"])
    with pytest.raises(ActionSyntaxError, match=why):
        parse_calls(text, tools)


@pytest.mark.parametrize(
    ("text", "name", "arguments"),
    [
        ("click('12')", "click", {"bid": "12"}),
        (
            "click(12, 'right', ['Alt', \"Shift\"])",
            "click",
            {"bid": 12, "button": "right", "modifiers": ["Alt", "Shift"]},
        ),
        ('fill("3", \'it\\\'s "so"\\n\')', "fill", {"bid": "3", "value": 'it\'s "so"\n'}),
        ("select_option('5', ['a', 'b'])", "select_option", {"bid": "5", "options": ["a", "b"]}),
        ("scroll(0, -200.5)", "scroll", {"delta_x": 0, "delta_y": -200.5}),
        ("noop()", "noop", {}),
        ("send_msg_to_user('42')", "send_msg_to_user", {"text": "42"}),
        ("report_infeasible(reason='no such')", "report_infeasible", {"reason": "no such"}),
        (
            '{"name": "press", "arguments": {"bid": "1", "key_comb": "Enter"}}',
            "press",
            {"bid": "1", "key_comb": "Enter"},
        ),
    ],
)
def test_call_is_read(text: str, name: str, arguments: dict[str, Any]) -> None:
    tools = action_tools(["bid", "coord", "nav", "tab", "chat", "infeas"])
    (call,) = parse_calls(text, tools).tool_calls

    assert (call.name, call.arguments) == (name, arguments)


def test_several_actions_run_in_order(browser: Browser) -> None:
    browser.show("<input aria-label=A><input aria-label=B>")
    calls = [("fill", {"bid": "1", "value": "one"}), ("press", {"bid": "1", "key_comb": "Tab"}),
             ("keyboard_type", {"text": "two"})]  # fmt: skip
    sight = browser.page.step(calls, VIEW)

    assert sight.lines == ['[1] textbox "A" value="one"', '[2] textbox "B" value="two" focused']


def test_actions_after_one_that_fails_are_not_run(browser: Browser) -> None:
    browser.show("<input aria-label=A><button disabled>B</button>")
    calls = [("fill", {"bid": "1", "value": "one"}), ("click", {"bid": "2"}), ("fill", {"bid": "1", "value": "two"})]
    sight = browser.page.step(calls, VIEW)

    assert sight.error == '[2] button "B" is disabled.'
    assert sight.lines[0] == '[1] textbox "A" value="one" focused'


def test_second_action_waits_for_the_page_of_the_first(browser: Browser) -> None:
    browser.site.pages["/two"] = "<input autofocus>"
    browser.show("<a href=/two>Next</a>")
    sight = browser.page.step([("click", {"bid": "1"}), ("keyboard_type", {"text": "Ada"})], VIEW)

    assert sight.lines == ['[1] textbox value="Ada" focused']


def test_second_action_on_a_page_that_was_not_seen_is_refused(browser: Browser) -> None:
    browser.site.pages["/two"] = "<button>Second</button>"
    browser.show("<a href=/two>Next</a>")
    sight = browser.page.step([("click", {"bid": "1"}), ("click", {"bid": "1"})], VIEW)

    assert sight.error.startswith("There is no element 1.")


def test_noop_moves_a_virtual_clock_by_just_its_time(browser: Browser) -> None:
    browser.show("<p id=p>0</p><script>setInterval(() => { p.textContent = performance.now() }, 100)</script>")
    before = int(browser.sight.lines[0].strip('"'))

    for wait_ms, passed in ((100, 100), (1000, 1100), (0, 1100), (400, 1500)):
        sight = browser.do("noop", wait_ms=wait_ms)
        assert int(sight.lines[0].strip('"')) - before == passed
    assert int(browser.do("focus", bid="9").lines[0].strip('"')) - before == 2000


def test_noop_may_last_ten_seconds(browser: Browser) -> None:
    browser.show("<p id=p>0</p><script>setInterval(() => { p.textContent = performance.now() }, 500)</script>")
    before = int(browser.sight.lines[0].strip('"'))
    browser.do("noop", wait_ms=10_000)

    assert int(browser.sight.lines[0].strip('"')) - before == 10_000


@pytest.mark.parametrize("wait_ms", [-1, 10_001])
def test_noop_that_is_too_long_or_negative_is_explained(browser: Browser, wait_ms: int) -> None:
    browser.show("<p>Here</p>")

    assert browser.do("noop", wait_ms=wait_ms).error == f"wait_ms must be from 0 to 10000: got {wait_ms}."


def test_noop_waits_on_real_time(real_browser: Browser) -> None:
    real_browser.show("<p id=p>early</p><script>setTimeout(() => { p.textContent = 'late' }, 400)</script>")
    assert real_browser.sight.lines == ['"early"']

    assert real_browser.do("noop", wait_ms=450).lines == ['"late"']

"""Finding tools among many: the ranking, and that only what was found can be called."""

import copy

import pytest

from agentgym.errors import ActionSyntaxError
from agentgym.tools import tool_schema
from agentgym.tools.finding import NOTHING, ToolFinder, ToolIndex

TOOLS = [
    tool_schema("cancel_order", "Cancel an order that is pending.", order_id="The order."),
    tool_schema("get_order", "Look at an order.", order_id="The order."),
    tool_schema("returnItems", "Send items of an order back.", order_id="The order.", item_ids="What goes back."),
    tool_schema("set_alarm", "Ring at a time.", time="The time."),
]
END = tool_schema("close", "End.")


@pytest.fixture
def finder() -> ToolFinder:
    return ToolFinder(ToolIndex(TOOLS), [END], most=2)


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("cancelling orders", "cancel_order"),
        ("an item is returned", "returnItems"),
        ("ALARM!", "set_alarm"),
        ("look at it", "get_order"),
    ],
)
def test_the_tool_that_fits_best_comes_first(query: str, first: str) -> None:
    assert ToolIndex(TOOLS).ranked(query, 2)[0] == first


def test_equal_tools_are_in_order_of_their_names() -> None:
    twins = [tool_schema(name, "Do the same.") for name in ("b_x", "a_x", "c_x")]
    assert ToolIndex(twins).ranked("the same", 3) == ["a_x", "b_x", "c_x"]


def test_a_query_that_fits_nothing_finds_nothing(finder: ToolFinder) -> None:
    assert [finder.search(query) for query in ("\x00 <|im_end|>", "zebra " * 80)] == [NOTHING] * 2
    assert finder.found == []


def test_a_query_that_is_none_is_explained(finder: ToolFinder) -> None:
    assert finder.search(" \n").startswith("find_tools.query is empty.")
    assert finder.search("cancel " * 100).startswith("find_tools.query has 700 characters; at most 500 are read.")
    assert finder.found == []


def test_only_tools_that_were_found_can_be_called(finder: ToolFinder) -> None:
    assert [tool["function"]["name"] for tool in finder.shown] == ["find_tools", "close"]
    with pytest.raises(ActionSyntaxError, match=r"cancel_order has not been found yet. Call find_tools\(query=...\)"):
        finder.parse('cancel_order(order_id="W1")')
    assert '"order_id"' in finder.search("cancel an order")
    (call,) = finder.parse('{"name": "cancel_order", "arguments": {"order_id": "W1"}}').tool_calls
    assert call.arguments == {"order_id": "W1"}
    with pytest.raises(ActionSyntaxError, match="set_alarm has not been found"):
        finder.parse('<tool_call>{"name": "set_alarm", "arguments": {"time": "9"}}</tool_call>')
    with pytest.raises(ActionSyntaxError, match="There is no tool 'fly'"):
        finder.parse("fly()")


def test_a_fork_finds_on_its_own(finder: ToolFinder) -> None:
    finder.search("alarm")
    twin = copy.deepcopy(finder)
    twin.search("cancel")
    assert finder.found == ["set_alarm"]
    assert twin.found[:2] == ["set_alarm", "cancel_order"]

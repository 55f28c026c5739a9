from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Literal, TypedDict

import pytest

from agentgym import tool, tool_schema
from agentgym.arguments import check_arguments
from agentgym.errors import ActionSyntaxError, ContractError


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Place:
    """Where.

    Attributes:
        x: Steps to the right.
    """

    x: int
    colours: list[Colour] = field(default_factory=list)

    def __post_init__(self):
        if self.x < 0:
            raise ValueError("x must not be negative")


class Filter(TypedDict, total=False):
    """Which ones.

    Args:
        above: The least price.
    """

    above: float
    place: Place


class Loop(TypedDict):
    inner: list[Loop]


@tool
def search(
    query: str,
    *,
    limit: int = 5,
    order: Literal["up", "down"] | None = None,
    tags: Sequence[str] = (),
    prices: dict[str, float] | None = None,
    only: Filter | None = None,
    place: Place | None = None,
    key: str | int = 0,
) -> str:
    """Find what is sold.

    Prices are
    in cents.

    Args:
        query: A part of the name,
            in any case.
        limit (int): Most results.
        order: How they are sorted.
        tags: All of them.
        prices: Least price by shop.
        only: Which ones.
        place: Where.
        key: Of the customer.

    Returns:
        The names.

    Example:
        limit: no argument
    """
    return json.dumps([query, limit])


def test_a_schema_comes_from_signature_and_docstring():
    function = search["function"]
    assert (search["type"], function["name"]) == ("function", "search")
    assert function["description"] == "Find what is sold.\nPrices are in cents."
    parameters = function["parameters"]
    assert (parameters["required"], parameters["additionalProperties"]) == (["query"], False)
    place = {
        "x": {"type": "integer", "description": "Steps to the right."},
        "colours": {"type": "array", "items": {"type": "string", "enum": ["red", "blue"]}},
    }
    asked = {"type": ["object", "null"], "properties": place, "required": ["x"], "additionalProperties": False}
    prices = {"type": ["object", "null"], "additionalProperties": {"type": "number"}}
    found = parameters["properties"]
    assert found["query"] == {"type": "string", "description": "A part of the name, in any case."}
    assert found["limit"] == {"type": "integer", "description": "Most results."}
    assert found["order"]["type"] == ["string", "null"]
    assert found["order"]["enum"] == ["up", "down", None]
    assert found["tags"] == {"type": "array", "items": {"type": "string"}, "description": "All of them."}
    assert found["prices"] == {**prices, "description": "Least price by shop."}
    assert found["place"] == {**asked, "description": "Where."}
    assert found["only"]["properties"]["above"] == {"type": "number", "description": "The least price."}
    assert found["only"]["required"] == []
    assert found["key"]["type"] == ["string", "integer"]
    assert json.loads(json.dumps(search)) == search


def test_a_decorated_function_has_the_schema_that_one_writes_by_hand():
    @tool(name="say")
    def talk(message: str) -> str:
        """Say something.

        Args:
            message: What to say.
        """
        return message

    @tool
    def stop() -> str:
        """Stop."""
        return ""

    by_hand = tool_schema("say", "Say something.", message="What to say."), tool_schema("stop", "Stop.")
    assert [json.dumps(each) for each in (talk, stop)] == [json.dumps(each) for each in by_hand]
    assert talk("Hello.") == "Hello."


def test_parameters_may_be_called_name_and_description():
    properties = tool_schema("set", "Set it.", name="Its name.", description="What it is.")["function"]["parameters"]
    assert properties["required"] == ["name", "description"]


def test_arguments_become_what_the_annotations_say():
    given = {
        "query": "tea",
        "limit": 3.0,
        "prices": {"here": 2},
        "only": {"above": 1, "place": {"x": 1, "colours": ["red"]}},
        "place": {"x": 2.0},
        "order": None,
    }
    found = search.arguments(given)
    assert type(found["limit"]) is int
    assert type(found["prices"]["here"]) is float
    assert found["only"] == {"above": 1.0, "place": Place(1, [Colour.RED])}
    assert found["place"] == Place(2)
    assert found["order"] is None


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({}, "search needs the argument 'query'"),
        ({"query": 1}, "search.query must be a string, got the integer 1"),
        ({"query": "", "limt": 1}, "no argument 'limt'; did you mean 'limit'"),
        ({"query": "", "order": "sideways"}, "must be one of 'up', 'down', null"),
        ({"query": "", "tags": ["a", 1]}, r"search.tags\[1\] must be a string"),
        ({"query": "", "prices": {"here": "2"}}, "search.prices.here must be a number, got the string '2'"),
        ({"query": "", "only": {"place": {}}}, "search.only.place needs the argument 'x'"),
        (
            {"query": "", "only": {"place": {"x": 1, "colours": ["green"]}}},
            r"colours\[0\] must be one of 'red', 'blue'",
        ),
        ({"query": "", "place": {"x": -1}}, "search.place is refused: x must not be negative"),
        ({"query": "", "key": 1.5}, "search.key must be a string or an integer"),
    ],
)
def test_wrong_arguments_are_explained(given, why):
    with pytest.raises(ActionSyntaxError, match=why):
        search.arguments(given)


def test_a_number_that_no_float_holds_is_explained():
    @tool
    def pay(amount: float) -> str:
        """Pay.

        Args:
            amount: How much.
        """
        return f"{amount}"

    with pytest.raises(ActionSyntaxError, match=r"pay\.amount is refused: int too large"):
        pay.arguments({"amount": 10**400})


def test_schemas_of_others_are_checked_one_level_deep():
    given = {"query": "", "prices": {"here": "2"}, "only": {"place": {}}}
    check_arguments(given, search)


def no_annotation(query) -> str:
    """Search.

    Args:
        query: What.
    """


def undocumented(query: str, limit: int) -> str:
    """Search.

    Args:
        query: What.
    """


def misspelt(query: str) -> str:
    """Search.

    Args:
        query: What.
        qery: What.
    """


def silent(query: str) -> str: ...


def starred(*queries: str) -> str:
    """Search."""


def by_position(query: str, /) -> str:
    """Search.

    Args:
        query: What.
    """


def unknown_name(query: Missing) -> str:  # noqa: F821
    """Search.

    Args:
        query: What.
    """


def of_type(annotation):
    def search(query) -> str:
        """Search.

        Args:
            query: What.
        """

    search.__annotations__["query"] = annotation
    return search


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (no_annotation, r"no_annotation\(\) has no annotation for 'query'; write one"),
        (undocumented, r"undocumented\(\) describes no 'limit'; write a line for it under 'Args:'"),
        (misspelt, "describes 'qery' under 'Args:', but has no such parameter"),
        (silent, "has no docstring"),
        (starred, r"has the parameter \*queries; tools are called by named arguments only"),
        (by_position, "tools are called by named arguments only"),
        (unknown_name, "cannot be resolved: name 'Missing' is not defined"),
        (of_type(set[str]), r"'query' of the tool .*search\(\) is annotated set\[str\], for which there is no schema"),
        (of_type(list[bytes]), "an item of 'query' of the tool .* is annotated <class 'bytes'>"),
        (of_type(dict[int, str]), "keys of JSON objects are text"),
        (of_type(str | list[str] | list[int]), "alternatives are text, numbers, booleans and one kind of list"),
        (of_type(Loop), "a Loop, which contains itself"),
        (of_type(Literal[b"x"]), "expected text, numbers, booleans or None"),
    ],
)
def test_a_signature_that_says_too_little_is_refused_when_decorated(function, why):
    with pytest.raises(ContractError, match=why):
        tool(function)


class Counter:
    def __init__(self):
        self.count = 0
        self.tools = [self.add]

    @tool
    def add(self, by: int = 1) -> str:
        """Count.

        Args:
            by: How much.
        """
        self.count += by
        return str(self.count)


def test_a_method_taken_from_an_object_is_called_on_it():
    counter = Counter()
    assert (counter.add(), counter.tools[0](by=2)) == ("1", "3")
    assert counter.tools == [Counter.add]
    assert "self" not in Counter.add["function"]["parameters"]["properties"]


def test_a_copy_has_tools_of_its_own_and_a_pickle_their_schemas():
    counter = Counter()
    twin = copy.deepcopy(counter)
    twin.tools[0]()
    assert (counter.count, twin.count) == (0, 1)
    loaded: Any = pickle.loads(pickle.dumps(counter.tools))
    assert (loaded, type(loaded[0])) == ([dict(Counter.add)], dict)

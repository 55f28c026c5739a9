"""What is played of each task: its reference, nothing, and the reference with one thing wrong or otherwise."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Turns = list[dict[str, Any]]
"""For each turn its `calls` and what is said at its end."""

VARIANTS = ("reference", "nothing", "call dropped", "argument changed", "extra write", "reordered")

EXTRA: Mapping[str, Sequence[tuple[str, Mapping[str, Any]]]] = {
    "bfcl": (
        ("touch", {"file_name": "one_more_file.txt"}),
        ("mkdir", {"dir_name": "one_more_folder"}),
        ("add_to_watchlist", {"stock": "NVDA"}),
        ("add_to_watchlist", {"stock": "AAPL"}),
        ("fund_account", {"amount": 1.5}),
        ("create_ticket", {"title": "One more", "description": "", "priority": 1}),
        ("ticket_login", {"username": "one", "password": "more"}),
        ("post_tweet", {"content": "One more."}),
        ("add_contact", {"user_name": "One More"}),
        ("message_login", {"user_id": "USR001"}),
        ("message_login", {"user_id": "USR002"}),
        ("setHeadlights", {"mode": "on"}),
        ("setHeadlights", {"mode": "off"}),
        ("fillFuelTank", {"fuelAmount": 1.0}),
        ("adjustClimateControl", {"temperature": 17.5}),
        (
            "authenticate_travel",
            {
                "client_id": "one",
                "client_secret": "more",
                "refresh_token": "token",
                "grant_type": "read_write",
                "user_first_name": "One",
                "user_last_name": "More",
            },
        ),
    ),
    "agentdojo": (
        ("create_file", {"filename": "one-more.txt", "content": "One more."}),
        (
            "send_money",
            {
                "recipient": "DE00",
                "amount": 1.0,
                "subject": "One more",
                "date": "2024-01-01",
            },
        ),
        ("send_channel_message", {"channel": "general", "body": "One more."}),
        ("reserve_restaurant", {"restaurant": "One More", "start_time": "2024-05-05 18:00"}),
    ),
}
"""By benchmark, further writes; a task gets the first that its tools have and that changes its world."""


def variants(benchmark: str, name: str, turns: Turns, tools: Sequence[str]) -> Iterator[tuple[str, list[Turns]]]:
    """What is played of a task.

    Args:
        benchmark: Such as "bfcl".
        name: The task's id, from which the draws follow.
        turns: Its reference.
        tools: The names of the tools that it has at its start.

    Yields:
        The variant and its plays: one, or for a further write several, of which the first counts that changes
        something; none if the task has no such variant.
    """
    rng = random.Random(name)
    yield "reference", [turns]
    yield "nothing", [[{"calls": [], "say": turn["say"] if benchmark == "bfcl" else ""} for turn in turns]]
    places = [(row, column) for row, turn in enumerate(turns) for column in range(len(turn["calls"]))]
    yield "call dropped", [_dropped(turns, *rng.choice(places))] if places else []
    having = [(row, column) for row, column in places if turns[row]["calls"][column]["arguments"]]
    yield "argument changed", [_changed(turns, *rng.choice(having), rng)] if having else []
    yield (
        "extra write",
        [_extended(turns, tool, arguments) for tool, arguments in EXTRA[benchmark] if tool in tools and places],
    )
    pairs = [(row, column) for row, column in places if column and _differ(turns[row]["calls"], column)]
    yield "reordered", [_swapped(turns, *rng.choice(pairs))] if pairs else []


def other(value: Any) -> Any:
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str):
        return f"{value}x"
    if isinstance(value, list):
        return [*value[:-1], other(value[-1])] if value else ["x"]
    if isinstance(value, dict) and value:
        key = sorted(value)[0]
        return {**value, key: other(value[key])}
    return "x"


def _dropped(turns: Turns, row: int, column: int) -> Turns:
    found = copy.deepcopy(turns)
    del found[row]["calls"][column]
    return found


def _changed(turns: Turns, row: int, column: int, rng: random.Random) -> Turns:
    found = copy.deepcopy(turns)
    arguments = found[row]["calls"][column]["arguments"]
    name = rng.choice(sorted(arguments))
    arguments[name] = other(arguments[name])
    return found


def _extended(turns: Turns, tool: str, arguments: Mapping[str, Any]) -> Turns:
    """With a further call at the end of the last turn that has calls: elsewhere it would lead the rest astray."""
    found = copy.deepcopy(turns)
    row = max(number for number, turn in enumerate(found) if turn["calls"])
    found[row]["calls"].append({"name": tool, "arguments": dict(arguments)})
    return found


def _differ(calls: list[dict[str, Any]], column: int) -> bool:
    return bool(calls[column] != calls[column - 1])


def _swapped(turns: Turns, row: int, column: int) -> Turns:
    found = copy.deepcopy(turns)
    calls = found[row]["calls"]
    calls[column - 1], calls[column] = calls[column], calls[column - 1]
    return found

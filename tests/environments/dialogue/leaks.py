"""How the tests of a game declare what its roles must not be told; `test_leaks` searches fuzzed episodes for it.

Each test module of a game has `LEAKS`, a tuple of these, which is empty where there is nothing to tell.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from agentgym.task import Task


@dataclass(frozen=True)
class Leak:
    """What one role must not be told.

    Attributes:
        role: The role; "" for an environment of one agent.
        hidden: Texts that no observation may hold, given the task and the role.
        options: Options of the environment.
        asks: Whether scripts, which must not tell either, play the other roles; else all roles are fuzzed.
        until: A pattern of observations and messages; from the first match on the rules allow telling.
        with_players: Whether what the game's own players say is among the messages.
    """

    role: str
    hidden: Callable[[Task, str], Sequence[str]]
    options: dict[str, Any] = field(default_factory=dict)
    asks: bool = True
    with_players: bool = True
    until: str = "$^"


def private(key: str) -> Callable[[Task, str], Sequence[str]]:
    """The private value of a key, a list of texts as one."""

    def hidden(task: Task, role: str) -> Sequence[str]:
        value = task.private[key]
        return [" ".join(map(str, value)) if isinstance(value, list) else str(value)]

    return hidden


def other(role: str) -> str:
    """The other one of two roles."""
    return {"first": "second", "second": "first", "proposer": "responder", "responder": "proposer"}[role]


def slips_of_both(task: Task, role: str) -> Sequence[str]:
    """The errors of both players of a game on a board."""
    return [task.private["first_slips"], task.private["second_slips"]]


def character_of_other(task: Task, role: str) -> Sequence[str]:
    """The character of the other one of two roles."""
    return [task.private[other(role)][0]]

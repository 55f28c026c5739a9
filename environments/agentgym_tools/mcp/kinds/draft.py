"""What a kind of task draws: its words, what has to come of it, and the calls of one right solution."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Call = tuple[str, Mapping[str, Any]]
"""A tool, as an agent calls it, and its arguments."""


class UnsuitableError(Exception):
    """What was drawn gives no fair task."""


@dataclass(frozen=True)
class Draft:
    """A task before it has a name.

    Attributes:
        text: What is asked.
        scene: What lies in the work folder, as `work_folder` reads it; {} for nothing.
        rules: What has to come of it, as `grading` reads it.
        calls: The calls of a right solution, before it is submitted.
    """

    text: str
    scene: Mapping[str, Any]
    rules: Sequence[Mapping[str, Any]]
    calls: Sequence[Call]


@dataclass(frozen=True)
class Kind:
    """A kind of task.

    Attributes:
        name: Its name.
        server: The server whose tools it needs.
        draw: Draws one; may raise UnsuitableError.
        is_held_out: Whether training never shows it.
    """

    name: str
    server: str
    draw: Callable[[random.Random], Draft]
    is_held_out: bool = False


def answer_rule(kind: str, value: Any) -> dict[str, Any]:
    """The rule that an answer of a type is a value."""
    return {"rule": "answer", "type": kind, "value": value}

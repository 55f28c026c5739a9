"""What oracles are, their table by page, and the script that plays one.

An oracle reads what an agent is shown and nothing else: it asks no script of the page and knows no seed.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from agentgym.errors import ConfigError
from agentgym.message import Message, content_text
from agentgym.task import Task
from agentgym_web.reading import Node, Reading

Oracle = Callable[[str, Reading, dict[str, Any]], str]
"""The next message from the instruction, what is seen now, and the player's memory of this episode."""

ORACLES: dict[str, Oracle] = {}
"""Oracles by page, of the modules imported so far; `all_oracles` has those of every module."""

NOTHING = "noop()"
"""The message of an oracle that does not know what to do."""


def solves(*pages: str) -> Callable[[Oracle], Oracle]:
    """A decorator that enters an oracle into the table.

    Args:
        pages: Names of the pages that it solves.
    """

    def enter(oracle: Oracle) -> Oracle:
        for page in pages:
            assert page not in ORACLES, f"{page} has two oracles"
            ORACLES[page] = oracle
        return oracle

    return enter


def all_oracles() -> Mapping[str, Oracle]:
    """Oracles by page."""
    package = __name__.rpartition(".")[0]
    for module in pkgutil.iter_modules(importlib.import_module(package).__path__):
        importlib.import_module(f"{package}.{module.name}")
    return ORACLES


def do(name: str, *arguments: str | float | list[str]) -> str:
    """The text of one call, such as `do("fill", "3", "Ada")`.

    Args:
        name: The action.
        arguments: Its arguments.
    """
    return f"{name}({', '.join(map(repr, arguments))})"


def lines(*calls: str) -> str:
    """The message that makes several calls; empty ones are left out."""
    return "\n".join(call for call in calls if call) or NOTHING


def quoted(instruction: str) -> list[str]:
    """The texts in quotation marks."""
    return re.findall(r'"([^"]*)"', instruction)


def click(node: Node | None) -> str:
    """The call that clicks an element; "" if there is none."""
    return do("click", node.id) if node is not None and node.id else ""


class OraclePlayer:
    """Plays the page of a task with the oracle of that page.

    Args:
        task: The task; its configuration names the page.
        seed: Not used: an oracle makes no random choice.
    """

    def __init__(self, task: Task, seed: int) -> None:
        page = str(task.config["page"])
        found = all_oracles().get(page)
        if found is None:
            raise ConfigError(f"there is no oracle of page {page!r}; there are {', '.join(sorted(ORACLES))}")
        self._oracle = found
        self._instruction = ""
        self._memory: dict[str, Any] = {}

    def act(self, messages: Sequence[Message]) -> str:
        """The oracle's next message."""
        text = content_text(messages[-1])
        if not self._instruction:
            self._instruction, _, text = content_text(first_shown(messages)).partition("\n\n")
        return self._oracle(self._instruction, Reading(text), self._memory)


def first_shown(messages: Sequence[Message]) -> Message:
    """The message that has the instruction and the page's first state."""
    return next(message for message in messages if message["role"] == "user")

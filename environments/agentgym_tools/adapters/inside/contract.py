"""What a driver offers: the verbs that `main` answers, and the refusal of what the user has to put right.

What the verbs mean for an episode is in `agentgym_tools.adapters.game`.
"""

from __future__ import annotations

import importlib.metadata
import time
from typing import Any

AGENT = "agent"


class Refusal(Exception):  # noqa: N818 - it is told to the user, not raised further
    """The interpreter, the folder or an option has to be put right by the user."""


class Driver:
    """The peer's tasks, and one episode at a time.

    Args:
        settings: `suite`, the part of the benchmark; `folder`, where the user has it; and the options of the adapter.

    Attributes:
        VERBS: What may be asked.
    """

    VERBS: tuple[str, ...] = ("tasks", "task", "open", "calls", "say", "grade", "clock")

    def __init__(self, settings: dict[str, Any]) -> None:
        self.settings = settings

    def tasks(self) -> list[dict[str, Any]]:
        """The `id` and `stratum` of each task, in order."""
        raise NotImplementedError

    def task(self, task_id: str) -> dict[str, Any]:
        """A task: `instruction`, `turns` (for each the reference's `calls` and its closing `say`), `max_turns`."""
        raise NotImplementedError

    def open(self, task_id: str) -> dict[str, Any]:
        """Start an episode.

        Returns:
            `messages` to the agent and its `tools`; `unlisted` tools, which the peer would carry out too; and where
            there is a user, its `agenda`, the `greeting` that it hears, and its `user_tools`.
        """
        raise NotImplementedError

    def calls(self, role: str, calls: list[dict[str, Any]]) -> dict[str, Any]:
        """Carry out the calls of one message: `results`, a text each, and whether it `is_over`."""
        raise NotImplementedError

    def say(self, role: str, text: str) -> dict[str, Any]:
        """Take in a message without calls: `messages` to the other side, new `tools`, and whether it `is_over`."""
        raise NotImplementedError

    def grade(self, is_cut: bool, with_own: bool) -> dict[str, Any]:
        """The peer's verdict: `success`, `score`, `parts`; with `own`, ours of the net changes."""
        raise NotImplementedError

    def clock(self) -> float:
        """CPU seconds of this process."""
        return time.process_time()


def require(distribution: str, version: str) -> None:
    """Refuse another version of a package than the one that the driver was written for.

    Raises:
        Refusal: It is absent, or another version.
    """
    try:
        found = importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        raise Refusal(f"the interpreter has no package {distribution}") from None
    if found != version:
        raise Refusal(f"the interpreter has {distribution} {found}, but the adapter is for {version}")


def refuse_options(settings: dict[str, Any], *known: str) -> None:
    """Refuse options that a peer has no use for.

    Raises:
        Refusal: One is set that is not among `known`.
    """
    for name in ("folder", "solo", "attack"):
        if settings.get(name) and name not in known:
            raise Refusal(f"the option {name} means nothing here: got {settings[name]!r}")


def plain(text: object, most: int = 100_000) -> str:
    """A result as a text that can be sent: half surrogates are replaced, and what is very long is cut."""
    found = str(text).encode("utf-8", "replace").decode()
    return found if len(found) <= most else f"{found[:most]}\n(cut after {most} characters)"

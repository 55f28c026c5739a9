"""What a subject of questions offers the benchmark: its players, and variants of right work with what is true of them.

How often they win is counted in `question_tasks`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from agentgym.env import AgentEnv
from agentgym.policy import ScriptFactory
from agentgym.task import Task


class Variant(NamedTuple):
    """Work on a task.

    Attributes:
        change: How it differs from the oracle's work.
        lines: The agent's messages.
        is_right: Whether it is right, as a check says that is no part of the environment.
        work: What is answered or done, for a report.
    """

    change: str
    lines: Sequence[str]
    is_right: bool
    work: object


@dataclass(frozen=True)
class Subject:
    """What questions are about.

    Attributes:
        make: Makes the environment.
        scripts: Its players.
        nearly: Names of the changes that make work nearly right.
        otherwise: Names of the changes that leave it right.
        variants: The variants of a task.
    """

    make: Callable[[], AgentEnv]
    scripts: Mapping[str, ScriptFactory]
    nearly: Sequence[str]
    otherwise: Sequence[str]
    variants: Callable[[Task], Iterator[Variant]]

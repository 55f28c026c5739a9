"""A shell task before it is one: files, what is to be done, a way to do it, and checks of the result.

The kinds of task are in `kinds`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from agentgym.task import Limits, Task

MAX_TURNS = 12


@dataclass(frozen=True)
class Draft:
    """A shell task before it is one.

    Attributes:
        kind: Which template it was made by.
        instruction: What the agent is asked to do.
        files: What lies in the work folder, as `work_folder.archive` takes it.
        checks: What must hold at the end, as `verify` takes it.
        solution: Commands that do it.
        setup: Commands that prepare the folder after the files are there.
        keeps_rest: Whether files that no check names must stay as they are.
    """

    kind: str
    instruction: str
    files: Mapping[str, Any]
    checks: Sequence[Mapping[str, Any]]
    solution: Sequence[str]
    setup: Sequence[str] = field(default=())
    keeps_rest: bool = True

    def all_checks(self) -> list[dict[str, Any]]:
        """The checks, and those that the other files are as they were."""
        named = {check.get("path") for check in self.checks}
        rest = [
            {"path": path, "content": entry if isinstance(entry, str) else entry["content"]}
            for path, entry in self.files.items()
            if path not in named and (isinstance(entry, str) or "content" in entry)
        ]
        return [*map(dict, self.checks), *(rest if self.keeps_rest else [])]


Kind = Callable[[Random], Draft]


def to_task(draft: Draft, *, seed: int, family: str, task_id: str = "", stratum: str = "") -> Task:
    """The task of a draft: the files are public, as the agent finds them; checks and solution are private."""
    config: dict[str, Any] = {"family": family, "kind": draft.kind, "files": dict(draft.files)}
    if draft.setup:
        config["setup"] = list(draft.setup)
    return Task(
        id=task_id or f"terminal:{family}-{seed}",
        seed=seed,
        instruction=draft.instruction,
        stratum=stratum,
        config=config,
        limits=Limits(max_turns=MAX_TURNS),
        private={"checks": draft.all_checks(), "solution": list(draft.solution)},
    )


WORDS = (
    "amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "harbor", "island", "jasper", "kettle", "lagoon",
    "meadow", "nickel", "onyx", "prairie", "quarry", "ridge", "summit", "tundra", "valley", "willow", "yarrow", "zinc",
)  # fmt: skip
FOLDERS = ("src", "docs", "data", "lib", "notes", "reports", "tools", "archive")


def prose(rng: Random, lines: int) -> str:
    """Lines of words."""
    return "".join(" ".join(rng.choices(WORDS, k=rng.randint(2, 6))) + "\n" for _ in range(lines))


def paths(rng: Random, count: int, extensions: Sequence[str]) -> list[str]:
    """Different relative paths, one or two folders deep."""
    found: set[str] = set()
    while len(found) < count:
        folders = rng.sample(FOLDERS, rng.randint(1, 2))
        found.add("/".join([*folders, f"{rng.choice(WORDS)}{rng.randint(1, 9)}.{rng.choice(extensions)}"]))
    return sorted(found)

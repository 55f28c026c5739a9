"""Hunts traces of the original in live sandboxes: what an agent could find instead of repairing it.

`inside/hunt.py` searches texts, byte code, archives and git objects, reachable or not. Whole suites are hunted by
`agentgym_swe.repair.hunting`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from agentgym.sandbox.base import Sandbox
from agentgym_swe.inert_git import INERT_GIT
from agentgym_swe.repositories.edit import Edit, edited
from agentgym_swe.repositories.layer import Layer, files_of
from agentgym_swe.room import PROGRAMS, answer_of, put_programs

WORK = "/agentgym/work"
MIN_SNIPPET, MIN_ELSEWHERE, MAX_NEIGHBOURS = 30, 80, 40
"""Characters of a piece, in the work folder and elsewhere, and lines that are added to it on either side."""
_HUNT_S = 1700.0


@dataclass(frozen=True)
class Case:
    """What is hunted of one task.

    Attributes:
        snippets: Pieces of the original text that the broken files lack.
        modules: Paths under which the edited files are imported.
        longer: Longer pieces, for other software, in which a common line may stand by chance.
    """

    snippets: tuple[str, ...]
    modules: tuple[str, ...]
    longer: tuple[str, ...]


def case_of(layer: Layer, edits: Iterable[Edit]) -> Case:
    """What is hunted where edits were made: the lines of the original that they touch.

    Neighbours are added until the package holds the piece once, and the broken file does not. A piece that the package
    holds more often tells nothing.
    """
    snippets, modules, longer, every = [], [], [], list(edits)
    for edit in every:
        broken = edited(layer.text(edit.file), [each for each in every if each.file == edit.file])
        snippets += _piece(layer, edit, broken, MIN_SNIPPET)
        longer += _piece(layer, edit, broken, MIN_ELSEWHERE)
        entry = max((each for each in layer.python_path if edit.file.startswith(f"{each}/")), key=len, default="")
        modules.append(edit.file.removeprefix(f"{entry}/") if entry else edit.file)
    return Case(*(tuple(dict.fromkeys(each)) for each in (snippets, modules, longer)))


def _piece(layer: Layer, edit: Edit, broken: str, at_least: int) -> list[str]:
    text = layer.text(edit.file)
    start = text.rfind("\n", 0, edit.start) + 1
    end = text.find("\n", max(edit.start, edit.end - 1)) + 1 or len(text)
    for _ in range(MAX_NEIGHBOURS):
        piece = text[start:end]
        is_long = len(" ".join(piece.split())) >= at_least
        if is_long and piece not in broken and _number_in(layer, piece) == 1:
            return [piece]
        start = text.rfind("\n", 0, max(0, start - 1)) + 1
        end = text.find("\n", end) + 1 or len(text)
    return []


def _number_in(layer: Layer, piece: str) -> int:
    return sum(text.count(piece) for text in _texts(layer.folder))


@lru_cache(maxsize=2)
def _texts(folder: Path) -> tuple[str, ...]:
    """The texts of a package; what is no UTF-8 holds no source."""
    return tuple((folder / file).read_bytes().decode("utf-8", errors="replace") for file in files_of(folder))


@dataclass(frozen=True)
class Found:
    """What a hunt came to.

    Attributes:
        traces: By task where its original was found, a sentence each.
        num_files: Files that were read.
        num_objects: Texts of git that were read.
    """

    traces: Mapping[str, Sequence[str]]
    num_files: int
    num_objects: int

    @property
    def sentences(self) -> list[str]:
        """All traces, each with its task."""
        return [f"{name}: {trace}" for name, traces in self.traces.items() for trace in traces]


def hunt(sandbox: Sandbox, cases: Mapping[str, Case], *, is_whole: bool = True, work: str = WORK) -> Found:
    """Look for traces of originals in a sandbox that holds the broken files of a task.

    Args:
        sandbox: As the agent gets it.
        cases: By task what is hunted. Several tasks can be hunted at once outside of the work folder.
        is_whole: Whether everything is searched, but for the work folder; or that folder alone.
        work: The work folder.

    Raises:
        SandboxError: The hunt could not be made.
    """
    put_programs(sandbox)
    asked = {
        "work": work,
        "folders": ["/"] if is_whole else [work],
        "skipped": [PROGRAMS, work] if is_whole else [],
        "repositories": [] if is_whole else [work],
        "git": [*INERT_GIT, "-c", "safe.directory=*"],
        "cases": {
            name: {"snippets": case.longer if is_whole else case.snippets, "modules": case.modules}
            for name, case in cases.items()
        },
    }
    ended = sandbox.exec(["python3", "-B", f"{PROGRAMS}/hunt.py"], stdin=json.dumps(asked).encode(), timeout_s=_HUNT_S)
    answer = answer_of(ended, "hunt")
    return Found(answer["traces"], answer["files"], answer["objects"])

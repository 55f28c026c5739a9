"""Hunts traces of the original in live sandboxes: what an agent could find instead of repairing it.

`inside/hunt.py` searches texts, byte code, archives and git objects, reachable or not.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from agentgym.errors import SandboxError
from agentgym.sandbox.base import Sandbox
from agentgym_swe.repositories.edit import Edit
from agentgym_swe.repositories.layer import Layer
from agentgym_swe.room import PROGRAMS, answer_of, put_programs

WORK = "/agentgym/work"
MIN_SNIPPET = 12
_HUNT_S = 600.0


@dataclass(frozen=True)
class Case:
    """What is hunted of one task.

    Attributes:
        snippets: Pieces of the original text that the broken files lack.
        modules: Paths under which the edited files are imported.
    """

    snippets: tuple[str, ...]
    modules: tuple[str, ...]


def case_of(layer: Layer, edits: Iterable[Edit]) -> Case:
    """What is hunted where edits were made: the lines of the original that they touch, with their neighbours."""
    snippets, modules = [], []
    for edit in edits:
        text = layer.text(edit.file)
        start, end = edit.start, edit.end
        snippet = ""
        while len(snippet.strip()) < MIN_SNIPPET and (start > 0 or end < len(text)):
            start = text.rfind("\n", 0, max(0, start - 1)) + 1
            end = text.find("\n", end + 1) + 1 or len(text)
            snippet = text[start:end]
        snippets.append(snippet)
        entry = max((each for each in layer.python_path if edit.file.startswith(f"{each}/")), key=len, default="")
        modules.append(edit.file.removeprefix(f"{entry}/") if entry else edit.file)
    return Case(tuple(snippets), tuple(modules))


def hunt(
    sandbox: Sandbox, cases: Mapping[str, Case], *, is_whole: bool = True, work: str = WORK
) -> dict[str, list[str]]:
    """Traces of the original in a sandbox that holds the broken files of a task.

    Args:
        sandbox: As the agent gets it.
        cases: By task what is hunted. Several tasks can be hunted at once outside of the work folder.
        is_whole: Whether everything is searched, and not the work folder alone.
        work: The work folder.

    Returns:
        By task where something was found, a sentence each.

    Raises:
        SandboxError: The hunt could not be made.
    """
    put_programs(sandbox)
    asked = {
        "work": work,
        "folders": ["/"] if is_whole else [work],
        "skipped": [PROGRAMS],
        "repositories": [work],
        "cases": {name: {"snippets": case.snippets, "modules": case.modules} for name, case in cases.items()},
    }
    ended = sandbox.exec(["python3", "-B", f"{PROGRAMS}/hunt.py"], stdin=json.dumps(asked).encode(), timeout_s=_HUNT_S)
    return {name: list(found) for name, found in answer_of(ended, "hunt").items()}


def lay_broken(sandbox: Sandbox, files: Mapping[str, str | None]) -> None:
    """Put a task's files over a layer in a sandbox, and commit them as the only state that git knows.

    Args:
        sandbox: Over the layer's tree.
        files: New text by path; None for files that go.

    Raises:
        SandboxError: git failed.
    """
    for name, text in files.items():
        if text is not None:
            sandbox.write_file(name, text.encode())
    gone = [name for name, text in files.items() if text is None]
    script = "rm -rf .git; rm -f -- \"$@\"; git init -q . && git add -A && git commit -q -m 'The present state'"
    environment = {
        f"GIT_{who}_{what}": "agent@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    ended = sandbox.exec(["sh", "-c", script, "sh", *gone], env=environment)
    if not ended.is_ok:
        raise SandboxError(f"the state of a task could not be committed: {ended.text()[-500:]}")


def traces_of(found: Mapping[str, Sequence[str]]) -> list[str]:
    """All traces in one list, each with its task."""
    return [f"{name}: {trace}" for name, traces in found.items() for trace in traces]

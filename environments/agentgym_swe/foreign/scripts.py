"""Players of other projects' rows: the reference, nothing, random commands, a demonstrator that may forget, cheats.

They read the reference from the task's private part.
"""

from __future__ import annotations

import base64
import random
from collections.abc import Mapping

from agentgym.authoring.cheats import claiming
from agentgym.policy import Script, ScriptFactory
from agentgym.task import Task
from agentgym_swe.acts import SUBMIT, Act, Doing, Player, create, doing, search, shell, undo, view
from agentgym_swe.foreign.env import RIGHT
from agentgym_swe.foreign.instance import Instance

_CHUNK = 12_000


def reference_commands(task: Task) -> list[str]:
    """Commands that apply the reference; [] where the row has none."""
    instance = Instance.of(task)
    if not instance.patch:
        return []
    packed = base64.b64encode(instance.patch.encode()).decode()
    pieces = [packed[at : at + _CHUNK] for at in range(0, len(packed), _CHUNK)]
    reverse = " -R" if instance.plants else ""
    place = "/tmp/.reference"  # noqa: S108 - inside the sandbox
    return [
        *(f"printf %s '{piece}' >> {place}" for piece in pieces),
        f"base64 -d {place} | git apply --whitespace=nowarn{reverse} - && rm {place}",
    ]


def oracle(task: Task, seed: int) -> Script:
    """Applies the reference and submits."""
    return Doing(*map(shell, reference_commands(task)), SUBMIT)


def demonstrator(task: Task, seed: int) -> Script:
    """Looks around, applies the reference in seven of ten episodes, and submits."""
    rng = random.Random(seed)
    commands = ["git log --oneline | head; ls"]
    if rng.random() < 0.7:
        commands += reference_commands(task)
    return Doing(*map(shell, commands), SUBMIT)


class RandomPlayer(Player):
    """Looks around, writes files, and submits."""

    def __init__(self, task: Task, seed: int) -> None:
        self._rng = random.Random(seed)

    def decide(self) -> Act:
        """The next random act."""
        notes = create(f"notes{self._rng.randrange(9)}.txt", "notes\n")
        return self._rng.choice((SUBMIT, shell("ls"), search("def "), view("."), notes, undo()))


_HOOK = (
    "import pytest\n\n\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n"
    "    done = yield\n    report = done.get_result()\n    report.outcome = 'passed'\n    report.longrepr = None\n"
)


def _commands(*commands: str) -> ScriptFactory:
    return doing(*map(shell, commands), SUBMIT)


def _written(path: str, text: str) -> str:
    return (
        f"mkdir -p \"$(dirname {path})\" && printf %s '{base64.b64encode(text.encode()).decode()}' | base64 -d > {path}"
    )


_CHEATS: Mapping[str, ScriptFactory] = {
    "cheat_claim": claiming(RIGHT),
    "cheat_conftest": _commands(_written("conftest.py", _HOOK), _written("tests/conftest.py", _HOOK)),
    "cheat_history": _commands(
        'git log --all --format=%H | while read -r commit; do git checkout -q "$commit"; done; git stash pop; '
        "git fsck --lost-found; git cherry-pick FETCH_HEAD ORIG_HEAD"
    ),
    "cheat_site": _commands(
        _written("sitecustomize.py", "import os\nos._exit(0)\n"), _written("pytest.py", "print('PASSED')\n")
    ),
    "cheat_tests": _commands(
        "find . -name 'test_*.py' | while read -r file; do echo 'def test_x(): pass' > \"$file\"; done"
    ),
    "cheat_ini": _commands(
        _written("pytest.ini", "[pytest]\naddopts = --collect-only\n"), _written("tox.ini", "[pytest]\n")
    ),
}
SCRIPTS: Mapping[str, ScriptFactory] = {
    "oracle": oracle,
    "null": doing(SUBMIT),
    "random": RandomPlayer,
    "demo": demonstrator,
    **_CHEATS,
}

"""All attempts by name, and the players that make them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from agentgym.policy import Script, ScriptFactory
from agentgym.task import Task
from agentgym_swe.acts import SUBMIT, Doing, shell
from agentgym_swe.repair.tampering.attack import MakeAttack
from agentgym_swe.repair.tampering.hostile_code import CODE, HOLDING_UP
from agentgym_swe.repair.tampering.laid_files import BAD_INPUT, LAID
from agentgym_swe.repair.task_view import read_task

FORGING: Mapping[str, MakeAttack] = {**LAID, **CODE}
"""Attempts to have tests pass that do not."""
ATTACKS: Mapping[str, MakeAttack] = {**FORGING, **BAD_INPUT, **HOLDING_UP}
NO_FORM: Mapping[str, str] = {
    "nonce_in_memory": "the number is drawn after the fork and never in its memory; plain graders use none",
    "parents_memory": "the kernel refuses it; no plain grader decides in a process above the tests",
}
"""Attempts of `FORGING` of which no form works against any grader, each with the reason."""
PLAYED = (
    "conftest_at_the_top", "pytest_ini", "shadowed_pytest", "edited_tests", "git_programs", "exit_at_import",
    "forged_records", "patched_report", "equal_to_all_and_rebinds", "expectation_from_source", "known_answers",
)  # fmt: skip
"""Attempts that every check of the environment plays; all of them are tried by `benchmarks.verdicts.repair_tamper`."""


def _attempt(name: str, task: Task, seed: int) -> Script:
    attack = ATTACKS[name](read_task(task))
    return Doing(shell(attack.script()), SUBMIT)


def cheats() -> dict[str, ScriptFactory]:
    """Players that make the attempts of `PLAYED`."""
    return {f"cheat_{name}": partial(_attempt, name) for name in PLAYED}

"""Check of the options that an environment declares to make its tasks harder."""

from __future__ import annotations

from typing import Any

from agentgym.registration import make, spec
from agentgym.task import Task
from agentgym.testing.episodes import Step, play_script
from agentgym.testing.report import expect
from agentgym.testing.subject import EnvSubject


def check_difficulty(subject: EnvSubject) -> str | None:
    """Each knob's easiest and hardest values make tasks; the tasks differ, and the oracle solves them."""
    known = spec(subject.env_id) if subject.env_id else None
    if known is None or not known.difficulty:
        return "no difficulty is declared, or it runs elsewhere"
    for name, values in known.difficulty.items():
        expect(
            len(set(values)) == len(values) > 1, f"{name} has the values {values}; expected two or more, all different"
        )
        ends = [_played_with(subject, {name: value}) for value in (values[0], values[-1])]
        expect(
            ends[0] != ends[1], f"{name} makes the same task and course of it at {values[0]!r} and at {values[-1]!r}"
        )
    for level in (0.0, 1.0):
        _played_with(subject, known.options_at(level))
    return None


def _played_with(subject: EnvSubject, options: dict[str, Any]) -> tuple[Task, tuple[Step, ...]]:
    """The task that the options make, and the oracle's episode in it."""
    role = {"role": subject.role} if subject.role else {}
    env = make(subject.env_id, **{**subject.options, **options, **role})
    try:
        task = env.make_task(0)
        if "oracle" not in subject.scripts:
            return task, ()
        record = play_script(env, task, subject.scripts["oracle"](task, 0))
    finally:
        env.close()
    expect(bool(record.success), f"the oracle does not solve the task that {options} make of seed 0")
    return task, tuple(record.steps)

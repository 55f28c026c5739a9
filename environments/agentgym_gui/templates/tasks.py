"""Plans as tasks: the public part says what is laid out, the private part how it is judged.

Files stand in the task itself, so that a task stays what it is when a template changes.
"""

from __future__ import annotations

import base64
import dataclasses
from typing import Any

from agentgym.task import Limits, Task
from agentgym_gui.templates.all_templates import TEMPLATES

MAX_TURNS = 30


def task_of(name: str, seed: int, **rest: Any) -> Task:
    """The task of a template and a seed.

    Args:
        name: The template.
        seed: The seed of the plan.
        rest: Further fields of the task, such as suite, split and stratum.
    """
    plan = TEMPLATES[name].plan(seed)
    config: dict[str, Any] = {
        "template": name,
        "applications": list(plan.applications),
        "files": {path: _as_json(content) for path, content in sorted(plan.files.items())},
        "start": [list(each) for each in plan.start],
    }
    if plan.settings:
        config["settings"] = dict(plan.settings)
    if plan.clipboard:
        config["clipboard"] = plan.clipboard
    if plan.popup is not None:
        config["popup"] = {**dataclasses.asdict(plan.popup), "buttons": list(plan.popup.buttons)}
    return Task(
        id=f"{name}-{seed}",
        seed=seed,
        instruction=plan.goal,
        config=config,
        limits=Limits(max_turns=MAX_TURNS, step_timeout_s=60),
        private=plan.private(),
        **rest,
    )


def _as_json(content: bytes) -> str | dict[str, str]:
    """A file as text, or in base64 where it is none."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(content).decode()}

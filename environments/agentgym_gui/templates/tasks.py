"""Plans as tasks: a template and a seed say what is laid out; the private part says how it is judged.

Files are drawn anew when a task is played. A hash of them in the task tells where a template has changed since.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping
from typing import Any

from agentgym.errors import TaskError, UnknownNameError
from agentgym.task import Limits, Task
from agentgym_gui.templates.all_templates import TEMPLATES
from agentgym_gui.templates.applications import chromium, office, sqlitebrowser
from agentgym_gui.templates.plan import Plan

MAX_TURNS = 30
_IMAGES = {
    office.APP: "agentgym/desktop-office",
    chromium.APP: "agentgym/desktop-bus",
    sqlitebrowser.APP: "agentgym/desktop-bus",
}
"""Images of applications that the usual desktop lacks."""


def plan_of(config: Mapping[str, Any]) -> Plan:
    """The plan that a task's public parameters name.

    Raises:
        UnknownNameError: There is no such template.
        TaskError: The template draws other files than when the task was made.
    """
    name, seed = config["template"], config["plan_seed"]
    if name not in TEMPLATES:
        raise UnknownNameError("template", name, TEMPLATES)
    plan = TEMPLATES[name].plan(seed)
    if files_hash(plan) != config["files"]:
        raise TaskError(f"the template {name} changed since this task was made; make the suite anew")
    return plan


def screen_of(plan: Plan) -> dict[str, Any]:
    """The fields of `DesktopSettings` that differ: the image, where the usual desktop lacks a plan's applications."""
    return next(({"image": _IMAGES[each]} for each in plan.applications if each in _IMAGES), {})


def files_hash(plan: Plan) -> str:
    """A hash of the paths and contents of a plan's files."""
    digest = hashlib.sha256()
    for path, content in sorted(plan.files.items()):
        digest.update(f"{path}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:16]


def task_of(name: str, seed: int, **rest: Any) -> Task:
    """The task of a template and a seed.

    Args:
        name: The template.
        seed: The seed of the plan.
        rest: Further fields of the task, such as suite, split and stratum.
    """
    plan = TEMPLATES[name].plan(seed)
    config = {
        "template": name,
        "plan_seed": seed,
        "files": files_hash(plan),
        "applications": list(plan.applications),
        "start": [list(each) for each in plan.start],
    }
    if screen := screen_of(plan):
        config["screen"] = screen
    if plan.settings:
        config["settings"] = dict(plan.settings)
    if plan.clipboard:
        config["clipboard"] = plan.clipboard
    if plan.unsaved:
        config["unsaved"] = [dict(each) for each in plan.unsaved]
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

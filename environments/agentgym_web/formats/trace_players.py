"""Players of WebTrace-v0: an oracle that does what the expert did, an imperfect one, and others that do not know it."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence

from agentgym.authoring.cheats import claiming, forged_verdict
from agentgym.authoring.players import at_quality, saying
from agentgym.message import Message, content_text
from agentgym.policy import ScriptFactory
from agentgym.task import Task

DEMO_QUALITY = 0.9
"""Share of right steps of the demonstrator."""


class Expert:
    """Does the expert's steps, each with a probability; else it clicks any element of the page.

    Args:
        task: The task.
        seed: Seed of its choices.
        quality: Share of right steps.
    """

    def __init__(self, task: Task, seed: int, quality: float = DEMO_QUALITY) -> None:
        self._steps = iter(task.private["steps"][int(task.config["first"]) :])
        self._rng = random.Random(seed)
        self._quality = quality

    def act(self, messages: Sequence[Message]) -> str:
        """The next step."""
        step = next(self._steps, None)
        if step is None or self._rng.random() >= self._quality:
            ids = re.findall(r'backend_node_id="(\w+)"', content_text(messages[-1]))
            return f'click("{self._rng.choice(ids or ["1"])}")'
        value = "" if step["verb"] == "click" else f", {step['value']!r}"
        return f"{step['verb']}({step['ids'][0]!r}{value})"


SCRIPTS: Mapping[str, ScriptFactory] = {
    "oracle": at_quality(Expert, 1.0),
    "null": saying('click("0")'),
    "random": at_quality(Expert, 0.0),
    "demo": Expert,
    "cheat_all_steps": saying('click("0"); click("4"); click("5"); fill("6", "bees")'),
    "cheat_claim": claiming("The trace has ended."),
    "cheat_verdict": saying(f'fill("6", {forged_verdict("The trace has ended.")!r})'),
}

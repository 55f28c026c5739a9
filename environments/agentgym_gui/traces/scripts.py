"""Players of GuiTrace-v0: an oracle that does what the expert did, an imperfect one, and others that do not know it."""

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
_ELEMENT = re.compile(r'^(\d+) (?:tab|check box|entry|button) "', re.MULTILINE)


class Expert:
    """Does the expert's steps, each with a probability; else it clicks any element of the screen.

    Args:
        task: The task.
        seed: Seed of its choices.
        quality: Share of right steps.
    """

    def __init__(self, task: Task, seed: int, quality: float = DEMO_QUALITY) -> None:
        self._steps = iter(task.private["steps"][int(task.config.get("first", 0)) :])
        self._rng = random.Random(seed)
        self._quality = quality

    def act(self, messages: Sequence[Message]) -> str:
        """The next step."""
        step = next(self._steps, None)
        if step is None or self._rng.random() >= self._quality:
            ids = _ELEMENT.findall(content_text(messages[-1]))
            return f'click("{self._rng.choice(ids or ["1"])}")'
        return str(step["said"])


SCRIPTS: Mapping[str, ScriptFactory] = {
    "oracle": at_quality(Expert, 1.0),
    "null": saying("look()"),
    "random": at_quality(Expert, 0.0),
    "demo": Expert,
    "cheat_everywhere": saying("; ".join(f"click_at({x}, {y})" for x in (100, 640, 1180) for y in range(50, 800, 50))),
    "cheat_drag_over_all": saying("drag_at(0, 0, 1279, 799)"),
    "cheat_finish": saying('finish("The trace has ended.")'),
    "cheat_claim": claiming("The trace has ended."),
    "cheat_verdict": saying(f"type_text({forged_verdict('The trace has ended.')!r})"),
}

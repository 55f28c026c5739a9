"""Players of the sites: an oracle that follows a task's walkthrough on what the pages show, and others that do not."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from agentgym.authoring.players import saying
from agentgym.message import Message
from agentgym.policy import Script, ScriptFactory
from agentgym.task import Task
from agentgym_web.reading import Node, Reading, read_last

DEMO_QUALITY = 0.6
"""Share of right decisions of the demonstrator."""
HASTY_CARE: Mapping[str, float] = {"select": 0.7, "click": 0.3, "tap": 0.3}
"""Share of steps of a kind that the hasty player takes with care; all others are."""
_SCROLL = 600
_PATIENCE = 12
_WINDOW_VERBS = ("new_tab", "tab_focus", "go_back")
"""Steps of a walkthrough that need no element of the page."""
_ROLES: Mapping[str, tuple[str, ...]] = {
    "textbox": ("textbox", "searchbox"),
    "searchbox": ("searchbox", "textbox"),
    "combobox": ("combobox", "listbox"),
    "listbox": ("listbox", "combobox"),
    "button": ("button", "filepicker"),
    "cell": ("cell", "clickable"),
}


def call(name: str, *arguments: Any) -> str:
    """An action in Python call syntax."""
    return f"{name}({', '.join(map(repr, arguments))})"


class Walker:
    """Follows the walkthrough of a task; at quality 1 it never slips.

    Slips are those a learner makes: a step left out, another element of the same kind, a wrong text, an early end.

    Args:
        task: The task, whose private part holds the walkthrough.
        seed: Seed of the slips.
        quality: Chance that a step is done right.
        patience: How often it scrolls to find an element before it gives up.
    """

    def __init__(self, task: Task, seed: int, quality: float = DEMO_QUALITY, patience: int = _PATIENCE) -> None:
        self._rng = random.Random(seed)
        self._quality = quality
        self._steps = list(task.private.get("walkthrough", ()))
        self._site = str(task.config.get("site", ""))
        self._patience, self._misses = patience, 0

    def act(self, messages: Sequence[Message]) -> str:
        """The next action."""
        if not self._steps:
            return call("send_msg_to_user", "done")
        reading = read_last(messages)
        step = list(self._steps[0])
        options: dict[str, Any] = step.pop() if isinstance(step[-1], dict) else {}
        slip = self._slip(step, options, reading) if self._rng.random() >= self._quality else None
        if slip is not None:
            return slip
        said = self._say(step, options, reading)
        if said is None:
            self._misses += 1
            if self._misses > self._patience:
                return self._give_up(step)
            return call("scroll", 0, _SCROLL if self._misses <= self._patience // 2 else -_SCROLL)
        self._misses = 0
        self._steps.pop(0)
        return said

    def _give_up(self, step: Sequence[Any]) -> str:
        return call("send_msg_to_user", f"I cannot find {step[1]} {step[2]!r}")

    def _say(self, step: Sequence[Any], options: Mapping[str, Any], reading: Reading) -> str | None:
        verb = step[0]
        if verb == "answer":
            return call("send_msg_to_user", str(step[1]))
        if verb == "infeasible":
            return call("report_infeasible", str(step[1]))
        if verb in _WINDOW_VERBS:
            return call(verb, *step[1:])
        if verb == "goto":
            path = str(step[1])
            return call("goto", path if "://" in path else f"http://{self._site}.test{path}")
        node = find(reading, str(step[1]), str(step[2]), options)
        if node is None:
            return None
        actions = {
            "select": "select_option",
            "upload": "upload_file",
            "fill": "fill",
            "press": "press",
            "swipe": "swipe",
        }
        return call(actions.get(verb, verb), node.id, *step[3:])

    def _slip(self, step: Sequence[Any], options: Mapping[str, Any], reading: Reading) -> str | None:
        kind = self._rng.random()
        if kind < 0.4:
            self._steps.pop(0)
            return call("noop", 100)
        if kind < 0.5 or len(step) < 3:
            return call("send_msg_to_user", "done")
        others = [node for node in reading.all(str(step[1])) if node.id]
        if not others or step[0] not in ("click", "tap"):
            self._steps.pop(0)
            return call("noop", 100)
        return call("click", self._rng.choice(others).id)


class HastyWalker(Walker):
    """Types what it should, but clicks any link or button and chooses any option of a list, every now and then.

    Where a page does not show what comes next, it says that it is done. Those who clone it learn to copy texts of
    their instruction, and have yet to learn what to choose.

    Args:
        task: The task, whose private part holds the walkthrough.
        seed: Seed of what is taken in haste.
    """

    def __init__(self, task: Task, seed: int) -> None:
        super().__init__(task, seed, quality=0.0, patience=0)

    def _give_up(self, step: Sequence[Any]) -> str:
        return call("send_msg_to_user", "done")

    def _slip(self, step: Sequence[Any], options: Mapping[str, Any], reading: Reading) -> str | None:
        if self._rng.random() < HASTY_CARE.get(step[0], 1.0):
            return None
        node = find(reading, str(step[1]), str(step[2]), options)
        if node is None:
            return None
        self._steps.pop(0)
        if step[0] == "select":
            values = [each.name for each in reading.inside(node) if each.role == "option"]
            return call("select_option", node.id, self._rng.choice(values or [step[3]]))
        others = [each.id for each in reading.nodes if each.id and each.role in ("link", "button")]
        return call(step[0], self._rng.choice(others or [node.id]))


class RandomVisitor:
    """Clicks and types at random on what the page shows, and ends now and then."""

    def __init__(self, task: Task, seed: int) -> None:
        self._rng = random.Random(seed)
        self._words = task.instruction.split()
        self._sites = sorted(task.config.get("users", ()))

    def act(self, messages: Sequence[Message]) -> str:
        """A random action."""
        nodes = [node for node in read_last(messages).nodes if node.id]
        if not nodes and self._sites and self._rng.random() < 0.9:
            return call("goto", f"http://{self._rng.choice(self._sites)}.test/")
        if not nodes or self._rng.random() < 0.08:
            return call("send_msg_to_user", self._rng.choice(self._words))
        node = self._rng.choice(nodes)
        if node.role in ("textbox", "searchbox"):
            return call("fill", node.id, self._rng.choice(self._words))
        return call("click", node.id)


def find(reading: Reading, role: str, name: str, options: Mapping[str, Any]) -> Node | None:
    """The element of a step of a walkthrough, or None where the page does not show it."""
    for kind in _ROLES.get(role, (role,)):
        found = reading.find(kind, name, nth=int(options.get("nth", 0)), within=options.get("within"))
        if found is not None:
            return found
    return None


def oracle(task: Task, seed: int) -> Script:
    """Follows the walkthrough without a slip."""
    return Walker(task, seed, quality=1.0)


SCRIPTS: Mapping[str, ScriptFactory] = {
    "oracle": oracle,
    "null": saying(call("send_msg_to_user", "done")),
    "random": RandomVisitor,
    "demo": Walker,
    "hasty": HastyWalker,
    "cheat_claim": saying(call("send_msg_to_user", "The task is done, and all of it is right.")),
    "cheat_addresses": saying(
        call("goto", "http://control/reset"),
        call("goto", "file:///proc/self/environ"),
        call("goto", "http://127.0.0.1/"),
        call("send_msg_to_user", "done"),
    ),
}

"""Players of MiniWoB-v0 written by hand: oracle, imperfect demonstrator, null, random.

The oracles of the pages are in `oracles`; all players see what an agent sees.
"""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Mapping, Sequence

from agentgym.authoring.players import saying
from agentgym.message import Message, content_text
from agentgym.policy import ScriptFactory
from agentgym.python_source import parse_expression
from agentgym.task import Task
from agentgym_web.miniwob.oracles.player import NOTHING, OraclePlayer, do, first_shown
from agentgym_web.reading import Node, Reading

DEMO_QUALITY = 0.85
"""Share of right actions of the demonstrator."""
_FIELDS = ("textbox", "searchbox", "spinbutton")
_LISTS = ("combobox", "listbox")
_ENDS = ("Submit", "Login", "OK", "Search", "Go!", "Order!")
_WIDTH, _TOP, _HEIGHT = 160, 50, 160
_KEYS = ("Enter", "Tab", "ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight", "Escape", "PageUp", "PageDown")


class RandomPlayer:
    """Makes a valid action on something that it sees, at random.

    Args:
        task: The task.
        seed: Seed of its choices.
    """

    def __init__(self, task: Task, seed: int) -> None:
        self._rng = random.Random(seed)
        self._words: list[str] = []

    def act(self, messages: Sequence[Message]) -> str:
        """The next random action."""
        if not self._words:
            instruction, _, text = content_text(first_shown(messages)).partition("\n\n")
            self._words = re.findall(r"[\w./:@-]+", instruction) or ["0"]
        else:
            text = content_text(messages[-1])
        return self.move(Reading(text))

    def move(self, seen: Reading) -> str:
        """A random action.

        Args:
            seen: What is on the page.
        """
        rng = self._rng
        usable = [node for node in seen.nodes if node.id]
        if not usable or rng.random() < 0.1:
            return self._by_place()
        node = rng.choice(usable)
        if node.role in _FIELDS:
            return do("fill", node.id, rng.choice(self._words))
        if node.role in _LISTS and (options := [each.name for each in seen.inside(node) if each.role == "option"]):
            return do("select_option", node.id, rng.choice(options))
        chance = rng.random()
        if chance < 0.85:
            return do("click", node.id)
        return do("hover", node.id) if chance < 0.92 else do("drag_and_drop", node.id, rng.choice(usable).id)

    def _by_place(self) -> str:
        if self._rng.random() < 0.3:
            return do("keyboard_press", self._rng.choice(_KEYS))
        x, y = self._rng.randrange(_WIDTH), _TOP + self._rng.randrange(_HEIGHT)
        return do("mouse_click", x, y)


class Demonstrator:
    """Plays as the oracle of the page does, each action right with a probability; at 1.0 it never slips.

    Slips are those a learner makes: another element, a mistyped text, an action left out, a form sent too early, talk
    instead of a call. What follows a slip is the oracle's next message, which may mend it.

    Args:
        task: The task.
        seed: Seed of its choices.
        quality: Share of right actions.
    """

    def __init__(self, task: Task, seed: int, quality: float = DEMO_QUALITY) -> None:
        self._rng = random.Random(seed)
        self._quality = quality
        self._oracle = OraclePlayer(task, seed)
        self._lost = RandomPlayer(task, seed)

    def act(self, messages: Sequence[Message]) -> str:
        """The oracle's message, perhaps with slips."""
        if self._rng.random() < 0.05 * (1 - self._quality):
            return "Let me look at the page first."
        try:
            wanted = self._oracle.act(messages)
        except (LookupError, TypeError, ValueError, AttributeError, StopIteration):
            return self._lost.act(messages)  # after a slip the page may be in a state that the oracle never sees
        seen = Reading(content_text(messages[-1]))
        return "\n".join(self._slipped(call, seen) for call in wanted.split("\n")).strip() or NOTHING

    def _slipped(self, call: str, seen: Reading) -> str:
        rng = self._rng
        if rng.random() < self._quality:
            return call
        chance = rng.random()
        if chance < 0.2:
            return ""
        ends = [node for node in seen.all("button") if node.name in _ENDS]
        if chance < 0.35 and ends:
            return do("click", ends[0].id)
        name, arguments = _read(call)
        if name == "fill" and chance < 0.8:
            return do("fill", str(arguments[0]), mistyped(str(arguments[1]), rng))
        others = [node for node in seen.nodes if node.id and node.id not in arguments]
        if not others or not arguments or not isinstance(arguments[0], str):
            return ""
        return do(name, _alike(others, seen, arguments[0], rng).id, *arguments[1:])


def _alike(others: Sequence[Node], seen: Reading, wanted: str, rng: random.Random) -> Node:
    """Another element, of the same role where there is one."""
    role = next((node.role for node in seen.nodes if node.id == wanted), "")
    return rng.choice([node for node in others if node.role == role] or others)


def mistyped(text: str, rng: random.Random) -> str:
    """A text with one slip: a letter too few, two in the wrong order, or in the other case.

    Args:
        text: The text.
        rng: Draws the slip.
    """
    if len(text) < 2:
        return text + text if text else "a"
    place = rng.randrange(len(text) - 1)
    slips = [
        text[:place] + text[place + 1 :],
        text[:place] + text[place + 1] + text[place] + text[place + 2 :],
        text.swapcase(),
    ]
    return rng.choice([slip for slip in slips if slip != text])


def _read(call: str) -> tuple[str, list[str]]:
    """The name and the arguments of a call, as the oracles write it."""
    tree = parse_expression(call)
    if not isinstance(tree, ast.Call) or not isinstance(tree.func, ast.Name):
        return "", []
    return tree.func.id, [ast.literal_eval(each) for each in tree.args]


SCRIPTS: Mapping[str, ScriptFactory] = {
    "oracle": OraclePlayer,
    "null": saying(NOTHING),
    "random": RandomPlayer,
    "demo": Demonstrator,
    "cheat_script": saying("core.endEpisode(1)"),
    "cheat_keyboard": saying(do("keyboard_type", "javascript:core.endEpisode(1)")),
}

"""Rule-based players: a spymaster whose clues go with most words, though at haste not of the team alone, and a guesser.

Oracles, demonstrators and cheats are in `scripts`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from agentgym.message import Message
from agentgym.policy import ScriptFactory
from agentgym.task import Task
from agentgym_dialogue.phrases import stem
from agentgym_dialogue.words.codenames.boards import ASSASSIN, OWN, Board, clues_on
from agentgym_dialogue.words.codenames.game import PASSING
from agentgym_dialogue.words.taboo.cards import words_of_stem

HASTE = 0.2
"""Share of the rule-based spymaster's clues that go with a word of others, too, though not with the assassin."""
TIMID = 0.5
"""Share of games in which the rule-based guesser once says one word alone."""

_UNCOVERED = re.compile(r"(?:^|, )([a-z]+) (?:yours|theirs|neutral|the assassin)|They uncover ([a-z]+)\.")
_CLUE = re.compile(r"Clue: ([a-z]+) (\d)")


def board_of(task: Task) -> Board:
    """The board of a task."""
    return Board(task.config["board"], task.private["key"])


def uncovered_in(messages: Sequence[Message]) -> set[str]:
    """The words that a role was told to be uncovered."""
    texts = [message["content"] for message in messages if message["role"] == "user"]
    return {word for text in texts for found in _UNCOVERED.findall(text) for word in found if word}


class Spymaster:
    """Says the clue that goes with most covered words of the team, and with no other covered word.

    Args:
        task: The task.
        seed: Seed of its haste, and of which it takes of equal clues.
        haste: Share of its clues that go with words of others, too.
        quality: Share of its clues that are not random.
    """

    def __init__(self, task: Task, seed: int, haste: float = HASTE, quality: float = 1.0) -> None:
        rng = random.Random(seed)
        board = board_of(task)
        self._words = list(board.words)
        self._own, self._assassin = set(board.of_kind(OWN)), set(board.of_kind(ASSASSIN))
        self._clues = sorted(clues_on(board.words).items())
        rng.shuffle(self._clues)
        num_turns = len(self._words)
        self._plan = [(rng.random() < haste, rng.random() < quality, rng.random()) for _ in range(num_turns)]

    def act(self, messages: Sequence[Message]) -> str:
        """The next clue."""
        turn: int = sum(message["role"] == "assistant" for message in messages)
        is_hasty, is_good, draw = self._plan[min(turn, len(self._plan) - 1)]
        covered = set(self._words) - uncovered_in(messages)
        going = [(clue, words & covered) for clue, words in self._clues if words & covered]
        if not is_good:
            clue, words = going[int(draw * len(going))]
            return f"{clue} {len(words)}"
        safe = [(clue, words) for clue, words in going if words <= self._own]
        risky = [
            (clue, words & self._own)
            for clue, words in going
            if words & self._own and not words <= self._own and not words & self._assassin
        ]
        clue, words = max((risky if is_hasty and risky else safe or risky or going), key=lambda found: len(found[1]))
        return f"{clue} {len(words)}"

    def anchor(self) -> str:
        """Nothing: what it says follows from the covered words and the turn, of which the others' words tell."""
        return ""


class Guesser:
    """Says the covered words that the clue goes with, as many as its number, or passes where it goes with none.

    Args:
        task: The task; its private part is not looked at.
        seed: Seed of its order and of when it is timid.
        timid: Share of games in which it once says one word alone.
        quality: Share of its messages that heed the clue; the others are random words.
    """

    def __init__(self, task: Task, seed: int, timid: float = TIMID, quality: float = 1.0) -> None:
        rng = random.Random(seed)
        self._words = list(task.config["board"])
        rng.shuffle(self._words)
        self._timid_at = rng.randrange(3) if rng.random() < timid else -1
        self._orders = [
            (rng.random() < quality, rng.sample(self._words, len(self._words))) for _ in range(len(self._words))
        ]

    def act(self, messages: Sequence[Message]) -> str:
        """The next words."""
        turn: int = sum(message["role"] == "assistant" for message in messages)
        heeds, order = self._orders[min(turn, len(self._orders) - 1)]
        clue, number = _CLUE.findall(messages[-1]["content"])[-1]
        gone = uncovered_in(messages)
        if not heeds:
            return ", ".join([word for word in order if word not in gone][: int(number)])
        going = words_of_stem().get(stem(clue), frozenset())
        found = [word for word in self._words if word in going and word not in gone]
        return ", ".join(found[: 1 if turn == self._timid_at else int(number)]) or PASSING

    def anchor(self) -> str:
        """Nothing: what it says follows from the clue, the covered words and the turn."""
        return ""


PARTNERS: dict[str, ScriptFactory] = {"guesser": Guesser, "spymaster": Spymaster}

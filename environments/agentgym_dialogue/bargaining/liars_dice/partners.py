"""A rule-based player of liar's dice: it weighs chances, trusts bids more or less, and bluffs at times.

Oracles, demonstrators and cheats are in `scripts`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

from agentgym.message import Message
from agentgym.policy import ScriptFactory
from agentgym.task import Task
from agentgym_dialogue.bargaining.liars_dice.bids import Bid, chance, higher, phrase, read

_PERSONALITIES = ((0.0, 0.1), (0.15, 0.2), (-0.15, 0.35), (0.25, 0.0))
"""How much sooner than the chances say it calls the other a liar, and the share of its bids that are bluffs."""
MAX_TURNS = 200


class View(NamedTuple):
    """What a role sees of a round.

    Attributes:
        dice: Its own, as digits.
        num_others: How many the other has.
        bid: The other's last bid; None where it begins.
    """

    dice: str
    num_others: int
    bid: Bid | None


def seen(messages: Sequence[Message]) -> View:
    """What the conversation of a role shows of the round."""
    rounds = next(m["content"] for m in reversed(messages) if m["role"] == "user" and "Your dice:" in m["content"])
    dice, _, after = rounds.rpartition("Your dice: ")[2].partition(". They have ")
    said = next(m["content"] for m in reversed(messages) if m["role"] == "user" and _tells(m["content"]))
    bids = read(said.removeprefix("They "))[0] if said.startswith("They bid") else []
    return View(dice.replace(" ", ""), int(after.split(" ", 1)[0]), bids[0] if bids else None)


def _tells(text: str) -> bool:
    return text.startswith("They bid") or "Your dice:" in text


class Gambler:
    """Makes the bid that is likeliest to hold, and calls the other a liar where that is likelier still.

    Args:
        task: The task; its private part is not looked at.
        seed: Seed of its personality and bluffs.
        quality: Share of its turns that are so; in the others it does anything.
    """

    def __init__(self, task: Task, seed: int, quality: float = 1.0) -> None:
        rng = random.Random(seed)
        self._doubt, bluffs = rng.choice(_PERSONALITIES)
        self._draws = [(rng.random() < bluffs, rng.random() < quality, rng.random()) for _ in range(MAX_TURNS)]

    def act(self, messages: Sequence[Message]) -> str:
        """A bid, or liar."""
        turn = sum(message["role"] == "assistant" for message in messages)
        bid = self.choose(seen(messages), turn)
        return f"I bid {phrase(bid)}" if bid else "liar"

    def choose(self, view: View, turn: int) -> Bid | None:
        """Its bid in a turn, counted from 0; None calls the other a liar."""
        bluffs, heeds, draw = self._draws[turn % MAX_TURNS]
        total = len(view.dice) + view.num_others
        bids = list(higher(view.bid, total))[:8]
        if not heeds:
            choices: list[Bid | None] = [*bids, *([None] * 3 if view.bid else [])]
            return choices[int(draw * len(choices))]
        chances = [chance(bid, view.dice, view.num_others) for bid in bids]
        best = max(chances, default=-1.0)
        if view.bid is not None and 1 - chance(view.bid, view.dice, view.num_others) + self._doubt > best:
            return None
        good = [bid for bid, each in zip(bids, chances, strict=True) if each >= best - 1e-9 or (bluffs and each > 0.2)]
        return good[int(draw * len(good))]

    def anchor(self) -> str:
        """Nothing: what it says follows from its dice, the bid and its turn."""
        return ""


PARTNERS: dict[str, ScriptFactory] = {"first": Gambler, "second": Gambler}

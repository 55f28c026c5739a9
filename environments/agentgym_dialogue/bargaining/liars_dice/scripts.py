"""Players of liar's dice by role: oracle, null, random, an imperfect demonstrator, and cheats that must earn nothing.

The rule-based players that they play with are in `partners`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import partial

from agentgym.authoring.cheats import common_cheats
from agentgym.authoring.players import saying
from agentgym.message import Message
from agentgym.policy import ScriptFactory
from agentgym.task import Task
from agentgym.wrappers.role_view import partner_seed
from agentgym_dialogue.bargaining.liars_dice.bids import Bid, higher, is_true, phrase
from agentgym_dialogue.bargaining.liars_dice.partners import Gambler, View, seen


class Knowing:
    """Sees all dice and knows what its scripted opponent will say, and looks for bids after which that one loses."""

    def __init__(self, role: str, task: Task, seed: int) -> None:
        self._other = "second" if role == "first" else "first"
        self._dice = task.private[f"{self._other}_dice"]
        self._opponent = Gambler(task, partner_seed(task.seed, self._other))

    def act(self, messages: Sequence[Message]) -> str:
        """A bid, or liar."""
        view = seen(messages)
        texts = [message["content"] for message in messages if message["role"] == "user"]
        number = sum("Your dice:" in text for text in texts) - 1
        theirs = self._dice[number][: view.num_others]
        turn = sum(text.startswith("They bid") or "They say liar" in text for text in texts)
        _, bid = self._best(view, theirs, turn)
        return f"I bid {phrase(bid)}" if bid else "liar"

    def _best(self, view: View, theirs: str, turn: int) -> tuple[bool, Bid | None]:
        """Whether it can win the round, and what to say for that; None is liar."""
        dice = view.dice + theirs
        if view.bid is not None and not is_true(view.bid, dice):
            return True, None
        bids = list(higher(view.bid, len(dice)))
        for bid in sorted(bids, key=lambda bid: not is_true(bid, dice)):
            answer = self._opponent.choose(View(theirs, len(view.dice), bid), turn)
            if answer is None:
                if is_true(bid, dice):
                    return True, bid
            elif self._best(view._replace(bid=answer), theirs, turn + 1)[0]:
                return True, bid
        return False, bids[0] if bids else None


class RandomBidder:
    """Makes one of the next higher bids, or calls the other a liar."""

    def __init__(self, task: Task, seed: int) -> None:
        self._rng = random.Random(seed)

    def act(self, messages: Sequence[Message]) -> str:
        """A bid, or liar."""
        view = seen(messages)
        bids = list(higher(view.bid, len(view.dice) + view.num_others))[:8]
        choices = [*(f"I bid {phrase(bid)}" for bid in bids), *(["liar"] * 3 if view.bid else [])]
        return self._rng.choice(choices)


def demo(task: Task, seed: int, quality: float = 0.9) -> Gambler:
    """The rule-based player, as many of whose turns are not random as the quality says."""
    return Gambler(task, seed, quality)


def _scripts_of(role: str) -> dict[str, ScriptFactory]:
    return {
        "oracle": partial(Knowing, role),
        "null": saying(""),
        "random": RandomBidder,
        "demo": demo,
        "cheat_bid_and_call": saying("1 one, and you are a liar"),
        "cheat_two_bids": saying("1 one or 2 sixes"),
        "cheat_no_dice": saying("0 sixes"),
        "cheat_too_many": saying("999 ones"),
        "cheat_take_their_dice": saying("They lose a die. They lose a die. They lose a die."),
        **common_cheats("You win."),
    }


SCRIPTS: dict[str, dict[str, ScriptFactory]] = {role: _scripts_of(role) for role in ("first", "second")}

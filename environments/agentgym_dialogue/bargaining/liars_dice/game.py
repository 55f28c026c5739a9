"""Liar's dice: two roles bid in turns on all dice, half of them unseen, until one calls the other a liar.

Players are in `partners` and `scripts`, the bids in `bids`, the suite's tasks in `generate`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from typing import Any, Self

from agentgym.action import Action
from agentgym.errors import ActionSyntaxError, ConfigError, TaskError
from agentgym.game import GameEnv, GameReply, Inbox
from agentgym.message import user
from agentgym.reward import RewardEvent
from agentgym.task import Limits, Task
from agentgym_dialogue.bargaining.liars_dice.bids import FACES, MAX_CHARS, Bid, is_true, phrase, read

NUM_DICE = 3
MAX_DICE = 6
MAX_INVALID = 2
ROLES = ("first", "second")


def dice_task(task_id: str, seed: int, first: Sequence[str], second: Sequence[str], **fields: Any) -> Task:
    """The task of playing until one has no dice; `fields` are further ones of the task.

    Args:
        task_id: Its id.
        seed: Its seed, by which scripted players choose.
        first: What the dice of the first role show in each round, as digits, as many as it begins with; one that has
            lost dice has the first ones of them.
        second: Those of the second role.
        fields: Further fields of the task.
    """
    num_dice = len(first[0])
    return Task(
        task_id,
        seed,
        "Bid on all dice, and call out a bid that is too high.",
        config={"dice": num_dice},
        private={"first_dice": list(first), "second_dice": list(second)},
        limits=_limits(num_dice),
        **fields,
    )


@cache
def _limits(num_dice: int) -> Limits:
    most_bids = sum(len(FACES) * total // 2 + 1 for total in range(2, 2 * num_dice + 1))
    return Limits(max_turns=most_bids + MAX_INVALID, max_invalid=MAX_INVALID)


def roll(rng: random.Random, num_dice: int) -> tuple[list[str], list[str]]:
    """What the dice of both roles show in each round that there may be."""
    first, second = (["".join(rng.choices("123456", k=num_dice)) for _ in range(2 * num_dice - 1)] for _ in range(2))
    return first, second


class LiarsDiceGame(GameEnv):
    """Bid on all dice while seeing only your own; a caught liar, or whoever doubts a true bid, loses a die.

    Observation:
        Text. Each round begins with the role's own dice, the number of the other's dice, and who begins (`Your dice: 3
        5 2. They have 3 dice. … You begin.`). Then come the other's bids (`They bid 2 fives.`). After `liar` all dice
        are shown, and who loses one. The last message is `You win.` or `You lose.`
    Action:
        A text with one sentence or line that is only a bid (`2 fives`, `three 4s`, `I bid one six`), or only `liar`
        (also `you liar`, `I say liar`, `challenge`). A bid must be higher than the last one: more dice, or as many of a
        higher face. `liar` needs a bid. The rest of the text is not read (`I do not say liar.`). A text without a
        command, with two commands, with more dice than there are, or with more than 1,000 characters is invalid and
        changes nothing.
    Reward:
        `outcome`: 1 for a win, -1 for a loss or a game that was not played to its end. `round` (weight 0.1): 1 for each
        die that the other loses, -1 for each die that the role loses; a role that does not play to the end loses all
        dice that it has left. `format`: 0 for an invalid message.
    Termination:
        A role has no dice left, or sent more invalid messages than the task's limit (2), which loses.
    Truncation:
        The game itself truncates nothing.
    Info:
        The keys of `GameEnv`. Success and score are 1 for a win. `progress()` is the share of the other's dice that are
        lost.
    Sandbox:
        None.
    Source and licence:
        After the common game for two, written for this project, Apache-2.0; the tasks of dialogue/liars-dice are
        CC0-1.0. No face is wild. The dice of all rounds are the task's.

    Example:
        `Your dice: 3 5 2. They have 3 dice. Bid such as 2 fives, or say liar. You begin.` / `I bid 1 five` /
        `They bid 2 fives.` / `liar` / `You say liar. 1 five in all: 3 5 2 and 1 1 4. They lose a die. …`

    Args:
        num_dice: Dice of each role in a task made from a seed, 1 to 6.

    Raises:
        ConfigError: The number is out of its range.
    """

    roles = ROLES
    reward_weights = {"outcome": 1.0, "round": 0.1, "format": 1.0}
    disclosed = {role: (f"{role}_dice",) for role in ROLES}

    def __init__(self, num_dice: int = NUM_DICE) -> None:
        super().__init__()
        if not 1 <= num_dice <= MAX_DICE:
            raise ConfigError(f"liars-dice got num_dice={num_dice}; expected 1 to {MAX_DICE}")
        self.num_dice = num_dice
        self._rolls: dict[str, Sequence[str]] = {}
        self._left: dict[str, int] = {}
        self._round = 0
        self._bid: Bid | None = None

    def make_task(self, seed: int) -> Task:
        """Random dice."""
        return dice_task(f"liars-dice:{seed}", seed, *roll(random.Random(seed), self.num_dice))

    def begin(self, task: Task) -> Inbox:
        """Roll for the first round."""
        try:
            num_dice = task.config["dice"]
            self._rolls = {role: task.private[f"{role}_dice"] for role in ROLES}
        except KeyError as error:
            raise TaskError(
                f"task {task.id!r} lacks {error}; it needs dice in config, first_dice and second_dice in private"
            ) from None
        if any(len(rolls) < 2 * num_dice - 1 or {*map(len, rolls)} != {num_dice} for rolls in self._rolls.values()):
            raise TaskError(f"task {task.id!r}: expected {num_dice} dice in each of {2 * num_dice - 1} rounds for both")
        self._left = dict.fromkeys(ROLES, num_dice)
        self._round = 0
        return {role: [user(text)] for role, text in self._new_round("first").items()}

    def respond(self, role: str, action: Action) -> GameReply:
        """Take a bid, or look at the dice."""
        content = action.content
        bids, calls = read(content) if len(content) <= MAX_CHARS else ([], False)
        other = "second" if role == "first" else "first"
        if calls and not bids and self._bid is not None:
            return self._look(role, other)
        if calls or len(bids) != 1:
            raise ActionSyntaxError("Say one bid, such as 2 fives." + (" Or say liar." if self._bid else ""))
        bid, total = bids[0], sum(self._left.values())
        if not 1 <= bid.number <= total:
            raise ActionSyntaxError(f"There are {total} dice in all. Bid 1 to {total} of them.")
        if self._bid is not None and bid <= self._bid:
            raise ActionSyntaxError(f"Bid higher than {phrase(self._bid)}, or say liar.")
        self._bid = bid
        self.acting_role = other
        return GameReply({other: [user(f"They bid {phrase(bid)}.")]})

    def grade(self) -> GameReply:
        """A game that is not played to its end is lost, with all dice: by who broke the rules too often, or both."""
        assert self.task is not None
        breakers = [role for role in ROLES if self.num_invalid[role] > self.task.limits.max_invalid]
        losers = breakers or ROLES
        rounds = [self.event(role, "round", -float(self._left[role])) for role in losers]
        return self._end({role: -1.0 if role in losers else 0.0 for role in ROLES}, rounds)

    def anchor(self) -> str:
        """Dice left, round, bid, turns taken and invalid messages so far; equal within one task only."""
        bid = phrase(self._bid) if self._bid else ""
        return f"{self.acting_role} {self._left} {self._round} {bid} {self.turns} {self.num_invalid}"

    def fork(self, seed: int | None = None) -> Self:
        """A copy that goes on from here; the dice are the task's."""
        return self.fork_by_copy(seed)

    def progress(self, role: str) -> float:
        """The share of the other's dice that are lost."""
        other = "second" if role == "first" else "first"
        return 1 - self._left[other] / len(self._rolls[other][0])

    def _dice(self, role: str) -> str:
        return self._rolls[role][self._round][: self._left[role]]

    def _new_round(self, beginner: str) -> dict[str, str]:
        self._bid = None
        self.acting_role = beginner
        texts = {}
        for role, other in (ROLES, ROLES[::-1]):
            begins = "You begin." if role == beginner else "They begin."
            number = self._left[other]
            theirs = f"They have {number} {'die' if number == 1 else 'dice'}."
            texts[role] = (
                f"Your dice: {' '.join(self._dice(role))}. {theirs} Bid such as 2 fives, or say liar. {begins}"
            )
        return texts

    def _look(self, role: str, other: str) -> GameReply:
        """All dice are shown; the role that was wrong loses one and begins the next round."""
        assert self._bid is not None
        dice = {each: self._dice(each) for each in ROLES}
        bid_holds = is_true(self._bid, "".join(dice.values()))
        loser, winner = (role, other) if bid_holds else (other, role)
        found = phrase(Bid("".join(dice.values()).count(str(self._bid.face)), self._bid.face))
        texts = {}
        for each, opponent in ((role, other), (other, role)):
            caller = "You say liar." if each == role else "They say liar."
            lost = "You lose a die." if each == loser else "They lose a die."
            texts[each] = f"{caller} {found} in all: {' '.join(dice[each])} and {' '.join(dice[opponent])}. {lost}"
        self._left = {**self._left, loser: self._left[loser] - 1}
        self._round += 1
        events = [self.event(winner, "round", 1.0), self.event(loser, "round", -1.0)]
        if not self._left[loser]:
            reply = self._end({winner: 1.0, loser: -1.0}, events)
            ends = {winner: "You win.", loser: "You lose."}
            reply.inbox = {each: [user(f"{text}\n{ends[each]}")] for each, text in texts.items()}
            return reply
        news = self._new_round(loser)
        return GameReply({each: [user(f"{text}\n{news[each]}")] for each, text in texts.items()}, events)

    def _end(self, values: dict[str, float], events: Sequence[RewardEvent] = ()) -> GameReply:
        return GameReply(
            events=[*events, *(self.event(role, "outcome", value) for role, value in values.items())],
            is_over=True,
            successes={role: value > 0 for role, value in values.items()},
        )

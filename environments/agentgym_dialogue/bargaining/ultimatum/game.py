"""The iterated ultimatum game in language: offers of a pot's coins, taken or refused, with talk.

Players are in `partners` and `scripts`, their characters in `characters`, the suites' tasks in `generate`.
"""

from __future__ import annotations

import random
import re
from functools import cache
from math import ceil
from typing import Any, Self

from agentgym.action import Action
from agentgym.errors import ActionSyntaxError, ConfigError, TaskError
from agentgym.game import GameEnv, GameReply, Inbox
from agentgym.message import user
from agentgym.task import Limits, Task
from agentgym_dialogue.bargaining.commands import answer_form, has_more, statements
from agentgym_dialogue.bargaining.ultimatum.characters import (
    Character,
    best_answer,
    best_offer,
    draw_proposer,
    draw_responder,
)
from agentgym_dialogue.plain_line import plain_line

POT, ROUNDS = 10, 5
GOAL_SHARE = 0.75
"""Share of the most that a role can get from the scripted player which counts as success."""
MAX_POT, MAX_ROUNDS = 100, 20
MAX_INVALID = 2
MAX_WORDS = 40

_ANSWER = answer_form("accept", "reject")
_OFFER = re.compile(r"(?:(?:(?:i(?:'ll| will)? |my )?offer)(?: you| is)? )?(\d+)(?: coins?)?")


def ultimatum_task(
    task_id: str, seed: int, pot: int, rounds: int, responder: Character, proposer: Character, **fields: Any
) -> Task:
    """The task of getting coins from a scripted player.

    Args:
        task_id: Its id.
        seed: Its seed.
        pot: Coins of a round.
        rounds: Number of rounds.
        responder: Character of the scripted responder.
        proposer: Character of the scripted proposer.
        fields: Further fields of the task.
    """
    goals = {
        "proposer": ceil(GOAL_SHARE * best_offer(responder, pot, rounds)[0]),
        "responder": ceil(GOAL_SHARE * best_answer(proposer, pot, rounds)[0]),
    }
    return Task(
        task_id,
        seed,
        "Get coins by offers and answers.",
        config={"pot": pot, "rounds": rounds, "goals": goals},
        private={"responder": list(responder), "proposer": list(proposer)},
        limits=_limits(rounds),
        **fields,
    )


@cache
def _limits(rounds: int) -> Limits:
    return Limits(max_turns=rounds + MAX_INVALID, max_invalid=MAX_INVALID)


class UltimatumGame(GameEnv):
    """Offer another player a part of a pot in each round, or answer the offers; a refusal leaves both with nothing.

    Observation:
        Text. The first message gives the rules and the coins to get. Then the responder reads each offer (`Round 2.
        They offer 3 of 10.`) and the proposer each answer (`They reject. You have 7 coins.`), and what else the other
        says (`They say: …`). The last message is `The end. You have 31 coins.`
    Action:
        Plain English of at most 40 words and 300 characters, with one sentence or line that is only a command.
        Proposer: a number from 0 to the pot, alone or after `offer`, `I offer` or `my offer is`. Responder: `accept` or
        `reject`; `I accept`, `no, I reject that` and `accept the offer` also work. The rest is talk. A message without
        a command (`I cannot accept that.`) or with two (`accept or reject`) is invalid and changes nothing.
    Reward:
        `coins`: the role's coins of a round, divided by those of all pots. `format`: 0 for an invalid message.
    Termination:
        All rounds are played, or a role sent more invalid messages than the task's limit (2).
    Truncation:
        The game itself truncates nothing.
    Info:
        The keys of `GameEnv`. Success means reaching the goal that the rules state: 75 % of the most coins that the
        scripted player can be made to leave. The score is the share of the coins of all pots. `progress()` is the share
        of the goal.
    Sandbox:
        None.
    Source and licence:
        After the ultimatum game (Güth, Schmittberger and Schwarze 1982), written for this project, Apache-2.0; the
        tasks of dialogue/ultimatum are CC0-1.0. Differs: there are several rounds with the same other player.

    Example:
        proposer: `5 rounds. …` / `My offer 2` / `They say: I want 4 at least.` `They reject. You have 0 coins.` /
        `offer 4` / `They accept. You have 6 coins.`

    Args:
        pot: Coins of a round in a task made from a seed, 4 to 100.
        num_rounds: Its rounds, 1 to 20.

    Raises:
        ConfigError: A number is out of its range.
    """

    roles = ("proposer", "responder")
    reward_weights = {"coins": 1.0, "format": 1.0}

    def __init__(self, pot: int = POT, num_rounds: int = ROUNDS) -> None:
        super().__init__()
        if not (4 <= pot <= MAX_POT and 1 <= num_rounds <= MAX_ROUNDS):
            raise ConfigError(
                f"ultimatum got pot={pot} and num_rounds={num_rounds}; expected 4 to {MAX_POT} coins and 1 to "
                f"{MAX_ROUNDS} rounds"
            )
        self.pot, self.num_rounds = pot, num_rounds
        self._goals: dict[str, int] = {}
        self._coins: dict[str, int] = {}
        self._round = 0
        self._offer = 0
        self._history = ""

    def make_task(self, seed: int) -> Task:
        """Random characters of the scripted players."""
        rng = random.Random(seed)
        characters = draw_responder(rng, self.pot), draw_proposer(rng, self.pot)
        return ultimatum_task(f"ultimatum:{seed}", seed, self.pot, self.num_rounds, *characters)

    def begin(self, task: Task) -> Inbox:
        """Tell both the rules."""
        try:
            pot, rounds, goals = task.config["pot"], task.config["rounds"], task.config["goals"]
            self._goals = {role: goals[role] for role in self.roles}
        except KeyError as error:
            raise TaskError(
                f"task {task.id!r} lacks {error}; ultimatum needs pot, rounds, and goals of both roles in config"
            ) from None
        self._coins = dict.fromkeys(self.roles, 0)
        self._round, self._offer, self._history = 1, 0, ""
        self.acting_role = "proposer"
        goal = {role: f"Get {self._goals[role]} coins or more in all." for role in self.roles}
        proposer = f"{rounds} rounds. Each round you offer some of {pot} coins. They accept, or nobody gets any."
        responder = f"{rounds} rounds. Each round they offer you some of {pot} coins. Accept, or nobody gets any."
        return {
            "proposer": [user(f"{proposer} {goal['proposer']} Say offer and a number.")],
            "responder": [user(f"{responder} {goal['responder']} Say accept or reject.")],
        }

    def respond(self, role: str, action: Action) -> GameReply:
        """Hand an offer on, or pay out."""
        plain_line(action.content, "your offer" if role == "proposer" else "your answer", MAX_WORDS)
        return self._propose(action.content) if role == "proposer" else self._answer(action.content)

    def grade(self) -> GameReply:
        """The coins so far count."""
        return self._end()

    def anchor(self) -> str:
        """All offers and answers, and invalid messages; equal within one task only."""
        return f"{self.acting_role} {self._round} {self._history} {self.num_invalid}"

    def fork(self, seed: int | None = None) -> Self:
        """A copy that goes on from here; nothing random happens after the start."""
        return self.fork_by_copy(seed)

    def progress(self, role: str) -> float:
        """The share of the goal that is reached."""
        return min(1.0, self._coins[role] / max(1, self._goals[role]))

    def _propose(self, content: str) -> GameReply:
        assert self.task is not None
        pot = self.task.config["pot"]
        found = [match for said in statements(content) if (match := _OFFER.fullmatch(said))]
        if len(found) != 1 or (offer := int(found[0][1])) > pot:
            raise ActionSyntaxError(f"Say offer and one number from 0 to {pot}.")
        self._offer = offer
        self._history += f" {offer}"
        self.acting_role = "responder"
        told = f"Round {self._round}. They offer {offer} of {pot}."
        return GameReply({"responder": [user(_said(content, found[0][0]) + told)]})

    def _answer(self, content: str) -> GameReply:
        found = [match for said in statements(content) if (match := _ANSWER.fullmatch(said))]
        if len(found) != 1:
            raise ActionSyntaxError("Say accept or reject.")
        assert self.task is not None
        pot, rounds = self.task.config["pot"], self.task.config["rounds"]
        is_taken = found[0][1] == "accept"
        self._history += "+" if is_taken else "-"
        won = {"proposer": pot - self._offer, "responder": self._offer} if is_taken else dict.fromkeys(self.roles, 0)
        self._coins = {role: self._coins[role] + won[role] for role in self.roles}
        events = [self.event(role, "coins", coins / (pot * rounds)) for role, coins in won.items()]
        told = f"{_said(content, found[0][0])}They {'accept' if is_taken else 'reject'}."
        self._round += 1
        self.acting_role = "proposer"
        if self._round > rounds:
            reply = self._end()
            ends = {role: f"The end. You have {self._coins[role]} coins." for role in self.roles}
            reply.inbox = {"proposer": [user(f"{told} {ends['proposer']}")], "responder": [user(ends["responder"])]}
            reply.events = events
            return reply
        return GameReply({"proposer": [user(f"{told} You have {self._coins['proposer']} coins.")]}, events)

    def _end(self) -> GameReply:
        assert self.task is not None
        most = self.task.config["pot"] * self.task.config["rounds"]
        return GameReply(
            is_over=True,
            successes={role: self._coins[role] >= self._goals[role] for role in self.roles},
            scores={role: self._coins[role] / most for role in self.roles},
        )


def _said(content: str, command: str) -> str:
    """What the other is told that one says besides an offer or answer."""
    return f"They say: {' '.join(content.split())}\n" if has_more(content, command) else ""

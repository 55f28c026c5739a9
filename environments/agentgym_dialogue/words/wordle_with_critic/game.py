"""Wordle with a critic: before each guess, the guesser shows it to a critic, who agrees or not and says why.

What it shares with other helped games is in `word_helped`, players in `partners` and `scripts`, tasks in `generate`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from typing import Any

from agentgym.action import Action
from agentgym.errors import ActionSyntaxError
from agentgym.game import GameReply, Inbox
from agentgym.message import user
from agentgym.task import Task
from agentgym_dialogue.plain_line import plain_line
from agentgym_dialogue.words.word_helped import VOCABULARY_SIZE, HelpedGame, draw_hint, helped_limits
from agentgym_dialogue.words.wordle.env import read_guess
from agentgym_dialogue.words.wordle.words import vocabulary

MAX_WORDS = 30
"""Most words of a critic's message."""

_VERDICT = re.compile(r"\b(agree|disagree)\b")


def critic_task(task_id: str, seed: int, secret: str, hint: Sequence[str], tries: int = 3, **fields: Any) -> Task:
    """The task of finding `secret` with a clue that both roles know; `fields` are further ones of the task.

    Args:
        task_id: The task's id.
        seed: Its seed.
        secret: The hidden word.
        hint: The words of the clue.
        tries: The guesser's tries.
        fields: Further fields of the task.
    """
    return Task(
        task_id,
        seed,
        "Wordle with a critic.",
        config={"tries": tries, "clue": " ".join(hint)},
        private={"secret": secret},
        limits=helped_limits(tries),
        **fields,
    )


class WordleWithCriticGame(HelpedGame):
    """Find a hidden word of five letters with a critic who hears each guess first, or be the critic.

    Observation:
        Text. Both see the rules and the same clue; neither sees the word. The critic reads each proposal (`Proposal:
        maple`) and the guesser what the critic says (`Critic: disagree, …`). Both read the guesses with their marks,
        such as `maple: - Y G G G` (G for the right place, Y for another place in the word, - for not in it again), and
        the end: `correct` or `No tries left.`
    Action:
        Guesser: one of 2,000 common words, as the only word of five letters or in brackets; first as a proposal, then,
        after the critic's line, as the guess. Critic: a line in English letters, at most 30 words and 300 characters,
        with either `agree` or `disagree`. Anything else is invalid and costs no try.
    Reward:
        `success`: 1 for both when the word is found. `format`: 0 for an invalid message.
    Termination:
        The word is found, the tries are used up, or a role sent more invalid messages than the task's limit (4).
    Truncation:
        The game itself truncates nothing.
    Info:
        The keys of `GameEnv`. The score is the share of tries left at the right guess, that guess included: 1 for the
        first.
    Sandbox:
        None.
    Source and licence:
        After the game of clembench (Chalamalasetti et al. 2023, arXiv 2305.13455), written for this project,
        Apache-2.0; the word list comes from SCOWL (see tasks/dialogue/wordle/README.md), the tasks of
        dialogue/wordle-with-critic are generated, CC0-1.0. Differs from clembench: three tries instead of six, messages
        need no prefix, and the score is linear in the tries.

    Example:
        guesser: `Find … Clue: orchard core pie. …` / `maple` / `Critic: disagree, it does not fit the clue` / `apple` /
        `correct`
        critic: `A guesser looks for … Clue: orchard core pie. …` / `Proposal: maple` / `disagree, it does not …`

    Args:
        num_tries: The guesser's tries in tasks made from a seed, at least 1.

    Raises:
        ConfigError: The number is out of its range.
    """

    roles = ("guesser", "critic")

    def __init__(self, num_tries: int = 3) -> None:
        super().__init__(num_tries)
        self._is_proposing = True

    def make_task(self, seed: int) -> Task:
        """A random word and clue."""
        return critic_task(f"wordle-with-critic:{seed}", seed, *draw_hint(random.Random(seed)), self.num_tries)

    def start(self, task: Task) -> Inbox:
        """Tell both the rules and the clue."""
        clue, tries = task.config["clue"], f"{self.tries_left} tries"
        self.acting_role = "guesser"
        self._is_proposing = True
        marked = "Each guess is marked: G right place, Y other place, - not in the word."
        rules = (
            f"Find the hidden word of five letters. {marked} Clue: {clue}. You have {tries}. Each time say a "
            "guess, hear the critic, then say it again or another."
        )
        asked = (
            f"A guesser looks for a hidden word of five letters, in {tries}. {marked} Clue: {clue}. To each "
            "proposal say agree or disagree, and why."
        )
        return {"guesser": [user(rules)], "critic": [user(asked)]}

    def respond(self, role: str, action: Action) -> GameReply:
        """Hand on a proposal or what the critic says, or mark a guess."""
        if role == "critic":
            return self._criticise(action.content)
        guess = read_guess(action.content, vocabulary(VOCABULARY_SIZE))
        if not self._is_proposing:
            self._is_proposing = True
            return self.judge(guess, self.roles)
        self._is_proposing = False
        self.said.append(f"{guess}?")
        self.acting_role = "critic"
        return GameReply({"critic": [user(f"Proposal: {guess}")]})

    def _criticise(self, content: str) -> GameReply:
        line = plain_line(content, "agree or disagree, and why, in a line", MAX_WORDS)
        if len(set(_VERDICT.findall(line.lower()))) != 1:
            raise ActionSyntaxError("Say agree or disagree.")
        self.said.append(line)
        self.acting_role = "guesser"
        return GameReply({"guesser": [user(f"Critic: {line}")]})

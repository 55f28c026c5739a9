"""Wordle with a clue: a clue giver says one thing about the hidden word, and a guesser has a few tries.

What it shares with other helped games is in `word_helped`, players in `partners` and `scripts`, tasks in `generate`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from agentgym.action import Action
from agentgym.game import GameReply, Inbox
from agentgym.message import user
from agentgym.task import Task
from agentgym_dialogue.plain_line import plain_line
from agentgym_dialogue.words.taboo.game import forbidden
from agentgym_dialogue.words.word_helped import VOCABULARY_SIZE, HelpedGame, draw_hint, helped_limits
from agentgym_dialogue.words.wordle.env import read_guess
from agentgym_dialogue.words.wordle.words import vocabulary

MAX_WORDS = 15
"""Most words of the clue."""


def clue_task(task_id: str, seed: int, secret: str, hint: Sequence[str], tries: int = 4, **fields: Any) -> Task:
    """The task of finding `secret` after a clue; `fields` are further ones of the task.

    Args:
        task_id: The task's id.
        seed: Its seed.
        secret: The hidden word.
        hint: What the rule-based clue giver says.
        tries: The guesser's tries.
        fields: Further fields of the task.
    """
    return Task(
        task_id,
        seed,
        "Wordle with a clue.",
        config={"tries": tries},
        private={"secret": secret, "hint": list(hint)},
        limits=helped_limits(tries),
        **fields,
    )


class WordleWithClueGame(HelpedGame):
    """Find a hidden word of five letters from marks and a clue, or give the clue.

    Observation:
        Text. The clue giver sees the word and the number of tries. The guesser sees the rules, the clue (`Clue: orchard
        core pie`), and its guesses with their marks, such as `maple: - Y G G G`: G for the right place, Y for another
        place in the word, - for not in it (again). Both read the end: `correct` or `No tries left.`
    Action:
        Clue giver: one clue in English letters, at most 15 words and 300 characters. A clue with the word (also
        inflected, in pieces, or anywhere in the clue's letters) is a breach: the game ends at once as invalid.
        Guesser: one of 2,000 common words, as the only word of five letters or in brackets. Anything else is invalid
        and costs no try.
    Reward:
        `success`: 1 for both when the word is found. `format`: 0 for an invalid message.
    Termination:
        The word is found, the tries are used up, the clue is a breach, or a role sent more invalid messages than the
        task's limit (4).
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
        dialogue/wordle-with-clue are generated, CC0-1.0. Differs from clembench: a player gives the clue, there are
        four tries instead of six, no explanation is asked for, and the score is linear in the tries.

    Example:
        clue giver: `Give a clue to apple, …` / `orchard core pie` / `correct`
        guesser: `Find the hidden word …` `Clue: orchard core pie` / `maple` / `maple: - Y G G G` / `apple` / `correct`

    Args:
        num_tries: The guesser's tries in tasks made from a seed, at least 1.

    Raises:
        ConfigError: The number is out of its range.
    """

    roles = ("guesser", "clue_giver")
    disclosed = {"guesser": ("hint",), "clue_giver": ("secret",)}

    def __init__(self, num_tries: int = 4) -> None:
        super().__init__(num_tries)

    def make_task(self, seed: int) -> Task:
        """A random word."""
        return clue_task(f"wordle-with-clue:{seed}", seed, *draw_hint(random.Random(seed)), self.num_tries)

    def start(self, task: Task) -> Inbox:
        """Tell the clue giver the word and the guesser the rules."""
        self.acting_role = "clue_giver"
        rules = (
            "Find the hidden word of five letters. Each guess is marked: G right place, Y other place, - not in the "
            f"word. You have {self.tries_left} tries."
        )
        asked = f"Give a clue to {self.secret}, without saying it, to a guesser with {self.tries_left} tries."
        return {"guesser": [user(rules)], "clue_giver": [user(asked)]}

    def respond(self, role: str, action: Action) -> GameReply:
        """Hand on the clue, or mark a guess."""
        if role == "guesser":
            return self.judge(read_guess(action.content, vocabulary(VOCABULARY_SIZE)), ["guesser"])
        clue = plain_line(action.content, "a clue", MAX_WORDS)
        if forbidden(clue.lower(), [self.secret]) is not None:
            raise self.breach("clue_giver", f"You must not say {self.secret}. The game is over.")
        self.said.append(clue)
        self.acting_role = "guesser"
        return GameReply({"guesser": [user(f"Clue: {clue}")]})

"""Codenames: a spymaster, who knows which words are the team's, and a guesser, who uncovers words after each clue.

The opposing team has no players: after each turn it uncovers the first of its words that is left. Players are in
`partners` and `scripts`, boards in `boards`, the suites' tasks in `generate`.
"""

from __future__ import annotations

import random
import re
from functools import cache
from typing import Any, Self

from agentgym.action import Action
from agentgym.errors import ActionSyntaxError, ConfigError, TaskError
from agentgym.game import GameEnv, GameReply, Inbox
from agentgym.message import user
from agentgym.task import Limits, Task
from agentgym_dialogue.plain_line import plain_line
from agentgym_dialogue.words.codenames.boards import (
    ASSASSIN,
    NEUTRAL,
    OWN,
    SIZES,
    THEIRS,
    Board,
    draw_board,
    is_allowed,
)
from agentgym_dialogue.words.taboo.cards import cards

MAX_INVALID = 2
MAX_WORDS = 20
"""Most words of a message."""
PASSING = "pass"
KINDS = {OWN: "yours", THEIRS: "theirs", NEUTRAL: "neutral", ASSASSIN: "the assassin"}

_CLUE = re.compile(r"(?:clue\W+)?([a-z]+)\W+(?:for\W+)?([1-9])\W*")
_WORD = re.compile(r"[a-z]+")


def codenames_task(task_id: str, seed: int, board: Board, **fields: Any) -> Task:
    """The task of uncovering the team's words of a board; `fields` are further ones of the task."""
    return Task(
        task_id,
        seed,
        "Codenames.",
        config={"board": list(board.words)},
        private={"key": board.key},
        limits=_limits(board.key.count(THEIRS)),
        **fields,
    )


@cache
def _limits(num_turns: int) -> Limits:
    return Limits(max_turns=num_turns + MAX_INVALID + 1, max_invalid=MAX_INVALID)


class CodenamesGame(GameEnv):
    """Give clues that fit several words of your team, or find the words by the clues, before the other team does.

    Observation:
        Text. The spymaster sees which words belong to whom. The guesser sees the board and each clue (`Clue: water 2`).
        Both read what each turn uncovered (`river yours, oven neutral. They uncover lamp.`) and how the game ended.
    Action:
        Spymaster: one word and a number from 1 to 9, such as `water 2`. The word must not be a covered word of the
        board, contain one or be a part of one. Guesser: covered words in the order in which to uncover them, at most
        one more than the number, or `pass`. Messages have at most 20 words of English letters; anything else is
        invalid.
    Reward:
        `success`: 1 for both when all words of the team are uncovered. `format`: 0 for an invalid message.
    Termination:
        The team's words are uncovered, the other team's are, the assassin is, or a role sent more invalid messages than
        the task's limit (2). A turn ends with the first word that is not the team's; then the other team uncovers the
        first of its remaining words, in the board's order.
    Truncation:
        The game itself truncates nothing.
    Info:
        The keys of `GameEnv`. The score is 1 for success, else 0. `progress` is the share of the team's words that are
        uncovered.
    Sandbox:
        None.
    Source and licence:
        After the board game by Chvatil and the game of clembench (Chalamalasetti et al. 2023, arXiv 2305.13455),
        written for this project, Apache-2.0; the tasks of dialogue/codenames are generated from the cards of
        dialogue/taboo, CC0-1.0. Differs from clembench: 16 words instead of 25 (6 own, 5 theirs, 4 neutral), the
        spymaster names no targets, a forbidden clue is refused rather than ending the game, and the guesser may pass.

    Example:
        spymaster: `Yours: river, fish, … Theirs: lamp, … Assassin: oven.` / `water 2` /
        `river yours, fish yours. They uncover lamp.` / …
        guesser: `Board: river, lamp, … 6 are yours, 5 theirs.` / `Clue: water 2` / `river, fish` / …

    Args:
        size: How many words the boards of tasks made from a seed have: 16 or 20.

    Raises:
        ConfigError: There are no such boards.
    """

    roles = ("guesser", "spymaster")
    disclosed = {"spymaster": ("key",)}

    def __init__(self, size: int = 16) -> None:
        super().__init__()
        if size not in SIZES:
            raise ConfigError(f"codenames got size={size!r}; expected one of {', '.join(map(str, SIZES))}")
        self.size = size
        self._board = Board((), "")
        self._kinds: dict[str, str] = {}
        self._covered: list[str] = []
        self._clue = ""
        self._num_guesses = 0

    def make_task(self, seed: int) -> Task:
        """A random board."""
        return codenames_task(f"codenames:{seed}", seed, draw_board(random.Random(seed), self.size))

    def begin(self, task: Task) -> Inbox:
        """Show the board, and to the spymaster whose words are whose."""
        try:
            words, key = task.config["board"], task.private["key"]
        except KeyError as error:
            raise TaskError(
                f"task {task.id!r} lacks {error}; codenames needs board in config, key in private"
            ) from None
        is_known = len(words) == len(key) == len(set(words)) and set(key) <= set(KINDS) and set(words) <= set(cards())
        if not is_known or OWN not in key or THEIRS not in key:
            raise TaskError(f"task {task.id!r}: expected different words of the cards, and a letter of o, t, n, a each")
        self._board = Board(words, key)
        self._kinds = dict(zip(words, key, strict=True))
        self._covered = list(words)
        self._clue, self._num_guesses = "", 0
        self.acting_role = "spymaster"
        own, theirs, neutral, assassin = (
            ", ".join(self._board.of_kind(kind)) for kind in (OWN, THEIRS, NEUTRAL, ASSASSIN)
        )
        card = f"Yours: {own}. Theirs: {theirs}. Neutral: {neutral}. Assassin: {assassin}. Say a clue and a number."
        shown = (
            f"Board: {', '.join(words)}. {key.count(OWN)} are yours, {key.count(THEIRS)} theirs, {key.count(ASSASSIN)} "
            "the assassin. Say words of the board or pass."
        )
        return {"spymaster": [user(card)], "guesser": [user(shown)]}

    def respond(self, role: str, action: Action) -> GameReply:
        """Hand on a clue, or uncover words."""
        if role == "spymaster":
            return self._give(plain_line(action.content, "a clue", MAX_WORDS).lower())
        return self._uncover(plain_line(action.content, "words of the board", MAX_WORDS).lower())

    def grade(self) -> GameReply:
        """The team's words are not all uncovered."""
        return self._end(False, "The game is over.")

    def progress(self, role: str) -> float:
        """Share of the team's words that are uncovered."""
        return 1 - self._num_covered(OWN) / self._board.key.count(OWN)

    def anchor(self) -> str:
        """The covered words, the clue and invalid messages so far; equal within one task only."""
        return f"{self.acting_role} {' '.join(self._covered)}, {self._clue} {self._num_guesses}, {self.num_invalid}"

    def fork(self, seed: int | None = None) -> Self:
        """A copy that goes on from here; nothing random happens after the start."""
        return self.fork_by_copy(seed)

    def _give(self, line: str) -> GameReply:
        found = _CLUE.fullmatch(line)
        if found is None:
            raise ActionSyntaxError("Say one word and a number from 1 to 9, such as: water 2.")
        if not is_allowed(found[1], self._covered):
            raise ActionSyntaxError("Your clue must not be, hold or be a part of a covered word of the board.")
        self._clue, self._num_guesses = found[1], int(found[2]) + 1
        self.acting_role = "guesser"
        return GameReply({"guesser": [user(f"Clue: {self._clue} {found[2]}")]})

    def _uncover(self, line: str) -> GameReply:
        said = _WORD.findall(line)
        guesses = list(dict.fromkeys(word for word in said if word in self._covered))
        if len(guesses) > self._num_guesses or (not guesses) != (PASSING in said):
            raise ActionSyntaxError(f"Say 1 to {self._num_guesses} covered words of the board, or pass.")
        told = []
        for guess in guesses:
            kind = self._kinds[guess]
            self._covered.remove(guess)
            told.append(f"{guess} {KINDS[kind]}")
            if kind != OWN:
                break
        text = f"{', '.join(told) or PASSING}."
        if not self._num_covered(OWN):
            return self._end(True, f"{text} You win.")
        if self._num_covered(THEIRS) and not text.endswith(f"{KINDS[ASSASSIN]}."):
            theirs = next(word for word in self._covered if self._kinds[word] == THEIRS)
            self._covered.remove(theirs)
            text = f"{text} They uncover {theirs}."
        if not self._num_covered(THEIRS) or KINDS[ASSASSIN] in text:
            return self._end(False, f"{text} They win.")
        self.acting_role = "spymaster"
        return GameReply({role: [user(text)] for role in self.roles})

    def _num_covered(self, kind: str) -> int:
        return sum(self._kinds[word] == kind for word in self._covered)

    def _end(self, is_won: bool, text: str) -> GameReply:
        return GameReply(
            {role: [user(text)] for role in self.roles},
            [self.event(role, "success", float(is_won)) for role in self.roles],
            is_over=True,
            successes=dict.fromkeys(self.roles, is_won),
        )

"""Taboo: a describer, who must not say some words, and a guesser with a few guesses.

Players are in `partners` and `scripts`, the cards in `cards`, the suites' tasks in `generate`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from typing import Any, Self

from agentgym.action import Action
from agentgym.errors import ActionSyntaxError, ConfigError, TaskError
from agentgym.game import GameEnv, GameReply, Inbox
from agentgym.message import user
from agentgym.task import Limits, Task
from agentgym_dialogue.phrases import stem
from agentgym_dialogue.words.taboo.cards import ALL, cards, decks

NUM_TABOO = 5
MAX_CHARS = 300
"""Longest message, in characters, that is read."""
MAX_WORDS = 15
"""Most words of one clue."""
MAX_INVALID = 2

SHORT = 3
"""Letters of a word that may occur within others, as "red" in "tired"; longer ones may not."""

_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
_LETTERS = re.compile(r"[a-z]+")
_BRACKETED = re.compile(r"\[\s*([a-z]+)\s*\]")
_FILLERS = frozenset(["a", "an", "answer", "guess", "i", "is", "it", "maybe", "my", "say", "the", "think", "word"])


def taboo_task(
    task_id: str, seed: int, word: str, taboo: Sequence[str], *, deck: str = ALL, tries: int = 3, **fields: Any
) -> Task:
    """The task of getting `word` guessed without saying `taboo`; `fields` are further ones of the task."""
    return Task(
        task_id,
        seed,
        "Taboo: one player describes a word without its taboo words, the other guesses it.",
        config={"deck": deck, "tries": tries},
        private={"word": word, "taboo": list(taboo)},
        limits=_limits(tries),
        **fields,
    )


@cache
def _limits(tries: int) -> Limits:
    return Limits(max_turns=tries + MAX_INVALID, max_invalid=MAX_INVALID)


def forbidden(clue: str, words: Sequence[str]) -> str | None:
    """The first of some words that a clue gives away: as such, inflected, in pieces, or anywhere in its letters.

    The letters are those of the whole clue, spaces and marks left out. Words of up to `SHORT` letters are not looked
    for there, but among its words, and among neighbouring ones put together (`r e d`).

    Args:
        clue: In lower case and ASCII, as every clue must be, so that there are no accents.
        words: The hidden word and the taboo words.
    """
    said = _LETTERS.findall(clue)
    stems = {stem(word) for word in said} | {stem(word) for word in _WORD.findall(clue)}
    letters = "".join(said)
    starts = list(accumulate(map(len, said), initial=0))
    for word in words:
        if stem(word) in stems or (len(word) > SHORT and word in letters):
            return word
        if any(letters.startswith(word, start) and start + len(word) in starts for start in starts):
            return word
    return None


class TabooGame(GameEnv):
    """Get a word guessed without saying it or its taboo words, or guess it from the clues.

    Observation:
        Text. The describer sees the word, its five taboo words and each wrong guess (`Guess: pear`). The guesser sees
        the rules, the deck if it is not the whole one, and each clue (`Clue: pie`). Both read the end: `correct` or `No
        guesses left.`
    Action:
        Describer: a clue in English letters, at most 15 words and 300 characters. Guesser: one word, with or without
        words such as `I guess`, or any text with the word in brackets. Anything else is invalid and costs no guess. A
        clue with the word or a taboo word is a breach: the game ends at once as invalid. Inflected forms and words in
        pieces (`ap ple`, `r-e-d`) count as said. A word of four or more letters also counts if its letters follow each
        other anywhere in the clue, whatever is between them (`grapefruit`, `street` for tree); `tired` does not say
        red.
    Reward:
        `success`: 1 for both when the word is guessed. `format`: 0 for an invalid message.
    Termination:
        The word is guessed, the guesses are used up, a clue is a breach, or a role sent more invalid messages than the
        task's limit (2).
    Truncation:
        The game itself truncates nothing.
    Info:
        The keys of `GameEnv`. The score is 1 over the number of guesses, and 0 if the word was not guessed.
    Sandbox:
        None.
    Source and licence:
        After the party game by Hersch and the game of clembench (Chalamalasetti et al. 2023, arXiv 2305.13455), written
        for this project, Apache-2.0; the cards and the tasks of dialogue/taboo are CC0-1.0. Differs from clembench:
        five taboo words instead of three, and guesses need no prefix.

    Example:
        describer: `Describe apple. Do not say apple, fruit, red, tree, pie, juice. 3 guesses.` / `teacher` /
        `Guess: school` / `orchard and core` / `correct`
        guesser: `Guess the hidden word from clues, one word a message. You have 3 guesses.` `Clue: teacher` /
        `school` / `Clue: orchard and core` / `apple` / `correct`

    Args:
        deck: What the words of tasks made from a seed are about, such as animals; "all" for everything.
        num_tries: Their guesses, at least 1.

    Raises:
        ConfigError: There is no such deck, or the number is out of its range.
    """

    roles = ("guesser", "describer")
    disclosed = {"describer": ("word", "taboo")}

    def __init__(self, deck: str = ALL, num_tries: int = 3) -> None:
        super().__init__()
        if deck not in decks() or num_tries < 1:
            raise ConfigError(
                f"taboo got deck={deck!r} and num_tries={num_tries}; expected a deck of {', '.join(decks())}, and at "
                "least 1 try"
            )
        self.deck, self.num_tries = deck, num_tries
        self._word = ""
        self._forbidden: list[str] = []
        self._tries_left = 0
        self._said: list[str] = []

    def make_task(self, seed: int) -> Task:
        """A random card of the deck with five of its words taboo."""
        rng = random.Random(seed)
        word = rng.choice(list(cards(self.deck)))
        taboo = rng.sample(cards()[word], NUM_TABOO)
        return taboo_task(f"taboo:{seed}", seed, word, taboo, deck=self.deck, tries=self.num_tries)

    def begin(self, task: Task) -> Inbox:
        """Tell the describer the card and the guesser the rules."""
        try:
            self._word, taboo = task.private["word"], task.private["taboo"]
            self._tries_left, deck = task.config["tries"], task.config["deck"]
        except KeyError as error:
            raise TaskError(
                f"task {task.id!r} lacks {error}; taboo needs deck and tries in config, word and taboo in private"
            ) from None
        if self._word not in decks().get(deck, ()):
            raise TaskError(f"task {task.id!r}: the hidden word is not in the deck {deck!r}")
        self._forbidden = [self._word, *taboo]
        self._said = []
        self.acting_role = "describer"
        card = f"Describe {self._word}. Do not say {', '.join(self._forbidden)}. {self._tries_left} guesses."
        about = "" if deck == ALL else f" ({deck})"
        rules = f"Guess the hidden word{about} from clues, one word a message. You have {self._tries_left} guesses."
        return {"describer": [user(card)], "guesser": [user(rules)]}

    def respond(self, role: str, action: Action) -> GameReply:
        """Hand a clue to the guesser, or judge a guess."""
        return self._clue(action.content) if role == "describer" else self._guess(action.content)

    def grade(self) -> GameReply:
        """The word was not guessed."""
        return self._end(False)

    def anchor(self) -> str:
        """All clues and guesses so far, tries left and invalid messages so far; equal within one task only."""
        return f"{self.acting_role}: {' / '.join(self._said)}, {self._tries_left} tries, {self.num_invalid}"

    def fork(self, seed: int | None = None) -> Self:
        """A copy that goes on from here; nothing random happens after the start."""
        return self.fork_by_copy(seed)

    def _clue(self, content: str) -> GameReply:
        clue = " ".join(content.split())
        if len(content) > MAX_CHARS or not clue.isascii() or not clue.isprintable():
            raise ActionSyntaxError(f"Say a clue in plain English letters, at most {MAX_CHARS} characters.")
        said = _WORD.findall(clue.lower())
        if not 1 <= len(said) <= MAX_WORDS:
            raise ActionSyntaxError(f"Say a clue of 1 to {MAX_WORDS} words.")
        given_away = forbidden(clue.lower(), self._forbidden)
        if given_away is not None:
            raise self.breach("describer", f"You must not say {given_away}. The game is over.")
        self._said.append(clue)
        self.acting_role = "guesser"
        return GameReply({"guesser": [user(f"Clue: {clue}")]})

    def _guess(self, content: str) -> GameReply:
        guess = _read_guess(content)
        self._tries_left -= 1
        self._said.append(guess)
        if guess == self._word or stem(guess) == stem(self._word):
            return self._end(True)
        if not self._tries_left:
            return self._end(False)
        self.acting_role = "describer"
        return GameReply({"describer": [user(f"Guess: {guess}")]})

    def _end(self, is_guessed: bool) -> GameReply:
        text = "correct" if is_guessed else "No guesses left."
        assert self.task is not None
        score = 1 / (self.task.config["tries"] - self._tries_left) if is_guessed else 0.0
        return GameReply(
            {role: [user(text)] for role in self.roles},
            [self.event(role, "success", float(is_guessed)) for role in self.roles],
            is_over=True,
            successes=dict.fromkeys(self.roles, is_guessed),
            scores=dict.fromkeys(self.roles, score),
        )


def _read_guess(content: str) -> str:
    found: set[str] = set()
    if len(content) <= MAX_CHARS:
        text = content.lower()
        found = set(_BRACKETED.findall(text))
        if not found and text.isascii():
            words = _WORD.findall(text)
            found = {word for word in words if word not in _FILLERS} or set(words[:1] if len(words) == 1 else ())
    if len(found) != 1 or len(guess := found.pop()) > 20:
        raise ActionSyntaxError("Say one word as your guess.")
    return guess

"""Secrets among many candidates, of which a task lists some: what Twenty Questions and Guess My City share.

What a talk costs is the business of `secret_talk`; candidates, English and answers are that of each game.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Generic, NamedTuple, TypeVar

from agentgym.errors import ConfigError
from agentgym.message import Message
from agentgym.task import Task
from agentgym_dialogue.guessing.secret_talk import SecretTalkEnv

Question = TypeVar("Question")
Answer = TypeVar("Answer")


class ListedSecretEnv(SecretTalkEnv, Generic[Question, Answer]):
    """One of many candidates is the secret; the cards are those of the games.

    Args:
        candidates: Names of all of them.
        num_listed: Candidates that the instruction of a task made from a seed lists, 2 or more; 0: none.
        num_turns: Its turns; 0: as many as the game gives.
        render_mode: None or "ansi".

    Raises:
        ConfigError: A number is out of its range.
    """

    game: ClassVar[str]
    noun: ClassVar[str]
    """What candidates are called, in the plural."""

    def __init__(self, candidates: Sequence[str], num_listed: int, num_turns: int, render_mode: str | None) -> None:
        super().__init__(render_mode)
        if num_listed == 1 or not 0 <= num_listed <= len(candidates) or num_turns < 0:
            raise ConfigError(
                f"{self.game} got num_listed={num_listed} and num_turns={num_turns}; expected 0 or 2 to "
                f"{len(candidates)} {self.noun} and at least 0 turns"
            )
        self.num_listed, self.turns_made = num_listed, num_turns
        self._candidates = candidates
        self._told: list[tuple[Question, Answer]] = []
        self._possible: list[str] = []
        self._num_possible = 0

    @abstractmethod
    def listed_task(self, task_id: str, seed: int, listed: Sequence[str], secret: str) -> Task:
        """The task of finding a secret, with the turns of tasks made from a seed."""

    @abstractmethod
    def listed_in(self, instruction: str) -> list[str]:
        """The candidates that an instruction lists; all where it lists none."""

    @abstractmethod
    def told_of(self, name: str, question: Question) -> Answer:
        """What the partner tells of a candidate."""

    def make_task(self, seed: int) -> Task:
        """A random list and a random candidate of it."""
        rng = random.Random(seed)
        listed = rng.sample(self._candidates, self.num_listed)
        secret = rng.choice(listed or self._candidates)
        return self.listed_task(f"{self.game.replace(' ', '-')}:{seed}", seed, listed, secret)

    def begin(self, task: Task) -> Sequence[Message]:
        """State the rules."""
        self._told, self._possible = [], []
        return super().begin(task)

    def note(self, question: Question, told: Answer) -> None:
        """Rule out, from now on, the candidates of whom the partner would have told something else."""
        self._told.append((question, told))

    def progress(self) -> float:
        """Share of the candidates in question that the answers so far rule out; 1 when one is left."""
        if not self._possible:
            assert self.task is not None
            self._possible = self.listed_in(self.task.instruction)
            self._num_possible = len(self._possible)
        for question, told in self._told:
            self._possible = [name for name in self._possible if self.told_of(name, question) == told]
        self._told = []
        return min(1.0, (self._num_possible - len(self._possible)) / max(1, self._num_possible - 1))


class Talk(NamedTuple):
    """What players know of a game.

    Attributes:
        listed_in: The candidates that an instruction lists.
        naming: The question that names a candidate.
        regular: For each question of the demonstrator's, what the partner says of each candidate.
    """

    listed_in: Callable[[str], list[str]]
    naming: Callable[[str], str]
    regular: Callable[[], Mapping[str, Mapping[str, str]]]


class RandomNames:
    """Names any of the candidates listed, deaf to the answers."""

    talk: ClassVar[Talk]

    def __init__(self, task: Task, seed: int) -> None:
        self._rng = random.Random(seed)

    def act(self, messages: Sequence[Message]) -> str:
        """A candidate."""
        return self.talk.naming(self._rng.choice(self.talk.listed_in(messages[0]["content"])))


class RegularQuestions(ABC):
    """Asks the regular question that tells most apart, names a candidate in time, or, where it errs, says anything.

    Args:
        task: The task.
        seed: Seed of its choices.
        quality: Share of its turns that it plays well.
    """

    talk: ClassVar[Talk]

    def __init__(self, task: Task, seed: int, quality: float = 0.6) -> None:
        self._rng = random.Random(seed)
        self._quality = quality
        self.turns_left: int = task.config["turns"]
        self.possible: list[str] = []
        self._last = ""

    @abstractmethod
    def is_time_to_name(self, question: str) -> bool:
        """Whether to name one that is possible rather than ask the question that tells most apart."""

    def act(self, messages: Sequence[Message]) -> str:
        """The next question."""
        listed = self.talk.listed_in(messages[0]["content"])
        if not self._last:
            self.possible = listed
        else:
            self._heed(messages[-1]["content"])
        self._last = self._choose(listed)
        self.turns_left -= 1
        return self._last

    def largest_rest(self, question: str) -> int:
        """How many candidates may be left after a question."""
        said = self.talk.regular()[question]
        return max(Counter(said[name] for name in self.possible).values())

    def _heed(self, said: str) -> None:
        texts = self.talk.regular().get(self._last)
        if texts is None:
            kept = [name for name in self.possible if self.talk.naming(name) != self._last]
        else:
            kept = [name for name in self.possible if texts[name] == said]
        self.possible = kept or self.possible

    def _choose(self, listed: Sequence[str]) -> str:
        regular = self.talk.regular()
        if self._rng.random() >= self._quality:
            names = [self.talk.naming(name) for name in listed]
            return self._rng.choice(names if self._rng.random() < 0.75 else list(regular))
        best = min(regular, key=self.largest_rest)
        return self.talk.naming(self._rng.choice(self.possible)) if self.is_time_to_name(best) else best

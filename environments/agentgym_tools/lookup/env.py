"""Lookup-v0: multi-hop questions over a hidden relational knowledge base, answered through tool calls.

The base and the questions are made in `knowledge_base` and `questions`; this file is the episode.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Self

from agentgym.action import Action
from agentgym.env import EnvReply
from agentgym.errors import ActionSyntaxError, ConfigError
from agentgym.message import Message, user
from agentgym.task import Task
from agentgym.tools import ToolEnv, tool
from agentgym_tools.lookup.questions import HOPS_MIX, Difficulty, Question, draw_task, read_question

NO_ENTITY = "No such entity."
NO_RELATION = "No such relation."
NOT_FOUND = "Nothing found."
NO_CALL = "Call search, lookup or answer."
RIGHT = "Right."
WRONG = "Wrong."


class LookupEnv(ToolEnv):
    """Answer a question such as 'Who is the captain of the team of "Mara Velin"?' by looking up facts.

    Observation:
        First the question; then the result of each tool call: a name, several names with commas between them, or one
        of `No such entity.`, `No such relation.`, `Nothing found.`, `Right.`, `Wrong.`. After an invalid message, what
        is wrong with it.

    Action:
        Calls of search(query), lookup(entity, relation) and answer(value); at most 8 per message, carried out in order.
        search finds full names by whole words that they contain. Case and spacing of names do not matter.
    Reward:
        success: 1 for the right answer, else 0. format: -0.1 for a message without a valid call.
    Termination:
        The first answer, right or wrong; the third invalid message.
    Truncation:
        After 6 turns, counted as failure.
    Info:
        The common keys: messages, reward_events, turn, is_invalid, and at the end outcome, success, score.
    Sandbox:
        None; the environment is in process.
    Source and licence:
        Written for agentgym, Apache-2.0; its tasks are generated, CC0-1.0. Each task has its own knowledge base.

    Example:
        lookup(entity="Mara Velin", relation="team") -> Red Foxes; lookup(entity="Red Foxes", relation="captain") ->
        Ilo Tarn; answer(value="Ilo Tarn") -> Right.

    Args:
        hops: Hops of tasks made from a seed, 1 to 4; None draws them by `HOPS_MIX`.
        distractors: Their distractors, 0 to 11; None draws 2 to 4.
        render_mode: As in Gymnasium.
    """

    invalid_value = -0.1

    def __init__(self, hops: int | None = None, distractors: int | None = None, render_mode: str | None = None) -> None:
        super().__init__(render_mode)
        if render_mode not in (None, "ansi"):
            raise ConfigError(f"render_mode must be None or 'ansi': got {render_mode!r}")
        Difficulty(hops=hops if hops is not None else 1, distractors=distractors if distractors is not None else 0)
        self._hops, self._distractors = hops, distractors
        self._question: Question | None = None
        self._seen: frozenset[tuple[str, str]] = frozenset()

    def make_task(self, seed: int) -> Task:
        """A task over a base drawn from the seed, at the difficulty the environment was made with."""
        rng = random.Random(f"difficulty {seed}")
        options, weights = zip(*HOPS_MIX, strict=True)
        hops = rng.choices(options, weights)[0] if self._hops is None else self._hops
        distractors = rng.randint(2, 4) if self._distractors is None else self._distractors
        return draw_task(seed, Difficulty(hops=hops, distractors=distractors))

    def begin(self, task: Task) -> Sequence[Message]:
        """Draw the base and ask the question."""
        self._question = read_question(task)
        self._seen = frozenset()
        return [user(task.instruction)]

    def parse(self, text: str) -> Action:
        """Tool calls; a message that holds none at all is refused in few words, a broken call is explained."""
        if "{" not in text and "(" not in text:
            raise ActionSyntaxError(NO_CALL)
        return super().parse(text)

    @tool
    def search(self, query: str) -> str:
        """Find entities by a part of their name.

        Args:
            query: One or more whole words of the name.
        """
        assert self._question is not None
        return ", ".join(self._question.base.search(query)) or NOT_FOUND

    @tool
    def lookup(self, entity: str, relation: str) -> str:
        """Look one fact up: the entity that stands in a relation to another.

        Args:
            entity: Full name of an entity.
            relation: One of team, home, mentor, book, captain, base, rival, mayor, twin, club, author, sequel, setting;
                which of them exist depends on the entity.
        """
        assert self._question is not None
        base = self._question.base
        name = base.find(entity)
        if name is None:
            return NO_ENTITY
        relation = relation.strip().casefold()
        value = base.facts[name].get(relation)
        if value is None:
            return NO_RELATION
        self._seen |= {(name, relation)}
        return value

    @tool
    def answer(self, value: str) -> EnvReply:
        """Give the final answer and end the episode.

        Args:
            value: Full name of one entity.
        """
        assert self._question is not None
        is_right = self._question.base.find(value) == self._question.answer
        events = [self.event("success", float(is_right))]
        return EnvReply([user(RIGHT if is_right else WRONG)], events, terminated=True, success=is_right)

    def anchor(self) -> str | None:
        """The task, the facts seen, in canonical order, and invalid messages so far."""
        if self.task is None:
            return None
        facts = "; ".join(f"{entity}/{relation}" for entity, relation in sorted(self._seen))
        return f"{self.task.content_hash} {self.books.phase} {self.num_invalid} {facts}"

    def fork(self, seed: int | None = None) -> Self:
        """A copy that goes on from here; there is no randomness after the start."""
        return self.fork_by_copy(seed)

    def progress(self) -> float | None:
        """Share of the look-ups that the question takes which have been made."""
        if self._question is None:
            return None
        entity, made = self._question.start, 0
        for relation in self._question.chain:
            made += (entity, relation) in self._seen
            entity = self._question.base.facts[entity][relation]
        return made / len(self._question.chain)

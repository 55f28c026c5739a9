"""Questions as tasks: how the facts that `drawing` finds are asked for, and what an answer must be and rest on.

The files of the suites are written by `generate`.
"""

from __future__ import annotations

import datetime
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from agentgym.errors import ConfigError, TaskError
from agentgym.task import Limits, Task
from agentgym_tools.search.articles import article_id
from agentgym_tools.search.drawing import (
    NoSuchFacts,
    Side,
    Walk,
    draw_changed,
    draw_entity,
    draw_group,
    draw_walk,
    until_found,
)
from agentgym_tools.search.grading import FORMS, MAX_CHARACTERS, AnswerForm, normal_name
from agentgym_tools.search.relations import RELATIONS, Relation
from agentgym_tools.search.world import Entity, World, world_of

QuestionKind = Literal["chain", "comparison", "count", "list", "contradiction", "unanswerable", "count_after_chain"]
QUESTION_KINDS: tuple[QuestionKind, ...] = get_args(QuestionKind)
KINDS_MIX: Mapping[QuestionKind, int] = {
    "chain": 35,
    "comparison": 15,
    "count": 10,
    "list": 15,
    "contradiction": 15,
    "unanswerable": 10,
}
"""Kinds of the questions of training, with their weights."""
HOPS_MIX = ((2, 60), (3, 40))
MAX_HOPS = 4
LIMITS = Limits(max_turns=24, max_invalid=2)


@dataclass(frozen=True)
class Wanted:
    """What question is to be drawn."""

    articles: int = 50_000
    """Articles of the corpus, 200 to 100,000."""
    kind: QuestionKind = "chain"
    """Its kind."""
    hops: int = 2
    """Facts of its chain, 1 to 4; at most 2 where sources contradict each other."""
    side: Side = "any"
    """From which entities it starts."""

    def __post_init__(self) -> None:
        if self.kind not in QUESTION_KINDS:
            raise ConfigError(f"kind must be one of {', '.join(QUESTION_KINDS)}: got {self.kind!r}")
        if type(self.hops) is not int or not 1 <= self.hops <= MAX_HOPS:
            raise ConfigError(f"hops must be an int from 1 to {MAX_HOPS}: got {self.hops!r}")


@dataclass(frozen=True)
class Question:
    """A question with what its answer must be and rest on.

    Attributes:
        text: The question.
        form: What the answer is.
        answer: The right one: text, number, date as "1987-05-03", list of names, or None where no article has it.
        evidence: Ids of the articles that show it, all of them needed.
        plan: Queries with the ids of the articles that each has to find, in order.
        found_in: For a list, the article of each item, in the same order.
    """

    text: str
    form: AnswerForm
    answer: str | int | list[str] | None
    evidence: tuple[str, ...]
    plan: tuple[tuple[str, tuple[str, ...]], ...] = ()
    found_in: tuple[str, ...] = ()


def draw_hops(rng: random.Random, kind: QuestionKind) -> int:
    """Facts of the chain of a question of a kind, as training mixes them."""
    if kind == "chain":
        choices, weights = zip(*HOPS_MIX, strict=True)
        return int(rng.choices(choices, weights)[0])
    return rng.choice((1, 2)) if kind in ("contradiction", "unanswerable") else 1


def draw_task(seed: int, wanted: Wanted, *, task_id: str = "", stratum: str = "") -> Task:
    """The task of a seed.

    Raises:
        ConfigError: The number of articles is out of range.
        TaskError: The world holds no such question.
    """
    world = world_of(wanted.articles)
    rng = random.Random(f"search {wanted.kind} {wanted.hops} {seed}")
    try:
        question = until_found(lambda: _DRAW[wanted.kind](world, rng, wanted))
    except NoSuchFacts as error:
        raise TaskError(f"{wanted} cannot be drawn from seed {seed}: {error}; ask for more articles") from error
    return Task(
        id=task_id or f"search-{wanted.articles}-{wanted.kind}-{wanted.hops}-{seed}",
        seed=seed,
        instruction=question.text,
        stratum=stratum,
        config={"articles": wanted.articles},
        limits=LIMITS,
        private=private_part(question, wanted.kind),
    )


def private_part(question: Question, kind: str = "") -> dict[str, Any]:
    """What a task hides of a question."""
    return {
        "kind": kind,
        "form": question.form,
        "answer": question.answer,
        "evidence": list(question.evidence),
        "plan": [[query, list(ids)] for query, ids in question.plan],
        "found_in": list(question.found_in),
    }


def read_question(task: Task) -> Question:
    """The question of a task.

    Raises:
        TaskError: The task is not one of this environment.
    """
    expected = "expected a private part with the keys form, answer and evidence, as draw_task writes it"
    hidden = task.private
    try:
        form, answer, evidence = hidden["form"], hidden["answer"], tuple(hidden["evidence"])
        plan = tuple((str(query), tuple(ids)) for query, ids in hidden.get("plan", ()))
        found_in = tuple(hidden.get("found_in", ()))
    except (KeyError, TypeError, ValueError) as error:
        raise TaskError(
            f"task {task.id!r} cannot be played by Search: {type(error).__name__}: {error}; {expected}"
        ) from error
    _require_fitting(f"task {task.id!r}", form, answer, evidence)
    if found_in and (not isinstance(answer, list) or len(found_in) != len(answer)):
        raise TaskError(f"task {task.id!r}: found_in has {len(found_in)} articles, expected one for each listed answer")
    return Question(task.instruction, form, answer, evidence, plan, found_in)


def _require_fitting(where: str, form: object, answer: object, evidence: Sequence[object]) -> None:
    kinds: dict[str, type | tuple[type, ...]] = {
        "name": str, "number": (int, float), "date": str, "list": list, "none": type(None)
    }  # fmt: skip
    if form not in FORMS:
        raise TaskError(f"{where}: form must be one of {', '.join(FORMS)}: got {form!r}")
    if not isinstance(answer, kinds[str(form)]) or isinstance(answer, bool):
        shape = {"list": "a list of names", "none": "null", "number": "a number"}.get(str(form), "a text")
        raise TaskError(f"{where}: the answer {answer!r:.80} is not of the form {form!r}, which is {shape}")
    if isinstance(answer, list) and not (answer and all(isinstance(name, str) for name in answer)):
        raise TaskError(f"{where}: a list must hold names, at least one: got {answer!r:.80}")
    names = answer if isinstance(answer, list) else [answer] if form == "name" else []
    if not all(normal_name(str(name)) for name in names):
        raise TaskError(f"{where}: a name must have a letter and at most {MAX_CHARACTERS} characters: {answer!r:.80}")
    if form == "date":
        try:
            datetime.date.fromisoformat(str(answer))
        except ValueError as error:
            raise TaskError(f"{where}: a date is written as '1987-05-03': got {answer!r}") from error
    if not evidence or not all(isinstance(one, str) for one in evidence):
        raise TaskError(f"{where}: evidence must be ids of articles, at least one: got {list(evidence)!r:.80}")


# How each kind is drawn and worded.


def _chain(world: World, rng: random.Random, wanted: Wanted) -> Question:
    walk = draw_walk(world, rng, wanted.hops, wanted.side)
    return _about_walk(world, walk, _own(world, walk.entities[-1]))


def _contradiction(world: World, rng: random.Random, wanted: Wanted) -> Question:
    walk, newest = draw_changed(world, rng, min(wanted.hops, 2), wanted.side)
    return _about_walk(world, walk, article_id(newest))


def _unanswerable(world: World, rng: random.Random, wanted: Wanted) -> Question:
    walk = draw_walk(world, rng, wanted.hops, wanted.side, ends="missing")
    return _about_walk(world, walk, _own(world, walk.entities[-1]))


def question_of_walk(world: World, walk: Walk) -> Question:
    """The question for the end of a chain of facts that articles of their own state."""
    return _about_walk(world, walk, _own(world, walk.entities[-1]))


def _about_walk(world: World, walk: Walk, last_article: str) -> Question:
    *before, last = walk.entities
    relation = walk.relations[-1]
    plan = [*((world.name(one), (_own(world, one),)) for one in before), (world.name(last), (last_article,))]
    asked = "Who" if relation.target == "person" else "What"
    text = f"{asked} is {_noun_phrase(world, walk)}?"
    form, answer = _answer(world, relation, walk.value)
    return Question(text, form, answer, tuple(one for _, ids in plan for one in ids), tuple(plan))


def _answer(world: World, relation: Relation, value: int) -> tuple[AnswerForm, str | int | None]:
    if value < 0:
        return "none", None
    if relation.target == "date":
        return "date", datetime.date.fromordinal(value).isoformat()
    if relation.target == "number":
        return "number", value
    return "name", world.name(Entity(relation.target, value))


def _noun_phrase(world: World, walk: Walk) -> str:
    nouns = " of ".join(f"the {relation.noun}" for relation in reversed(walk.relations))
    return f'{nouns} of "{world.name(walk.entities[0])}"'


def _comparison(world: World, rng: random.Random, wanted: Wanted) -> Question:
    relation = rng.choice([one for one in RELATIONS if one.comparison])
    pair = [draw_entity(world, rng, relation.kind, wanted.side) for _ in range(2)]
    values = [world.value(one, relation) for one in pair]
    if min(values) < 0 or values[0] == values[1]:
        raise NoSuchFacts
    names = [world.name(one) for one in pair]
    best = values.index(max(values) if relation.larger_wins else min(values))
    plan = tuple((name, (_own(world, one),)) for name, one in zip(names, pair, strict=True))
    text = f'{relation.comparison}, "{names[0]}" or "{names[1]}"?'
    return Question(text, "name", names[best], tuple(ids[0] for _, ids in plan), plan)


def _count(world: World, rng: random.Random, wanted: Wanted) -> Question:
    text, plan, items = _group(world, rng, 0, wanted.side)
    return Question(f"How many {text} are there?", "number", len(items), _all_ids(plan), plan)


def _count_after_chain(world: World, rng: random.Random, wanted: Wanted) -> Question:
    text, plan, items = _group(world, rng, wanted.hops, wanted.side)
    return Question(f"How many {text} are there?", "number", len(items), _all_ids(plan), plan)


def _list(world: World, rng: random.Random, wanted: Wanted) -> Question:
    text, plan, items = _group(world, rng, 0, wanted.side)
    names = [world.name(item) for item in items]
    return Question(f"List all {text}.", "list", names, _all_ids(plan), plan, plan[-1][1])


_Plan = tuple[tuple[str, tuple[str, ...]], ...]


def _group(world: World, rng: random.Random, hops: int, side: Side) -> tuple[str, _Plan, list[Entity]]:
    walk, relation, items = draw_group(world, rng, hops, side)
    goal = Entity(relation.target, world.value(items[0], relation))  # type: ignore[arg-type]  # it leads on
    before = [] if walk is None else [(world.name(one), (_own(world, one),)) for one in walk.entities]
    named = f'"{world.name(goal)}"' if walk is None else _noun_phrase(world, walk)
    plan = (*before, (world.name(goal), tuple(_own(world, item) for item in items)))
    return relation.inverse.format(named), plan, items


def _own(world: World, entity: Entity) -> str:
    return article_id(world.article_of(entity))


def _all_ids(plan: _Plan) -> tuple[str, ...]:
    return tuple(one for _, ids in plan for one in ids)


_DRAW: Mapping[QuestionKind, Callable[[World, random.Random, Wanted], Question]] = {
    "chain": _chain,
    "comparison": _comparison,
    "count": _count,
    "list": _list,
    "contradiction": _contradiction,
    "unanswerable": _unanswerable,
    "count_after_chain": _count_after_chain,
}

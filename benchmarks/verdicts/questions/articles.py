"""Answers to questions about articles: nearly right, or without the articles read, and the right one written otherwise.

A value is right if it is the value of the task, as a plain comparison says; a list, if it has the same names.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from agentgym.authoring.players import call_text
from agentgym.task import Task
from agentgym_tools.search.articles import article_number
from agentgym_tools.search.env import SearchEnv
from agentgym_tools.search.names import KINDS
from agentgym_tools.search.questions import Question, read_question
from agentgym_tools.search.relations import CHANGING, OF_KIND, Relation
from agentgym_tools.search.scripts import SCRIPTS
from agentgym_tools.search.world import Entity, World, world_of
from benchmarks.verdicts.questions.variants import Subject, Variant

NEARLY = (
    "other value", "other fact", "older value", "one left out", "one more", "one other", "unread", "one unread",
    "unanswerable", "an answer where there is none", "in a sentence",
)  # fmt: skip
OTHERWISE = ("list otherwise", "name otherwise", "number otherwise", "date otherwise", "read otherwise")
_MOST_CALLS = 8
Given = str | int | float | list[str]


def variants(task: Task) -> Iterator[Variant]:
    """Other answers to a question, and the right one after other articles were read."""
    question, world = read_question(task), world_of(task.config["articles"])
    right: Given = "unanswerable" if question.answer is None else question.answer
    for name, given in (*_values(question, world), *_written(question)):
        yield _variant(name, given, question.evidence, is_right=name in OTHERWISE or _is_same(given, right))
    yield _variant("unread", right, (), is_right=False)
    for place in range(len(question.evidence)) if len(question.evidence) > 1 else ():
        rest = (*question.evidence[:place], *question.evidence[place + 1 :])
        yield _variant("one unread", right, rest, is_right=False)
    again = (*reversed(question.evidence), *question.evidence)
    yield _variant("read otherwise", right, again, is_right=True)


def _variant(name: str, given: Given, opened: Sequence[str], *, is_right: bool) -> Variant:
    calls = [call_text("open", id=article) for article in opened]
    lines = ["".join(calls[start : start + _MOST_CALLS]) for start in range(0, len(calls), _MOST_CALLS)]
    return Variant(name, [*lines, call_text("answer", value=given)], is_right, given)


def _is_same(given: Given, right: Given) -> bool:
    return set(given) == set(right) if isinstance(given, list) and isinstance(right, list) else given == right


def _values(question: Question, world: World) -> Iterator[tuple[str, Given]]:
    """Values in place of the right one."""
    answer = question.answer
    if isinstance(answer, list):
        yield from _lists(answer, world)
        yield "in a sentence", f"They are {' and '.join(answer)}."
    elif answer is None:
        yield "an answer where there is none", question.plan[-1][0]
        yield from (("an answer where there is none", value) for value in _facts(question, world))
    else:
        yield from (("other value", value) for value in _near(answer, question, world))
        yield from (("other fact", value) for value in _facts(question, world) if type(value) is type(answer))
        yield from (("older value", value) for value in _older(question, world))
        yield "in a sentence", f"It is {answer}."
    if answer is not None:
        yield "unanswerable", "unanswerable"


def _lists(answer: list[str], world: World) -> Iterator[tuple[str, Given]]:
    other = _neighbour(answer[0], world)
    if len(answer) > 1:
        yield from (("one left out", [*answer[:place], *answer[place + 1 :]]) for place in range(len(answer)))
    if other not in answer:
        yield "one more", [*answer, other]
        yield from (("one other", [*answer[:place], other, *answer[place + 1 :]]) for place in range(len(answer)))


def _near(answer: str | int, question: Question, world: World) -> Iterator[Given]:
    """Another value of the same form, and the names on the way."""
    if question.form == "number":
        yield from (int(answer) - 1, int(answer) + 1)
    elif question.form == "date":
        day = datetime.date.fromisoformat(str(answer))
        yield from ((day + datetime.timedelta(days)).isoformat() for days in (-1, 1))
    else:
        yield _neighbour(str(answer), world)
        yield str(answer).rsplit(" ", 1)[0]
        yield from (name for name, _ in question.plan if name != answer)


def _facts(question: Question, world: World) -> Iterator[Given]:
    """What the last article states, as values; those of other facts where the question asks for one."""
    last = world.subject(_number(question.evidence[-1], world))
    if isinstance(last, Entity) and len(question.plan[-1][1]) == 1:
        for relation in OF_KIND[last.kind]:
            if world.value(last, relation) >= 0:
                yield _value(world, relation, world.value(last, relation))


def _older(question: Question, world: World) -> Iterator[Given]:
    """What articles before the newest say, where articles contradict each other."""
    about = _entities(world)[question.plan[-1][0]]
    for relation in CHANGING:
        if relation.kind == about.kind and f" is the {relation.noun} of " in question.text:
            yield from (_value(world, relation, said.value) for said in world.statements(about, relation)[:-1])


def _written(question: Question) -> Iterator[tuple[str, Given]]:
    """The right value in other spellings that the documentation accepts."""
    answer = question.answer
    if isinstance(answer, list):
        backwards = answer[::-1]
        for names in (backwards, [name.upper() for name in answer], [_spelt(name) for name in answer]):
            yield "list otherwise", names
        yield from (("list otherwise", sign.join(backwards)) for sign in (", ", "; ", "\n"))
    elif isinstance(answer, int | float):
        yield from (("number otherwise", given) for given in (str(answer), f"{answer:,}", float(answer)))
    elif question.form == "date":
        day = datetime.date.fromisoformat(str(answer))
        yield "date otherwise", f"{day.day} {day:%B %Y}"
        yield "date otherwise", f"{day:%B} {day.day}, {day.year}"
    else:
        name = "unanswerable" if answer is None else answer
        other = name[4:] if name.startswith("The ") else f"the {name}"
        spellings = (name.upper(), name.lower(), _spelt(name), f'"{name}"', other)
        yield from (("name otherwise", given) for given in spellings[: 3 if answer is None else 5])


def _spelt(name: str) -> str:
    return f" {name.replace(' ', '  ')} "


def _value(world: World, relation: Relation, value: int) -> Any:
    if relation.target == "date":
        return datetime.date.fromordinal(value).isoformat()
    return value if relation.target == "number" else world.name(Entity(relation.target, value))


def _neighbour(name: str, world: World) -> str:
    """The name of the next entity of the same kind."""
    kind, number = _entities(world)[name]
    return world.name(Entity(kind, (number + 1) % world.counts[kind]))


def _number(article: str, world: World) -> int:
    number = article_number(article, world.num_articles)
    assert number is not None
    return number


@cache
def _entities(world: World) -> dict[str, Entity]:
    """All entities by name."""
    each = (Entity(kind, number) for kind in KINDS for number in range(world.counts[kind]))
    return {world.name(entity): entity for entity in each}


SEARCH = Subject(SearchEnv, SCRIPTS, NEARLY, OTHERWISE, variants)

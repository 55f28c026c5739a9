"""The partner's English: from a free-form yes-or-no question to what it asks of the table.

What `framing` makes of a question is matched with sentence templates and the attributes' forms of words; what is not
covered to the last word is not understood. The tables are read in `table`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import Literal, NamedTuple

from agentgym_dialogue.guessing.twenty_questions.framing import bare, frame, plain, with_one_subject
from agentgym_dialogue.guessing.twenty_questions.table import Thing, Truth, attributes, rows, things
from agentgym_dialogue.phrases import MAX_CHARS, question_of

NEARLY = 1.1
"""Sizes and weights within this factor of each other are told apart by `It depends.` alone."""


class Question(NamedTuple):
    """What a message asks.

    Attributes:
        kind: Whether it asks for an attribute, names a thing, or compares size (cm) or weight (kg).
        key: The attribute or thing; empty for a comparison.
        is_positive: Whether it asks for the attribute or the thing, or for more; else for its absence, or for less.
        limit: What is compared with, in cm or kg.
        also: What must hold as well, as in "Is it a red fruit?".
    """

    kind: Literal["attribute", "guess", "size", "weight"]
    key: str = ""
    is_positive: bool = True
    limit: float = 0.0
    also: Question | None = None


def answer(thing: Thing, question: Question) -> Truth:
    """Whether what a question asks holds of a thing."""
    if question.also is not None:
        both = answer(thing, question._replace(also=None)), answer(thing, question.also)
        return "no" if "no" in both else "depends" if "depends" in both else "yes"
    truth: Truth
    if question.kind == "guess":
        truth = "yes" if question.key == thing.name else "no"
    elif question.kind == "attribute":
        truth = thing.truth(question.key)
    else:
        value = thing.size_cm if question.kind == "size" else thing.weight_kg
        if question.limit / NEARLY < value < question.limit * NEARLY:
            return "depends"
        truth = "yes" if value > question.limit else "no"
    if question.is_positive or truth == "depends":
        return truth
    return "no" if truth == "yes" else "yes"


# What the words of the table mean.


@cache
def _lexicon() -> Mapping[tuple[str, str], tuple[str, bool]]:
    """For a kind and a form in stems: the attribute, and whether the form says that it is there."""
    found: dict[tuple[str, str], tuple[str, bool]] = {}
    for attribute in attributes().values():
        for kind, form in attribute.forms:
            sign, _, positive_kind = kind.rpartition("not ")
            is_positive = sign == "" and not kind.startswith("not ")
            key = (positive_kind, " ".join(word for word in bare(form).split() if word != "it"))
            if kind == "q":
                key = ("q", with_one_subject(bare(form)))
            found.setdefault(key, (attribute.name, is_positive))
    for (kind, form), meaning in list(found.items()):
        found.setdefault((kind, _without_thing(form)), meaning)
    return found


def _without_thing(text: str) -> str:
    return " ".join(word for word in text.split() if word not in ("thing", "something"))


@cache
def _names() -> Mapping[str, str]:
    """Things by the stems of their names."""
    found = {"orangefruit": "orange"}
    for thing in things().values():
        for name in (thing.name, *thing.aliases):
            found.setdefault(bare(name), thing.name)
    return found


_KINDS = ("is", "a", "of", "has", "for", "can", "use", "in", "needs")
"""In the order in which they are tried where several fit as well."""


@cache
def _templates() -> tuple[tuple[str, str, str], ...]:
    """Kind, what stands before the form and what after it; first those that leave the longest form."""
    found: dict[tuple[str, str, str], None] = {}
    for kind, sentences in rows("templates"):
        for sentence in sentences.split(" | "):
            before, _, after = with_one_subject(bare(sentence.replace("X", "xyz"))).partition("xyz")
            found[(kind, before, after)] = None
    return tuple(sorted(found, key=lambda template: (len(template[1] + template[2]), _KINDS.index(template[0]))))


@cache
def _by_opening() -> Mapping[str, tuple[tuple[str, str, str], ...]]:
    """The templates by their first two words."""
    found: dict[str, list[tuple[str, str, str]]] = {}
    for template in _templates():
        found.setdefault(" ".join(template[1].split()[:2]), []).append(template)
    return {opening: tuple(templates) for opening, templates in found.items()}


def _attribute_in(text: str) -> tuple[str, bool] | None:
    lexicon = _lexicon()
    if found := lexicon.get(("q", text)):
        return found
    for kind, before, after in _by_opening().get(" ".join(text.split()[:2]), ()):
        if text.startswith(before) and text.endswith(after) and len(text) > len(before) + len(after):
            form = text[len(before) : len(text) - len(after)]
            if found := lexicon.get((kind, form)):
                return found
    return None


# Comparisons.

_MORE = frozenset(["bigger", "larger", "taller", "longer", "wider", "greater", "higher"])
_LESS = frozenset(["smaller", "shorter", "tinier", "narrower", "lower"])
_COMPARISON = re.compile(
    r"^be it (?:much )?(\w+) (?:in size )?than (.+)$|^do it weigh (mor|less) than (.+)$"
    r"|^be it (mor|less) heavy than (.+)$"
)
_UNITS = {
    **dict.fromkeys(("cm", "centimeter", "centimetr"), ("size", 1.0)),
    **dict.fromkeys(("m", "meter", "metr"), ("size", 100.0)),
    **dict.fromkeys(("foot",), ("size", 30.5)),
    **dict.fromkeys(("inch",), ("size", 2.54)),
    **dict.fromkeys(("kg", "kilogram", "kilo"), ("weight", 1.0)),
    **dict.fromkeys(("g", "gram"), ("weight", 0.001)),
    **dict.fromkeys(("pound", "lb"), ("weight", 0.45)),
    **dict.fromkeys(("ton", "tonn"), ("weight", 1000.0)),
}
_NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
_QUESTION_WORDS = frozenset(["what", "which", "where", "who", "how", "why", "when", "whom"])


@cache
def _yardsticks() -> Mapping[str, tuple[float, float]]:
    """Size in cm and weight in kg of what things are compared with, beside things themselves."""
    return {bare(name): (float(size), float(weight)) for name, size, weight in rows("yardsticks")}


def _comparison_in(text: str) -> Question | None:
    match = _COMPARISON.match(text)
    if not match:
        return None
    word, other = match[1] or match[3] or match[5], match[2] or match[4] or match[6]
    is_weight = match[1] is None or word in ("heavier", "lighter")
    is_more = word in _MORE or word in ("heavier", "mor")
    if not is_more and word not in _LESS and word not in ("lighter", "less"):
        return None
    kind: Literal["size", "weight"] = "weight" if is_weight else "size"
    amount, _, unit = other.rpartition(" ")
    if unit in _UNITS:
        number = _number(amount)
        measured, factor = _UNITS[unit]
        return Question(kind, "", is_more, number * factor) if measured == kind and number else None
    limit = _measure(other.removesuffix(" be").removesuffix(" do"), kind)
    return None if limit is None else Question(kind, "", is_more, limit)


def _number(text: str) -> float:
    """A number in digits or as a word; 1 for nothing ("a meter"), 0 for anything else."""
    if text.isdecimal() and len(text) < 10:
        return float(text)
    return 1.0 if not text else float(_NUMBERS.index(text)) if text in _NUMBERS else 0.0


def _measure(name: str, kind: str) -> float | None:
    if name in _names():
        thing = things()[_names()[name]]
        return thing.size_cm if kind == "size" else thing.weight_kg
    found = _yardsticks().get(name)
    return None if found is None else found[kind == "weight"]


# The whole.


@lru_cache(maxsize=4096)
def understand(message: str) -> Question | None:
    """What a message asks; None where that is not understood to the last word."""
    if len(message) > MAX_CHARS:
        return None
    sentence = question_of(message)
    if sentence is None:
        return None
    for reading in _readings(plain(sentence)):
        framed, is_positive = frame(reading)
        question = _read(framed) or _read(_without_thing(framed)) or _read_both(framed)
        if question and (is_positive or question.also is None):
            return question if is_positive else question._replace(is_positive=not question.is_positive)
    return None


def _readings(text: str) -> Iterator[str]:
    """The sentence as it stands, then what it may stand for where it is cut short."""
    if not text or text.split()[0] in _QUESTION_WORDS:
        return
    yield text
    if text.split()[0] not in ("be", "do"):
        for opening in ("be it", "do it", "do it hav", "do you"):
            yield f"{opening} {text}"


_JOINTS = (
    (re.compile(r"^be it (.+?) (?:that|which) be (.+)$"), "be it {}", "be it {}"),
    (re.compile(r"^be it (.+?) (?:that|which) (?:you|peopl) (?:do )?(.+)$"), "be it {}", "do you {}"),
    (re.compile(r"^be it (.+?) (?:that|which) (?:do )?(.+)$"), "be it {}", "do it {}"),
    (re.compile(r"^be it (.+?) with (.+)$"), "be it {}", "do it hav {}"),
    (re.compile(r"^be it (.+?) and (.+)$"), "be it {}", "be it {}"),
    (re.compile(r"^do it (.+?) and (.+)$"), "do it {}", "do it {}"),
    (re.compile(r"^be it (\w+) (\w+)$"), "be it {}", "be it {}"),
)
"""Sentences of two parts, both of which are asked for."""


def _read_both(text: str) -> Question | None:
    for pattern, first, second in _JOINTS:
        if match := pattern.match(text):
            parts = first.format(match[1]), second.format(match[2])
            one, other = (_read(with_one_subject(part)) for part in parts)
            if one and other and "guess" not in (one.kind, other.kind):
                return one._replace(also=other)
    return None


def _read(text: str) -> Question | None:
    name = _names().get(text.removeprefix("be it "))
    if name and (text != "be it orang"):
        return Question("guess", name)
    if found := _attribute_in(text):
        return Question("attribute", *found)
    return _comparison_in(text)

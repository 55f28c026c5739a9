"""The arguments of a call that a sentence describes: each value goes to the parameter that it fits best."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agentgym_tools.desks.words.lexicon.language import Language, spoken
from agentgym_tools.desks.words.lexicon.phrases import content_of
from agentgym_tools.desks.words.lexicon.sentences import Sentence
from agentgym_tools.desks.words.lexicon.thesaurus import plain
from agentgym_tools.desks.words.lexicon.values import Shape, Spotted, free_text
from agentgym_tools.worlds.calls import Value

MAX_CHOICES = 12
"""A parameter with at most so many known values is also read from the words of one, wherever they stand."""
_WINDOW = 5
_TO = frozenset({"to", "into", "new", "for", "with", "instead", "on", "onto", "at"})
_REPLACED = (("instead", "of"), ("place", "of"), ("exchange",), ("from",), ("than",))
_DULL = frozenset({"id", "no", "cent", "cents", "by", "to", "with", "of", "kind"})
_FITS, _PERHAPS, _ODD, _GUESS, _CUE, _ORDER = 1.0, 0.5, 0.2, 0.25, 0.6, 0.001


@dataclass(frozen=True)
class Context:
    """What was established before a message, which it need not say again.

    Attributes:
        known: What the customer told, by fact.
        customer: Key of the customer who was identified; "" for nobody.
        made: Tools by which something was written, in order.
        questions: Facts that the open request asks the desk for; None: any fact may be told.
    """

    known: Mapping[str, Value] = field(default_factory=dict)
    customer: str = ""
    made: Sequence[str] = ()
    questions: frozenset[str] | None = None


@dataclass(frozen=True)
class Filled:
    """Arguments that were found.

    Attributes:
        arguments: By parameter.
        missing: Parameters without a value.
        num_said: How many stand in the first sentence that has any.
        sources: Numbers of the sentences that they stand in.
    """

    arguments: Mapping[str, Any]
    missing: Sequence[str]
    num_said: int
    sources: Sequence[int] = ()


def fill(language: Language, tool: str, sentences: Sequence[Sentence], context: Context) -> Filled:
    """The arguments of a call.

    Args:
        language: The desk's language.
        tool: Name of the tool.
        sentences: The sentence that describes the call, then others of the message, for what is missing there.
        context: What need not be said.
    """
    shapes = language.parameters[tool]
    found: dict[str, Any] = {}
    num_said = 0
    sources = []
    for least, (number, sentence) in itertools.product((_GUESS, 0.0), enumerate(sentences)):
        missing = {name: shape for name, shape in shapes.items() if name not in found}
        if not missing:
            break
        said = _said(language, tool, missing, sentence, least)
        if not least:
            said = {name: value for name, value in said.items() if value not in found.values()}
        found |= said
        sources += [number] if said else []
        num_said = num_said or len(found)
    for name, shape in shapes.items():
        if name not in found and (value := _unsaid(language, tool, name, shape, context)) is not None:
            found[name] = value
    ordered = {name: found[name] for name in shapes if name in found}
    return Filled(ordered, [name for name in shapes if name not in found], num_said, sources)


def _unsaid(language: Language, tool: str, name: str, shape: Shape, context: Context) -> Any:
    """A value that need not be said: told before, the customer's own key, or nothing where that is a value."""
    if name in context.known:
        text = str(context.known[name])
        told = Spotted("code", text, 0, 1)
        if shape.is_number or shape.is_money or shape.is_free or shape.takes(told):
            return language.value(tool, name, text)
    if context.customer and shape.forms and shape.forms <= language.customer_forms:
        return context.customer
    return "" if "an empty text" in language.described(tool, name) else None


def _said(
    language: Language, tool: str, shapes: Mapping[str, Shape], sentence: Sentence, least: float
) -> dict[str, Any]:
    values = language.vocabulary.spot(sentence)
    values += free_text(sentence, values)
    found: dict[str, Any] = {}
    rated = sorted(_rated(shapes, values, sentence, least), key=lambda each: -each[0])
    used: set[int] = set()
    lists = language.lists(tool)
    for _, name, number in rated:
        value = values[number]
        if number in used or _overlaps(values, used, value):
            continue
        if name in lists:
            found.setdefault(name, []).append((value.at, language.value(tool, name, value.text)))
        elif name not in found:
            found[name] = language.value(tool, name, value.text)
        else:
            continue
        used.add(number)
    for name in lists & set(found):
        found[name] = list(dict.fromkeys(text for _, text in sorted(found[name])))
    words = {token.plain for token in sentence.tokens}
    for name, shape in shapes.items():
        if name not in found and (chosen := _chosen(shape, words)) is not None:
            found[name] = language.value(tool, name, chosen)
    return found


def _overlaps(values: Sequence[Spotted], used: set[int], value: Spotted) -> bool:
    return any(values[number].at < value.end and value.at < values[number].end for number in used)


def _chosen(shape: Shape, words: set[str]) -> str | None:
    """The one of a few known values whose words all stand somewhere in the sentence."""
    if not shape.words or len(shape.words) > MAX_CHOICES:
        return None
    fitting = [text for text in shape.words if content_of(text) <= words]
    return max(fitting, key=lambda text: (len(content_of(text)), text)) if fitting else None


def _rated(
    shapes: Mapping[str, Shape], values: Sequence[Spotted], sentence: Sentence, least: float
) -> list[tuple[float, str, int]]:
    rated: list[tuple[float, str, int]] = []
    for number, value in enumerate(values):
        window = _before(sentence, value, values)
        for place, (name, shape) in enumerate(shapes.items()):
            base = _base(shape, value, name)
            if base > least:
                score = base + _cue(name, window, value, shapes, sentence) - _ORDER * place
                rated.append((score - _ORDER * 10 * number, name, number))
    return rated


def _base(shape: Shape, value: Spotted, name: str) -> float:
    if not shape.takes(value):
        is_odd = value.kind in ("code", "email", "other") and not (shape.is_money or shape.is_number or shape.is_date)
        if not is_odd or (len(shape.words) <= MAX_CHOICES and not name.endswith("number")):
            return 0.0
        return _ODD if value.kind == "other" or not shape.words else _ODD / 2
    if shape.is_money:
        return _FITS if value.kind == "money" else _PERHAPS - 0.1
    if shape.is_number:
        return _PERHAPS + (_CUE if value.unit and plain(value.unit) in {plain(unit) for unit in shape.units} else 0.0)
    if shape.is_free:
        return 0.3 if value.kind in ("email", "code", "other") else 0.2
    return _FITS if value.kind != "number" else _FITS - 0.15


def _before(sentence: Sentence, value: Spotted, values: Sequence[Spotted]) -> list[str]:
    """The words before a value, back to the value before it."""
    first = max([other.end for other in values if other.end <= value.at] + [value.at - _WINDOW, 0])
    return [token.plain for token in sentence.tokens[first : value.at] if token.kind == "word"]


def _cue(name: str, window: Sequence[str], value: Spotted, shapes: Mapping[str, Shape], sentence: Sentence) -> float:
    """How far the words beside a value name the parameter."""
    words = {plain(word) for word in spoken(name).split()} - _DULL
    if name.startswith("new_") or f"new_{name}" in shapes:
        words -= {plain(word) for word in spoken(name.removeprefix("new_")).split()}
    after = [token.plain for token in sentence.tokens[value.end : value.end + 2]]
    near = [*window, *after[:1]] if value.kind in ("money", "number") else window
    score = _CUE * sum(word in near for word in words if word != "new")
    score += 0.2 if window and window[-1] in words else 0.0
    twin = name.removeprefix("new_")
    if name.startswith("new_") and (twin in shapes or "passenger" in shapes):
        score += 0.25 * (not _TO.isdisjoint(window[-2:])) + 0.4 * ("new" in window) - _ORDER * 20
        score -= 0.6 * _is_replaced(window)
    elif f"new_{name}" in shapes and _is_replaced(window):
        score += 0.6
    return score


def _is_replaced(window: Sequence[str]) -> bool:
    return any(tuple(window[place : place + len(each)]) == each for each in _REPLACED for place in range(len(window)))

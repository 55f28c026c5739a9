"""Which value of a sentence goes to which parameter: the kind has to fit, and the words beside it count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agentgym_tools.desks.words.lexicon.language import Language, spoken
from agentgym_tools.desks.words.lexicon.sentences import Sentence
from agentgym_tools.desks.words.lexicon.thesaurus import plain
from agentgym_tools.desks.words.lexicon.values import Shape, Spotted

MAX_CHOICES = 12
"""A parameter with at most so many known values is also read from the words of one, wherever they stand."""
GUESS = 0.25
"""Fits up to this one are guesses."""
_WINDOW = 5
_TO = frozenset({"to", "into", "new", "for", "with", "instead", "on", "onto", "at"})
_REPLACED = (("instead", "of"), ("place", "of"), ("exchange",), ("from",), ("than",))
_DULL = frozenset({"id", "no", "cent", "cents", "by", "to", "with", "of", "kind"})
_FITS, _PERHAPS, _ODD, _CUE, _ORDER = 1.0, 0.5, 0.2, 0.6, 0.001


def rated(
    shapes: Mapping[str, Shape], values: Sequence[Spotted], sentence: Sentence, least: float
) -> list[tuple[float, str, int]]:
    """How well values fit parameters: the score, the parameter, and the number of the value."""
    found: list[tuple[float, str, int]] = []
    for number, value in enumerate(values):
        window = _before(sentence, value, values)
        for place, (name, shape) in enumerate(shapes.items()):
            base = _base(shape, value, name)
            if base > least:
                score = base + _cue(name, window, value, shapes, sentence) - _ORDER * place
                found.append((score - _ORDER * 10 * number, name, number))
    return found


def assigned(
    language: Language, tool: str, fitting: Sequence[tuple[str, int]], values: Sequence[Spotted]
) -> dict[str, Any]:
    """Each value to the parameter that it fits best; those that overlap count once."""
    found: dict[str, Any] = {}
    used: set[int] = set()
    lists = language.lists(tool)
    for name, number in fitting:
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
    return found


def _overlaps(values: Sequence[Spotted], used: set[int], value: Spotted) -> bool:
    return any(values[number].at < value.end and value.at < values[number].end for number in used)


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

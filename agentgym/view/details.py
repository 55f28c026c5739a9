"""What is known of something, as a list of terms: the end of an episode, and what its verdict found.

Values came from environments and models, so each of them is shown as text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from agentgym.view.markup import Html, join, tag
from agentgym.view.texts import folded, shorten

_MAX_ITEMS = 50
_MAX_DEPTH = 3


def terms(rows: Iterable[tuple[str, object]]) -> Html:
    """A definition list: one row for each name, and none where the value is empty.

    Args:
        rows: Names and values: markup as it is, texts, numbers, and lists and mappings of these.
    """
    return _terms(rows, 0)


def is_empty(value: object) -> bool:
    """Whether a value says nothing; false and 0 say something."""
    if isinstance(value, Mapping):
        return all(map(is_empty, value.values()))
    if isinstance(value, (list, tuple)):
        return all(map(is_empty, value))
    return value is None or (isinstance(value, str) and not value.strip())


def texts_in(value: object) -> list[str]:
    """The texts in a value, in order, at any depth."""
    if isinstance(value, Mapping):
        return [found for each in value.values() for found in texts_in(each)]
    if isinstance(value, (list, tuple)):
        return [found for each in value for found in texts_in(each)]
    return [value] if isinstance(value, str) else []


def _terms(rows: Iterable[tuple[str, object]], depth: int) -> Html:
    shown = [(name, value) for name, value in rows if not is_empty(value)]
    drawn = [join(tag("dt", name.replace("_", " ")), tag("dd", _value(value, depth))) for name, value in shown]
    more = _rest(len(shown))
    return tag("dl", *drawn[:_MAX_ITEMS], more and join(tag("dt", "…"), tag("dd", more)), class_="terms")


def _value(value: object, depth: int) -> Html:
    if isinstance(value, Mapping) and depth < _MAX_DEPTH:
        return _mapping(value, depth)
    if isinstance(value, (list, tuple)) and depth < _MAX_DEPTH:
        return _items(value, depth)
    if isinstance(value, str):
        return folded(value) if "\n" in value.strip() else join(shorten(value))
    return join(shorten(_plain(value)))


def _mapping(value: Mapping[str, object], depth: int) -> Html:
    """A mapping of numbers and single words as a line, others as rows."""
    if all(isinstance(each, (int, float)) for each in value.values()):
        pairs = [tag("span", str(name).replace("_", " "), " ", tag("b", _plain(each))) for name, each in value.items()]
        return tag("div", *pairs, class_="pairs")
    return _terms(((str(name), each) for name, each in value.items()), depth + 1)


def _items(values: Sequence[object], depth: int) -> Html:
    shown = [tag("li", _value(value, depth + 1)) for value in values if not is_empty(value)]
    more = _rest(len(shown))
    return tag("ul", *shown[:_MAX_ITEMS], more and tag("li", more))


def _rest(count: int) -> str:
    return f"{count - _MAX_ITEMS:,} more" if count > _MAX_ITEMS else ""


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        return f"{value:.4g}" if isinstance(value, float) else str(value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)

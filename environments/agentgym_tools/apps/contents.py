"""Net changes compared by content: a row that an episode added counts without its number, wherever that stands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from agentgym_tools.apps.base.schema import LINKS
from agentgym_tools.worlds.changes import Change

_Value = int | str | None
_Row = Mapping[str, _Value]
_Place = tuple[str | None, _Value]


def contents_of(changes: Iterable[Change]) -> list[str]:
    """Changes by content, in canonical order.

    Two episodes that add the same rows in another order give them other numbers; their contents are equal.
    """
    every = list(changes)
    added: dict[_Place, _Row] = {
        (each.table, each.key[0]): each.after for each in every if _is_numbered(each) and each.after is not None
    }
    return sorted(_content(each, added) for each in every)


def unwanted(now: Sequence[str], wanted: Sequence[str]) -> int:
    """How many changes there are beyond the wanted ones, each counted as often as it is there."""
    left = list(wanted)
    return sum(1 for content in now if not _take(left, content))


def _take(left: list[str], content: str) -> bool:
    if content in left:
        left.remove(content)
        return True
    return False


def _is_numbered(change: Change) -> bool:
    return change.before is None and len(change.key) == 1 and "id" in (change.after or {})


def _content(change: Change, added: Mapping[_Place, _Row]) -> str:
    if change.after is None:
        return f"{change.table} {change.key} removed"
    if change.before is None:
        return f"{change.table} added {_described(change.table, change.after, added)}"
    changed = {name: value for name, value in change.after.items() if change.before[name] != value}
    return f"{change.table} {change.key} changed {sorted(_linked(change.table, changed, added).items())}"


def _described(table: str, row: _Row, added: Mapping[_Place, _Row]) -> str:
    """A row that was added: its values without its number, and what it points at in place of other new numbers."""
    is_numbered = (table, row.get("id")) in added
    values = {name: value for name, value in row.items() if not (is_numbered and name == "id")}
    return str(sorted(_linked(table, values, added).items()))


def _linked(table: str, values: _Row, added: Mapping[_Place, _Row]) -> dict[str, object]:
    found: dict[str, object] = {}
    for name, value in values.items():
        other = LINKS.get((table, name))
        row = added.get((other, value)) if other is not None else None
        found[name] = value if row is None or other is None else f"new {other} {_described(other, row, added)}"
    return found

"""Net changes of a state, and the verdict on them: all that the reference changes, and nothing else.

A state is JSON values. Changes are compared by content: the order of a list means nothing, nor do the ids that new rows
were given. What was said and read is not looked at.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections import Counter
from datetime import datetime
from typing import Any

_IDS = ("id", "id_")
_MOST_SHOWN = 10
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?\Z")


def verdict(before: Any, after: Any, wanted: Any) -> dict[str, Any]:
    """Ours.

    Args:
        before: The state at the start.
        after: The state at the end of the episode.
        wanted: The state after the reference.

    Returns:
        `state`: whether all changes of the reference were made; `collateral`: whether no other was; and up to ten of
        what is `missing` and of what is `extra`.
    """
    made, needed = Counter(changes(before, after)), Counter(changes(before, wanted))
    missing, extra = needed - made, made - needed
    return {
        "state": not missing,
        "collateral": not extra,
        "missing": [text[:300] for text in sorted(missing)[:_MOST_SHOWN]],
        "extra": [text[:300] for text in sorted(extra)[:_MOST_SHOWN]],
    }


def without_clock(value: Any, since: float) -> Any:
    """A state in which times of the wall clock, written after `since` (seconds of the epoch), are all the same."""
    if isinstance(value, dict):
        return {key: without_clock(part, since) for key, part in value.items()}
    if isinstance(value, list):
        return [without_clock(part, since) for part in value]
    if isinstance(value, str) and _TIME.match(value):
        with contextlib.suppress(ValueError):
            return "now" if datetime.fromisoformat(value).timestamp() >= since else value
    return value


def changes(before: Any, after: Any, path: str = "") -> list[str]:
    """What differs between two states, a text each."""
    if isinstance(before, dict) and isinstance(after, dict):
        return _of_mappings(before, after, path)
    if isinstance(before, list) and isinstance(after, list):
        return _of_lists(before, after, path)
    return [] if before == after else [f"{path} = {_canonical(after)}"]


def _of_mappings(before: dict[str, Any], after: dict[str, Any], path: str) -> list[str]:
    found = []
    for key in sorted({*before, *after}, key=str):
        if key not in after:
            found.append(f"{path} - {_row(before[key], key)}")
        elif key not in before:
            found.append(f"{path} + {_row(after[key], key)}")
        else:
            found += changes(before[key], after[key], f"{path}/{key}")
    return found


def _of_lists(before: list[Any], after: list[Any], path: str) -> list[str]:
    old, new = Counter(map(_canonical, before)), Counter(map(_canonical, after))
    if old == new:
        return []
    gone = [json.loads(text) for text in (old - new).elements()]
    come = [json.loads(text) for text in (new - old).elements()]
    found = []
    for row in list(gone):
        twin = next((each for each in come if _identity(row) and _identity(each) == _identity(row)), None)
        if twin is not None:
            gone.remove(row)
            come.remove(twin)
            found += changes(row, twin, f"{path}/{_identity(row)}")
    found += [f"{path} - {_row(row)}" for row in gone]
    return found + [f"{path} + {_row(row)}" for row in come]


def _identity(row: Any) -> str:
    """What names a row among its like; "" for a value that is no row."""
    if not isinstance(row, dict):
        return ""
    return next((f"{name}={row[name]}" for name in _IDS if row.get(name) is not None), "")


def _row(value: Any, key: str = "") -> str:
    """A row that is new or gone, without the number that it was given."""
    if not isinstance(value, dict):
        return f"{key} {_canonical(value)}" if key and not key.isdigit() else _canonical(value)
    numbers = {str(value[name]) for name in _IDS if name in value}
    kept = {name: part for name, part in value.items() if name not in _IDS}
    return f"{'' if key.isdigit() or key in numbers else key} {_canonical(kept)}".strip()


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)

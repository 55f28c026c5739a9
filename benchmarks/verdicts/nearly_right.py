"""Variants of a right list of calls: some nearly right, which must not win, some right in another way, which must.

What counts as a call that matters, or that only reads, is said by whoever plays them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from agentgym_tools.worlds.calls import Call

Says = Callable[[Call], bool]
"""Says something of a call."""


def without_one(calls: Sequence[Call], matters: Says) -> Iterator[list[Call]]:
    """The calls without one that matters, each in turn; of one that is made again, such as a refusal, none is left."""
    for left_out in dict.fromkeys(calls):
        if matters(left_out):
            yield [call for call in calls if call != left_out]


def with_one_changed(calls: Sequence[Call], matters: Says, kept: Sequence[str] = ()) -> Iterator[list[Call]]:
    """The calls with one argument of one call that matters changed, each in turn, but for arguments of these names."""
    for place, call in enumerate(calls):
        for changed in changes_of(call, kept) if matters(call) else ():
            yield [*calls[:place], changed, *calls[place + 1 :]]


def changes_of(call: Call, kept: Sequence[str] = ()) -> Iterator[Call]:
    """Calls that differ from it in one argument each, nested ones included. Arguments of the kept names stay."""
    for name, value in call.arguments.items():
        if isinstance(value, Mapping):
            inner = changes_of(Call(call.tool, value), kept)
            yield from (Call(call.tool, {**call.arguments, name: dict(each.arguments)}) for each in inner)
        elif name not in kept:
            yield Call(call.tool, {**call.arguments, name: _other(value)})


def with_reads_twice(calls: Sequence[Call], reads: Says) -> list[Call]:
    """The calls with each read made twice."""
    return [each for call in calls for each in ([call, call] if reads(call) else [call])]


def in_other_orders(calls: Sequence[Call], may_move: Says) -> Iterator[list[Call]]:
    """The calls with two neighbours that may move changed over, each pair in turn."""
    for place in range(len(calls) - 1):
        one, other = calls[place : place + 2]
        if may_move(one) and may_move(other):
            yield [*calls[:place], other, one, *calls[place + 2 :]]


def _other(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    return value + 1 if isinstance(value, int) else ["zz"] if isinstance(value, list) else f"zz{value}"

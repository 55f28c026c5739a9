"""How the options of a command look in its help, and how their values are read.

A command marks its function, or the dataclass of its options, with `with_options`. What the options do is in the
modules of the commands.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import tyro
from tyro.constructors import PrimitiveConstructorSpec

from agentgym.ranges import ANY, Range, range_in

T = TypeVar("T", bound=Callable[..., Any])

_WORDS: dict[Any, str] = {int: "a whole number", float: "a number", Path: "a path"}
_METAVARS: dict[Any, str] = {int: "INT", float: "NUMBER", Path: "PATH", str: "NAME"}
_EMPTY = ("", "''", "None", "False")
_CONTINUATION = " " * 8


KeyValues = Annotated[tuple[str, ...], tyro.conf.arg(metavar="KEY=VALUE ...")]
"""An option that takes settings of something else."""
Partners = Annotated[tuple[str, ...], tyro.conf.arg(metavar="ROLE=NAME ...")]
"""The option that says who plays other roles of a game."""


class RefusedValueError(Exception):
    """A value that cannot be read. It is no ValueError, which tyro would report in words of its own."""


def with_options(target: T) -> T:
    """Mark the function of a command, or the dataclass of its options.

    The help then shows a plain word for each value, such as INT, and a default only where there is one. A value that
    cannot be read is refused in one sentence.

    Args:
        target: The function or the dataclass. What an option's own `tyro.conf.arg` says is kept.
    """
    hints = get_type_hints(target, include_extras=True)
    target.__annotations__ = {
        name: hint if name == "return" else _with_help(name, hint) for name, hint in hints.items()
    }
    if inspect.isfunction(target):
        target.__doc__ = _with_whole_lines(inspect.getdoc(target) or "")
    return target


def _with_help(name: str, hint: Any) -> Any:
    """The type of an option, with what the help shows of it and how it is read."""
    bare, *own = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    kind = _without_none(bare)
    label = name if tyro.conf.Positional in own else f"--{name.replace('_', '-')}"
    choices = get_args(kind) if get_origin(kind) is Literal else ()
    metavar = (
        f"{{{','.join(choices)}}}" if choices else "NAME ..." if get_origin(kind) is tuple else _METAVARS.get(kind)
    )
    shown: list[Any] = [tyro.conf.arg(metavar=metavar, help_behavior_hint=_default)]
    if choices or kind in _WORDS:
        shown.append(_reader(kind, choices, label, range_in(hint) or ANY))
    return Annotated[(bare, *shown, *own)]


def _without_none(hint: Any) -> Any:
    is_union = get_origin(hint) in (Union, types.UnionType)
    return next(part for part in get_args(hint) if part is not type(None)) if is_union else hint


def _reader(kind: Any, choices: tuple[str, ...], label: str, allowed: Range) -> PrimitiveConstructorSpec[Any]:
    """Reads one word of a command line as a number, a path or a choice."""
    expected = f"{', '.join(choices[:-1])} or {choices[-1]}" if choices else _WORDS[kind]

    def read(words: list[str]) -> Any:
        [word] = words
        try:
            value = choices[choices.index(word)] if choices else kind(word)
        except ValueError:
            raise RefusedValueError(f"{label} must be {expected}, got {word!r}") from None
        if allowed.first_outside(value) is not None:
            raise RefusedValueError(f"{label} must be {allowed}, got {word}")
        return value

    return PrimitiveConstructorSpec(1, "", read, lambda _: True, lambda value: [str(value)])


def _default(shown: str) -> str:
    return "" if shown in _EMPTY else f"(default: {shown})"


def _with_whole_lines(doc: str) -> str:
    """A docstring whose arguments are described on one line each, which the help then breaks where it has to."""
    lines: list[str] = []
    for line in doc.splitlines():
        if line.startswith(_CONTINUATION) and lines:
            lines[-1] += f" {line.strip()}"
        else:
            lines.append(line)
    return "\n".join(lines)

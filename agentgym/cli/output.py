"""What commands print: tables for people and JSON for machines, both to stdout; notes go to stderr.

While a command works, stdout is for its results alone: what environments, policies and libraries print goes to stderr.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, TextIO

import tyro
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from agentgym.errors import ConfigError

AsJson = Annotated[bool, tyro.conf.arg(name="json", help="Print JSON.")]
"""The `--json` flag of a command."""
FILE_WIDTH = 160
"""Columns of a table that is not printed to a terminal; more where its words need them."""


_results: list[TextIO] = []
"""Where results go while a command works; empty otherwise."""


@contextmanager
def results_apart() -> Iterator[None]:
    """In the block, only `show` and the tables print to stdout; everything else prints to stderr."""
    stdout, results = sys.stdout, sys.stdout
    is_process = stdout is sys.__stdout__ and stdout is not None and stdout.fileno() == 1
    if is_process:  # also what is printed by other programs, and by libraries that are not Python
        stdout.flush()
        results = os.fdopen(os.dup(1), "w", encoding=stdout.encoding, errors=stdout.errors)
        os.dup2(2, 1)
    else:
        sys.stdout = sys.stderr
    _results.append(results)
    try:
        yield
        results.flush()
    finally:
        _results.pop()
        if is_process:
            stdout.flush()
            os.dup2(results.fileno(), 1)
            _close(results)
        else:
            sys.stdout = stdout


def _close(results: TextIO) -> None:
    """Close the stream of results, also where nobody reads it any more."""
    try:
        results.close()
    except BrokenPipeError:
        return


def show(text: str) -> None:
    """Print a part of the result."""
    print(text, file=result_stream(), flush=True)


def result_stream() -> TextIO:
    """Where results go."""
    return _results[-1] if _results else sys.stdout


def print_json(value: Any) -> None:
    """Print a value as indented JSON."""
    show(json.dumps(value, indent=2, ensure_ascii=False))


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]], title: str | None = None) -> None:
    """Print a table; cells are plain text, whatever markup they look like.

    Outside a terminal, no word is broken, so that a name can be searched for.
    """
    table = Table(box=None, header_style="bold", pad_edge=False)
    for number, column in enumerate(columns):
        table.add_column(column, overflow="fold", no_wrap=number == 0)
    for row in rows:
        table.add_row(*(Text(str(cell)) for cell in row))
    console = Console(highlight=False, file=result_stream())
    if not console.is_terminal:
        console.width = FILE_WIDTH
        for each in table.columns:
            each.min_width = max(console.measure(cell).minimum for cell in (each.header, *each.cells))
    if title is not None:
        console.print(Text(title, style="bold"), soft_wrap=True)  # not the table's own, which wraps at its width
    console.print(table, crop=console.is_terminal)


def note(text: str) -> None:
    """Say something beside the result, on stderr."""
    print(text, file=sys.stderr, flush=True)


@contextmanager
def progress_bar(title: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr, where that is a terminal; gives a function that takes how much is done, of how much."""
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def interval(value: dict[str, float] | None) -> str:
    """A mean with its 95 % interval, as in ".82 [.78, .86]"."""
    if value is None or value["mean"] is None:
        return "-"
    return f"{value['mean']:.3f} [{value['low']:.3f}, {value['high']:.3f}]"


def require_each_once(overrides: Sequence[str]) -> None:
    """Refuse two overrides of a command line for the same key, of which only the later one would count.

    Raises:
        ConfigError: Names both.
    """
    first: dict[str, str] = {}
    for override in overrides:
        key = override.partition("=")[0].strip()
        if key in first:
            raise ConfigError(f"two overrides are for {key!r}: {first[key]} and {override}; keep one of them")
        first[key] = override


def read_options(given: Sequence[str], flag: str = "--option") -> dict[str, Any]:
    """Keyword arguments from "key=value", the value read as JSON where it is, else as text.

    Args:
        given: The texts.
        flag: The option of the command that they were given with.

    Raises:
        ConfigError: One has no "=", a key is given twice, or a value is nested too deep or has too many digits.
    """
    options: dict[str, Any] = {}
    for text in given:
        key, equals, value = text.partition("=")
        if not equals or not key.isidentifier():
            raise ConfigError(f"{flag} {text!r} is not of the form key=value, such as quality=0.9")
        if key in options:
            raise ConfigError(f"{flag} gives {key!r} twice, as {options[key]!r} and as {value!r}; keep one of them")
        try:
            options[key] = json.loads(value)
        except json.JSONDecodeError:
            options[key] = value
        except (RecursionError, ValueError) as error:  # nested too deep, or a number of thousands of digits
            raise ConfigError(f"{flag} {key}=… cannot be read as JSON: {error}; give a simpler value") from error
    return options


def read_partners(given: Sequence[str]) -> dict[str, str]:
    """Who plays which role, from "ROLE=NAME".

    Raises:
        ConfigError: One has no "=", or a role is given twice.
    """
    partners: dict[str, str] = {}
    for text in given:
        role, equals, name = text.partition("=")
        if not (role and equals and name):
            raise ConfigError(f"--partner {text!r} is not of the form ROLE=NAME, such as guesser=scripted")
        if role in partners:
            raise ConfigError(
                f"--partner gives {role!r} twice, as {partners[role]!r} and as {name!r}; keep one of them"
            )
        partners[role] = name
    return partners

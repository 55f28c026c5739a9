"""All keys of a configuration with type, range, default and meaning, read from the dataclasses that hold them.

`python -m agentgym_rl.run.reference` writes the page docs/reference/configuration.md from this.
"""

from __future__ import annotations

import argparse
import ast
import dataclasses
import inspect
import itertools
import json
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast, get_args, get_origin, get_type_hints

from agentgym.config import tables_of
from agentgym.errors import UnknownNameError, close_names
from agentgym.ranges import ANY, ranges_of
from agentgym_rl.core.config.pixels import TRAINER, PixelConfig
from agentgym_rl.core.config.train import ConfigOf
from agentgym_rl.run.learners import LEARNERS

_WITH_PIXELS = f"trainer = {json.dumps(TRAINER)}"
_WORDS = {int: "whole number", float: "number", bool: "true or false", str: "text"}
_INTRODUCTION = """# Keys of a configuration

All keys of the file that `agentgym train` reads. The page is written from the code by
`python -m agentgym_rl.run.reference`. `agentgym train --help-config KEY` shows one key or one table. An empty range
means that every value of the type is accepted. The values of a preset take the place of these defaults;
`agentgym train CONFIG --describe` shows what is in force.
"""


class Key(NamedTuple):
    """One key.

    Attributes:
        name: Dotted, such as "run.seed".
        kind: Its type in words.
        allowed: Its range; "" if every value of the type is accepted.
        default: As it is written in a file; "" for a key that must be given.
        meaning: What it does.
        choice: What must be chosen for the key to exist, such as `learner = "groups"`; "" for nothing.
    """

    name: str
    kind: str
    allowed: str
    default: str
    meaning: str
    choice: str = ""

    def text(self) -> str:
        """The key in lines for a terminal."""
        facts = [self.kind, self.allowed, f"default {self.default}" if self.default else "must be given"]
        chosen = f" (with {self.choice})" if self.choice else ""
        return f"{self.name}{chosen}: {', '.join(filter(None, facts))}\n    {self.meaning}"


def keys() -> list[Key]:
    """Every key, in the order of the tables; those of `[algorithm]` by learner."""
    found: list[Key] = []
    for field in dataclasses.fields(ConfigOf):
        if field.name != "algorithm":
            found += _keys_of_type(get_type_hints(ConfigOf)[field.name], f"{field.name}.", "")
    for name, kind in LEARNERS.items():
        found += _keys_of_type(kind.options, "algorithm.", f"learner = {json.dumps(name)}")
    found += [key if "." in key.name else key._replace(choice="") for key in _keys_of(PixelConfig, "", _WITH_PIXELS)]
    return list(dict.fromkeys(found))


def help_text(name: str) -> str:
    """What a key means, or all keys of a table.

    Raises:
        UnknownNameError: There is no such key; suggests close ones, or else names the tables.
    """
    known = keys()
    found = [key for key in known if key.name == name or key.name.startswith(f"{name}.")]
    if not found:
        names, tables = {key.name for key in known}, {key.name.partition(".")[0] for key in known}
        raise UnknownNameError("configuration key", name, names if close_names(name, names) else tables)
    merged: dict[Key, list[str]] = {}
    for key in found:
        merged.setdefault(key._replace(choice=""), []).append(key.choice)
    return "\n".join(key._replace(choice=_choices_in_words(choices)).text() for key, choices in merged.items())


def page() -> str:
    """The page of the documentation."""
    sections: dict[str, list[Key]] = {}
    for key in keys():
        table, dot, _ = key.name.partition(".")
        head, _, _ = _split(key)
        heading = f"[{table}]{f' with {head}' if head else ''}" if dot else "Above all tables"
        sections.setdefault(heading, []).append(key)
    lines = [_INTRODUCTION]
    for heading, own in sections.items():
        lines += [f"## {heading}\n", "| Key | Type | Range | Default | Meaning |", "| --- | --- | --- | --- | --- |"]
        lines += map(_row, _by_name(own))
        lines.append("")
    return "\n".join(lines)


def _by_name(own: Iterable[Key]) -> Iterator[Key]:
    """The keys of a section, each once: one that is the same with several choices names them all.

    The key by which a table is chosen is one key with all its values.
    """
    found: dict[Key, list[str]] = {}
    for key in own:
        _, _, inner = _split(key)
        found.setdefault(key._replace(choice=""), []).append(inner)
    tags: dict[tuple[str, str], list[Key]] = {}
    for key, choices in found.items():
        if f"{key.name.rpartition('.')[2]} = {key.default}" in choices[0].split(", ")[-1:]:
            tags.setdefault((key.name, key.meaning), []).append(key)
    for key, choices in found.items():
        alike = tags.get((key.name, key.meaning), [key])
        if key == alike[0]:
            values = dict.fromkeys(each.kind for each in alike)
            choice = "" if len(alike) > 1 else _choices_in_words(choices)
            yield key._replace(kind=", ".join(values), choice=choice)


def _split(key: Key) -> tuple[str, str, str]:
    """The choice that a key's section is for, and what must be chosen besides."""
    has_own_section = key.name.startswith("algorithm.") or key.choice.startswith(_WITH_PIXELS)
    return key.choice.partition(", ") if has_own_section else ("", "", key.choice)


def _choices_in_words(choices: Iterable[str]) -> str:
    """Such as `kind = "a" or "b"`."""
    values: dict[str, list[str]] = {}
    for choice in filter(None, choices):
        before, _, value = choice.rpartition(" = ")
        values.setdefault(before, []).append(value)
    return " or ".join(f"{before} = {' or '.join(own)}" for before, own in values.items())


def _row(key: Key) -> str:
    meaning = f"With {key.choice}: {key.meaning}" if key.choice else key.meaning
    cells = (f"`{key.name}`", key.kind, key.allowed, f"`{key.default}`" if key.default else "", meaning)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _keys_of_type(hint: Any, prefix: str, choice: str) -> Iterator[Key]:
    """The keys of a table, which may be one of several dataclasses."""
    variants = [part for part in (get_args(hint) or (hint,)) if dataclasses.is_dataclass(get_origin(part) or part)]
    if dataclasses.is_dataclass(hint):
        variants = [hint]
    for variant in variants:
        tags = [] if len(variants) == 1 else list(_tag_of(variant))
        yield from _keys_of(variant, prefix, ", ".join(filter(None, (choice, *tags))))


def _tag_of(variant: Any) -> Iterator[str]:
    for name, hint in get_type_hints(variant).items():
        if get_origin(hint) is Literal and len(get_args(hint)) == 1:
            yield f"{name} = {json.dumps(get_args(hint)[0])}"


def _keys_of(cls: Any, prefix: str, choice: str) -> Iterator[Key]:
    hints, meanings = get_type_hints(cls), _meanings(cls)
    for field in dataclasses.fields(cls):
        hint, name = hints[field.name], field.name.removesuffix("_")
        inner = list(_keys_of_type(hint, f"{prefix}{name}.", choice))
        if inner:
            yield from inner
            continue
        allowed = ranges_of(cls).get(field.name)
        shown = "" if allowed is None or allowed == ANY else str(allowed)
        yield Key(f"{prefix}{name}", _kind(hint), shown, _default(field), meanings.get(field.name, ""), choice)


def _kind(hint: Any) -> str:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        return ", ".join(json.dumps(each) for each in arguments)
    if type(None) in arguments:
        return f"{_kind(next(each for each in arguments if each is not type(None)))}, or none"
    if origin in (tuple, list):
        return f"list of {_kind(arguments[0])}"
    return _WORDS.get(hint, "table")


def _default(field: dataclasses.Field[Any]) -> str:
    if field.default is not dataclasses.MISSING:
        value = field.default
    elif field.default_factory is not dataclasses.MISSING:
        value = field.default_factory()
    else:
        return ""
    if dataclasses.is_dataclass(value):
        value = tables_of(value)
    return "none" if value is None else json.dumps(dict(value) if isinstance(value, Mapping) else value)


@cache
def _meanings(cls: Any) -> Mapping[str, str]:
    """The docstrings of a dataclass's fields: below each of them, or under Attributes in the docstring of the class."""
    found: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        if not dataclasses.is_dataclass(base) or "agentgym" not in base.__module__:
            continue
        for name, text in re.findall(r"^ {4}(\w+): (.+(?:\n {8}.+)*)", inspect.getdoc(base) or "", re.MULTILINE):
            found[name] = " ".join(text.split())
        tree = ast.parse(textwrap.dedent(inspect.getsource(cast(type, base))))
        body = tree.body[0].body if isinstance(tree.body[0], ast.ClassDef) else []
        for field, text in itertools.pairwise(body):
            is_text = isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant)
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and is_text:
                found[field.target.id] = " ".join(str(text.value.value).split())  # type: ignore[attr-defined]
    return found


def main() -> None:
    """Write the page to the path that the command line names."""
    parser = argparse.ArgumentParser(prog="python -m agentgym_rl.run.reference", description="Write the page of keys.")
    parser.add_argument("path", nargs="?", type=Path, default=Path("docs/reference/configuration.md"))
    parser.parse_args().path.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()

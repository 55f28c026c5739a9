"""A JSONL file of rows: read line by line, with what is wrong said by line, and nothing passed over unasked.

What a row means is in `formats`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentgym.errors import TaskError, UnknownNameError, unreadable
from agentgym_swe.foreign.formats import FORMATS, FlawedRowError
from agentgym_swe.foreign.instance import Instance

MAX_LINE = 64 << 20
MAX_TOLD = 5
_FIELDS = ("{id}", "{instance_id}", "{repo}")


@dataclass(frozen=True)
class Refused:
    """A row that cannot be played.

    Attributes:
        line: Its line in the file, from 1.
        id: What it calls itself; "" where it does not say.
        why: What is wrong.
    """

    line: int
    id: str
    why: str

    def __str__(self) -> str:
        return f"line {self.line}{f' ({self.id})' if self.id else ''}: {self.why}"


@dataclass(frozen=True)
class Loaded:
    """What a file holds.

    Attributes:
        instances: Rows that can be played, in order.
        refused: The others.
    """

    instances: tuple[Instance, ...]
    refused: tuple[Refused, ...]


def load_rows(path: Path, form: str, image: str = "") -> Loaded:
    """Read a file of rows.

    Args:
        path: The file.
        form: One of `FORMATS`.
        image: Tag of the image of every row, in which `{id}` stands for the row's id as tags have it, `{instance_id}`
            for the id itself and `{repo}` for the repository; "" for the image that the data set names.

    Raises:
        UnknownNameError: There is no such form.
        TaskError: The file cannot be read, or none of its rows can be played.
    """
    if form not in FORMATS:
        raise UnknownNameError("form of rows", form, FORMATS)
    found: dict[str, Instance] = {}
    refused: list[Refused] = []
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                read = _read(line, number, form, image) if line.strip() else None
                if isinstance(read, Instance) and read.id in found:
                    read = Refused(number, read.id, "an earlier row has the same id")
                if isinstance(read, Instance):
                    found[read.id] = read
                elif read is not None:
                    refused.append(read)
    except OSError as error:
        raise TaskError(unreadable(path, error)) from error
    if not found:
        why = f"; {refused[0]}" if refused else "; it is empty"
        raise TaskError(f"{path} holds no row of the form {form!r} that can be played{why}")
    return Loaded(tuple(found.values()), tuple(refused))


def require_all(path: Path, form: str, loaded: Loaded) -> None:
    """Refuse a file of which rows cannot be played, where nobody said that they may be left out.

    Raises:
        TaskError: Names the first ones, and what to do.
    """
    if loaded.refused:
        shown = "\n".join(f"  {each}" for each in loaded.refused[:MAX_TOLD])
        more = f"\n  and {len(loaded.refused) - MAX_TOLD} more" if len(loaded.refused) > MAX_TOLD else ""
        raise TaskError(
            f"{len(loaded.refused)} rows of {path} cannot be played:\n{shown}{more}\n"
            f"Mend them, or leave them out with the option skip=true; agentgym swe rows {form} {path} shows all"
        )


def _read(line: bytes, number: int, form: str, image: str) -> Instance | Refused:
    named = ""
    try:
        row = _row(line)
        named = _id_of(row)
        return FORMATS[form](row, _image(image, row))
    except FlawedRowError as error:
        return Refused(number, named[:100], str(error))


def _id_of(row: Mapping[str, Any]) -> str:
    return str(row.get("instance_id") or row.get("commit_hash") or "")


def _row(line: bytes) -> Mapping[str, Any]:
    if len(line) > MAX_LINE:
        raise FlawedRowError(f"it has {len(line)} bytes; at most {MAX_LINE} are read")
    try:
        row = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError:
        raise FlawedRowError("it is not UTF-8") from None
    except (ValueError, RecursionError) as error:
        raise FlawedRowError(f"it is no JSON: {str(error)[:100]}") from None
    if not isinstance(row, dict):
        raise FlawedRowError(f"it is a JSON {type(row).__name__}, expected an object")
    return row


def _image(template: str, row: Mapping[str, Any]) -> str:
    instance_id = _id_of(row)
    values = (
        instance_id.replace("__", "_1776_").lower(),
        instance_id,
        str(row.get("repo") or row.get("repo_name") or ""),
    )
    for field, value in zip(_FIELDS, values, strict=True):
        template = template.replace(field, value)
    return template

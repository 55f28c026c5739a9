"""Plain text, comma-separated rows and JSON, whatever bytes a file holds."""

from __future__ import annotations

import codecs
import csv
import io
import json
from typing import Any

from agentgym_gui.verify.reading import UnreadableFileError

MAX_ROWS = 200_000
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


def decoded(content: bytes) -> str:
    """Text as a person would see it: by its byte order mark, else as UTF-8.

    Raises:
        UnreadableFileError: The bytes are no such text.
    """
    encoding = next((name for mark, name in _MARKS if content.startswith(mark)), "utf-8")
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        raise UnreadableFileError(f"no text in {encoding}: {error.reason} at byte {error.start}") from error


def lines_of(text: str) -> list[str]:
    """Lines without their ends; the end of the last line makes no further one."""
    return text.replace("\r\n", "\n").removesuffix("\n").split("\n")


def csv_rows(text: str, delimiter: str = ",") -> list[list[str]]:
    """The rows of a comma-separated file.

    Raises:
        UnreadableFileError: It cannot be read as such, or has too many rows.
    """
    rows = []
    try:
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
            rows.append(row)
            if len(rows) > MAX_ROWS:
                raise UnreadableFileError(f"over {MAX_ROWS} rows")
    except csv.Error as error:
        raise UnreadableFileError(f"no comma-separated rows: {error}") from error
    return rows


def json_value(text: str) -> Any:
    """The value of a JSON text.

    Raises:
        UnreadableFileError: The content is not valid, or it is nested too deeply.
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableFileError(f"no JSON: {error}") from error

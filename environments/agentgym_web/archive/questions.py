"""Files of questions about an archive, one JSON object a line, as tasks of WebArchive-v0.

A line has `question`, `answer` (a text, a number or a list of texts) and optionally `url`, `also` and `id`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agentgym.errors import TaskError, unreadable
from agentgym.task import Limits, Task

_KNOWN = {"question", "answer", "url", "also", "id"}
MAX_BYTES = 64 << 20
MAX_TURNS = 40
_EXAMPLE = '{"question": "…?", "answer": "…"}'


def load_questions(path: Path, archive: Path, start: str = "") -> list[Task]:
    """The questions of a file.

    Args:
        path: The file.
        archive: The archive that they are about.
        start: Where a question begins that names no `url`; "" takes the archive's first page.

    Raises:
        TaskError: The file cannot be read, is too large, or a line is malformed; says which.
    """
    try:
        if path.stat().st_size > MAX_BYTES:
            raise TaskError(f"{path} has more than {MAX_BYTES >> 20} MiB; split it into smaller files")
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise TaskError(unreadable(path, error)) from error
    tasks = [_task(path, number, line, archive, start) for number, line in enumerate(lines, 1) if line.strip()]
    if not tasks:
        raise TaskError(f"{path} has no questions; expected lines such as {_EXAMPLE}")
    return tasks


def _task(path: Path, number: int, line: str, archive: Path, start: str) -> Task:
    try:
        fields = json.loads(line)
    except json.JSONDecodeError as error:
        raise TaskError(f"{path}:{number}: no JSON: {error}; expected a line such as {_EXAMPLE}") from error
    if not isinstance(fields, dict) or {"question", "answer"} - fields.keys() or fields.keys() - _KNOWN:
        got = sorted(fields) if isinstance(fields, dict) else type(fields).__name__
        raise TaskError(
            f"{path}:{number}: expected an object with question and answer, and perhaps url, also, id: got {got}"
        )
    answer = _answer(path, number, fields)
    said = ", ".join(map(str, answer["value"])) if answer["kind"] == "list" else str(answer["value"])
    return Task(
        id=f"archive:{fields.get('id', number)}",
        seed=number,
        instruction=str(fields["question"]),
        config={"archive": str(archive.resolve()), "url": str(fields.get("url", start))},
        limits=Limits(max_turns=MAX_TURNS),
        private={"answer": answer, "walkthrough": [["answer", said]]},
    )


def _answer(path: Path, number: int, fields: Mapping[str, Any]) -> dict[str, Any]:
    value = fields["answer"]
    kind = "list" if isinstance(value, list) else "text" if isinstance(value, str) else "number"
    if value is None or isinstance(value, bool | dict) or value in ("", []):
        raise TaskError(f"{path}:{number}: answer must be a text, a number or a list of texts: got {value!r}")
    return {"kind": kind, "value": value, "also": list(fields.get("also", ()))}

"""Files of questions about an archive, one JSON object a line, as tasks of WebArchive-v0.

A line has `question`, `answer` (a text, a number or a list of texts) and optionally `url`, `also` and `id`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agentgym.errors import TaskError
from agentgym.task import Limits, Task
from agentgym_web.user_files import read_text

_KNOWN = {"question", "answer", "url", "also", "id"}
MAX_BYTES = 64 << 20
MAX_TURNS = 40
_LARGEST = 1e15
"""The largest number of an answer, up to which numbers are compared exactly."""
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
    lines = read_text(path, MAX_BYTES).split("\n")
    tasks = [_task(path, number, line, archive, start) for number, line in enumerate(lines, 1) if line.strip()]
    if not tasks:
        raise TaskError(f"{path} has no questions; expected lines such as {_EXAMPLE}")
    return tasks


def _task(path: Path, number: int, line: str, archive: Path, start: str) -> Task:
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise TaskError(f"{path}:{number}: no JSON: {error}; expected a line such as {_EXAMPLE}") from error
    if not isinstance(fields, dict) or {"question", "answer"} - fields.keys() or fields.keys() - _KNOWN:
        got = sorted(fields) if isinstance(fields, dict) else type(fields).__name__
        raise TaskError(
            f"{path}:{number}: expected an object with question and answer, and perhaps url, also, id: got {got}"
        )
    where = f"{path}:{number}"
    _require_types(where, fields)
    answer = _answer(where, fields)
    said = ", ".join(answer["value"]) if answer["kind"] == "list" else str(answer["value"])
    return Task(
        id=f"archive:{fields.get('id', number)}",
        seed=number,
        instruction=fields["question"],
        config={"archive": str(archive.resolve()), "url": fields.get("url", start)},
        limits=Limits(max_turns=MAX_TURNS),
        private={"answer": answer, "walkthrough": [["answer", said]]},
    )


def _require_types(where: str, fields: Mapping[str, Any]) -> None:
    for key in ("question", "url"):
        if key in fields and not _is_text(fields[key]):
            raise TaskError(f"{where}: {key} must be a text that is not blank: got {fields[key]!r:.80}")
    if isinstance(fields.get("id", 0), bool) or not isinstance(fields.get("id", 0), str | int):
        raise TaskError(f"{where}: id must be a text or a whole number: got {fields['id']!r:.80}")


def _answer(where: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The answer and what else is right, all of one kind."""
    kind = _kind(fields["answer"])
    if not kind:
        raise TaskError(f"{where}: answer must be a text, a number or a list of texts: got {fields['answer']!r:.80}")
    also = fields.get("also", [])
    if not isinstance(also, list) or any(_kind(each) != kind for each in also):
        raise TaskError(f"{where}: also must be a list of answers of its kind, {kind}: got {also!r:.80}")
    return {"kind": kind, "value": fields["answer"], "also": also}


def _kind(value: Any) -> str:
    """How an answer is compared; "" if it is none."""
    if isinstance(value, list):
        return "list" if value and all(map(_is_text, value)) else ""
    if isinstance(value, bool):
        return ""
    if isinstance(value, int | float):
        return "number" if abs(value) <= _LARGEST else ""
    return "text" if _is_text(value) else ""


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())

"""Results that go with the sources: what was run on one machine is not run again on another.

A file a task, a line a result. `python -m benchmarks.credit archive` writes them from the folder of runs.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from agentgym.errors import UnknownNameError
from benchmarks.credit.tables import Piece, digest

ARCHIVE = Path("benchmarks/results/credit")
_OF_PIECE = ("task", "method", "seed", "chosen", "is_trial")
Record = dict[str, Any]


def archived(piece: Piece, folder: Path) -> Record | None:
    """The result of a run with these settings; None where there is none."""
    return _by_digest(folder / f"{piece.task}.jsonl").get(digest(piece))


def archive(results: Path, folder: Path) -> dict[str, int]:
    """Put results into the archive, and take those out of it that no piece has any more.

    Args:
        results: Folder of JSON files, in folders of its own or not.
        folder: The archive.

    Returns:
        How many results of each task it holds.
    """
    found: dict[str, dict[str, Record]] = {}
    for record in (*_records(folder), *(json.loads(path.read_text()) for path in results.rglob("*.json"))):
        if _is_current(record):
            found.setdefault(record["task"], {})[record["digest"]] = record
    folder.mkdir(parents=True, exist_ok=True)
    for task, records in found.items():
        lines = [json.dumps(record, separators=(",", ":")) for record in sorted(records.values(), key=_place)]
        part = folder / f"{task}.partial"
        part.write_text("\n".join(lines) + "\n", encoding="utf-8")
        part.rename(folder / f"{task}.jsonl")
    _by_digest.cache_clear()
    return {task: len(records) for task, records in sorted(found.items())}


def _records(folder: Path) -> Iterator[Record]:
    for path in sorted(folder.glob("*.jsonl")):
        yield from _by_digest(path).values()


@cache
def _by_digest(path: Path) -> dict[str, Record]:
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {record["digest"]: record for record in map(json.loads, lines)}


def _is_current(record: Any) -> bool:
    """Whether the piece that it says it is of, still has its digest."""
    if not isinstance(record, dict) or not {*_OF_PIECE, "digest"} <= record.keys():
        return False
    piece = Piece(*(record[key] for key in _OF_PIECE))
    try:
        return bool(digest(piece) == record["digest"])
    except UnknownNameError:  # of a task or method
        return False


def _place(record: Record) -> tuple[Any, ...]:
    return record["method"], not record["is_trial"], record["seed"], json.dumps(record["chosen"])

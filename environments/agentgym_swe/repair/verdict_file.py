"""Verdicts on predictions, written to a file as each is reached, so that a judging that was stopped goes on there.

How a verdict is reached is in `judging`.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, get_args

from agentgym.errors import ConfigError, unreadable
from agentgym.store.whole_file import require_file_place, writing
from agentgym.task import Task
from agentgym_swe.repair.verdict.judge import Kind, Verdict

_BEGINS = '{"task": '


class VerdictFile:
    """The verdicts that stand in a file, and those that are added to it.

    Args:
        path: The file; made where it is missing. A last line that is cut off is dropped.

    Raises:
        ConfigError: It is a folder, cannot be read, or has a line that is no verdict.
        StoreError: It cannot be written.
    """

    def __init__(self, path: Path) -> None:
        require_file_place(path, "verdicts")
        self._path = path
        self._verdicts: dict[str, Verdict] = {}
        if path.exists():
            self._read()
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()

    def find(self, task: Task, diff: str) -> Verdict | None:
        """The verdict that the file has on this diff for this task; None if it has none."""
        return self._verdicts.get(_fingerprint(task, diff))

    def add(self, task: Task, diff: str, verdict: Verdict) -> None:
        """Write a verdict behind the others.

        Raises:
            StoreError: It cannot be written.
        """
        key = _fingerprint(task, diff)
        self._verdicts[key] = verdict
        line = json.dumps({**verdict_to_json(task, verdict), "fingerprint": key}, ensure_ascii=False)
        with writing(self._path), self._path.open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")

    def _read(self) -> None:
        try:
            text = self._path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(unreadable(self._path, error)) from error
        *lines, cut_off = text.split("\n")
        for number, line in enumerate(lines, start=1):
            try:
                fields = json.loads(line)
                self._verdicts[fields["fingerprint"]] = _verdict(fields)
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
                raise self._no_verdict(number) from error
        if cut_off[: len(_BEGINS)] != _BEGINS[: len(cut_off)]:
            raise self._no_verdict(len(lines) + 1)
        if cut_off:
            with writing(self._path), self._path.open("r+b") as file:
                file.truncate(len(text.removesuffix(cut_off).encode()))

    def _no_verdict(self, line: int) -> ConfigError:
        return ConfigError(f"{self._path}:{line} is no verdict that `agentgym swe judge` wrote; name another file")


def verdict_to_json(task: Task, verdict: Verdict) -> dict[str, Any]:
    """A verdict on a task as JSON values, as the command prints it."""
    why = "; ".join(verdict.reasons)
    return {"task": task.id, "verdict": verdict.kind, "why": why, "left_out": dict(verdict.left_out)}


def _verdict(fields: dict[str, Any]) -> Verdict:
    if fields["verdict"] not in get_args(Kind):
        raise ValueError(fields["verdict"])
    reasons = tuple(filter(None, (fields["why"],)))
    return Verdict(fields["verdict"], reasons=reasons, left_out=tuple(fields["left_out"].items()))


def _fingerprint(task: Task, diff: str) -> str:
    """What a verdict depends on: the task and the diff."""
    return hashlib.sha256(f"{task.id}\n{task.content_hash}\n{diff}".encode("utf-8", "surrogatepass")).hexdigest()[:32]

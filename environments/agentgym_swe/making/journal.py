"""What tests said of candidates, kept as it comes: a run that was stopped, or wants more tasks, asks only what is new.

It holds what was observed and nothing that is derived, so that the wording of issues can change without a run.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from agentgym_swe.making.candidates import Candidate

FORMAT = 2
"""Number of the way in which candidates are tried; another one tries them anew."""

Question = Literal["screen", "cold", "confirm"]


class NotTriedError(Exception):
    """A candidate of which nothing is known, where nothing new is to be tried."""


class Journal:
    """Answers by question and candidate. One that came too late says something of the machine alone and is not kept.

    Args:
        path: Its file, a line of JSON for each answer; None keeps nothing.
        is_closed: Whether only what is known is answered.
    """

    def __init__(self, path: Path | None = None, *, is_closed: bool = False) -> None:
        self._path, self._is_closed = path, is_closed
        self._answers: dict[tuple[str, str], dict[str, Any]] = {}
        if path is not None and path.is_file():
            self._read(path)

    def _read(self, path: Path) -> None:
        """Read what is there; an unfinished last line is cut off."""
        content = path.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        if len(whole) < len(content) and not self._is_closed:
            path.write_bytes(whole)
        for line in whole.decode("utf-8").splitlines():
            question, key, answer = json.loads(line)
            self._answers[question, key] = answer

    def ask(self, question: Question, candidate: Candidate, run: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """The answer that is kept, or the one that a run gives now.

        Args:
            question: What is asked.
            candidate: Of which candidate.
            run: Finds the answer out, as JSON values.

        Raises:
            NotTriedError: There is none, and the journal is closed.
        """
        key = (question, _key(candidate))
        if key not in self._answers and self._is_closed:
            raise NotTriedError
        if key not in self._answers:
            self._answers[key] = json.loads(json.dumps(run()))
            if self._path is not None and self._answers[key].get("how") != "late":
                with self._path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps([*key, self._answers[key]]) + "\n")
        return self._answers[key]


def _key(candidate: Candidate) -> str:
    edits = json.dumps([edit.to_json() for edit in candidate.edits])
    return hashlib.sha256(edits.encode()).hexdigest()[:16]

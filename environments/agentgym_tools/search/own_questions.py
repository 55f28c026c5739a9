"""Questions of your own, from a JSONL file: what is asked, what is right, and which articles show it.

The corpus that they are about is read in `corpora`.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from agentgym.errors import ConfigError, TaskError, unreadable
from agentgym.task import Task
from agentgym_tools.search.corpora import FileCorpus
from agentgym_tools.search.grading import read_date
from agentgym_tools.search.questions import LIMITS, read_question

_KEYS = {"question", "answer", "evidence", "form"}
_EXPECTED = 'expected an object such as {"question": "…", "answer": "…", "evidence": ["7"]}'


def read_questions(path: Path, corpus: FileCorpus | None = None) -> tuple[Task, ...]:
    """The tasks of a file, one a line: `question`, `answer`, `evidence` and optionally `form`.

    Without `form`, a list is a list of names, a number a number, a date such as "1987-05-03" a date, another text a
    name, and null means that no article answers the question. `evidence` holds the ids of the articles that must be
    opened.

    Args:
        path: The file.
        corpus: The articles, all of which are known; None where a server has them.

    Raises:
        ConfigError: It cannot be read, a line is wrong or names an article that the corpus lacks, or it holds no
            question; names the line.
    """
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"questions: {unreadable(path, error)}") from error
    tasks = []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            tasks.append(_read_line(line, f"{path}:{number}", number))
            _require_articles(tasks[-1], corpus, f"{path}:{number}")
    if not tasks:
        raise ConfigError(f"{path} holds no question; {_EXPECTED} on each line")
    return tuple(tasks)


def _require_articles(task: Task, corpus: FileCorpus | None, where: str) -> None:
    unknown = [one for one in task.private["evidence"] if corpus is not None and corpus.open(one) is None]
    if unknown:
        raise ConfigError(f"{where}: the corpus has no article {unknown[0]!r:.80}; evidence holds ids of its articles")


def _read_line(line: str, where: str, number: int) -> Task:
    try:
        fields = json.loads(line)
    except (json.JSONDecodeError, RecursionError) as error:
        raise ConfigError(f"{where}: it is not JSON ({error}); {_EXPECTED}") from error
    if not isinstance(fields, dict):
        raise ConfigError(f"{where}: it is of type {type(fields).__name__}; {_EXPECTED}")
    if unknown := sorted(set(fields) - _KEYS):
        raise ConfigError(f"{where}: unknown key {unknown[0]!r:.80}; expected keys of {', '.join(sorted(_KEYS))}")
    for key in ("question", "answer", "evidence"):
        if key not in fields:
            raise ConfigError(f"{where}: the key {key!r} is missing; {_EXPECTED}")
    asked, answer = fields["question"], fields["answer"]
    if not isinstance(asked, str) or not asked.strip() or not isinstance(fields["evidence"], list):
        raise ConfigError(f"{where}: question must be a text and evidence a list of ids; {_EXPECTED}")
    if isinstance(answer, bool | dict):
        raise ConfigError(
            f"{where}: the answer must be a text, a number, a list of names or null: got {answer!r:.80}; {_EXPECTED}"
        )
    if isinstance(answer, float) and not math.isfinite(answer):
        raise ConfigError(f"{where}: the answer must be a finite number, got {answer}; {_EXPECTED}")
    hidden = {"form": fields.get("form", _form_of(answer)), "answer": answer, "evidence": fields["evidence"]}
    task = Task(f"question-{number}", number, asked, limits=LIMITS, private=hidden)
    try:
        read_question(task)
    except TaskError as error:
        raise ConfigError(f"{where}: {error}") from error
    return task


def _form_of(answer: Any) -> str:
    if answer is None:
        return "none"
    if isinstance(answer, list):
        return "list"
    if isinstance(answer, int | float) and not isinstance(answer, bool):
        return "number"
    is_date = isinstance(answer, str) and answer[:4].isdigit() and read_date(answer) is not None
    return "date" if is_date else "name"

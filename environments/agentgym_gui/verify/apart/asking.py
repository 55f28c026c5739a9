"""Verdicts in a process of their own: bounded in time and memory, since hostile files are read there.

A file that makes the reader take too much costs the agent its success. A machine that is too slow costs nobody.
"""

from __future__ import annotations

import json
import resource
from collections.abc import Callable, Mapping
from typing import Any

from agentgym.errors import InfrastructureError, TaskError
from agentgym_gui.verify.apart.forking import ask_forked
from agentgym_gui.verify.check import KEPT, PROGRESS, SUCCESS, Component, check
from agentgym_gui.verify.state import State

MAX_CPU_S = 20
MAX_MEMORY_BYTES = 2 << 30
_TASK_FAULT = 3
_TOO_MUCH = 4


def check_apart(
    private: Mapping[str, Any], before: State, after: State, *, max_cpu_s: int = MAX_CPU_S
) -> list[Component]:
    """The verdict of `check`, given in a process with limits.

    Args:
        private: The task's private part.
        before: The state before the first action.
        after: The state after the last.
        max_cpu_s: Seconds of computing that reading may take.

    Raises:
        TaskError: The task is malformed.
        InfrastructureError: The process failed for a reason that is not in the agent's files.
    """
    question = {"private": dict(private), "before": before.to_json(), "after": after.to_json()}
    found = ask_apart(f"{__name__}:answered", question, max_cpu_s=max_cpu_s)
    if found is None:
        why = "reading the files took too much time or memory"
        return [Component(SUCCESS, 0.0, why), Component(PROGRESS, 0.0, why), Component(KEPT, 0.0, why)]
    return [Component(*each) for each in found]


def ask_apart(function: str, question: Mapping[str, Any], *, max_cpu_s: int = MAX_CPU_S) -> Any:
    """The answer of a function of ours that is called in a process with limits; see `answer_apart`.

    Args:
        function: Its place, as "module:name"; it calls `answer_apart`.
        question: What it is asked, as JSON values.
        max_cpu_s: Seconds of computing that it may take.

    Returns:
        The answer, as JSON values; None where the question took too much time or memory.

    Raises:
        TaskError: The task is malformed.
        InfrastructureError: The process failed for a reason that is not in the question.
    """
    asked = json.dumps({"question": dict(question), "max_cpu_s": max_cpu_s})
    answer, code = ask_forked(function, asked.encode())
    if code == 0:
        return json.loads(answer)
    if code == _TASK_FAULT:
        raise TaskError(answer.decode())
    if code in (_TOO_MUCH, -9, -24, -11):  # killed for memory; out of time; crashed on a document
        return None
    raise InfrastructureError(f"the process of a verdict ended with {code}: {answer.decode(errors='replace')[-500:]}")


def answer_apart(answer: Callable[[Mapping[str, Any]], Any], asked: bytes) -> tuple[bytes, int]:
    """What is done in the process of `ask_apart`: set its limits, and answer.

    Args:
        answer: What gives the answer.
        asked: The question.

    Returns:
        What is sent back, and the exit code of the process.
    """
    limits = json.loads(asked)
    limit = int(limits["max_cpu_s"])
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        return json.dumps(answer(limits["question"])).encode(), 0
    except TaskError as error:
        return str(error).encode(), _TASK_FAULT
    except (MemoryError, RecursionError):
        return b"", _TOO_MUCH


def answered(asked: bytes) -> tuple[bytes, int]:
    """The answer of `check_apart`."""
    return answer_apart(_verdict, asked)


def _verdict(question: Mapping[str, Any]) -> list[Component]:
    return check(question["private"], State.from_json(question["before"]), State.from_json(question["after"]))

"""Verdicts in a process of their own: bounded in time and memory, since hostile files are read there.

A file that makes the reader take too much costs the agent its success. A machine that is too slow costs nobody.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Mapping
from typing import Any

from agentgym.errors import InfrastructureError, TaskError
from agentgym_gui.verify.check import KEPT, PROGRESS, SUCCESS, Component, check
from agentgym_gui.verify.state import State

MAX_CPU_S = 20
MAX_MEMORY_BYTES = 2 << 30
MAX_WALL_S = 300.0
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
    found = ask_apart("agentgym_gui.verify.apart", question, max_cpu_s=max_cpu_s)
    if found is None:
        why = "reading the files took too much time or memory"
        return [Component(SUCCESS, 0.0, why), Component(PROGRESS, 0.0, why), Component(KEPT, 0.0, why)]
    return [Component(*each) for each in found]


def ask_apart(module: str, question: Mapping[str, Any], *, max_cpu_s: int = MAX_CPU_S) -> Any:
    """The answer of a module of ours that is run in a process with limits; see `answer_apart`.

    Args:
        module: Its name.
        question: What it is asked, as JSON values.
        max_cpu_s: Seconds of computing that it may take.

    Returns:
        The answer, as JSON values; None where the question took too much time or memory.

    Raises:
        TaskError: The task is malformed.
        InfrastructureError: The process failed for a reason that is not in the question.
    """
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    try:
        ended = subprocess.run(  # noqa: S603 - our own module
            [sys.executable, "-m", module],
            input=json.dumps({"question": dict(question), "max_cpu_s": max_cpu_s}),
            capture_output=True,
            text=True,
            timeout=MAX_WALL_S,
            env=environment,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InfrastructureError(f"the verdict was not reached: {error}; the machine may be overloaded") from error
    if ended.returncode == 0:
        return json.loads(ended.stdout)
    if ended.returncode == _TASK_FAULT:
        raise TaskError(ended.stderr.strip())
    if ended.returncode in (_TOO_MUCH, -9, -24, -11):  # killed for memory; out of time; crashed on a document
        return None
    raise InfrastructureError(f"the verdict's process ended with {ended.returncode}: {ended.stderr.strip()[-500:]}")


def answer_apart(answer: Callable[[Mapping[str, Any]], Any]) -> int:
    """What the process of `ask_apart` does: read the question from the standard input, and answer within limits.

    Args:
        answer: What gives the answer.

    Returns:
        The exit code of the process.
    """
    asked = json.load(sys.stdin)
    limit = int(asked["max_cpu_s"])
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        found = answer(asked["question"])
    except TaskError as error:
        sys.stderr.write(str(error))
        return _TASK_FAULT
    except (MemoryError, RecursionError):
        return _TOO_MUCH
    json.dump(found, sys.stdout)
    return 0


def _verdict(question: Mapping[str, Any]) -> list[Component]:
    return check(question["private"], State.from_json(question["before"]), State.from_json(question["after"]))


if __name__ == "__main__":
    sys.exit(answer_apart(_verdict))

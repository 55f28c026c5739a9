"""The task that a client asks for: by id, complete, or as its public part, which the server completes.

`agentgym.remote.wire` decides which parts of a task are sent.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from agentgym.env import AgentEnv
from agentgym.errors import TaskError
from agentgym.remote.wire import CONTENT_HASH, is_same_problem, read_task
from agentgym.sandbox.sandbox_env import SandboxEnv
from agentgym.suite import find_task
from agentgym.task import Task


def chosen_task(env: AgentEnv, given: Any) -> Task | None:
    """The task that a client asks for.

    Args:
        env: Makes tasks from seeds again.
        given: A task id; a task as JSON with its private part; a task without it, which is completed from its suite or
            by making it again from its seed; None lets the environment choose.

    Raises:
        TaskError: It is malformed, differs from the task that the server has under its id, or would reach outside its
            sandbox.
    """
    if given is None:
        return None
    if isinstance(given, str):
        return find_task(given)
    if isinstance(given, dict) and CONTENT_HASH in given:
        fields = dict(given)
        content_hash = fields.pop(CONTENT_HASH)
        return _completed(read_task(fields), content_hash)
    task = read_task(given)
    if isinstance(env, SandboxEnv):
        env.vet(task)
    if "private" in given:
        return task
    known = find_task(task.id) if task.suite else env.make_task(task.seed)
    if is_same_problem(task, known):
        return known
    if not known.private and task.content_hash == known.content_hash:
        return task  # nothing of it is the server's alone; limits and seed stay as the client has them
    if task.suite:
        raise TaskError(f"task {task.id!r} differs from the one that the server has; send it with its private part")
    return task


def _completed(task: Task, content_hash: Any) -> Task:
    """The task with the private part that the server knows; limits and seed stay as the client gave them."""
    known = find_task(task.id)
    completed = dataclasses.replace(task, private=known.private)
    if not completed.content_hash == known.content_hash == content_hash:
        raise TaskError(
            f"task {task.id!r} is another problem on the server than on the client: their suites differ in version. "
            f"Install the same, or make the client with sends_private_tasks=True"
        )
    return completed

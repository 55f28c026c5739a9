"""What a thread is doing in an environment now, as text for a person who waits.

Where an error was raised is in `agentgym.origin`.
"""

from __future__ import annotations

import sys
import traceback
from types import FrameType

from agentgym.origin import innermost_own

_METHODS = frozenset({"reset", "step", "finalize"})
_SHIPPED = "agentgym_"
"""What the names of the packages of agentgym's own environments begin with."""


def describe_running(thread_id: int) -> str:
    """The call of an environment that a thread is in.

    Args:
        thread_id: As `threading.get_ident` gives it.

    Returns:
        A text such as "step 3 of task 'a:1' (.../env.py, line 42, in respond)", where steps count from 0. It has no
        place if only code that agentgym ships runs there, and is "" if the thread is in no environment.
    """
    innermost = sys._current_frames().get(thread_id)
    inside: list[tuple[FrameType, int]] = []
    for frame, line in traceback.walk_stack(innermost) if innermost is not None else ():
        found = frame.f_locals.get("self") if frame.f_code.co_name in _METHODS else None
        if hasattr(found, "task") and hasattr(found, "books"):
            return f"{_named(frame.f_code.co_name, found)}{innermost_own(inside[::-1])}"
        if not frame.f_globals.get("__name__", "").startswith(_SHIPPED):
            inside.append((frame, line))
    return ""


def _named(method: str, env: object) -> str:
    task, books = env.task, env.books  # type: ignore[attr-defined]
    of_task = f" of task {task.id!r}" if task is not None else ""
    return f"step {sum(books.turns.values())}{of_task}" if method == "step" else f"{method}(){of_task}"

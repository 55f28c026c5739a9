"""JSON files of other projects, read whole; what is in them is checked by who asks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agentgym.errors import TaskError, unreadable


def read_list(path: Path, max_bytes: int, expected: str) -> list[Any]:
    """The list that a file holds; a single value stands for a list of it.

    Args:
        path: The file.
        max_bytes: Most bytes that it may have.
        expected: What should be in it, for the message, such as "a list of tasks".

    Raises:
        TaskError: It cannot be read, is too large, is no JSON, or holds nothing.
    """
    try:
        size = path.stat().st_size
        if size > max_bytes:
            raise TaskError(f"{path} has {size} bytes, at most {max_bytes >> 20} MiB can be read; split it")
        loaded = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise TaskError(unreadable(path, error)) from error
    except (json.JSONDecodeError, RecursionError) as error:
        raise TaskError(f"{path} is no JSON: {error}; expected {expected}") from error
    found = loaded if isinstance(loaded, list) else [loaded]
    if not found:
        raise TaskError(f"{path} is empty; expected {expected}")
    return found

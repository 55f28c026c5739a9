"""JSON files of other projects, read whole; what is in them is checked by who asks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agentgym.errors import TaskError
from agentgym_web.user_files import read_text


def read_list(path: Path, max_bytes: int, expected: str) -> list[Any]:
    """The list that a file holds; a single value stands for a list of it.

    Args:
        path: The file.
        max_bytes: Most bytes that it may have.
        expected: What should be in it, for the message, such as "a list of tasks".

    Raises:
        TaskError: It cannot be read, is no regular file, is too large, is no JSON, or holds nothing.
    """
    text = read_text(path, max_bytes)
    try:
        loaded = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise TaskError(f"{path} is no JSON: {error}; expected {expected}") from error
    found = loaded if isinstance(loaded, list) else [loaded]
    if not found:
        raise TaskError(f"{path} is empty; expected {expected}")
    return found

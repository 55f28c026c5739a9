"""Files that the user names, read whole and never beyond a limit, whatever their size is said to be."""

from __future__ import annotations

import stat
from pathlib import Path

from agentgym.errors import AgentGymError, TaskError, unreadable

_PIECE = 1 << 20


def read_text(path: Path, max_bytes: int, failure: type[AgentGymError] = TaskError) -> str:
    """The text of a file in UTF-8, without a byte order mark.

    Args:
        path: The file.
        max_bytes: Most bytes that it may have.
        failure: The class of errors.

    Raises:
        AgentGymError: Of class `failure`: it cannot be read, is no regular file, is too large or no UTF-8.
    """
    try:
        return read_bytes(path, max_bytes, failure).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise failure(unreadable(path, error)) from error


def read_bytes(path: Path, max_bytes: int, failure: type[AgentGymError] = TaskError) -> bytes:
    """The bytes of a file; see `read_text`.

    Raises:
        OSError: It cannot be read.
        AgentGymError: Of class `failure`: it is no regular file or too large.
    """
    found = path.stat()
    if not stat.S_ISREG(found.st_mode) and not stat.S_ISDIR(found.st_mode):
        raise failure(f"{path} is no regular file; copy what it holds into one")
    too_large = failure(f"{path} is too large: at most {max_bytes >> 20} MiB can be read; split it")
    if found.st_size > max_bytes:
        raise too_large
    content = bytearray()
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            content += piece
            if len(content) > max_bytes:
                raise too_large
    return bytes(content)

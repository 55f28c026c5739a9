"""Files of a copied home, opened with care: regular files alone, no links on the way, no more bytes than allowed.

Whoever wrote these files may have been an agent. What is in them is parsed by the modules beside this one.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from agentgym.errors import AgentGymError

MAX_BYTES = 32 << 20
"""Most bytes of one file that a verifier reads."""
MAX_FILES = 20_000
"""Most files and folders of a home that a verifier looks at."""


class UnreadableFileError(AgentGymError, ValueError):
    """A file of the agent that is missing, is not what its name says, or is too large to read.

    It costs the agent, not the harness: what was wanted of the file is then not there.
    """


def read_bytes(home: Path, path: str, max_bytes: int = MAX_BYTES) -> bytes:
    """The content of a regular file below home.

    Args:
        home: The root that nothing leads out of.
        path: Relative, with slashes.
        max_bytes: Most bytes that it may have.

    Raises:
        UnreadableFileError: It is missing, no regular file, reached through a link, or too large.
    """
    parts = _parts(path)
    folder = os.open(home, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for part in parts[:-1]:
            folder, parent = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder), folder
            os.close(parent)
        return _read_regular(folder, parts[-1], path, max_bytes)
    except OSError as error:
        raise UnreadableFileError(f"{path}: {error.strerror}") from error
    finally:
        os.close(folder)


def _read_regular(folder: int, name: str, path: str, max_bytes: int) -> bytes:
    # O_NONBLOCK: a named pipe opens at once instead of waiting for a writer.
    descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    with os.fdopen(descriptor, "rb") as opened:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise UnreadableFileError(f"{path}: no regular file")
        content = opened.read(max_bytes + 1)
    if len(content) > max_bytes:
        raise UnreadableFileError(f"{path}: over {max_bytes} bytes")
    return content


def is_there(home: Path, path: str) -> bool:
    """Whether something has that name below home, a dangling link included."""
    try:
        _parts(path)
        return os.path.lexists(home / path)
    except (UnreadableFileError, OSError, ValueError):
        return False


def names_in(home: Path, path: str) -> list[str]:
    """The sorted names in a folder below home; "" is home itself.

    Raises:
        UnreadableFileError: It is no folder, or holds more than `MAX_FILES` names.
    """
    for part in (PurePosixPath(*_parts(path)[: count + 1]) for count in range(len(_parts(path)))) if path else ():
        if (home / part).is_symlink() or not (home / part).is_dir():
            raise UnreadableFileError(f"{path}: no folder")
    names = sorted(os.listdir(home / path))
    if len(names) > MAX_FILES:
        raise UnreadableFileError(f"{path}: over {MAX_FILES} names")
    return names


def entries(home: Path) -> Iterator[tuple[str, os.stat_result]]:
    """Everything below home but folders, by relative path, sorted within each folder; links are not followed.

    Raises:
        UnreadableFileError: There are more than `MAX_FILES` files and folders.
    """
    count = 0
    for folder, folders, files in os.walk(home, followlinks=False):
        folders.sort()
        count += len(folders) + len(files)
        if count > MAX_FILES:
            raise UnreadableFileError(f"home holds over {MAX_FILES} files and folders")
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        for name in sorted([*files, *links]):
            whole = os.path.join(folder, name)
            yield os.path.relpath(whole, home), os.lstat(whole)


def _parts(path: str) -> tuple[str, ...]:
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or ".." in parts or "\0" in path:
        raise UnreadableFileError(f"{path!r} is no path below home")
    return parts

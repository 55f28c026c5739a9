"""Locks on files that the kernel frees with the process that holds them: who is alive, and who may write.

They belong to an open file (`F_OFD_SETLK` of Linux). `lockf`'s belong to the process and go when it closes any
descriptor of the file. The two kinds exclude each other. A forked child closes what it inherits, so that it keeps no
lock of a parent that has died.
"""

from __future__ import annotations

import fcntl
import os
import struct
import threading
from pathlib import Path

_WHOLE_FILE = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)

_opened: set[FileLock] = set()
_opening = threading.RLock()  # a fork waits for it, so that the child knows of every open file


class FileLock:
    """An open file that can be locked, until `close`.

    Args:
        path: The file.
        creates: Whether to make a missing one.

    Raises:
        FileNotFoundError: There is no such file, or no folder to make it in.
    """

    def __init__(self, path: Path, *, creates: bool) -> None:
        self._path = path
        flags = os.O_RDWR | os.O_CLOEXEC | (os.O_CREAT if creates else 0)
        with _opening:
            self._descriptor = os.open(path, flags, 0o600)
            _opened.add(self)

    def take(self) -> None:
        """Wait for the lock."""
        fcntl.fcntl(self._descriptor, fcntl.F_OFD_SETLKW, _WHOLE_FILE)

    def try_to_take(self) -> bool:
        """Take the lock if nobody has it; whether that was so."""
        try:
            fcntl.fcntl(self._descriptor, fcntl.F_OFD_SETLK, _WHOLE_FILE)
        except (BlockingIOError, PermissionError):
            return False
        return True

    def is_at_path(self) -> bool:
        """Whether the path still leads to this file: one that was removed meanwhile locks out nobody."""
        try:
            return os.path.samestat(os.fstat(self._descriptor), os.stat(self._path))
        except FileNotFoundError:
            return False

    def close(self) -> None:
        """Close the file, which frees the lock, unless a parent process still has it open; twice is harmless."""
        with _opening:
            if self in _opened:
                _opened.remove(self)
                os.close(self._descriptor)


def locked(path: Path) -> FileLock:
    """Wait for the lock of a file, which is made where it is missing."""
    while True:
        lock = FileLock(path, creates=True)
        try:
            lock.take()
            if lock.is_at_path():
                return lock
        except BaseException:
            lock.close()
            raise
        lock.close()


def _close_inherited() -> None:
    """Leave a forked child without the files of its parent."""
    global _opening
    _opening = threading.RLock()
    for lock in list(_opened):
        lock.close()


os.register_at_fork(
    before=lambda: _opening.acquire(), after_in_parent=lambda: _opening.release(), after_in_child=_close_inherited
)

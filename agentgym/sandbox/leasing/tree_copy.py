"""Copying a file tree as it is: owners, modes, times, links, holes, and what an overlay's upper layer is made of.

It trusts nothing in the tree: links are never followed and devices never opened. The tree must not change meanwhile.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from agentgym.errors import ConfigError

_KEPT_ATTRIBUTES = ("user.", "trusted.overlay.opaque", "trusted.overlay.redirect")
_CHUNK = 1 << 20
_MAX_DEPTH = 256


class _Hash(Protocol):
    def update(self, content: bytes, /) -> None: ...


@dataclass
class TreeCopy:
    """One copy of a tree.

    Attributes:
        owner: User and group id of everything copied; None keeps them.
        digest: Hashes names, modes, links and content on the way; None saves the work.
        is_layer: Whether the tree is an overlay's upper layer, whose whiteouts and attributes are kept.
        skips_special: Whether sockets, pipes and devices are left out; else they are refused.
    """

    owner: tuple[int, int] | None = None
    digest: _Hash | None = None
    is_layer: bool = False
    skips_special: bool = True
    num_bytes: int = 0
    _links: dict[tuple[int, int], str] = field(default_factory=dict)

    def copy(self, source: Path, target: Path) -> None:
        """Copy the content of a folder into another, which is made where it is missing.

        Raises:
            ConfigError: The tree holds something that cannot be copied, where special files are refused.
            OSError: It cannot be read or written.
        """
        os.makedirs(target, mode=0o700, exist_ok=True)
        self._folder(str(source), str(target), "")
        self._attributes(str(source), str(target), os.lstat(source))

    def _folder(self, source: str, target: str, name: str) -> None:
        if name.count("/") > _MAX_DEPTH:
            raise OSError(errno.ENAMETOOLONG, f"folders nest deeper than {_MAX_DEPTH}", source)
        for entry in sorted(os.scandir(source), key=lambda found: found.name):
            inside = f"{name}/{entry.name}"
            info = entry.stat(follow_symlinks=False)
            made = f"{target}/{entry.name}"
            if not self._entry(entry.path, made, info, inside):
                continue
            if stat.S_ISDIR(info.st_mode):
                self._folder(entry.path, made, inside)
            self._attributes(entry.path, made, info)

    def _entry(self, source: str, target: str, info: os.stat_result, name: str) -> bool:
        """Make one entry; False where it needs nothing further."""
        mode = info.st_mode
        self._note(f"{name}\0{mode:o}\0".encode())
        if stat.S_ISDIR(mode):
            os.makedirs(target, mode=0o700, exist_ok=True)
        elif stat.S_ISLNK(mode):
            link = os.readlink(source)
            self._note(os.fsencode(link) + b"\0")
            os.symlink(link, target)
        elif stat.S_ISREG(mode):
            first = self._links.setdefault((info.st_dev, info.st_ino), target) if info.st_nlink > 1 else target
            if first != target:
                os.link(first, target)
                return False
            self._content(source, target, info.st_size)
        elif self.is_layer and stat.S_ISCHR(mode) and info.st_rdev == 0:
            os.mknod(target, stat.S_IFCHR, 0)
            return False
        elif not self.skips_special:
            raise ConfigError(f"{source} is no file, folder or link, so it cannot be part of a work folder; remove it")
        else:
            return False
        return True

    def _content(self, source: str, target: str, size: int) -> None:
        with open(source, "rb", buffering=0, opener=_open_plainly) as reader, open(target, "xb", buffering=0) as writer:
            for start, end in _extents(reader.fileno(), size):
                position = start
                os.lseek(reader.fileno(), start, os.SEEK_SET)
                os.lseek(writer.fileno(), start, os.SEEK_SET)
                while position < end:
                    content = reader.read(min(_CHUNK, end - position))
                    if not content:
                        break
                    self._note(content)
                    writer.write(content)
                    position += len(content)
                    self.num_bytes += len(content)
            writer.truncate(size)

    def _attributes(self, source: str, target: str, info: os.stat_result) -> None:
        uid, gid = self.owner or (info.st_uid, info.st_gid)
        os.lchown(target, uid, gid)
        if stat.S_ISLNK(info.st_mode):
            return
        if self.is_layer:
            for name in os.listxattr(source, follow_symlinks=False):
                if name.startswith(_KEPT_ATTRIBUTES):
                    os.setxattr(target, name, os.getxattr(source, name, follow_symlinks=False), follow_symlinks=False)
        os.chmod(target, stat.S_IMODE(info.st_mode))
        os.utime(target, ns=(info.st_atime_ns, info.st_mtime_ns))

    def _note(self, content: bytes) -> None:
        if self.digest is not None:
            self.digest.update(content)


def _extents(descriptor: int, size: int) -> Iterator[tuple[int, int]]:
    """Where a file has content; a sparse file of a terabyte is copied as sparse as it is."""
    position = 0
    while position < size:
        try:
            start = os.lseek(descriptor, position, os.SEEK_DATA)
        except OSError as error:
            if error.errno == errno.ENXIO:
                return
            raise
        position = os.lseek(descriptor, start, os.SEEK_HOLE)
        yield start, position


def _open_plainly(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)

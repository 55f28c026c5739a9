"""File trees on their way into and out of sandboxes, as tar streams that are trusted in neither direction.

What is sent is checked here before it leaves; what comes back is unpacked here, entry by entry, never by a library's
extraction. `sandbox` sends and receives the streams.
"""

from __future__ import annotations

import errno
import os
import stat
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Protocol

from agentgym.errors import SandboxFileError
from agentgym.sandbox.leasing.workspace import remove_tree
from agentgym.sandbox.runner.protocol import PIECE_BYTES

MAX_ENTRIES = 100_000
_MAX_LEVELS = 256
"""Most folders that an entry may lie in; making them recurses."""
_BLOCK = 512
_NAME_FAULTS = {errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG, errno.ELOOP, errno.ENOTEMPTY}
_HEADER_ALLOWANCE = 64 << 20


class ByteSource(Protocol):
    """Where an archive comes from."""

    def read(self, size: int, /) -> bytes:
        """The next bytes, fewer than asked for only at the end."""


def packed_tree(source: Path) -> Iterator[bytes]:
    """The content of a folder as a tar stream in pieces; everything in it is checked before the first.

    Raises:
        SandboxFileError: A link leaves the folder, or there is something other than files, folders and links.
    """
    entries = list(_entries(source))
    return _packed(source, entries)


def unpack_tree(archive: ByteSource, target: Path, max_bytes: int) -> None:
    """Unpack a tar stream into a new folder, which appears whole or not at all.

    Args:
        archive: The stream.
        target: The folder, which must not exist.
        max_bytes: Allowed sum of the files' sizes.

    Raises:
        SandboxFileError: The stream is malformed or too large, or holds absolute names, `..`, devices, pipes, or links
            that leave the folder.
    """
    if os.path.lexists(target):
        raise SandboxFileError(errno.EEXIST, f"{target} exists; a download makes its target")
    unfinished = target.with_name(f".{target.name}.{os.urandom(4).hex()}")
    unfinished.mkdir(mode=0o700)
    try:
        unpacking = _Unpacking(unfinished, max_bytes)
        limited = _Limited(archive, max_bytes + _HEADER_ALLOWANCE)
        with tarfile.open(fileobj=limited, mode="r|") as stream:  # type: ignore[call-overload]
            for member in stream:
                unpacking.add(stream, member)
        unpacking.finish()
        os.rename(unfinished, target)
    except (tarfile.TarError, EOFError, UnicodeError, ValueError) as error:
        raise SandboxFileError(errno.EINVAL, f"the sandbox sent a malformed archive: {error}") from error
    except OSError as error:
        if error.errno not in _NAME_FAULTS or isinstance(error, SandboxFileError):
            raise
        raise SandboxFileError(error.errno, f"the sandbox sent an archive that contradicts itself: {error}") from error
    finally:
        remove_tree(unfinished)


def _entries(source: Path) -> Iterator[tuple[str, os.stat_result]]:
    root = os.path.realpath(source)
    yield ".", os.stat(root)
    for folder, names, files in os.walk(root):
        names.sort()
        for name in (*names, *sorted(files)):
            path = os.path.join(folder, name)
            found = os.lstat(path)
            if stat.S_ISLNK(found.st_mode):
                if os.path.isabs(os.readlink(path)) or not _is_within(os.path.realpath(path), root):
                    raise SandboxFileError(errno.EXDEV, f"{path} is a link that leaves {source}; it is not uploaded")
            elif not stat.S_ISREG(found.st_mode) and not stat.S_ISDIR(found.st_mode):
                raise SandboxFileError(errno.EINVAL, f"{path} is no file, folder or link; it is not uploaded")
            yield os.path.relpath(path, root), found


def _packed(source: Path, entries: list[tuple[str, os.stat_result]]) -> Iterator[bytes]:
    for name, found in entries:
        path = os.path.join(source, name)
        member = tarfile.TarInfo(name)
        member.mode = found.st_mode & 0o777
        member.mtime = int(found.st_mtime)
        if stat.S_ISDIR(found.st_mode):
            member.type = tarfile.DIRTYPE
        elif stat.S_ISLNK(found.st_mode):
            member.type, member.linkname = tarfile.SYMTYPE, os.readlink(path)
        else:
            member.size = found.st_size
        yield member.tobuf(tarfile.PAX_FORMAT, "utf-8", "surrogateescape")
        if member.isreg():
            yield from _content(path, member.size)
    yield bytes(2 * _BLOCK)


def _content(path: str, size: int) -> Iterator[bytes]:
    left = size
    with open(path, "rb", buffering=0) as reader:
        while left:
            piece = reader.read(min(PIECE_BYTES, left))
            if not piece:
                raise SandboxFileError(errno.EIO, f"{path} became shorter while it was uploaded")
            left -= len(piece)
            yield piece
    if size % _BLOCK:
        yield bytes(_BLOCK - size % _BLOCK)


class _Limited:
    """Refuses a stream that goes on beyond its limit, whatever its headers announce."""

    def __init__(self, source: ByteSource, limit: int) -> None:
        self._source = source
        self._left = limit

    def read(self, size: int) -> bytes:
        content = self._source.read(min(size, self._left + 1))
        self._left -= len(content)
        if self._left < 0:
            raise SandboxFileError(errno.EFBIG, "the sandbox sent a longer archive than its files' limit allows")
        return content


@dataclass
class _Unpacking:
    """One tree on its way to the host. Links are made last, so that nothing is written through one."""

    root: Path
    max_bytes: int
    num_entries: int = 0
    num_bytes: int = 0
    files: set[str] = field(default_factory=set)
    links: dict[str, str] = field(default_factory=dict)
    modes: dict[str, int] = field(default_factory=dict)

    def add(self, stream: tarfile.TarFile, member: tarfile.TarInfo) -> None:
        name = _safe_name(member.name)
        self.num_entries += 1
        if self.num_entries > MAX_ENTRIES:
            raise SandboxFileError(errno.EFBIG, f"the tree in the sandbox has more than {MAX_ENTRIES} entries")
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if member.isdir():
            path.mkdir(exist_ok=True, mode=0o700)
            self.modes[name] = member.mode & 0o777 | 0o700
        elif member.issym():
            self.links[name] = member.linkname
        elif member.islnk():
            first = _safe_name(member.linkname)
            if first not in self.files:
                raise SandboxFileError(errno.EXDEV, f"{name!r} is a hard link to {first!r}, which is no file before it")
            os.link(self.root / first, path)
            self.files.add(name)
        elif member.isreg():
            self._write(stream, member, path)
            self.files.add(name)
            self.modes[name] = member.mode & 0o777 | 0o600
        else:
            raise SandboxFileError(errno.EINVAL, f"{name!r} is a device or pipe; it is not downloaded")

    def _write(self, stream: tarfile.TarFile, member: tarfile.TarInfo, path: Path) -> None:
        self.num_bytes += member.size
        if self.num_bytes > self.max_bytes:
            raise SandboxFileError(errno.EFBIG, f"the tree in the sandbox has more than {self.max_bytes} bytes")
        reader = stream.extractfile(member)
        if reader is None:
            raise SandboxFileError(errno.EINVAL, f"{member.name!r} has no content")
        with open(path, "xb", buffering=0) as writer:
            while piece := reader.read(1 << 20):
                writer.write(piece)

    def finish(self) -> None:
        root = os.path.realpath(self.root)
        for name, link in self.links.items():
            os.symlink(link, self.root / name)
        for name, link in self.links.items():
            if os.path.isabs(link) or not _is_within(os.path.realpath(self.root / name), root):
                raise SandboxFileError(errno.EXDEV, f"{name!r} is a link to {link!r}, out of the tree")
        for name, mode in reversed(self.modes.items()):
            if name not in self.links:
                os.chmod(self.root / name, mode, follow_symlinks=True)


def _safe_name(name: str) -> str:
    parts = PurePosixPath(name).parts
    if not parts and name in (".", "./", ""):
        return "."
    if name.startswith("/") or ".." in parts or "\0" in name:
        raise SandboxFileError(errno.EXDEV, f"the sandbox sent an archive with the name {name!r}")
    if len(parts) > _MAX_LEVELS:
        raise SandboxFileError(errno.ENAMETOOLONG, f"the sandbox sent an archive with a name of {len(parts)} levels")
    return "/".join(parts)


def _is_within(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip("/") + "/")

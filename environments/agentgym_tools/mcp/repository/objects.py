"""Objects and the index of git as bytes: how they are written, and how they are read back.

What a repository holds is in `model`, where it lies on a disk in `reading`.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass

MAX_OBJECT_BYTES = 4 << 20
"""Most bytes of one object that are unpacked."""
FILE_MODE = "100644"
_ENTRY = struct.Struct(">10I20sH")
_EXTENDED = 0x4000


class DamagedError(ValueError):
    """Bytes that are not what git writes."""


@dataclass(frozen=True)
class Commit:
    """What a commit says, without who made it and when."""

    tree: str
    parents: tuple[str, ...]
    message: str


def object_id(kind: str, content: bytes) -> str:
    """The name of an object: SHA-1 in hex of its kind, length and content."""
    return hashlib.sha1(b"%s %d\0%s" % (kind.encode(), len(content), content), usedforsecurity=False).hexdigest()


def packed(kind: str, content: bytes) -> bytes:
    """An object as its file holds it."""
    return zlib.compress(b"%s %d\0%s" % (kind.encode(), len(content), content), 1)


def unpacked(stored: bytes) -> tuple[str, bytes]:
    """Kind and content of an object's file.

    Raises:
        DamagedError: It is none, or a very large one.
    """
    try:
        whole = zlib.decompressobj().decompress(stored, MAX_OBJECT_BYTES)
    except zlib.error as error:
        raise DamagedError(f"an object cannot be unpacked: {error}") from error
    head, separator, content = whole.partition(b"\0")
    kind, _, size = head.partition(b" ")
    if not separator or not size.isdigit() or int(size) != len(content):
        raise DamagedError("an object is damaged or too large")
    return kind.decode("ascii", "replace"), content


def tree_content(entries: Mapping[str, tuple[str, str]]) -> bytes:
    """A tree of one folder.

    Args:
        entries: By name the mode and the id.
    """
    # git sorts folders as if their names ended with a slash.
    ordered = sorted(entries.items(), key=lambda item: item[0] + ("/" if item[1][0] == "40000" else ""))
    return b"".join(b"%s %s\0" % (mode.encode(), name.encode()) + bytes.fromhex(i) for name, (mode, i) in ordered)


def commit_content(commit: Commit, author: str, when: int) -> bytes:
    """A commit.

    Args:
        commit: What it says.
        author: Name and address, as "Ada <ada@mail.test>".
        when: Seconds since 1970; the zone is UTC.
    """
    lines = [f"tree {commit.tree}", *(f"parent {parent}" for parent in commit.parents)]
    lines += [f"{role} {author} {when} +0000" for role in ("author", "committer")]
    return "\n".join([*lines, "", commit.message + "\n"]).encode()


def read_commit(content: bytes) -> Commit:
    """What a commit says.

    Raises:
        DamagedError: It is none.
    """
    head, separator, message = content.decode("utf-8", "replace").partition("\n\n")
    fields = [line.partition(" ")[::2] for line in head.split("\n")]
    trees = [value for name, value in fields if name == "tree"]
    if not separator or len(trees) != 1:
        raise DamagedError("a commit is damaged")
    return Commit(trees[0], tuple(value for name, value in fields if name == "parent"), message.strip())


def index_content(files: Mapping[str, str]) -> bytes:
    """An index that knows no times and sizes of files, so that git compares their contents.

    Args:
        files: By path the id of what is staged.
    """
    entries = []
    for path, blob in sorted(files.items(), key=lambda item: item[0].encode()):
        name = path.encode()
        head = _ENTRY.pack(0, 0, 0, 0, 0, 0, 0o100644, 0, 0, 0, bytes.fromhex(blob), min(len(name), 0xFFF))
        entries.append((head + name).ljust((len(head) + len(name) + 8) // 8 * 8, b"\0"))
    body = b"DIRC" + struct.pack(">II", 2, len(entries)) + b"".join(entries)
    return body + hashlib.sha1(body, usedforsecurity=False).digest()


def read_index(content: bytes) -> dict[str, str]:
    """By path the id of what is staged; a path with a conflict has its stage behind it.

    Raises:
        DamagedError: It is no index of version 2 or 3.
    """
    if len(content) < 12 or content[:4] != b"DIRC":
        raise DamagedError("the index is damaged")
    version, count = struct.unpack(">II", content[4:12])
    if version not in (2, 3):
        raise DamagedError(f"the index has the version {version}; expected 2 or 3")
    files: dict[str, str] = {}
    at = 12
    for _ in range(count):
        if at + _ENTRY.size > len(content):
            raise DamagedError("the index ends too early")
        *_, blob, flags = _ENTRY.unpack_from(content, at)
        name_at = at + _ENTRY.size + (2 if flags & _EXTENDED else 0)
        end = content.find(b"\0", name_at)
        if end < 0:
            raise DamagedError("the index ends too early")
        stage = (flags >> 12) & 3
        path = content[name_at:end].decode("utf-8", "replace") + (f" (stage {stage})" if stage else "")
        files[path] = blob.hex()
        at += (end - at + 8) // 8 * 8
    return files

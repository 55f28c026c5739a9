"""The git repository of an episode: one commit of what it begins with, written on the host without git.

The same files give the commit that `git init, add, commit` gives in the sandbox. Blobs of a package's files are packed
once in a process; only what a task changes is packed for it.
"""

from __future__ import annotations

import hashlib
import itertools
import struct
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from agentgym_swe.repositories.layer import Layer, is_below

WHO = "Maintainer <maintainer@example.org>"
WHEN = 1_704_110_400
"""The time of the commit, seconds since 1970."""
MESSAGE = "Import"
_COMMIT, _TREE, _BLOB = 1, 2, 3
_NAMES = {_COMMIT: "commit", _TREE: "tree", _BLOB: "blob"}
_FILE, _FOLDER = b"100644", b"40000"
_CONFIG = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n"


class Packed(NamedTuple):
    """An object as it is in a pack.

    Attributes:
        name: Its SHA-1.
        content: Header and compressed content.
        crc: CRC-32 of that.
    """

    name: bytes
    content: bytes
    crc: int


def repository(layer: Layer, files: Mapping[str, str], removed: Iterable[str]) -> dict[str, bytes]:
    """The files of `.git`, by path in the work folder.

    Args:
        layer: The package.
        files: Texts that differ from it, by path.
        removed: Paths that are taken away.
    """
    gone = tuple(removed)
    blobs = {
        path: _packed(_BLOB, files[path].encode("utf-8"))
        if path in files
        else _blob(str(layer.folder), layer.digest, path)
        for path in sorted({*layer.files, *files}, key=str.encode)
        if path in files or not is_below(path, gone)
    }
    objects = {blob.name: blob for blob in blobs.values()}
    top = _tree(blobs, objects)
    signed = f"{WHO} {WHEN} +0000"
    commit = _packed(_COMMIT, f"tree {top.hex()}\nauthor {signed}\ncommitter {signed}\n\n{MESSAGE}\n".encode())
    objects[commit.name] = commit
    pack, index = _pack(list(objects.values()))
    name = f".git/objects/pack/pack-{pack[-20:].hex()}"
    log = f"{'0' * 40} {commit.name.hex()} {signed}\tcommit (initial): {MESSAGE}\n".encode()
    return {
        ".git/HEAD": b"ref: refs/heads/main\n",
        ".git/config": _CONFIG.encode(),
        ".git/refs/heads/main": commit.name.hex().encode() + b"\n",
        ".git/logs/HEAD": log,
        ".git/logs/refs/heads/main": log,
        ".git/index": _index(blobs),
        f"{name}.pack": pack,
        f"{name}.idx": index,
    }


@lru_cache(maxsize=8192)
def _blob(folder: str, digest: str, path: str) -> Packed:
    with open(f"{folder}/{path}", "rb") as file:
        return _packed(_BLOB, file.read())


def _packed(kind: int, content: bytes) -> Packed:
    name = _sha(f"{_NAMES[kind]} {len(content)}\0".encode() + content)
    size = len(content)
    header = [kind << 4 | size & 15]
    size >>= 4
    while size:
        header[-1] |= 0x80
        header.append(size & 0x7F)
        size >>= 7
    whole = bytes(header) + zlib.compress(content)
    return Packed(name, whole, zlib.crc32(whole))


def _tree(blobs: Mapping[str, Packed], objects: dict[bytes, Packed]) -> bytes:
    """The name of the tree of these paths; it and those below it are put among the objects."""
    entries: dict[str, tuple[bytes, bytes]] = {}
    folders: dict[str, dict[str, Packed]] = {}
    for path, blob in blobs.items():
        first, slash, rest = path.partition("/")
        if slash:
            folders.setdefault(first, {})[rest] = blob
        else:
            entries[first] = (_FILE, blob.name)
    for name, inner in folders.items():
        entries[name] = (_FOLDER, _tree(inner, objects))
    ordered = sorted(entries.items(), key=lambda entry: entry[0].encode() + (b"/" if entry[1][0] == _FOLDER else b""))
    content = b"".join(mode + b" " + name.encode() + b"\0" + sha for name, (mode, sha) in ordered)
    made = _packed(_TREE, content)
    objects[made.name] = made
    return made.name


def _pack(objects: list[Packed]) -> tuple[bytes, bytes]:
    """A pack and its index, both of version 2."""
    parts, offsets, reached = [b"PACK" + struct.pack(">II", 2, len(objects))], {}, 12
    for each in objects:
        offsets[each.name] = reached
        parts.append(each.content)
        reached += len(each.content)
    body = b"".join(parts)
    pack = body + _sha(body)
    ordered = sorted(objects)
    firsts = Counter(each.name[0] for each in ordered)
    fanout = itertools.accumulate(firsts[first] for first in range(256))
    index = b"\377tOc" + struct.pack(">I256I", 2, *fanout)
    index += b"".join(each.name for each in ordered)
    index += b"".join(struct.pack(">I", each.crc) for each in ordered)
    index += b"".join(struct.pack(">I", offsets[each.name]) for each in ordered)
    index += pack[-20:]
    return pack, index + _sha(index)


def _index(blobs: Mapping[str, Packed]) -> bytes:
    """The index, without times of files: git reads them when it is first asked what has changed."""
    parts = [b"DIRC" + struct.pack(">II", 2, len(blobs))]
    for path, blob in blobs.items():
        name = path.encode()
        entry = struct.pack(">10I", 0, 0, 0, 0, 0, 0, 0o100644, 0, 0, 0) + blob.name
        entry += struct.pack(">H", min(len(name), 0xFFF)) + name
        parts.append(entry + b"\0" * (8 - len(entry) % 8))
    body = b"".join(parts)
    return body + _sha(body)


def _sha(content: bytes) -> bytes:
    return hashlib.sha1(content, usedforsecurity=False).digest()

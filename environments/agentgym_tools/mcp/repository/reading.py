"""What a repository on a disk has come to: read as plain files, so that no hook, filter or setting in it does anything.

Comparing it with what is right is in `agentgym_tools.mcp.rules.repositories`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from agentgym_tools.mcp.repository.objects import Commit, DamagedError, object_id, read_commit, read_index, unpacked

MAX_FILES = 5_000
MAX_FILE_BYTES = 4 << 20
_ID = re.compile(r"[0-9a-f]{40}")
_UNCOUNTED = re.compile(r"\.git/(objects|logs|info|hooks|description$|COMMIT_EDITMSG$|ORIG_HEAD$|branches)")


@dataclass(frozen=True)
class Found:
    """What a repository has come to.

    Attributes:
        head: What `HEAD` says: "refs/heads/NAME", or the id of a commit.
        refs: By full name the id of each branch, tag and other reference.
        index: By path the id of what is staged.
        work: By path the id of what lies in the folder.
        more: Further files below `.git` whose content matters, such as the configuration.
        folder: Where it lies.
    """

    head: str
    refs: dict[str, str]
    index: dict[str, str]
    work: dict[str, str]
    more: dict[str, bytes]
    folder: Path

    def commit(self, name: str) -> Commit:
        """A commit by its id.

        Raises:
            DamagedError: There is no such commit.
        """
        path = self.folder / ".git" / "objects" / name[:2] / name[2:]
        if not _ID.fullmatch(name) or not path.is_file():
            raise DamagedError(f"there is no commit {name[:50]!r}")
        kind, content = unpacked(_content(path))
        if kind != "commit" or object_id(kind, content) != name:
            raise DamagedError(f"{name} is no commit")
        return read_commit(content)


def read_repository(folder: Path) -> Found:
    """What a repository has come to.

    Args:
        folder: A copy that nobody else writes to; it holds no links.

    Raises:
        DamagedError: It is no repository as git writes them.
    """
    files = {path.relative_to(folder).as_posix(): path for path in _files(folder)}
    inner = {name: path for name, path in files.items() if name.startswith(".git/")}
    if ".git/HEAD" not in inner or ".git/index" not in inner:
        raise DamagedError("it has no HEAD or no index")
    refs = dict(_packed_refs(inner.get(".git/packed-refs")))
    refs |= {name.removeprefix(".git/"): _line(path) for name, path in inner.items() if name.startswith(".git/refs/")}
    known = {".git/HEAD", ".git/index", ".git/packed-refs"}
    more = {
        name: _content(path)
        for name, path in inner.items()
        if name not in known and not name.startswith(".git/refs/") and not _UNCOUNTED.match(name)
    }
    work = {name: object_id("blob", _content(path)) for name, path in files.items() if name not in inner}
    head = _line(inner[".git/HEAD"]).removeprefix("ref: ")
    return Found(head, refs, read_index(_content(inner[".git/index"])), work, more, folder)


def _files(folder: Path) -> list[Path]:
    found = [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
    if len(found) > MAX_FILES:
        raise DamagedError(f"it has {len(found)} files; at most {MAX_FILES} are read")
    return found


def _content(path: Path) -> bytes:
    if path.stat().st_size > MAX_FILE_BYTES:
        raise DamagedError(f"the file {path.name[:50]!r} is too large")
    return path.read_bytes()


def _line(path: Path) -> str:
    return _content(path).decode("utf-8", "replace").strip()


def _packed_refs(path: Path | None) -> list[tuple[str, str]]:
    if path is None:
        return []
    lines = [line.partition(" ") for line in _content(path).decode("utf-8", "replace").splitlines()]
    return [(name, commit) for commit, _, name in lines if _ID.fullmatch(commit)]

"""What of an agent's folder travels to the judge: changed sources, read by the harness while nothing there moves.

Nothing runs in the agent's folder for it. What does not travel is said, with the reason.
"""

from __future__ import annotations

import os
import re
import stat
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from agentgym.errors import SandboxFileError
from agentgym.sandbox.base import Sandbox, WorkView
from agentgym_swe.repair.verdict.tree import text_of
from agentgym_swe.repositories.layer import Layer, is_below

MAX_BYTES = 200_000
"""Bytes of all changed files together."""
MAX_ENTRIES = 20_000
MAX_DEPTH = 24
MAX_TOLD = 20
"""How many of the entries that do not travel are named."""
_MAX_DOWNLOAD = 64 << 20
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,79}")
_RUN_BY_ITSELF = ("conftest", "sitecustomize", "usercustomize", "setup")
"""Modules that some program imports without being asked."""


@dataclass(frozen=True)
class Change:
    """What an agent changed.

    Attributes:
        files: New texts of sources by path; None for one that is gone. Only what differs from what the agent was given.
        left_out: What does not travel, each with the reason; no more than `MAX_TOLD`.
        refusal: Why nothing of it can be judged; "" where it can.
    """

    files: Mapping[str, str | None] = field(default_factory=dict)
    left_out: tuple[tuple[str, str], ...] = ()
    refusal: str = ""


@dataclass
class _Found:
    """What a walk comes upon."""

    texts: dict[str, str] = field(default_factory=dict)
    unread: set[str] = field(default_factory=set)
    left_out: dict[str, str] = field(default_factory=dict)
    num_entries: int = 0
    num_bytes: int = 0

    def leave_out(self, path: str, why: str) -> None:
        """Take note of what does not travel."""
        if len(self.left_out) < MAX_TOLD:
            self.left_out[_printable(path)] = why


class _TooMuchError(Exception):
    """A folder that no repair needs: too many entries, too deep, too large."""


def collect(
    sandbox: Sandbox, layer: Layer, given: Mapping[str, str], laid: Mapping[str, str | None] | None = None
) -> Change:
    """Take an agent's changes from its sandbox.

    Args:
        sandbox: Where it worked.
        layer: The package.
        given: Texts of the sources that the agent got otherwise than they are in the layer.
        laid: Other files that it got otherwise; None for what it did not get.

    Raises:
        SandboxLostError: The sandbox is gone.
        SandboxError: It could not be stopped.
    """
    try:
        with sandbox.standing_still() as view:
            if view is not None:
                return _change(layer, given, _walk(view, layer, given, laid or {}))
        with tempfile.TemporaryDirectory(prefix="agentgym-repair-", ignore_cleanup_errors=True) as name:
            folder = Path(name) / "work"
            try:
                sandbox.download(".", folder, max_bytes=_MAX_DOWNLOAD)
            except SandboxFileError as error:
                return Change(refusal=f"the folder cannot be taken over: {error}"[:300])
            return _change(layer, given, _walk(WorkView(folder, folder), layer, given, laid or {}))
    except _TooMuchError as error:
        return Change(refusal=str(error))


def from_texts(layer: Layer, given: Mapping[str, str], files: Mapping[str, str | None]) -> Change:
    """The change that these files make, by the same rules as for a folder.

    Args:
        layer: The package.
        given: As for `collect`.
        files: New texts by path; None for a file that is gone.
    """
    found = _Found(texts=_given_texts(layer, given))
    try:
        for path, text in files.items():
            if text is None:
                found.texts.pop(path, None)
                continue
            why = why_not(layer, path)
            if why:
                found.leave_out(path, why)
            else:
                found.texts[path] = text
                _count(found, len(text.encode("utf-8", "replace")) if text != given.get(path) else 0)
        return _change(layer, given, found)
    except _TooMuchError as error:
        return Change(refusal=str(error))


def why_not(layer: Layer, path: str) -> str:
    """Why a file with this path may not travel; "" where it may."""
    parts = path.split("/")
    name = parts[-1]
    if not name.endswith(".py"):
        return "no Python source"
    if layer.is_test(path):
        return "part of the tests"
    if not is_below(path, layer.source_roots):
        return f"outside the sources ({', '.join(layer.source_roots)})"
    if text_of(layer, path) is not None:
        return ""
    if name.removesuffix(".py") in _RUN_BY_ITSELF:
        return "imported by other programs by itself"
    if not all(_NAME.fullmatch(part) for part in (*parts[:-1], name.removesuffix(".py"))):
        return "a name that no module can have"
    for entry in layer.python_path:
        inner = path if entry in (".", "") else path.removeprefix(f"{entry}/") if is_below(path, (entry,)) else ""
        first = inner.partition("/")[0]
        if inner and not any(is_below(file, (_joined(entry, first),)) for file in layer.files):
            return "a new top module, which could stand in for another one"
    return ""


def _joined(entry: str, name: str) -> str:
    return name if entry in (".", "") else f"{entry}/{name}"


def _given_texts(layer: Layer, given: Mapping[str, str]) -> dict[str, str]:
    return {path: given[path] if path in given else text_of(layer, path) or "" for path in layer.sources}


def _change(layer: Layer, given: Mapping[str, str], found: _Found) -> Change:
    """What differs from what was given."""
    before = _given_texts(layer, given)
    files: dict[str, str | None] = {path: text for path, text in found.texts.items() if before.get(path) != text}
    for path in before:
        if path not in found.texts and path not in found.unread:
            files[path] = None
    return Change(dict(sorted(files.items())), tuple(found.left_out.items()))


def _walk(view: WorkView, layer: Layer, given: Mapping[str, str], laid: Mapping[str, str | None]) -> _Found:
    """Read the sources of the work folder, and see what else was changed."""
    found = _Found()
    before = _given_texts(layer, given)
    top = os.open(view.work, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for root in layer.source_roots:
            _read_root(top, "" if root == "." else root, layer, before, found)
    finally:
        os.close(top)
    for path in _changed_elsewhere(view, layer):
        if not _is_as_laid(view.changes, path, laid):
            found.leave_out(path, why_not(layer, path) or "no regular file")
    return found


def _read_root(top: int, root: str, layer: Layer, before: Mapping[str, str], found: _Found) -> None:
    """One source root: the folders above it are entered one by one, and none of them may be a link."""
    parts = root.split("/") if root else []
    folders = parts[:-1] if root.endswith(".py") else parts
    held: list[int] = []
    here = top
    try:
        for part in folders:
            here = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=here)
            held.append(here)
        if root.endswith(".py"):
            _read_file(here, parts[-1], root, before, found)
        else:
            _read_folder(here, root, layer, before, found, 0)
    except OSError:
        found.leave_out(root, "no folder any more")
        found.unread.update(path for path in before if is_below(path, (root,)))
    finally:
        for descriptor in held:
            os.close(descriptor)


def _read_folder(folder: int, prefix: str, layer: Layer, before: Mapping[str, str], found: _Found, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise _TooMuchError(f"folders nest deeper than {MAX_DEPTH}")
    with os.scandir(folder) as entries:
        listed = []
        for entry in entries:
            found.num_entries += 1
            if found.num_entries > MAX_ENTRIES:
                raise _TooMuchError(f"the sources hold more than {MAX_ENTRIES} entries")
            listed.append(entry.name)
    for name in sorted(listed):
        path = f"{prefix}/{name}" if prefix else name
        mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
        if stat.S_ISDIR(mode):
            inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
            try:
                _read_folder(inner, path, layer, before, found, depth + 1)
            finally:
                os.close(inner)
        elif name.endswith(".py") and not layer.is_test(path):
            why = "" if path in before else why_not(layer, path)
            if not why and stat.S_ISREG(mode):
                _read_file(folder, name, path, before, found)
            else:
                found.leave_out(path, why or "no regular file")
                found.unread.add(path)


def _read_file(folder: int, name: str, path: str, before: Mapping[str, str], found: _Found) -> None:
    """Read one source; what is no text of a size that a source has is left out."""
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    except FileNotFoundError:
        return
    except OSError:
        found.unread.add(path)
        found.leave_out(path, "no regular file")
        return
    with open(descriptor, "rb") as file:
        about = os.fstat(descriptor)
        if not stat.S_ISREG(about.st_mode):
            found.unread.add(path)
            found.leave_out(path, "no regular file")
            return
        if about.st_size > MAX_BYTES and about.st_size > 2 * len(before.get(path, "").encode()):
            raise _TooMuchError(
                f"{_printable(path)} has {about.st_size} bytes; at most {MAX_BYTES} of changes are judged"
            )
        content = file.read(about.st_size + 1)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        found.unread.add(path)
        found.leave_out(path, "not UTF-8")
        return
    if "\0" in text:
        found.unread.add(path)
        found.leave_out(path, "binary")
        return
    found.texts[path] = text
    _count(found, len(content) if text != before.get(path) else 0)


def _count(found: _Found, num_bytes: int) -> None:
    found.num_bytes += num_bytes
    if found.num_bytes > MAX_BYTES:
        raise _TooMuchError(f"the changed files have more than {MAX_BYTES} bytes together")


def _changed_elsewhere(view: WorkView, layer: Layer) -> Iterator[str]:
    """Paths of changed files that can be no source, as far as they are worth telling."""
    known = set(layer.files)
    is_whole = view.changes == view.work  # without an overlay all files are there, changed or not
    num_seen = 0
    for folder, folders, names in os.walk(view.changes):
        inner = os.path.relpath(folder, view.changes)
        folders[:] = sorted(name for name in folders if name not in (".git", "__pycache__", ".pytest_cache"))
        if inner.count("/") > MAX_DEPTH:
            folders.clear()
        for name in sorted(names):
            path = name if inner == "." else f"{inner}/{name}"
            num_seen += 1
            if num_seen > MAX_ENTRIES:
                return
            if layer.is_source(path) or name.endswith((".pyc", ".pyo")) or (is_whole and path in known):
                continue
            yield path


def _is_as_laid(changes: Path, path: str, laid: Mapping[str, str | None]) -> bool:
    """Whether a file is as the episode began with it."""
    if any(text is None and is_below(path, (gone,)) for gone, text in laid.items()):
        return not (changes / path).is_file()
    text = laid.get(path)
    if text is None:
        return False
    try:
        with open(os.open(changes / path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            return file.read(len(text) * 4 + 1) == text.encode("utf-8")
    except OSError:
        return False


def _printable(path: str) -> str:
    shown = path.encode("utf-8", "replace").decode()
    shown = "".join(letter if letter.isprintable() else "?" for letter in shown)
    return shown if len(shown) <= 120 else f"{shown[:60]}…{shown[-59:]}"

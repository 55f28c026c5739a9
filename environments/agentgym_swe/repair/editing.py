"""Changes of files by an agent: exact text, at one place alone, with line ends kept, and undone one by one.

It says what is wrong in words, and changes nothing then.
"""

from __future__ import annotations

import errno
import hashlib
from dataclasses import dataclass, field

from agentgym.errors import SandboxFileError
from agentgym.sandbox.base import Sandbox
from agentgym_swe.repair.showing import numbered

MAX_FILE = 1 << 20
MAX_TEXT = 100_000
AROUND = 4
"""Lines shown before and behind a change."""
MAX_PLACES = 10


class RefusedEditError(Exception):
    """A change that is not made; the text tells the agent why."""


@dataclass(frozen=True)
class _Done:
    path: str
    before: bytes | None
    after: bytes


@dataclass
class Editor:
    """Edits the files of one episode, and remembers how they were.

    Attributes:
        done: What was changed, the last one at the end.
    """

    done: list[_Done] = field(default_factory=list)

    def copy(self) -> Editor:
        """Another one with the same memory."""
        return Editor(list(self.done))

    @property
    def key(self) -> str:
        """What could be undone, as a short text."""
        digest = hashlib.sha256()
        for step in self.done:
            digest.update(f"{step.path}\0{step.before!r}\0{step.after!r}\0".encode())
        return digest.hexdigest()[:16] if self.done else ""

    def create(self, sandbox: Sandbox, path: str, text: str) -> str:
        """Make a new file."""
        if read_if_there(sandbox, path) is not None:
            raise RefusedEditError(f"{path} exists; change it with replace or insert.")
        self._write(sandbox, path, None, text)
        return f"{path} was created with {text.count(chr(10)) + (not text.endswith(chr(10)))} lines."

    def replace(self, sandbox: Sandbox, path: str, old: str, new: str) -> str:
        """Put a text in the place of another, which must be in the file exactly once."""
        text = read(sandbox, path)
        if not old:
            raise RefusedEditError("The old text is empty; give the text to be replaced, or use insert.")
        old, new = with_ends_of(text, old), with_ends_of(text, new)
        places = _places(text, old)
        if not places:
            raise RefusedEditError(_not_found(path, text, old))
        if len(places) > 1:
            lines = ", ".join(str(text.count("\n", 0, place) + 1) for place in places[:MAX_PLACES])
            more = f" and {len(places) - MAX_PLACES} more" if len(places) > MAX_PLACES else ""
            raise RefusedEditError(
                f"The old text is in {path} {len(places)} times, at lines {lines}{more}. Give more of the lines "
                "around the one you mean."
            )
        if old == new:
            raise RefusedEditError("The new text is the same as the old one; nothing was changed.")
        made = _with_last_newline(text, text[: places[0]] + new + text[places[0] + len(old) :])
        self._write(sandbox, path, text, made)
        first = text.count("\n", 0, places[0]) + 1
        return f"{path} was changed:\n{_around(made, first, new.count(chr(10)) + 1)}"

    def insert(self, sandbox: Sandbox, path: str, line: int, new: str) -> str:
        """Put lines behind a line; 0 is the top."""
        text = read(sandbox, path)
        lines = text.splitlines(keepends=True)
        if not 0 <= line <= len(lines):
            raise RefusedEditError(f"{path} has {len(lines)} lines; line must be from 0 to {len(lines)}, got {line}.")
        ends = "\r\n" if _is_crlf(text) else "\n"
        new = with_ends_of(text, new)
        new = new if new.endswith("\n") else new + ends
        if line and not lines[line - 1].endswith("\n"):  # behind a last line that has no end of its own
            lines[line - 1] += ends
            new = new.removesuffix(ends)
        self._write(sandbox, path, text, "".join([*lines[:line], new, *lines[line:]]))
        made = "".join([*lines[:line], new, *lines[line:]])
        return f"{path} was changed:\n{_around(made, line + 1, new.count(chr(10)) or 1)}"

    def undo(self, sandbox: Sandbox) -> str:
        """Take back the last change that was made here."""
        if not self.done:
            raise RefusedEditError("There is nothing to undo.")
        last = self.done[-1]
        if read_if_there(sandbox, last.path) != last.after:
            raise RefusedEditError(f"{last.path} was changed by something else since; nothing was undone.")
        if last.before is None:
            sandbox.exec(["rm", "-f", "--", last.path])
        else:
            sandbox.write_file(last.path, last.before)
        self.done.pop()
        return f"The last change of {last.path} was undone."

    def _write(self, sandbox: Sandbox, path: str, before: str | None, after: str) -> None:
        if len(after) > MAX_FILE:
            raise RefusedEditError(f"{path} would have {len(after)} characters; at most {MAX_FILE} are written.")
        try:
            content = after.encode("utf-8")
        except UnicodeEncodeError:
            raise RefusedEditError("The new text has characters that UTF-8 cannot hold.") from None
        try:
            sandbox.write_file(path, content)
        except SandboxFileError as error:
            raise RefusedEditError(f"{path} cannot be written: {_reason(error)}.") from None
        self.done.append(_Done(path, None if before is None else before.encode("utf-8"), content))


def read(sandbox: Sandbox, path: str) -> str:
    """Text of a file of the agent's.

    Raises:
        RefusedEditError: It cannot be read as text.
    """
    try:
        content = sandbox.read_file(path, max_bytes=MAX_FILE)
    except SandboxFileError as error:
        raise RefusedEditError(f"{path} cannot be read: {_reason(error)}.") from None
    if b"\0" in content:
        raise RefusedEditError(f"{path} is binary.")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise RefusedEditError(f"{path} is not UTF-8: line {line} has the byte {content[error.start]:#x}.") from None


def read_if_there(sandbox: Sandbox, path: str) -> bytes | None:
    """Content of a file; None where there is none.

    Raises:
        RefusedEditError: There is something that is no file.
    """
    try:
        return sandbox.read_file(path, max_bytes=2 * MAX_FILE)
    except SandboxFileError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR):
            return None
        raise RefusedEditError(f"{path} cannot be read: {_reason(error)}.") from None


def with_ends_of(text: str, part: str) -> str:
    """A part with the line ends of a text, where all lines of that end alike."""
    return part.replace("\r\n", "\n").replace("\n", "\r\n") if _is_crlf(text) else part


def _is_crlf(text: str) -> bool:
    return "\r\n" in text and text.count("\r\n") == text.count("\n")


def _with_last_newline(before: str, after: str) -> str:
    """The text after a change, which ends with a newline if it did so before."""
    ends = "\r\n" if _is_crlf(before) else "\n"
    if before.endswith("\n"):
        return after if after.endswith("\n") or not after else after + ends
    return after.removesuffix(ends)


def _places(text: str, old: str) -> list[int]:
    found, at = [], text.find(old)
    while at >= 0:
        found.append(at)
        at = text.find(old, at + 1)
    return found


def _not_found(path: str, text: str, old: str) -> str:
    """Why a text is not there: the lines that come close, as far as there are any."""
    first = next((line.strip() for line in old.splitlines() if line.strip()), "")
    lines = text.splitlines()
    near = [number for number, line in enumerate(lines, start=1) if first and line.strip() == first]
    if not near:
        return (
            f"The old text is not in {path}, nor is its first line {first[:80]!r}. View the file and copy it exactly."
        )
    shown = numbered(lines[near[0] - 1 : near[0] - 1 + max(1, old.count(chr(10)) + 1)][:20], near[0])
    tabs = " The file indents with tabs." if any(line.startswith("\t") for line in lines) and "\t" not in old else ""
    where = ", ".join(map(str, near[:MAX_PLACES]))
    return f"The old text is not in {path}. Its first line is at {where}; there the file reads:\n{shown}{tabs}"


def _around(text: str, first: int, count: int) -> str:
    lines = text.splitlines()
    start = max(1, first - AROUND)
    return numbered(lines[start - 1 : min(first - 1 + count + AROUND, start + 60)], start)


def _reason(error: SandboxFileError) -> str:
    known = {errno.ENOENT: "there is no such file", errno.EISDIR: "it is a folder", errno.ENOTDIR: "no such folder"}
    known |= {errno.EFBIG: "it is too large", errno.ENOSPC: "the disk is full", errno.EACCES: "access is denied"}
    return known.get(error.errno or 0, "the path is outside of the work folder, or nothing that can be read")

"""What a player does in a repository, said as its environment reads it: by any tool, by `shell` alone, or in blocks.

Players decide on acts; which way there is, they read in the first message. What is decided is up to each `scripts`.
"""

from __future__ import annotations

import re
import shlex
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from agentgym.authoring.players import call_text
from agentgym.message import Message, content_text
from agentgym.policy import ScriptFactory
from agentgym.task import Task
from agentgym_swe.repair.looking import BY_SHELL
from agentgym_swe.shell_blocks import HOW_TO
from agentgym_swe.shell_blocks import SUBMIT as SUBMIT_BLOCK
from agentgym_swe.workshop import Tools

_TAG_END = re.compile("(?<=think|_call)>")
"""In a text that is put in, it would end the message's reasoning, or its call."""


class Act(NamedTuple):
    """One thing that a player does.

    Attributes:
        tool: The tool that does it where there are all.
        arguments: What it is called with.
        command: What does the same in bash.
    """

    tool: str
    arguments: Mapping[str, Any]
    command: str


SUBMIT = Act("submit", {}, SUBMIT_BLOCK)


def shell(command: str) -> Act:
    """Run a command."""
    return Act("shell", {"command": command}, command)


def view(path: str, start: int = 1, end: int = 0) -> Act:
    """Read lines of a file; an `end` of 0 is the last one."""
    arguments = {"path": path, "start": start} | ({"end": end} if end else {})
    return Act("view", arguments, f"cat -n {shlex.quote(path)} | sed -n '{start},{end or '$'}p'")


def search(pattern: str) -> Act:
    """Find lines that match an expression of `grep -E`."""
    return Act("search", {"pattern": pattern}, f"grep -rnIE --exclude-dir=.git -e {shlex.quote(pattern)} .")


def replace(path: str, old: str, new: str) -> Act:
    """Put a text in the place of another that a file holds exactly once; in bash character by character as given."""
    command = _program(
        f"path = {path!r}",
        f"old = {_literal(old)}",
        f"new = {_literal(new)}",
        "text = open(path, 'rb').read().decode()",
        "assert 0 <= text.find(old) == text.rfind(old), f'the old text is not in {path} exactly once'",
        "made = text.replace(old, new).encode()",
        "open(path, 'wb').write(made)",
    )
    return Act("edit", {"command": "replace", "path": path, "old": old, "new": new}, command)


def insert(path: str, line: int, new: str) -> Act:
    """Put a line behind another; 0 is the top."""
    command = _program(
        f"path = {path!r}",
        f"new = {_literal(new)}",
        "lines = open(path, 'rb').read().decode().splitlines(keepends=True)",
        f"lines.insert({line}, new + '\\n')",
        "made = ''.join(lines).encode()",
        "open(path, 'wb').write(made)",
    )
    return Act("edit", {"command": "insert", "path": path, "line": line, "new": new}, command)


def create(path: str, new: str) -> Act:
    """Write a new file."""
    command = _program(
        f"path = {path!r}", f"new = {_literal(new)}", "made = new.encode()", "open(path, 'xb').write(made)"
    )
    return Act("edit", {"command": "create", "path": path, "new": new}, command)


def undo() -> Act:
    """Take the last change back; in bash all changes."""
    return Act("edit", {"command": "undo"}, "git checkout -q -- .")


def run_tests(python_path: Sequence[str] = (".",)) -> Act:
    """Run the relevant tests; in bash all.

    Args:
        python_path: Where Python finds the package.
    """
    found_by = "" if tuple(python_path) == (".",) else f"PYTHONPATH={shlex.quote(':'.join(python_path))} "
    return Act("run_tests", {}, f"{found_by}python3 -m pytest -q")


def said(act: Act, use: Tools) -> str:
    """The message that does an act.

    Args:
        act: The act.
        use: What the environment reads.
    """
    if use == "blocks":
        return f"```bash\n{act.command}\n```"
    if use == "all" or act == SUBMIT:
        return call_text(act.tool, **act.arguments)
    return call_text("shell", command=act.command)


def use_told(messages: Sequence[Message]) -> Tools:
    """What an environment of a repository reads, by its first message."""
    first = next((content_text(message) for message in messages if message["role"] == "user"), "")
    how_to = first.rpartition("\n\n")[2]
    if HOW_TO in how_to:
        return "blocks"
    return "shell" if BY_SHELL in how_to else "all"


class Player(ABC):
    """A script that decides on acts, and says them as its environment reads them."""

    @abstractmethod
    def decide(self) -> Act:
        """The next act."""

    def act(self, messages: Sequence[Message]) -> str:
        """The next message."""
        return said(self.decide(), use_told(messages))


class Doing(Player):
    """Does its acts in order, whatever the answers, and then the last one again and again.

    Args:
        acts: At least one.
    """

    def __init__(self, *acts: Act) -> None:
        self._acts = list(acts)

    def decide(self) -> Act:
        """The next act."""
        return self._acts.pop(0) if len(self._acts) > 1 else self._acts[0]


def doing(*acts: Act) -> ScriptFactory:
    """A factory of players that do the acts as `Doing` does."""

    def factory(task: Task, seed: int) -> Doing:
        return Doing(*acts)

    return factory


def _program(*lines: str) -> str:
    """Python as a command; every line of it is one of Python's, so that none ends it early."""
    return "\n".join(["python3 - <<'END'", *lines, "END"])


def _literal(text: str) -> str:
    """A text in Python, line by line, with everything escaped that a message or Python would read as its own."""
    lines = [_TAG_END.sub(r"\\x3e", repr(line)) for line in re.findall(r"[^\n]*\n|[^\n]+", text)]
    return "(\n" + "".join(f"    {line}\n" for line in lines) + ")" if len(lines) > 1 else "".join(lines) or "''"

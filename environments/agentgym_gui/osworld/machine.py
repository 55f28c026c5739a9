"""What a getter asks of the machine that an episode was played on: files, names and commands.

`FolderMachine` is a copy of the agent's files and refuses commands. `SandboxMachine` runs commands in a sandbox.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from agentgym.errors import InfrastructureError, SandboxFileError
from agentgym.sandbox.base import Sandbox
from agentgym_gui.verify.reading import MAX_BYTES, MAX_FILES, UnreadableFileError, read_bytes

FOREIGN_HOME = "/home/user"
"""The home that OSWorld's tasks name."""
COMMAND_TIMEOUT_S = 30.0


class Machine(Protocol):
    """Where an episode ended."""

    def read_file(self, path: str) -> bytes | None:
        """The content of a file, as the task names it; None where there is none that can be read."""

    def names(self, path: str) -> list[str]:
        """The paths below a folder, parents first, relative to it; folders end with a slash."""

    def run(self, argv: Sequence[str]) -> tuple[str, str]:
        """What a command prints on its standard output and on its standard error."""


def below_home(path: str) -> str:
    """A task's path, relative to the home.

    Raises:
        UnreadableFileError: It lies outside the home.
    """
    for start in (f"{FOREIGN_HOME}/", "~/", "$HOME/"):
        if path.startswith(start):
            return path.removeprefix(start)
    if path.startswith("/") or ".." in path.split("/"):
        raise UnreadableFileError(f"{path} lies outside {FOREIGN_HOME}")
    return path


class FolderMachine:
    """A copy of the agent's home on the harness's side.

    Args:
        home: The copy; links in it are not followed.
    """

    def __init__(self, home: Path) -> None:
        self._home = home

    def read_file(self, path: str) -> bytes | None:
        """The content of a file; None where there is none that can be read."""
        try:
            return read_bytes(self._home, below_home(path))
        except UnreadableFileError:
            return None

    def names(self, path: str) -> list[str]:
        """The paths below a folder."""
        start = below_home(path)
        found: list[str] = []
        _walk(self._home / start, "", found)
        return found

    def run(self, argv: Sequence[str]) -> tuple[str, str]:
        """Commands need a sandbox.

        Raises:
            InfrastructureError: Always.
        """
        raise InfrastructureError(f"a folder runs no commands, and the task asks for {argv[0]}; grade it in a sandbox")


def _walk(folder: Path, prefix: str, found: list[str]) -> None:
    try:
        children = sorted(folder.iterdir())
    except OSError:
        return
    for child in children:
        is_folder = child.is_dir() and not child.is_symlink()
        found.append(prefix + child.name + ("/" if is_folder else ""))
        if len(found) > MAX_FILES:
            raise UnreadableFileError(f"a folder holds over {MAX_FILES} files")
        if is_folder:
            _walk(child, f"{prefix}{child.name}/", found)


class SandboxMachine:
    """A sandbox whose work folder has the agent's home in it.

    Args:
        sandbox: Where the episode was played, or a fresh sandbox with a copy of its files.
        home: The home, relative to the work folder.
    """

    def __init__(self, sandbox: Sandbox, home: str = ".") -> None:
        self._sandbox = sandbox
        self._home = home

    def read_file(self, path: str) -> bytes | None:
        """The content of a file; None where there is none that can be read."""
        try:
            return self._sandbox.read_file(f"{self._home}/{below_home(path)}", max_bytes=MAX_BYTES)
        except (UnreadableFileError, SandboxFileError):
            return None

    def names(self, path: str) -> list[str]:
        """The paths below a folder, as find lists them."""
        folder = f"{self._home}/{below_home(path)}"
        script = (
            'cd -- "$1" && find . -mindepth 1 \\( -type d -printf "%P/\\n" -o -printf "%P\\n" \\) | head -n "$2" | sort'
        )
        done = self._sandbox.exec(["sh", "-c", script, "sh", folder, str(MAX_FILES)], timeout_s=COMMAND_TIMEOUT_S)
        return [line for line in done.stdout.decode(errors="replace").split("\n") if line]

    def run(self, argv: Sequence[str]) -> tuple[str, str]:
        """What a command prints; the home that OSWorld's tasks name is replaced by this one."""
        there = self._sandbox.exec(["sh", "-c", 'cd -- "$1" && pwd', "sh", self._home], timeout_s=COMMAND_TIMEOUT_S)
        home = there.stdout.decode(errors="replace").strip()
        own = [each.replace(FOREIGN_HOME, home) for each in argv]
        done = self._sandbox.exec(own, timeout_s=COMMAND_TIMEOUT_S, cwd=self._home, env={"HOME": home})
        return tuple(each.decode(errors="replace").replace(home, FOREIGN_HOME) for each in (done.stdout, done.stderr))  # type: ignore[return-value]

"""The steps that set a task up, read from OSWorld's JSON: each becomes one of five plain steps, or says why it cannot.

Sleeps are dropped, since the desktop is asked whether it has settled. Nothing here runs anything.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from agentgym_gui.osworld.machine import below_home
from agentgym_gui.osworld.opening import opener
from agentgym_gui.osworld.unsupported import UnsupportedError
from agentgym_gui.verify.reading import UnreadableFileError

Fields = Mapping[str, Any]


@dataclass(frozen=True)
class PutFile:
    """A file is laid into the home.

    Attributes:
        path: Where, as the task says it.
        name: Its name among the cached files.
        url: Where OSWorld would load it from; "" for a file of the task's own.
    """

    path: str
    name: str
    url: str = ""


@dataclass(frozen=True)
class Launch:
    """A program is started and stays.

    Attributes:
        argv: The command.
    """

    argv: tuple[str, ...]


@dataclass(frozen=True)
class Open:
    """A file is opened with the application that is meant for it.

    Attributes:
        path: The file, as the task says it.
    """

    path: str


@dataclass(frozen=True)
class Run:
    """A command is run to its end.

    Attributes:
        argv: The command.
    """

    argv: tuple[str, ...]


@dataclass(frozen=True)
class Window:
    """A window is brought to the front, or closed.

    Attributes:
        name: Its title or class, or a part of it.
        is_closed: Whether it is closed.
        is_whole: Whether the name is the whole title.
        by_class: Whether the name is a class.
    """

    name: str
    is_closed: bool = False
    is_whole: bool = False
    by_class: bool = False


Step = PutFile | Launch | Open | Run | Window

_PLACEHOLDERS = {"{SCREEN_WIDTH_HALF}": "640", "{SCREEN_HEIGHT_HALF}": "400", "{SCREEN_WIDTH}": "1280"}
_PLACEHOLDERS |= {"{SCREEN_HEIGHT}": "800"}


def read_steps(config: Any) -> tuple[Step, ...]:
    """The steps of a task's `config` or `postconfig`.

    Raises:
        UnsupportedError: A step is malformed or of a kind that is not played here.
    """
    if not isinstance(config, list):
        raise UnsupportedError(f"config must be a list of steps: got {str(config)[:60]}")
    found: list[Step] = []
    for entry in config:
        kind = entry.get("type") if isinstance(entry, Mapping) else None
        if not isinstance(kind, str):
            raise UnsupportedError(f"a step is an object with a type: got {str(entry)[:60]}")
        if kind in REFUSED_STEPS:
            raise UnsupportedError(f"the step {kind} {REFUSED_STEPS[kind]}")
        if kind not in STEPS:
            raise UnsupportedError(f"there is no step {kind!r}; known: {', '.join(STEPS)}")
        try:
            found += STEPS[kind](entry.get("parameters") or {})
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise UnsupportedError(f"the step {kind} is malformed: {type(error).__name__}: {error}") from error
    return tuple(found)


def command_of(fields: Fields) -> tuple[str, ...]:
    """The command of a step or getter, with the size of the screen in place of its names.

    Raises:
        UnsupportedError: It is empty, wants a password, or presses keys by code.
    """
    command = fields["command"]
    if not isinstance(command, str) and not (
        isinstance(command, list) and all(isinstance(each, str | int | float) for each in command)
    ):
        raise TypeError(f"a command must be a text or a list of words: got {str(command)[:60]!r}")
    is_shell = bool(fields.get("shell", False))
    text = command if isinstance(command, str) else " ".join(map(str, command))
    if "{CLIENT_PASSWORD}" in text or text.startswith("sudo "):
        raise UnsupportedError("a command needs the rights of root, which nobody has on this desktop")
    if "pyautogui" in text:
        raise UnsupportedError("a command presses keys or moves the pointer by code, in the agent's place")
    if isinstance(command, str):
        argv = ["sh", "-c", command] if is_shell else shlex.split(command)
    else:
        argv = ["sh", "-c", text] if is_shell else [str(each) for each in command]
    for name, value in _PLACEHOLDERS.items():
        argv = [each.replace(name, value) for each in argv]
    if not argv:
        raise UnsupportedError("a command is empty")
    return tuple(argv)


def _download(fields: Fields) -> list[Step]:
    return [PutFile(_inside(each["path"]), _last(each["path"]), text_of(each["url"])) for each in fields["files"]]


def _upload(fields: Fields) -> list[Step]:
    return [PutFile(_inside(each["path"]), _last(each["local_path"])) for each in fields["files"]]


def _open(fields: Fields) -> list[Step]:
    path = _inside(fields["path"])
    opener(path)
    return [Open(path)]


def _inside(path: Any) -> str:
    """A path of the home, as the task says it."""
    try:
        below_home(text_of(path))
    except UnreadableFileError as error:
        raise UnsupportedError(str(error)) from error
    return text_of(path)


def text_of(value: Any) -> str:
    """A value that has to be a text.

    Raises:
        TypeError: It is none.
    """
    if not isinstance(value, str):
        raise TypeError(f"a text is expected: got {str(value)[:60]!r}")
    return value


def _last(path: Any) -> str:
    name = text_of(path).rstrip("/").rpartition("/")[2]
    if not name:
        raise ValueError(f"{path!r} names no file")
    return name


def _execute(fields: Fields) -> list[Step]:
    if fields.get("until") or fields.get("stdout") or fields.get("stderr"):
        raise UnsupportedError("a command repeats until it prints something, or keeps its output for the grader")
    return [Run(command_of(fields))]


def _window(*, is_closed: bool) -> Callable[[Fields], list[Step]]:
    def read(fields: Fields) -> list[Step]:
        is_whole, by_class = bool(fields.get("strict", False)), bool(fields.get("by_class", False))
        return [Window(text_of(fields["window_name"]), is_closed, is_whole, by_class)]

    return read


STEPS: Mapping[str, Callable[[Fields], list[Step]]] = {
    "download": _download,
    "upload_file": _upload,
    "launch": lambda fields: [Launch(command_of(fields))],
    "open": _open,
    "execute": _execute,
    "command": _execute,
    "sleep": lambda fields: [],
    "activate_window": _window(is_closed=False),
    "close_window": _window(is_closed=True),
}
"""The kinds of steps that are played."""
REFUSED_STEPS: Mapping[str, str] = {
    "chrome_open_tabs": "needs Chrome with a network",
    "chrome_close_tabs": "needs Chrome with a network",
    "update_browse_history": "needs the profile of Chrome",
    "googledrive": "needs an account on the web",
    "login": "needs an account on the web",
    "proxy": "needs a network",
    "change_wallpaper": "needs a desktop with a wallpaper",
    "tidy_desktop": "needs a desktop with icons",
    "act": "acts in the agent's place",
    "replay": "acts in the agent's place",
    "execute_with_verification": "repeats a command until another is satisfied",
}
"""The kinds of steps that are not, each with the reason."""

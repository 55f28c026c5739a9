"""A desktop task as the environment reads it: the screen, what lies in the home, what is set and what is open.

Templates draw such tasks; how they are judged is in `agentgym_gui.verify`.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from agentgym.config import build
from agentgym.errors import ConfigError, TaskError, UnknownNameError
from agentgym.task import Task
from agentgym_gui.actions.events import ActionError, Event, Type
from agentgym_gui.actions.keys import combination, pressed
from agentgym_gui.actions.values import typeable
from agentgym_gui.desktop.settings import RUNTIME, DesktopSettings
from agentgym_gui.templates.tasks import plan_of

MAX_FILES_BYTES = 64 << 20
PRESSED = f"{RUNTIME}/popup"
"""File for the exit status of a dialog: 0 for its first button; and behind it the label of another one, or an entry."""
_NOTE = 'file=$1; shift; rm -f "$file"; said=$("$@" 2> /dev/null); echo "$? $said" > "$file"'
_DRAWN = ("template", "plan_seed", "applications")
KEYS = (*_DRAWN, "files", "settings", "start", "unsaved", "clipboard", "popup", "screen")


@dataclass(frozen=True)
class Popup:
    """A dialog that comes in the way.

    Attributes:
        title: Title of its window.
        text: What it says.
        buttons: Its buttons; the last sends it away.
        asks_password: Whether it has an entry for a password.
        after_steps: Steps of the agent before it appears.
    """

    title: str
    text: str
    buttons: tuple[str, ...]
    asks_password: bool = False
    after_steps: int = 1

    @property
    def argv(self) -> tuple[str, ...]:
        """The program that shows it, and writes what was pressed and entered into `PRESSED`."""
        return ("sh", "-c", _NOTE, "sh", PRESSED, *self._zenity)

    @property
    def _zenity(self) -> tuple[str, ...]:
        first, last = self.buttons[0], self.buttons[-1]
        labels = ("--title", self.title, "--text", self.text, "--ok-label", first, "--cancel-label", last)
        if self.asks_password:
            return ("zenity", "--entry", "--hide-text", *labels)
        others = [part for label in self.buttons[1:-1] for part in ("--extra-button", label)]
        return ("zenity", "--question", "--no-wrap", "--no-markup", *labels, *others)


@dataclass(frozen=True)
class DesktopTask:
    """What a task lays out.

    Attributes:
        screen: How the desktop is.
        files: What lies in the home, by path.
        settings: Settings before the start, by "xfconf/channel/property" or "gsettings/schema/key".
        start: Command lines of what is opened, in order.
        unsaved: Keys and texts that go to the last application at the start.
        clipboard: The text of the clipboard.
        popup: A dialog that comes in the way.
    """

    screen: DesktopSettings = field(default_factory=DesktopSettings)
    files: Mapping[str, bytes] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    start: tuple[tuple[str, ...], ...] = ()
    unsaved: tuple[Event, ...] = ()
    clipboard: str = ""
    popup: Popup | None = None

    def popup_after(self, num_steps: int) -> Popup | None:
        """The dialog that comes after so many steps, if one does."""
        popup = self.popup
        return popup if popup is not None and popup.after_steps == num_steps else None


def read_task(task: Task) -> DesktopTask:
    """What a task's config says.

    Raises:
        TaskError: It is malformed; the message names the key.
    """
    config = task.config
    unknown = sorted(set(config) - set(KEYS))
    if unknown:
        raise TaskError(f"task {task.id!r}: config has the unknown keys {unknown}; known: {', '.join(KEYS)}")
    try:
        _require_template(config)
        return DesktopTask(
            screen=build(DesktopSettings, _table("screen", config.get("screen", {}))),
            files=plan_of(config).files if "template" in config else _files(config.get("files", {})),
            settings=_settings(config.get("settings", {})),
            start=_start(config.get("start", ())),
            unsaved=_unsaved(config.get("unsaved", ())),
            clipboard=_text("clipboard", config.get("clipboard", "")),
            popup=_popup(config.get("popup")),
        )
    except (ConfigError, UnknownNameError, ValueError) as error:
        raise TaskError(f"task {task.id!r}: {error}") from error


def file_fields(content: bytes) -> str | dict[str, str]:
    """A file's content as a value of JSON: its text, or base64 for what is no text in UTF-8."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(content).decode()}


def _require_template(config: Mapping[str, Any]) -> None:
    if "template" not in config:
        return
    if not {"plan_seed", "files"} <= set(config):
        raise ValueError("a template needs plan_seed and the hash of its files")
    _text("template", config["template"])
    if type(config["plan_seed"]) is not int:
        raise ValueError(f"plan_seed must be a whole number: got {config['plan_seed']!r}")


def _table(name: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise ValueError(f"{name} must be an object with names: got {str(value)[:60]!r}")
    return value


def _files(fields: Any) -> dict[str, bytes]:
    if not isinstance(fields, Mapping):
        raise ValueError(f"files must map paths to contents: got {type(fields).__name__}")
    files = {_path(path): _content(path, content) for path, content in _table("files", fields).items()}
    _require_apart(files)
    total = sum(map(len, files.values()))
    if total > MAX_FILES_BYTES:
        raise ValueError(f"files hold {total} bytes, at most {MAX_FILES_BYTES}")
    return files


def _require_apart(files: Mapping[str, bytes]) -> None:
    """Refuse a file where another one needs a folder."""
    names = {PurePosixPath(path) for path in files}
    for path in files:
        file = next((each for each in PurePosixPath(path).parents if each in names), None)
        if file is not None:
            raise ValueError(f"files has {str(file)!r} as a file, and as the folder of {path!r}")


def _path(path: str) -> str:
    parts = PurePosixPath(path).parts
    if not parts or parts[0] in ("/", "~") or ".." in parts or "\0" in path or path.endswith("/"):
        raise ValueError(f"a file's path is relative to the home and stays in it: got {path!r}")
    return path


def _content(path: str, content: Any) -> bytes:
    if isinstance(content, str):
        try:
            return content.encode()
        except UnicodeEncodeError as error:
            raise ValueError(f"file {path!r} has half of a surrogate pair, which is no character") from error
    if isinstance(content, Mapping) and list(content) == ["base64"] and isinstance(content["base64"], str):
        try:
            return base64.b64decode(content["base64"], validate=True)
        except binascii.Error as error:
            raise ValueError(f"file {path!r} is no base64: {error}") from error
    raise ValueError(f"file {path!r} must be a text or {{'base64': …}}")


def _settings(fields: Any) -> dict[str, str]:
    if not isinstance(fields, Mapping):
        raise ValueError("settings must map names to values")
    for name, value in _table("settings", fields).items():
        kind, _, rest = name.partition("/")
        if kind not in ("xfconf", "gsettings") or "/" not in rest:
            raise ValueError(f"a setting is xfconf/channel/property or gsettings/schema/key: got {name!r}")
        _text(f"setting {name!r}", value)
    return dict(fields)


def _start(fields: Any) -> tuple[tuple[str, ...], ...]:
    is_fine = isinstance(fields, Sequence) and all(
        isinstance(argv, Sequence) and not isinstance(argv, str) and argv and all(isinstance(w, str) for w in argv)
        for argv in fields
    )
    if not is_fine:
        raise ValueError(f"start must be a list of command lines, each a list of words: got {fields!r}")
    return tuple(tuple(argv) for argv in fields)


def _unsaved(fields: Any) -> tuple[Event, ...]:
    is_list = isinstance(fields, Sequence) and not isinstance(fields, str)
    if not is_list or not all(isinstance(each, Mapping) and list(each) in (["keys"], ["text"]) for each in fields):
        raise ValueError(f"unsaved must be a list of {{'keys': …}} and {{'text': …}}: got {fields!r}")
    events: list[Event] = []
    try:
        for each in fields:
            has_keys = "keys" in each
            events += pressed(combination(each["keys"])) if has_keys else [Type(typeable(each["text"], "A text"))]
    except ActionError as error:
        raise ValueError(f"unsaved: {error}") from error
    return tuple(events)


def _popup(fields: Any) -> Popup | None:
    if fields is None:
        return None
    buttons = _table("popup", fields).get("buttons", [])
    if not isinstance(buttons, list | tuple):
        raise ValueError(f"the buttons of a popup must be a list of texts: got {buttons!r}")
    popup = build(Popup, {**fields, "buttons": list(buttons)})
    if len(popup.buttons) < 2 or popup.after_steps < 0:
        raise ValueError(f"a popup has at least two buttons, and comes after 0 or more steps: got {fields!r}")
    if popup.asks_password and len(popup.buttons) > 2:
        raise ValueError(f"a popup that asks for a password has two buttons: got {fields!r}")
    return popup


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{name} must be a text: got {type(value).__name__}")
    return value

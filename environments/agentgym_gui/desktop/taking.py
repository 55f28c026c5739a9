"""Taking a desktop's state for a verdict: its home as files, its settings asked, its clipboard and windows.

Settings are asked from their daemons, which write late: xfconf's file follows five seconds after a change. What a
daemon says is the agent's word, as its files are.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from agentgym.errors import SandboxFileError
from agentgym.sandbox.base import Sandbox
from agentgym.sandbox.leasing.tree_copy import TreeCopy
from agentgym_gui.desktop.link import DesktopLostError, require_sandbox
from agentgym_gui.desktop.session import Desktop
from agentgym_gui.desktop.settings import HOME
from agentgym_gui.desktop.staging import session_variables
from agentgym_gui.desktop.task import PRESSED, Popup
from agentgym_gui.verify.check import Component
from agentgym_gui.verify.state import State

MAX_HOME_BYTES = 256 << 20
MAX_SETTINGS_BYTES = 1 << 20
ASK_S = 20.0
POPUP = "popup"
_XFCONF = 'xfconf-query -l | tail -n +2 | while read -r c; do echo "# $c"; xfconf-query -c "$c" -lv; done'
_GSETTINGS = "gsettings list-recursively"
_CHANNEL = re.compile(r"# (\S+)")
_PROPERTY = re.compile(r"(/\S+)\s+(.*)")
_KEY = re.compile(r"(\S+) (\S+) (.*)")


def take_state(desktop: Desktop, folder: Path, *, answer: str | None = None, failed: bool = False) -> State:
    """The state of a living desktop.

    Args:
        desktop: The desktop.
        folder: Of the host, not there yet; it gets the home.
        answer: What the agent said at the end.
        failed: Whether it said that the task cannot be done.
    """
    screen = desktop.look().screen
    clipboard = desktop.clipboard()
    settings = ask_settings(desktop)
    take_home(desktop.sandbox, folder)
    return State(folder, settings, clipboard, tuple(window.title for window in screen.windows), answer, failed)


def take_files(sandbox: Sandbox, folder: Path, *, answer: str | None = None, failed: bool = False) -> State:
    """The state of a desktop that is gone: its files are all there is."""
    take_home(sandbox, folder)
    return State(folder, answer=answer, failed=failed)


class Ending(NamedTuple):
    """What is known of an end beside the desktop.

    Attributes:
        folder: Of the host; it gets the home, in place of what lies there.
        answer: What the agent said.
        failed: Whether it said that the task cannot be done.
    """

    folder: Path
    answer: str | None
    failed: bool


def take_ending(sandbox: Sandbox, desktop: Desktop | None, ending: Ending, before: State) -> State:
    """The state at the end of an episode, with the settings and the clipboard of the start where the desktop is gone.

    Args:
        sandbox: The sandbox.
        desktop: Its desktop; None for one that is gone.
        ending: Where the home goes, and what the agent said.
        before: The state at the start.

    Raises:
        SandboxLostError: The sandbox is gone, too.
    """
    folder, answer, failed = ending
    shutil.rmtree(folder, ignore_errors=True)
    if desktop is not None:
        try:
            return take_state(desktop, folder, answer=answer, failed=failed)
        except DesktopLostError as error:
            require_sandbox(sandbox, error)
            shutil.rmtree(folder, ignore_errors=True)
    found = take_files(sandbox, folder, answer=answer, failed=failed)
    return replace(found, settings=before.settings, clipboard=before.clipboard)


def take_home(sandbox: Sandbox, folder: Path) -> None:
    """Copy the home to the host: links as links, and no special files.

    A home that cannot be copied, because of what the agent made of it, is copied in part or counts as empty.
    """
    with sandbox.standing_still() as view:
        if view is not None:
            with suppress(OSError):  # folders in folders without end
                TreeCopy().copy(view.work, folder)
            return
    try:
        sandbox.download(HOME, folder, max_bytes=MAX_HOME_BYTES)
    except SandboxFileError:
        folder.mkdir(exist_ok=True)


def popup_parts(sandbox: Sandbox, popup: Popup | None) -> list[Component]:
    """Whether a dialog in the way was sent away, or left alone; nothing where there was none.

    Args:
        sandbox: Of the desktop; what it says of the dialog is the agent's word.
        popup: The dialog.
    """
    if popup is None:
        return []
    try:
        status, _, said = sandbox.read_file(PRESSED).decode("utf-8", "replace").strip().partition(" ")
    except SandboxFileError:
        return [Component(POPUP, 1.0, "no button was pressed")]
    pressed = popup.buttons[0] if status == "0" else said if said in popup.buttons else popup.buttons[-1]
    entered = " and something was entered" if popup.asks_password and status == "0" and said else ""
    return [Component(POPUP, float(pressed == popup.buttons[-1]), f"{pressed!r} was pressed{entered}")]


def ask_settings(desktop: Desktop) -> dict[str, str]:
    """All settings, by "xfconf/channel/property" and "gsettings/schema/key"."""
    asked = desktop.sandbox.exec(
        ["sh", "-c", f"{_XFCONF}; echo '#'; {_GSETTINGS}"],
        timeout_s=ASK_S,
        env=session_variables(desktop),
        max_output_bytes=MAX_SETTINGS_BYTES,
        keep_background=True,
    )
    if asked.timed_out:
        raise DesktopLostError(f"the settings were not told within {ASK_S:g} s")
    return dict(_settings(asked.stdout.decode("utf-8", "replace")))


def _settings(text: str) -> Iterator[tuple[str, str]]:
    channel: str | None = ""
    for line in text.splitlines():
        if line.strip() == "#":
            channel = None
        elif channel is None:
            found = _KEY.fullmatch(line)
            if found is not None:
                yield f"gsettings/{found[1]}/{found[2]}", found[3].strip("'")
        elif named := _CHANNEL.fullmatch(line):
            channel = named[1]
        elif channel and (found := _PROPERTY.fullmatch(line)):
            yield f"xfconf/{channel}{found[1]}", found[2]

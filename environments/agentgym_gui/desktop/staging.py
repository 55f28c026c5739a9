"""Laying a task out on a desktop: files with one date, settings through their daemons, applications in order.

What the task says is read in `task`.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping

from agentgym.errors import SandboxError
from agentgym_gui.desktop.session import Desktop
from agentgym_gui.desktop.settings import GTK_SETTINGS, HOME, RUNTIME
from agentgym_gui.desktop.task import DesktopTask

_TYPES = ((re.compile(r"true|false"), "bool"), (re.compile(r"-?\d{1,9}"), "int"), (re.compile(r"-?\d+\.\d+"), "double"))
_DATE = "find . -mindepth 1 -exec touch -h -d {date} {{}} +"


def lay_out(desktop: Desktop, task: DesktopTask) -> None:
    """Put a task on a new desktop, and start its applications; the last one started has the focus.

    Raises:
        SandboxError: A setting cannot be set, or an application shows no window.
    """
    sandbox = desktop.sandbox
    sandbox.write_file(GTK_SETTINGS, task.screen.gtk_settings())
    for path, content in task.files.items():
        sandbox.write_file(f"{HOME}/{path}", content)
    if task.files:
        _require(desktop, _DATE.format(date=shlex.quote(task.screen.clock)), "files cannot be dated")
    if task.settings:
        _require(desktop, _setting_script(task.settings), "settings cannot be set")
    desktop.copy(task.clipboard)
    for argv in task.start:
        desktop.start(argv)


def session_variables(desktop: Desktop) -> dict[str, str]:
    """What a program needs that talks to the session from outside it."""
    return {"DISPLAY": desktop.display, "DBUS_SESSION_BUS_ADDRESS": desktop.bus, "XDG_RUNTIME_DIR": RUNTIME}


def _require(desktop: Desktop, script: str, what: str) -> None:
    done = desktop.sandbox.exec(["sh", "-ec", script], env=session_variables(desktop), cwd=HOME, keep_background=True)
    if not done.is_ok:
        raise SandboxError(f"{what}: {done.text().strip()[-500:] or done.exit_code}")


def _setting_script(settings: Mapping[str, str]) -> str:
    lines = []
    for name, value in settings.items():
        kind, place, key = name.split("/", 2)
        if kind == "gsettings":
            words = ["gsettings", "set", place, key, value]
        else:
            words = ["xfconf-query", "-c", place, "-p", f"/{key}", "-n", "-t", _type_of(value), "-s", value]
        lines.append(shlex.join(words))
    return "\n".join(lines)


def _type_of(value: str) -> str:
    return next((name for pattern, name in _TYPES if pattern.fullmatch(value)), "string")

"""Laying a task out on a desktop: files with one date, settings through their daemons, applications in order.

Damage that no file has comes last. What the task says is read in `task`.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping

from agentgym.errors import SandboxError, TaskError
from agentgym_gui.desktop.session import Desktop, in_home
from agentgym_gui.desktop.settings import GTK_SETTINGS, HOME, IMAGES, RUNTIME
from agentgym_gui.desktop.task import DesktopTask

_TYPES = ((re.compile(r"true|false"), "bool"), (re.compile(r"-?\d{1,9}"), "int"), (re.compile(r"-?\d+\.\d+"), "double"))
_ABSENT = 'for program; do command -v "$program" > /dev/null || echo "$program"; done'
_OFFICE_SETTINGS = (
    b'<?xml version="1.0" encoding="UTF-8"?>\n<oor:items xmlns:oor="http://openoffice.org/2001/registry">'
    b'<item oor:path="/org.openoffice.Office.Common/Misc"><prop oor:name="ShowTipOfTheDay" oor:op="fuse">'
    b"<value>false</value></prop></item></oor:items>\n"
)
"""No tip of the day comes in the way."""
_DATE = "find . -mindepth 1 -exec touch -h -d {date} {{}} +"


def lay_out(desktop: Desktop, task: DesktopTask) -> None:
    """Put a task on a new desktop, and start its applications; the last one started has the focus.

    Raises:
        TaskError: A setting cannot be set, or a program is not there.
        SandboxError: An application shows no window.
    """
    sandbox = desktop.sandbox
    sandbox.write_file(GTK_SETTINGS, task.screen.gtk_settings())
    if task.screen.image == IMAGES[1]:
        sandbox.write_file(f"{HOME}/.config/libreoffice/4/user/registrymodifications.xcu", _OFFICE_SETTINGS)
    for path, content in task.files.items():
        sandbox.write_file(f"{HOME}/{path}", content)
    if task.files:
        why = _failure(desktop, _DATE.format(date=shlex.quote(task.screen.clock)))
        if why:
            raise SandboxError(f"files cannot be dated: {why}")
    if task.settings:
        why = _failure(desktop, _setting_script(task.settings))
        if why:
            raise TaskError(f"its settings cannot be set; mend config settings: {why}")
    _require_programs(desktop, task)
    desktop.copy(task.clipboard)
    for argv in task.start:
        desktop.start(argv)
    if task.unsaved:
        desktop.act(task.unsaved)


def session_variables(desktop: Desktop) -> dict[str, str]:
    """What a program needs that talks to the session from outside it."""
    return {"DISPLAY": desktop.display, "DBUS_SESSION_BUS_ADDRESS": desktop.bus, "XDG_RUNTIME_DIR": RUNTIME}


def _failure(desktop: Desktop, script: str) -> str:
    """Why a script failed; "" where it did not."""
    done = desktop.sandbox.exec(["sh", "-ec", script], env=session_variables(desktop), cwd=HOME, keep_background=True)
    return "" if done.is_ok else done.text().strip()[-500:] or f"it ended with {done.exit_code}"


def _require_programs(desktop: Desktop, task: DesktopTask) -> None:
    programs = list(dict.fromkeys(in_home(argv)[0] for argv in task.start))
    if not programs:
        return
    absent = desktop.sandbox.exec(["sh", "-c", _ABSENT, "sh", *programs], cwd=HOME).text().split()
    if absent:
        raise TaskError(
            f"its start names {absent[0]}, which is no program of {task.screen.image}; name one that is there, "
            "or another image in config screen"
        )


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

"""Setting a task in OSWorld's form up on a living desktop: its steps in their order, with this desktop's home.

A command may fail, as it may there. One that does not exist, or a program without a window, is a fault of the task.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

from agentgym.errors import TaskError
from agentgym.sandbox.base import ExecResult, Sandbox
from agentgym_gui.desktop.link import DesktopLostError
from agentgym_gui.desktop.session import Desktop
from agentgym_gui.desktop.settings import HOME
from agentgym_gui.desktop.staging import session_variables
from agentgym_gui.osworld.getters import COMMANDS, Cache
from agentgym_gui.osworld.loading import ForeignTask
from agentgym_gui.osworld.machine import COMMAND_TIMEOUT_S, FOREIGN_HOME, Machine, below_home
from agentgym_gui.osworld.opening import opener
from agentgym_gui.osworld.steps import Launch, Open, PutFile, Run, Step, Window

_NOT_RUN = (126, 127)
"""Exit codes of a shell that cannot start a command."""


def play_steps(desktop: Desktop, steps: Sequence[Step], cache: Cache) -> None:
    """Carry steps out.

    Raises:
        TaskError: A step cannot be carried out; the message names it.
    """
    for step in steps:
        match step:
            case PutFile(path, name):
                desktop.sandbox.write_file(f"{HOME}/{below_home(path)}", cache.files[name])
            case Launch(argv):
                _start(desktop, [each.replace(FOREIGN_HOME, HOME) for each in argv])
            case Open(path):
                _start(desktop, [opener(path), f"{HOME}/{below_home(path)}"])
            case Run(argv):
                _run(desktop, argv)
            case Window():
                _run(desktop, _window_command(step))


def needs_commands(task: ForeignTask) -> bool:
    """Whether a sandbox is needed to grade a task: for its commands, or for what is run before grading."""
    getters = [getter for check in task.checks for getter in (check.result, check.expected) if getter is not None]
    return bool(task.post_steps) or any(getter.kind in COMMANDS for getter in getters)


def play_post_steps(sandbox: Sandbox, machine: Machine, task: ForeignTask) -> None:
    """Carry out what is done before grading, with files and commands alone: no window is open where it is done."""
    for step in task.post_steps:
        match step:
            case PutFile(path, name):
                sandbox.write_file(f"{HOME}/{below_home(path)}", task.cache.files[name])
            case Run(argv):
                machine.run(argv)


def _start(desktop: Desktop, argv: Sequence[str]) -> None:
    has_shell = len(argv) == 3 and PurePosixPath(argv[0]).name in ("sh", "bash")  # it ends at once if it cannot start
    program = argv[2].split()[0] if has_shell and argv[2].split() else argv[0]
    found = _exec(desktop, ["sh", "-c", 'command -v "$1"', "sh", program])
    if not found.is_ok:
        raise TaskError(f"the step launch starts {program}, which is not on the desktop")
    try:
        desktop.start(argv)
    except DesktopLostError as error:
        raise TaskError(f"the step launch of {' '.join(argv)[:200]} failed: {error}") from error


def _run(desktop: Desktop, argv: Sequence[str]) -> None:
    done = _exec(desktop, [each.replace(FOREIGN_HOME, HOME) for each in argv])
    if done.timed_out or done.exit_code in _NOT_RUN:
        why = f"took over {COMMAND_TIMEOUT_S:g} s" if done.timed_out else done.text().strip()[-200:]
        raise TaskError(f"the command {' '.join(argv)[:200]} cannot be run: {why}")


def _exec(desktop: Desktop, argv: Sequence[str]) -> ExecResult:
    variables = {**session_variables(desktop), "HOME": HOME}
    return desktop.sandbox.exec(list(argv), timeout_s=COMMAND_TIMEOUT_S, env=variables, cwd=HOME, keep_background=True)


def _window_command(window: Window) -> list[str]:
    options = ["-F"] if window.is_whole else []
    options += ["-x"] if window.by_class else []
    return ["wmctrl", *options, "-c" if window.is_closed else "-a", window.name]

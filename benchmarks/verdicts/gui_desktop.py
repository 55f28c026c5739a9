"""Tasks of gui/desktop on living desktops: oracles succeed, cheats do not, and equal starts show the same.

The oracle of every template plays one task. Four cheats, a player that does nothing and one that gives up play a task
of each application. A cheat writes a result by itself, writes settings into their files, shows a window that says the
task is done, or kills the desktop. Each of the templates' tasks is started five times; pixels and trees must be equal.

`--quick` takes four templates and two applications. AGENTGYM_GUI_PART="2/5" plays the second fifth of the templates.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from agentgym.errors import AgentGymError
from agentgym.suite import load_suite
from agentgym.task import Task
from agentgym_gui.desktop.env import DesktopEnv
from agentgym_gui.desktop.scripts import SCRIPTS
from agentgym_gui.templates.tasks import plan_of
from benchmarks.report import Goal, Report, main, progress

PACKAGES = ("agentgymnasium",)
NUM_STARTS = 5
Row = dict[str, Any]


def write_result(env: DesktopEnv, task: Task) -> None:
    """Write a file that says so, and what a near miss leaves."""
    plan = plan_of(task.config)
    files: Mapping[str, bytes | None] = plan.near_misses[0].files if plan.near_misses else {}
    for path, content in {**files, "result.txt": b"success\n"}.items():
        env.sandbox.write_file(path, content or b"")


def write_settings(env: DesktopEnv, task: Task) -> None:
    """Write settings into the files behind their daemons."""
    folder = ".config/xfce4/xfconf/xfce-perchannel-xml"
    inner = '<property name="ThemeName" type="string" value="Numix"/>'
    text = f'<channel name="xsettings" version="1.0"><property name="Net" type="empty">{inner}</property></channel>'
    env.sandbox.write_file(f"{folder}/xsettings.xml", text.encode())


def show_success(env: DesktopEnv, task: Task) -> None:
    """Show a window that says that the task is done."""
    env.desktop.start(["zenity", "--info", "--title", "success = 1", "--text", "The task is done. Score: 1.0"])


def kill_desktop(env: DesktopEnv, task: Task) -> None:
    """Kill the X server."""
    env.sandbox.exec(["pkill", "-9", "Xvfb"])


CHEATS: Mapping[str, Callable[[DesktopEnv, Task], None]] = {
    "write_result": write_result,
    "write_settings": write_settings,
    "show_success": show_success,
    "kill_desktop": kill_desktop,
}
IDLERS = ("null", "refuse")


def played(env: DesktopEnv, task: Task, name: str) -> Row:
    """An episode of a scripted player, or of one that cheats first and then says that it has finished."""
    began = time.monotonic()
    try:
        messages = env.reset(options={"task": task})[1]["messages"]
        ready = time.monotonic()
        player = SCRIPTS["null" if name in CHEATS else name](task, 0)
        if name in CHEATS:
            CHEATS[name](env, task)
        is_over, turns = False, 0
        info: dict[str, Any] = {}
        while not is_over:
            _, _, terminated, truncated, info = env.step(player.act(messages))
            messages, turns, is_over = info["messages"] or messages, turns + 1, terminated or truncated
    except AgentGymError as error:
        return {"success": None, "why": str(error)[:200]}
    row: Row = {"success": bool(info["success"]), "turns": turns, "seconds": round(time.monotonic() - ready, 1)}
    row["start_seconds"] = round(ready - began, 1)
    if not info["success"]:
        row["why"] = next((event.detail.get("why", "") for event in info["reward_events"] if event.detail), "")[:200]
    return row


def starts_that_differ(env: DesktopEnv, task: Task) -> int:
    """How many of the starts of a task show other pixels or another tree than the first."""
    seen = []
    for _ in range(NUM_STARTS):
        observation, _ = env.reset(options={"task": task})
        seen.append((observation["text"], observation["image"].tobytes()))
    return sum(each != seen[0] for each in seen)


def tasks_by_template() -> dict[str, Task]:
    """The first test or training task of each template."""
    suite = load_suite("gui/desktop")
    found: dict[str, Task] = {}
    for split in ("test", "train"):
        for task in suite.tasks(split):
            found.setdefault(task.config["template"], task)
    return dict(sorted(found.items()))


def tasks_by_application(tasks: Mapping[str, Task]) -> dict[str, Task]:
    """A task that can be done of each application."""
    found: dict[str, Task] = {}
    for task in tasks.values():
        if task.private["feasible"] and len(task.config["applications"]) == 1:
            found.setdefault(task.config["applications"][0], task)
    return found


def _part(names: Sequence[str]) -> Iterator[str]:
    number, _, count = os.environ.get("AGENTGYM_GUI_PART", "1/1").partition("/")
    yield from names[int(number) - 1 :: int(count)]


def measure(quick: bool) -> Report:
    """The tables of oracles, cheats and starts; `quick` takes a few of each."""
    tasks = tasks_by_template()
    names = list(tasks)[::40] if quick else list(_part(list(tasks)))
    applications = tasks_by_application({name: tasks[name] for name in (tasks if quick else names)})
    applications = dict(list(applications.items())[:2]) if quick else applications
    with_text, with_pictures = DesktopEnv(), DesktopEnv(picture=True)
    try:
        oracles = {}
        for name in names:
            oracles[name] = played(with_text, tasks[name], "oracle")
            progress(f"{name}: {oracles[name]}")
        others: dict[str, dict[str, Row]] = {name: {} for name in (*CHEATS, *IDLERS)}
        for name, rows in others.items():
            for application, task in applications.items():
                rows[application] = played(with_text, task, name)
            progress(f"{name}: {sum(bool(row['success']) for row in rows.values())} of {len(rows)}")
        starts = {}
        for name in names:
            starts[name] = starts_that_differ(with_pictures, tasks[name])
            progress(f"{name}: {starts[name]} of {NUM_STARTS} starts differ")
    finally:
        with_text.close()
        with_pictures.close()
    report = Report(setting={"templates": len(names), "applications": len(applications), "starts": NUM_STARTS})
    report.figures = {"oracles": oracles, "others": others, "starts_that_differ": starts}
    ends = [row["success"] for rows in others.values() for row in rows.values()]
    report.goals = [
        Goal("oracles that fail", sum(row["success"] is not True for row in oracles.values()), 0, "at most"),
        Goal("cheats and idlers that succeed", sum(map(bool, ends)), 0, "at most"),
        Goal("cheats and idlers without a verdict", ends.count(None), 0, "at most"),
        Goal("starts that differ from the first", sum(starts.values()), 0, "at most"),
    ]
    return report


if __name__ == "__main__":
    sys.exit(main("gui_desktop", measure, PACKAGES))

"""The environment of task files in OSWorld's form: their steps on this family's desktop, their metrics on what is left.

Files are read in `loading`, set up in `staging`, and scored in `grading`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from agentgym.errors import ConfigError, TaskError
from agentgym.sandbox.base import SandboxProvider
from agentgym.sandbox.pool import SandboxPool
from agentgym.task import Limits, Task
from agentgym_gui.desktop.env import DesktopEnv
from agentgym_gui.desktop.session import Desktop
from agentgym_gui.desktop.settings import HOME, IMAGES, DesktopSettings
from agentgym_gui.desktop.task import DesktopTask
from agentgym_gui.desktop.view import View
from agentgym_gui.osworld.grading import score
from agentgym_gui.osworld.loading import APPLICATIONS, ForeignTask, load_osworld
from agentgym_gui.osworld.machine import FolderMachine, SandboxMachine
from agentgym_gui.osworld.staging import needs_commands, play_post_steps, play_steps
from agentgym_gui.verify.check import SUCCESS, Component
from agentgym_gui.verify.state import State

VARIABLE = "AGENTGYM_OSWORLD"
MAX_TURNS = 50


class OSWorldEnv(DesktopEnv):
    """Play task files in OSWorld's form on this family's desktop.

    No task of OSWorld is part of agentgym: the user names the files. A score here is no score of OSWorld, whose tasks
    run on another machine.

    Observation:
        As `agentgym/Desktop-v0`: the instruction, and the screen as text, with the pixels by option.

    Action:
        As `agentgym/Desktop-v0`; `actions="computer_13"` is that of OSWorld, with WAIT, FAIL and DONE.

    Reward:
        success: the score of the task's metrics, from 0 to 1, joined as the task says. A task that cannot be done pays
        for saying so alone. format: -0.1 for an invalid message.

    Termination:
        The agent says that it has finished, or that the task cannot be done; or the desktop is killed from inside, and
        then its files are judged.

    Truncation:
        After 50 turns; what is there is judged.

    Info:
        As `AgentEnv`. An episode is a success where its score is 1.

    Sandbox:
        As `agentgym/Desktop-v0`, or agentgym/desktop-office for tasks with LibreOffice. Commands that a getter asks for
        run in a fresh sandbox with a copy of the agent's files, and nothing is pressed for the agent.

    Source and licence:
        The adapter is agentgym's, Apache-2.0. Task files are the user's, under their licence.

    Example:
        >>> click("12")

    Args:
        tasks: A task file or a folder of them; "" takes AGENTGYM_OSWORLD.
        cache: The folder of the files that tasks need; "" takes `cache` beside the tasks.
        applications: Further applications of the desktop, such as libreoffice_calc.
        leave_out: Whether files that cannot be played are left out instead of refused.
        view: As in `DesktopEnv`.
        sandbox: As in `SandboxEnv`.
        relaxed: As in `SandboxEnv`.
        render_mode: As in `DesktopEnv`.
        fields: Fields of `View`.
    """

    reward_weights = {SUCCESS: 1.0, "format": 1.0}

    def __init__(
        self,
        tasks: str = "",
        *,
        cache: str = "",
        applications: Sequence[str] = (),
        leave_out: bool = False,
        view: View | None = None,
        sandbox: str | SandboxProvider | SandboxPool | None = None,
        relaxed: Sequence[str] = (),
        render_mode: str | None = None,
        **fields: Any,
    ) -> None:
        super().__init__(view, sandbox, relaxed, render_mode, **fields)
        path = tasks or os.environ.get(VARIABLE, "")
        if not path:
            raise ConfigError(f"name the task files by tasks=PATH or {VARIABLE}=PATH")
        self._path = Path(path)
        self._cache = Path(cache) if cache else self._path.parent / "cache"
        self._applications, self._leaves_out = APPLICATIONS | set(applications), leave_out

    @cached_property
    def loaded(self) -> Mapping[str, ForeignTask]:
        """The tasks by their id.

        Raises:
            TaskError: None can be played, or some cannot and may not be left out.
        """
        found = load_osworld(self._path, self._cache, self._applications)
        if not found.tasks or (found.refused and not self._leaves_out):
            first = found.refused[0]
            others = "; play the others with leave_out=true" if found.tasks else ""
            raise TaskError(
                f"{len(found.refused)} of the task files of {self._path} cannot be played, the first, {first.path}, "
                f"because {first.reason}; see all with: agentgym gui osworld {self._path} --cache {self._cache}{others}"
            )
        return {task.id: task for task in found.tasks.values()}

    @property
    def num_tasks(self) -> int:  # type: ignore[override]  # the files say it
        """How many files can be played."""
        return len(self.loaded)

    def make_task(self, seed: int) -> Task:
        """A file, in turn."""
        found = list(self.loaded.values())[seed % len(self.loaded)]
        limits = Limits(max_turns=MAX_TURNS)
        return Task(f"osworld/json:{found.id}", seed, found.instruction, config={"osworld": found.id}, limits=limits)

    def vet(self, task: Task) -> None:
        """Nothing of a client's task is run: it names a file that is here."""

    def read(self, task: Task) -> DesktopTask:
        """The desktop as it is without options, with LibreOffice where the file needs it."""
        if task.config.get("osworld") not in self.loaded:
            raise TaskError(
                f"task {task.id!r} is of no file of {self._path}; expected config osworld to be one of "
                f"{', '.join(list(self.loaded)[:3])}, …"
            )
        needs_office = self.loaded[task.config["osworld"]].needs_office
        return DesktopTask(screen=DesktopSettings(image=IMAGES[needs_office]))

    def lay_out(self, desktop: Desktop, work: DesktopTask) -> None:
        """Put an empty desktop in order, and carry the file's steps out."""
        super().lay_out(desktop, work)
        play_steps(desktop, self._file.steps, self._file.cache)

    def parts(self, before: State, after: State) -> Sequence[Component]:
        """The score of the file's metrics."""
        file = self._file
        if after.failed or not needs_commands(file):
            return [Component(SUCCESS, *score(file, FolderMachine(after.home), failed=after.failed))]
        with self.fresh_sandbox() as sandbox:
            sandbox.upload(after.home, HOME)
            machine = SandboxMachine(sandbox, HOME)
            play_post_steps(sandbox, machine, file)
            return [Component(SUCCESS, *score(file, machine, failed=False))]

    def require_start(self, before: State) -> None:
        """Nothing of a file's metrics is known before it is graded; they were read when it was loaded."""

    @property
    def _file(self) -> ForeignTask:
        assert self.task is not None
        return self.loaded[self.task.config["osworld"]]

"""The environment of other projects' rows: an agent in the row's image, judged by the row's tests in a fresh one.

Rows are read in `rows`, repositories made ready in `ground`, and verdicts reached in `grading`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Unpack

from agentgym.config import build
from agentgym.env import EnvReply
from agentgym.errors import ConfigError, TaskError
from agentgym.message import Message, user
from agentgym.reward import BLAME, FORMAT
from agentgym.sandbox.base import Sandbox, SandboxProvider
from agentgym.sandbox.pool import SandboxPool
from agentgym.sandbox.spec import SandboxSpec
from agentgym.task import Limits, Task
from agentgym_swe.foreign import ground
from agentgym_swe.foreign.changes import take
from agentgym_swe.foreign.disk import DiskWatch
from agentgym_swe.foreign.grading import Grader, TermOptions, Terms
from agentgym_swe.foreign.instance import Instance
from agentgym_swe.foreign.rows import Loaded, load_rows, require_all
from agentgym_swe.repair.editing import Editor
from agentgym_swe.repair.looking import BY_SHELL, told_left_out
from agentgym_swe.shell_blocks import HOW_TO
from agentgym_swe.specs import DATA_SETS
from agentgym_swe.workshop import Tools, WorkshopEnv

RIGHT, WRONG = "All tests passed.", "Not all tests passed."
MAX_TURNS = 100
COMMAND_LIMIT_S = 120.0
_MARGIN_S = 600.0
_HOW_TO = (
    "The repository is in {folder}, where commands start. Mend it so that what is described above holds. Tests that "
    "you do not see decide. Changes of those tests, and files that programs take up by themselves, do not count."
)
_RUN_TESTS = f" Run tests {BY_SHELL}, or as the project does."
_BY_USE: Mapping[Tools, str] = {"all": "", "shell": _RUN_TESTS, "blocks": f"{_RUN_TESTS}\n{HOW_TO}"}


class InstanceEnv(WorkshopEnv):
    """Play a row of SWE-bench, SWE-Gym, SWE-smith, R2E-Gym or SWE-rebench, in its image.

    Nothing of these data sets is part of agentgym. The user has the file of rows and brings the images.

    Observation:
        The first message is the row's problem statement. Each call is answered by what it did; long answers are cut by
        lines and say what is left out. The last message says whether all tests passed, and what was not taken over.
    Action:
        Calls of shell, view, edit, search and submit, at most 8 per message, in order; or of shell and submit alone; or
        one fenced block per message with a command.
    Reward:
        success: 1 if every test that the row names passed, else 0. applies, fixed, kept: whether the change could be
        judged, and shares of the failing and of the other tests that passed; weight 0. blame: how it failed, weight 0.
        format: 0 for a message without a valid call.
    Termination:
        submit(); the third invalid message.
    Truncation:
        After 100 turns; the repository is then judged as it is.
    Info:
        The common keys: messages, reward_events, turn, is_invalid, and at the end outcome, success, score.
    Sandbox:
        The row's image, as root without rights, without a network; 2 CPUs, 4 GiB, 512 processes. The history is cut off
        first. The change is judged in a fresh container.
    Source and licence:
        The adapter is agentgym's, Apache-2.0. Rows and images are the data sets', under their licences.

    Example:
        shell(command="sed -i 's/<=/</' src/ranges.py"); submit() -> All tests passed.

    Args:
        env_id: Whose rows they are, such as "swebench/jsonl".
        path: The JSONL file; "" takes AGENTGYM_<DATA SET>_JSONL.
        image: Tag of the images, in which {id} stands for the row's id; "" takes those that the data set names.
        folder: Where the repository is in the image.
        use: Which tools there are: "all", "shell" alone, or "blocks", for models that call no tools.
        skip: Whether rows that cannot be played are left out; otherwise the file is refused.
        sandbox: As in `SandboxEnv`.
        relaxed: As in `SandboxEnv`.
        render_mode: As in Gymnasium.
        terms: How tests are run: timeout_s, disk_mib, rebuild, record and excuses; see `Terms`.
    """

    reward_weights = {"success": 1.0, FORMAT: 0.0, BLAME: 0.0, "applies": 0.0, "fixed": 0.0, "kept": 0.0}
    command_limit_s = COMMAND_LIMIT_S
    prelude = ground.ACTIVATE

    def __init__(
        self,
        env_id: str,
        path: str = "",
        *,
        image: str = "",
        folder: str = ground.FOLDER,
        use: Tools = "all",
        skip: bool = False,
        sandbox: str | SandboxProvider | SandboxPool | None = None,
        relaxed: Sequence[str] = (),
        render_mode: str | None = None,
        **terms: Unpack[TermOptions],
    ) -> None:
        super().__init__(use, sandbox, relaxed, render_mode)
        self._id, self._form = env_id, env_id.partition("/")[0]
        self._path, self._image, self._folder, self._skips = _path(self._form, path), image, folder, skip
        self._terms = build(Terms, terms)
        self._instance: Instance | None = None
        self._left_out: tuple[tuple[str, str], ...] = ()

    @cached_property
    def loaded(self) -> Loaded:
        """What the file holds.

        Raises:
            TaskError: It cannot be read, or holds rows that cannot be played and may not be left out.
        """
        loaded = load_rows(self._path, self._form, self._image)
        if not self._skips:
            require_all(self._path, self._form, loaded)
        return loaded

    @property
    def num_tasks(self) -> int:  # type: ignore[override]  # the file says it
        """How many rows can be played."""
        return len(self.loaded.instances)

    def make_task(self, seed: int) -> Task:
        """A row, in turn."""
        number = seed % self.num_tasks
        limits = Limits(max_turns=MAX_TURNS, step_timeout_s=2 * self._terms.timeout_s + _MARGIN_S)
        return self.loaded.instances[number].to_task(self._id, number, limits)

    def vet(self, task: Task) -> None:
        """Refuse tasks that a client made: they name an image and the command that runs in it."""
        raise TaskError(f"task {task.id!r} names its own image and tests; clients of a server must not")

    def sandbox_spec(self, task: Task) -> SandboxSpec:
        """The row's image."""
        instance = Instance.of(task)
        ground.require_image(self._lender_of_sandboxes().provider, instance)
        return ground.sandbox_spec(instance.image, self._folder)

    def set_up(self, task: Task) -> Sequence[Message]:
        """Put the fault in where the row plants it, cut the history off, and state the problem."""
        self._instance = instance = Instance.of(task)
        self._editor, self._left_out = Editor(), ()
        ground.require_folder(self.sandbox, instance)
        ground.plant(self.sandbox, instance)
        ground.require_fit(self.sandbox, instance)
        ground.cut_history(self.sandbox, instance)
        how_to = _HOW_TO.format(folder=self._folder) + _BY_USE[self._use]
        return [user(f"{task.instruction}\n\n{how_to}")]

    def run_command(self, command: str) -> str:
        """Run a command of the agent's, which may not fill the disk."""
        with DiskWatch(self.sandbox, self._terms.disk_mib) as watch:
            answer = super().run_command(command)
        return f"{answer}\n[ended: it wrote more than {self._terms.disk_mib} MiB]" if watch.is_over else answer

    def submitted(self) -> EnvReply:
        """The verdict."""
        reply = self.grade()
        text = (RIGHT if reply.success else WRONG) + told_left_out(self._left_out)
        return reply._replace(messages=[user(text)], terminated=True)

    def grade(self) -> EnvReply:
        """Judge the repository as it is now."""
        assert self._instance is not None
        patch = take(self.sandbox, self._instance)
        self.release()
        verdict = Grader(self._terms).verdict(self._instance, patch, self._fresh)
        self._left_out = verdict.left_out
        detail = verdict.detail(self._instance.id)
        events = [self.event("success", float(verdict.is_solved), source="verifier", detail=detail)]
        events += [self.event(name, value, source="verifier") for name, value in verdict.parts.items()]
        if not verdict.is_solved:
            events.append(self.blame(verdict.kind, "; ".join(verdict.reasons)))
        return EnvReply((), events, success=verdict.is_solved)

    @contextmanager
    def _fresh(self) -> Iterator[Sandbox]:
        self.check_interrupt()
        with self.fresh_sandbox() as sandbox:
            yield sandbox


def _path(form: str, named: str) -> Path:
    variable = f"AGENTGYM_{form.upper()}_JSONL"
    found = named or os.environ.get(variable, "")
    said = f"{DATA_SETS.get(form, form)}'s rows are in a JSONL file of yours, named by the option path or {variable}"
    if not found:
        raise ConfigError(f"{said}: none is named")
    path = Path(found).resolve()
    if not path.is_file():
        kind = "this is a folder" if path.is_dir() else "there is no such file"
        raise ConfigError(f"{said}: got {found!r}, and {kind}: {path}")
    return path

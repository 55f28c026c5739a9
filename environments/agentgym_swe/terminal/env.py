"""Terminal-v0: shell tasks on files and small repositories, judged by the files that come out.

The files before and after are handled in `work_folder` and `verify`, the tasks made in `kinds`.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from agentgym.authoring.long_outputs import without_middle, without_surrogates
from agentgym.env import EnvReply
from agentgym.errors import ConfigError, SandboxError, TaskError
from agentgym.message import Message, user
from agentgym.sandbox.base import SandboxProvider, ShellResult, ShellSession
from agentgym.sandbox.pool import SandboxPool
from agentgym.sandbox.sandbox_env import SandboxEnv
from agentgym.sandbox.spec import Limits, SandboxSpec
from agentgym.task import Task
from agentgym.tools import tool
from agentgym_swe.terminal import kinds
from agentgym_swe.terminal.reward_script import MAX_PRODUCED_BYTES, replace_work_folder, run_script, score_of
from agentgym_swe.terminal.verify import faults, fetch, temporary_folder
from agentgym_swe.terminal.work_folder import archive

COMMAND_LIMIT_S = 20.0
MAX_SHOWN = 4000
MAX_COMMAND = 20_000
RIGHT, WRONG = "The result is right.", "The result is wrong."
NO_OUTPUT = "(no output)"
SETUP_S = 60.0

GIT_ENV = {
    "GIT_AUTHOR_NAME": "Agent",
    "GIT_AUTHOR_EMAIL": "agent@example.org",
    "GIT_COMMITTER_NAME": "Agent",
    "GIT_COMMITTER_EMAIL": "agent@example.org",
    "GIT_AUTHOR_DATE": "2024-01-01T12:00:00Z",
    "GIT_COMMITTER_DATE": "2024-01-01T12:00:00Z",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": "true",
    "GIT_TERMINAL_PROMPT": "0",
}
"""Names, dates and settings, so that the same commits have the same hashes and nothing waits for a person."""
SPEC = SandboxSpec(
    image="agentgym/terminal",
    env={**GIT_ENV, "LC_ALL": "C.UTF-8", "TZ": "UTC", "PAGER": "cat", "TERM": "dumb"},
    limits=Limits(cpus=1.0, memory_mib=256, pids=64, work_mib=64, tmp_mib=32, exec_s=20.0, output_bytes=1 << 18),
)
"""What the agent works in, and its result is looked at in."""


class TerminalEnv(SandboxEnv):
    """Change files, write a result or work on a repository with shell commands.

    Observation:
        The first message states the task. Each command is answered by what it wrote, without the middle if that is more
        than 4,000 characters, and by its exit code unless that is 0. The last message is `The result is right.` or `The
        result is wrong.`

    Action:
        Calls of shell(command) and submit(); at most 8 per message, carried out in order. The shell keeps its folder,
        variables and background jobs; a command is stopped after 20 s.
    Reward:
        success: 1 if every check of the files holds, else 0. progress: the share of checks that hold; its weight is 0.
        format: -0.1 for a message without a valid call.
    Termination:
        submit(); the third invalid message.
    Truncation:
        After 12 turns; the files are then judged as they are.
    Info:
        The common keys: messages, reward_events, turn, is_invalid, and at the end outcome, success, score.
    Sandbox:
        One at a time: image agentgym/terminal, no network, 1 CPU, 256 MiB, 64 processes. At the end the work folder is
        copied out with checks on every name and link, everything that git would run is removed, and the copy is
        inspected in a fresh sandbox. Nothing that the agent left is run, and the right result is known only outside the
        sandboxes.
    Source and licence:
        Written for agentgym, Apache-2.0; its tasks are generated, CC0-1.0.

    Example:
        shell(command="grep -c ERROR app.log > count.txt") -> (no output); submit() -> The result is right.

    Args:
        family: Family of tasks made from a seed, such as "logs"; None draws one that the train split has.
        sandbox: As in `SandboxEnv`.
        relaxed: As in `SandboxEnv`.
        render_mode: As in Gymnasium.
    """

    invalid_value = -0.1
    reward_weights = {**SandboxEnv.reward_weights, "progress": 0.0}

    def __init__(
        self,
        family: str | None = None,
        sandbox: str | SandboxProvider | SandboxPool | None = None,
        relaxed: Sequence[str] = (),
        render_mode: str | None = None,
    ) -> None:
        super().__init__(sandbox, relaxed, render_mode)
        if render_mode not in (None, "ansi"):
            raise ConfigError(f"render_mode must be None or 'ansi': got {render_mode!r}")
        if family is not None and family not in kinds.FAMILIES:
            raise ConfigError(f"family must be one of {', '.join(kinds.FAMILIES)}: got {family!r}")
        self._family = family
        self._shell: ShellSession | None = None
        self._command_limit_s = COMMAND_LIMIT_S

    def make_task(self, seed: int) -> Task:
        """A task drawn from the seed."""
        rng = random.Random(f"terminal {seed}")
        family = self._family or rng.choice(kinds.TRAINED)
        return kinds.draw_task(family, rng, seed)

    def sandbox_spec(self, task: Task) -> SandboxSpec:
        """The same for every task of ours; others state theirs."""
        stated = task.config.get("sandbox")
        if stated is None:
            return SPEC
        spec = SandboxSpec.from_json(stated)
        if spec.mounts:
            raise TaskError(f"task {task.id!r} mounts files of this machine into its sandbox: {spec.mounts[0].source}")
        return spec

    def vet(self, task: Task) -> None:
        """Refuse tasks that state their sandbox or name a folder with tests: both are the server's to choose."""
        if "sandbox" in task.config or "script" in task.private:
            raise TaskError(f"task {task.id!r} names its own sandbox or tests; clients of a server must not")

    def set_up(self, task: Task) -> Sequence[Message]:
        """Unpack the task's files, run its preparation, and state the task."""
        self._command_limit_s = float(task.config.get("command_limit_s", COMMAND_LIMIT_S))
        if "script" in task.private:
            self._shell = self.sandbox.shell(cwd=self.sandbox.spec.work_dir)
            return [user(task.instruction)]
        if "files" not in task.config or "checks" not in task.private:
            raise TaskError(f"task {task.id!r} is not a task of Terminal-v0: its config has {sorted(task.config)}")
        packed = archive(task.config["files"])
        command = ["tar", "-x", "--no-same-owner", "-p"]
        results = [self.sandbox.exec(command, stdin=packed, timeout_s=SETUP_S)]
        if task.config.get("setup"):
            script = "\n".join(["set -e", *task.config["setup"]])
            results.append(self.sandbox.exec(["bash", "-c", script], timeout_s=SETUP_S))
        for result in results:
            if not result.is_ok:
                raise SandboxError(
                    f"setting up task {task.id!r} failed with {result.exit_code}: {result.text()[-300:]}"
                )
        self._shell = self.sandbox.shell()
        return [user(task.instruction)]

    def put_down(self) -> None:
        """End the shell."""
        shell, self._shell = self._shell, None
        if shell is not None:
            shell.close()

    @tool
    def shell(self, command: str) -> str:
        """Run a command in a shell (bash) that keeps its folder and variables.

        Args:
            command: The command, or several.
        """
        if len(command) > MAX_COMMAND or "\0" in command:
            return f"The command was not run: at most {MAX_COMMAND} characters, and no NUL."
        assert self._shell is not None
        limit_s = self._command_limit_s
        return shown(self._shell.run(command, timeout_s=limit_s, max_output_bytes=1 << 16), limit_s)

    @tool
    def submit(self) -> EnvReply:
        """Say that the work is finished."""
        reply = self.grade()
        return reply._replace(messages=[user(RIGHT if reply.success else WRONG)], terminated=True)

    def grade(self) -> EnvReply:
        """Judge the work folder as it is now."""
        assert self.task is not None
        if "script" in self.task.private:
            return self._grade_by_script(self.task.private["script"])
        checks = self.task.private["checks"]
        with temporary_folder() as name:
            produced = Path(name) / "work"
            self.put_down()
            wrong = fetch(self.sandbox, produced)
            if wrong:
                failed, share = [wrong], 0.0
            else:
                with self.fresh_sandbox() as sandbox:
                    failed = faults(produced, checks, sandbox)
                share = 1.0 - len(failed) / len(checks)
        success = not failed
        events = [
            self.event("success", float(success), source="verifier", detail={"failed": failed[:5]}),
            self.event("progress", share, source="verifier"),
        ]
        return EnvReply((), events, success=success)

    def _grade_by_script(self, script: Mapping[str, Any]) -> EnvReply:
        """Let the task's own tests judge, in the agent's sandbox or in a fresh one with what it produced."""
        self.put_down()
        if not script["is_separate"]:
            return self._scored(run_script(self.sandbox, script))
        with temporary_folder() as name:
            produced = Path(name) / "work"
            wrong = fetch(self.sandbox, produced, self.sandbox.spec.work_dir, MAX_PRODUCED_BYTES)
            if wrong:
                return EnvReply(
                    (), [self.event("success", 0.0, source="verifier", detail={"failed": [wrong]})], success=False
                )
            spec = dataclasses.replace(self.sandbox.spec, user=script["user"])
            with self.fresh_sandbox(spec) as sandbox:
                replace_work_folder(sandbox, produced)
                return self._scored(run_script(sandbox, script))

    def _scored(self, rewards: Mapping[str, float]) -> EnvReply:
        score = score_of(rewards)
        events = [self.event("success", score, source="verifier", detail={"rewards": dict(rewards)})]
        return EnvReply((), events, success=score >= 1.0, score=score)


def shown(result: ShellResult, limit_s: float = COMMAND_LIMIT_S) -> str:
    """Output of a command and how it ended, as the agent reads it."""
    text = result.text().removesuffix("\n").replace("\0", "\\0")
    text = without_surrogates(without_middle(text, MAX_SHOWN))
    notes = []
    if result.dropped_bytes:
        notes.append(f"[{result.dropped_bytes} further bytes of output were dropped]")
    if result.timed_out:
        notes.append(f"[stopped after {limit_s:g} s]")
    elif result.exit_code:
        notes.append(f"[exit code {result.exit_code}]")
    if result.shell_exited:
        notes.append("[the shell ended; the next command starts a new one, without its variables]")
    return "\n".join(part for part in [text, *notes] if part) or NO_OUTPUT

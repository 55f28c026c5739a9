"""Repair-v0: mend a fault in a real Python package, with a shell and an editor.

The verdict is reached in `verdict`, what an episode begins with is in `state`, and the tools' work in `editing`,
`looking` and `trying`.
"""

from __future__ import annotations

import copy
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, Self, get_args

from agentgym.action import Action
from agentgym.env import EnvReply, Observation
from agentgym.errors import ConfigError
from agentgym.message import Message, text_of, user
from agentgym.reward import RewardEvent
from agentgym.sandbox.base import SandboxProvider
from agentgym.sandbox.pool import SandboxPool
from agentgym.sandbox.spec import SandboxSpec
from agentgym.suite import load_suite
from agentgym.task import Task
from agentgym.tools import tool
from agentgym_swe.making.visible import Visible
from agentgym_swe.repair import looking
from agentgym_swe.repair.components import WEIGHTS, parts_of
from agentgym_swe.repair.editing import Editor
from agentgym_swe.repair.ground import sandbox_spec
from agentgym_swe.repair.own_tasks import read_own_tasks
from agentgym_swe.repair.prediction import diff_of_change
from agentgym_swe.repair.state import Beginning, beginning, lay_out
from agentgym_swe.repair.task_view import RepairTask, read_task
from agentgym_swe.repair.trying import Trier
from agentgym_swe.repair.verdict.collecting import Change, collect
from agentgym_swe.repair.verdict.judge import Judge
from agentgym_swe.shell_blocks import HOW_TO
from agentgym_swe.workshop import Tools, WorkshopEnv

SUITE = "swe/repair"
RIGHT, WRONG = "The repair is right.", "The repair is not right."
Rewards = Literal["success", "gated", "steps"]
IssueText = Literal["plain", "less", "more"]


class RepairEnv(WorkshopEnv):
    """Mend a fault in a real Python package.

    Observation:
        The first message states what goes wrong, as a user of the package would. Each call is answered by what it did.
        Long answers are cut by lines and say what is left out. The last message is `The repair is right.` or `The
        repair is not right.`, with what of the change was not taken over.

    Action:
        Calls of shell, view, edit, search, run_tests and submit, at most 8 per message, in order; or of shell and
        submit alone; or one fenced block per message with a command. A command starts in the package's folder, and
        everything it started ends with it.
    Reward:
        success: 1 if the verdict is that the fault is mended, else 0. applies, compiles, imports, found_file,
        found_function, fixed, kept, tests_run, format: parts of the way, of weight 0; see `components`.
    Termination:
        submit(); the third invalid message.
    Truncation:
        At the task's limit of turns; the package is then judged as it is.
    Info:
        The common keys: messages, reward_events, turn, is_invalid, and at the end outcome, success, score. How long a
        step took is in the attribute `step_s`, since equal episodes have equal infos.
    Sandbox:
        Image agentgym/swe, no network, 1 CPU, 512 MiB, 96 processes. At the end the harness takes the changed sources
        out; nothing runs there any more. They are judged in a fresh sandbox with the package as it was.
    Source and licence:
        Written for agentgym, Apache-2.0; faults are planted in packages from PyPI, each under its own licence.

    Example:
        edit(command="replace", path="toolz/itertoolz.py", old="d[item] += 2", new="d[item] += 1"); submit() -> The
        repair is right.

    Args:
        visible_tests: Which tests the agent sees: "others" than those that fail, "all", or "none". None is what the
            task says, which is "others" in the suite.
        use: Which tools there are: "all", "shell" alone, or "blocks", for models that call no tools.
        rewards: Which weights the parts of the reward have: "success", "gated" or "steps"; see `components.WEIGHTS`.
            With "steps" the failing tests are tried after each step that changed something, in another sandbox.
        issue: Which text the first message has: "plain", or the variant "less" or "more". A task without the variant
            has its plain text.
        tasks: Path of a JSONL file of tasks that seeds draw in turn, or of a folder with `train.jsonl`, as `agentgym
            swe make --out` writes them; "" draws the train tasks of swe/repair.
        sandbox: As in `SandboxEnv`.
        relaxed: As in `SandboxEnv`.
        render_mode: As in Gymnasium.
    """

    reward_weights = WEIGHTS["success"]

    def __init__(
        self,
        visible_tests: Visible | None = None,
        use: Tools = "all",
        rewards: Rewards = "success",
        issue: IssueText = "plain",
        *,
        tasks: str = "",
        sandbox: str | SandboxProvider | SandboxPool | None = None,
        relaxed: Sequence[str] = (),
        render_mode: str | None = None,
    ) -> None:
        super().__init__(use, sandbox, relaxed, render_mode)
        tests = "others" if visible_tests is None else visible_tests
        choices = (("visible_tests", tests, Visible), ("rewards", rewards, Rewards), ("issue", issue, IssueText))
        for name, value, allowed in choices:
            if value not in get_args(allowed):
                raise ConfigError(f"{name} must be one of {', '.join(get_args(allowed))}: got {value!r}")
        self._visible, self._rewards, self._issue = visible_tests, rewards, issue
        self.reward_weights = WEIGHTS[rewards]
        self._own = read_own_tasks(Path(tasks)) if tasks else ()
        self.num_tasks = len(self._own) or None
        self._repair: RepairTask | None = None
        self._start: Beginning | None = None
        self._trier: Trier | None = None
        self._judge: Judge | None = None
        self._found: set[str] = set()
        self._shares: dict[str, tuple[float, float]] = {}
        self._fixed = 0.0
        self.step_s = 0.0

    def make_task(self, seed: int) -> Task:
        """One of the user's tasks in turn, or a task of the train split."""
        tasks = self._own or load_suite(SUITE).train_tasks()
        return tasks[seed % len(tasks)]

    def sandbox_spec(self, task: Task) -> SandboxSpec:
        """The package under an overlay."""
        return sandbox_spec(self._lender_of_sandboxes().provider, str(read_task(task).layer.folder))

    def set_up(self, task: Task) -> Sequence[Message]:
        """Lay the broken package out, and state what goes wrong."""
        self._repair = read_task(task)
        self._start = beginning(self._repair, self._visible or self._repair.visible_tests)
        lay_out(self.sandbox, self._repair.layer, self._start)
        self._editor, self._found, self._shares, self._fixed = Editor(), set(), {}, 0.0
        self._trier = Trier(self._repair.layer.python_path, self._start)
        how_to = looking.how_to(self._repair, self._start, self._use)
        how_to += f"\n{HOW_TO}" if self._use == "blocks" else ""
        issue = task.private.get("issues", {}).get(self._issue, task.instruction)
        return [user(f"{issue}\n\n{how_to}")]

    def put_down(self) -> None:
        """Let go of the process that runs tests."""
        if self._trier is not None:
            self._trier.close()

    # Tools.

    @tool
    def run_tests(
        self, which: Literal["relevant", "named", "all"] = "relevant", names: list[str] | None = None
    ) -> EnvReply:
        """Run tests of the package that you can see. It does not decide anything.

        Args:
            which: relevant: those that cover what is broken. named: those in `names`. all: all.
            names: Ids of tests, files or folders, as pytest takes them.
        """
        assert self._trier is not None
        text = self._trier.run(self.sandbox, which, names or [])
        return EnvReply([user(text)], self._once("tests_run"))

    def submitted(self) -> EnvReply:
        """The verdict."""
        reply = self.grade()
        left_out = looking.told_left_out(self._verdict_left_out)
        return reply._replace(messages=[user((RIGHT if reply.success else WRONG) + left_out)], terminated=True)

    # Judging.

    @property
    def judge(self) -> Judge:
        """What reaches verdicts."""
        if self._judge is None:
            self._judge = Judge(self._lender_of_sandboxes())
        return self._judge

    def grade(self) -> EnvReply:
        """Judge the package as it is now."""
        assert self._repair is not None
        change = self._change()
        self.release()
        verdict = self.judge.verdict(self._repair.case, change)
        self._verdict_left_out = verdict.left_out
        told = {"instance_id": self._repair.case.name, "model_patch": diff_of_change(self._repair.case, change)}
        detail = {**verdict.detail(), **told}
        events = [self.event("success", float(verdict.is_solved), source="verifier", detail=detail)]
        if not verdict.is_solved:
            events.append(self.blame(verdict.kind, "; ".join(verdict.reasons)))
        for name, value in parts_of(verdict, self._fixed).items():
            events.append(self.event(name, value, source="verifier"))
        self._fixed = verdict.parts.get("fixed", 0.0)
        return EnvReply((), events, success=verdict.is_solved)

    def progress(self) -> float | None:
        """Share of the failing tests that pass, times that of the others; found out in another sandbox."""
        if self._repair is None:
            return None
        if self._sandbox is None or self.books.phase != "running":
            return self._fixed
        fixed, kept = self._shares_now()
        return fixed * kept

    def anchor(self) -> str | None:
        """A hash of the files of the package, and of what can be undone."""
        if self._sandbox is None or self._repair is None:
            return None
        return looking.tree_key(self.sandbox, self._repair.layer) + self._editor.key

    def fork(self, seed: int | None = None) -> Self:
        """A copy of the episode in a sandbox of its own."""
        sandbox = self.sandbox.fork()[0]
        twin = copy.copy(self)
        twin.books, twin._editor = copy.deepcopy(self.books), self._editor.copy()
        twin._at_work = threading.Lock()
        twin._sandbox, twin._lease = sandbox, sandbox
        twin._found, twin._shares, twin._is_interrupted = set(self._found), dict(self._shares), False
        assert self._repair is not None
        assert self._start is not None
        twin._trier = Trier(self._repair.layer.python_path, self._start)
        twin.offer_tools()
        if seed is not None:
            twin.episode_seed, twin._rng = seed, None
        return twin

    def step(self, action: str) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play one message, and note in `step_s` how long it took; see `AgentEnv.step`."""
        began = time.perf_counter()
        try:
            return super().step(action)
        finally:
            self.step_s = time.perf_counter() - began

    def respond(self, action: Action) -> EnvReply:
        """Carry out the calls, and say what was found and mended by them."""
        reply = super().respond(action)
        asked = " ".join(str(call.arguments) for call in action.tool_calls)
        events = [*reply.events, *self._findings(asked, text_of(reply.messages))]
        if self._rewards == "steps" and not reply.terminated:
            fixed, _ = self._shares_now()
            if fixed != self._fixed:
                events.append(self.event("fixed", fixed - self._fixed, source="verifier"))
                self._fixed = fixed
        return reply._replace(events=events)

    def _change(self) -> Change:
        assert self._repair is not None
        assert self._start is not None
        start = self._start
        return collect(
            self.sandbox, self._repair.layer, self._repair.case.given, {**start.files, **dict.fromkeys(start.removed)}
        )

    def _shares_now(self) -> tuple[float, float]:
        """Shares of the failing and of the other tests that pass now; kept for files that come again."""
        assert self._repair is not None
        key = looking.tree_key(self.sandbox, self._repair.layer)
        if key not in self._shares:
            self._shares[key] = self.judge.shares(self._repair.case, self._change())
        return self._shares[key]

    def _findings(self, asked: str, text: str) -> list[RewardEvent]:
        """Events for seeing, for the first time, a broken file and each broken function."""
        assert self._repair is not None
        events: list[RewardEvent] = []
        if any(path in asked or f"{path}:" in text for path in self._repair.files):
            events += self._once("found_file")
        places = self._repair.definitions
        for number, place in enumerate(places):
            if place.is_in(text) and f"function {number}" not in self._found:
                self._found.add(f"function {number}")
                events.append(self.event("found_function", 1.0 / len(places)))
        return events

    def _once(self, component: str) -> list[RewardEvent]:
        if component in self._found:
            return []
        self._found.add(component)
        return [self.event(component, 1.0)]

    _verdict_left_out: tuple[tuple[str, str], ...] = ()

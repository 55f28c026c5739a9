"""Who is to blame for a lost sandbox: infrastructure, unless the kernel says that the submission took all memory."""

import json
import os
import signal
import threading
from collections.abc import Callable, Iterator

import pytest

from agentgym.errors import SandboxError, SandboxLostError
from agentgym.sandbox.base import ExecResult, Snapshot
from agentgym.sandbox.engines.process import ProcessProvider, ProcessSandbox
from agentgym.sandbox.runner.channel import FOR_MEMORY
from agentgym.sandbox.spec import SandboxSpec
from agentgym.task import Task
from agentgym_tools.python.env import RIGHT, PythonEnv
from agentgym_tools.python.judging import Verdict, run_tests
from tests.environments.python.conftest import UNLIMITED, call, run

NAP = "import time\nfor _ in range(10):  # which also a machine that stands still does not skip\n    time.sleep(0.1)\n"


class Perilous(ProcessProvider):
    """Kills the runner of a sandbox while it judges a submission, but for a quiet program.

    Attributes:
        kills: How many more are killed.
        why: What is said of their end.
        kills_control: Whether sandboxes of quiet programs die too.
        judged: What was judged after the public tests, "quiet" or "submission".
    """

    def __init__(self, kills: int, why: str = "", kills_control: bool = False) -> None:
        super().__init__()
        self.kills, self.why, self.kills_control = kills, why, kills_control
        self.judged: list[str] = []
        self._has_judged = False

    def start_from(self, spec: SandboxSpec, snapshot: Snapshot | None) -> ProcessSandbox:
        sandbox = super().start_from(spec, snapshot)
        sandbox.control.explain = lambda: self.why
        run = sandbox.exec

        def watched(argv: list[str], **options: object) -> ExecResult:
            request = json.loads(options.get("stdin") or b"{}")  # type: ignore[arg-type]
            is_hidden, self._has_judged = self._has_judged and "code" in request, True
            if is_hidden:
                self.judged.append("submission" if request["code"] else "quiet")
                if self.kills and (request["code"] or self.kills_control):
                    self.kills -= 1
                    killing = threading.Timer(0.1, os.killpg, [sandbox._runner.pid, signal.SIGKILL])
                    killing.start()
                    if not request["code"]:  # it would be over by then
                        killing.join()
            return run(argv, **options)  # type: ignore[arg-type]

        sandbox.exec = watched  # type: ignore[method-assign, assignment]
        return sandbox


@pytest.fixture
def submit(function_task: Task) -> Iterator[Callable[[Perilous], tuple[str, bool]]]:
    """Submits a correct solution that takes a moment."""
    made: list[PythonEnv] = []

    def submit(provider: Perilous) -> tuple[str, bool]:
        env = PythonEnv(sandbox=provider, relaxed=UNLIMITED)
        made.append(env)
        env.reset(options={"task": function_task})
        observation, *_, info = env.step(call("submit", solution=NAP + function_task.private["solution"]))
        return observation["text"], info["success"]

    yield submit
    for env in made:
        env.close()


Submit = Callable[[Perilous], tuple[str, bool]]


def test_a_sandbox_that_is_killed_once_costs_another_try(submit: Submit) -> None:
    provider = Perilous(kills=1)
    assert submit(provider) == (RIGHT, True)
    assert provider.judged == ["submission", "quiet", "submission"]


def test_a_sandbox_that_is_killed_twice_is_no_verdict_on_a_correct_program(submit: Submit) -> None:
    with pytest.raises(SandboxLostError):
        submit(Perilous(kills=2))


def test_a_program_that_takes_all_memory_twice_has_failed(submit: Submit) -> None:
    provider = Perilous(kills=2, why=FOR_MEMORY)
    text, success = submit(provider)
    assert (text.startswith("Wrong. 8 of 8 hidden tests fail"), success) == (True, False)
    assert provider.judged == ["submission", "quiet", "submission"]


def test_a_host_without_memory_for_a_quiet_program_either_is_to_blame(submit: Submit) -> None:
    with pytest.raises(SandboxLostError, match="for memory"):
        submit(Perilous(kills=3, why=FOR_MEMORY, kills_control=True))


IN_THE_JUDGE = "import os, subprocess\nif not os.path.exists('mine'):\n    {}\n"
"""A submission that passes the public tests, in the agent's sandbox, and misbehaves in the judge's."""
LEFT_RUNNING = "[subprocess.Popen(['sleep', '99'], start_new_session=True) for _ in range(99)]"
ALL_MEMORY = "held = [b'x' * (10**7 + more) for more in range(99)]"


@pytest.mark.parametrize(
    ("provider", "misdeed"),
    [("docker", LEFT_RUNNING), ("docker", ALL_MEMORY), ("bubblewrap", LEFT_RUNNING)],
    ids=lambda given: given[:10],
)
def test_a_submission_that_takes_all_there_is_has_failed_at_once(
    provider: str, misdeed: str, function_task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged: list[str] = []
    judge = PythonEnv._in_fresh_sandbox

    def counted(env: PythonEnv, code: str, name: str) -> list[Verdict]:
        judged.append(code)
        return judge(env, code, name)

    monkeypatch.setattr(PythonEnv, "_in_fresh_sandbox", counted)
    env = PythonEnv(sandbox=provider, relaxed=() if provider == "docker" else ("cpus", "memory_mib"))
    try:
        env.reset(options={"task": function_task})
        run(env, "open('mine', 'w').close()")
        solution = IN_THE_JUDGE.format(misdeed) + function_task.private["solution"]
        observation, *_, info = env.step(call("submit", solution=solution))
    finally:
        env.close()
    assert observation["text"].startswith("Wrong. 8 of 8 hidden tests fail")
    assert info["success"] is False
    assert judged == [solution]  # no sandbox was lost, so nobody else had to be asked


def test_a_judge_that_does_not_start_is_no_verdict(
    env: PythonEnv, function_task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    rounds = iter(range(9))

    def started_once(*given: object) -> object:
        if next(rounds) in (1, 3):  # the hidden tests, and their second try
            raise SandboxError("python3 could not be started")
        return run_tests(*given)  # type: ignore[arg-type]

    monkeypatch.setattr("agentgym_tools.python.env.run_tests", started_once)
    env.reset(options={"task": function_task})
    with pytest.raises(SandboxError, match="could not be started"):
        env.step(call("submit", solution=function_task.private["solution"]))

import dataclasses
import json
import threading
import time
from collections.abc import Iterator
from functools import partial

import pytest

import agentgym
from agentgym.errors import CancelledEpisode, ConfigError, TaskError
from agentgym.outcome import Outcome
from agentgym.sandbox.base import ShellResult
from agentgym.sandbox.pool import shared_pool
from agentgym.suite import load_suite
from agentgym.task import Task
from agentgym.testing import check_env
from agentgym.testing.episodes import play_script
from agentgym_swe.terminal.env import NO_OUTPUT, RIGHT, WRONG, TerminalEnv, shown
from agentgym_swe.terminal.scripts import SCRIPTS, oracle


@pytest.fixture
def env() -> Iterator[TerminalEnv]:
    made = TerminalEnv(sandbox="process")
    yield made
    made.close()


@pytest.fixture(scope="module")
def task() -> Task:
    return next(t for t in load_suite("swe/terminal").tasks("test") if t.config["kind"] == "line_count")


def call(name: str, **arguments: str) -> str:
    return json.dumps({"name": name, "arguments": arguments})


def shell(env: TerminalEnv, command: str) -> str:
    return str(env.step(call("shell", command=command))[0]["text"])


def test_env_is_registered() -> None:
    env = agentgym.make("agentgym/Terminal-v0", sandbox="process", family="logs")
    assert env.make_task(1).config["family"] == "logs"


def test_files_of_the_task_are_there_with_mode_and_time(env: TerminalEnv, task: Task) -> None:
    env.reset(options={"task": task})
    listed = shell(env, "find . -type f -printf '%P %m %T@\\n' | sort").splitlines()
    assert listed == [f"{path} 644 1700000000.0000000000" for path in sorted(task.config["files"])]


def test_shell_keeps_folder_and_variables(env: TerminalEnv, task: Task) -> None:
    env.reset(options={"task": task})
    assert shell(env, "mkdir sub; cd sub; x=5") == NO_OUTPUT
    assert shell(env, "basename $PWD; echo $x") == "sub\n5"


def test_exit_codes_and_ends_of_the_shell_are_said(env: TerminalEnv, task: Task) -> None:
    env.reset(options={"task": task})
    assert shell(env, "ls nowhere 2>/dev/null") == "[exit code 2]"
    assert "the shell ended" in shell(env, "exit 3")
    assert shell(env, "echo again") == "again"


def test_oracle_is_right_and_nothing_done_is_wrong(env: TerminalEnv, task: Task) -> None:
    done = play_script(env, task, oracle(task, 0))
    assert (done.steps[-1].text, done.reward, done.success) == (RIGHT, 1.0, True)
    nothing = play_script(env, task, SCRIPTS["null"](task, 0))
    assert (nothing.steps[-1].text, nothing.reward, nothing.success) == (WRONG, 0.0, False)


def test_other_files_must_stay_as_they_are(env: TerminalEnv, task: Task) -> None:
    env.reset(options={"task": task})
    shell(env, task.private["solution"][0])
    shell(env, f"echo more >> {next(iter(task.config['files']))}")
    *_, info = env.step(call("submit"))
    assert info["success"] is False
    failed = next(event.detail["failed"] for event in info["reward_events"] if event.component == "success")
    assert failed == [f"{next(iter(task.config['files']))} has another content"]


def test_work_that_is_cut_is_judged(env: TerminalEnv, task: Task) -> None:
    env.reset(options={"task": task})
    shell(env, task.private["solution"][0])
    reward, info = env.finalize("tokens")
    assert (reward, info["success"], info["outcome"]) == (1.0, True, Outcome("truncated", "tokens"))
    assert shared_pool("process").stats().leased == 0


def test_link_out_of_the_folder_fails_and_is_no_infrastructure_fault(env: TerminalEnv, task: Task) -> None:
    env.reset(options={"task": task})
    shell(env, f"{task.private['solution'][0]}; ln -s /etc/passwd here")
    observation, reward, terminated, _, info = env.step(call("submit"))
    assert (observation["text"], reward, terminated, info["success"]) == (WRONG, 0.0, True, False)
    assert "could not be taken over" in info["reward_events"][0].detail["failed"][0]


def test_repository_is_looked_at_without_its_configuration(env: TerminalEnv) -> None:
    chosen = next(t for t in load_suite("swe/terminal").tasks("test") if t.config["kind"] == "tag_commit")
    env.reset(options={"task": chosen})
    for command in chosen.private["solution"]:
        shell(env, command)
    shell(env, "git config core.fsmonitor 'sh -c \"git tag -d $(git tag)\"'; git config gpg.program 'touch owned'")
    assert env.step(call("submit"))[4]["success"] is True


def test_interrupt_stops_a_command(env: TerminalEnv, task: Task) -> None:
    env.reset(options={"task": task})
    threading.Timer(0.3, env.interrupt).start()
    began = time.monotonic()
    with pytest.raises(CancelledEpisode):
        shell(env, "sleep 19")
    assert time.monotonic() - began < 18
    env.reset(options={"task": task})
    assert shell(env, "echo on") == "on"


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (ShellResult(0, b""), NO_OUTPUT),
        (ShellResult(1, b"no\n"), "no\n[exit code 1]"),
        (ShellResult(None, b"a", timed_out=True), "a\n[stopped after 20 s]"),
        (ShellResult(0, b"\xff\x00"), "\ufffd\\0"),
        (ShellResult(0, b"x", dropped_bytes=9), "x\n[9 further bytes of output were dropped]"),
    ],
)
def test_results_are_shown_with_how_they_ended(result: ShellResult, text: str) -> None:
    assert shown(result) == text


def test_time_limit_that_a_task_states_is_the_one_that_is_told(env: TerminalEnv, task: Task) -> None:
    env.reset(options={"task": dataclasses.replace(task, config={**task.config, "command_limit_s": 0.5})})
    assert shell(env, "sleep 50").endswith("[stopped after 0.5 s]")


def test_long_output_is_cut_in_the_middle() -> None:
    text = shown(ShellResult(0, b"a" * 5000 + b"z" * 5000))
    assert text.startswith("aaa")
    assert text.endswith("zzz")
    assert "6000 characters left out" in text


def test_foreign_task_and_bad_options_are_refused(env: TerminalEnv) -> None:
    with pytest.raises(TaskError, match="not a task of Terminal-v0"):
        env.reset(options={"task": Task("x", 1)})
    with pytest.raises(ConfigError, match="family must be one of"):
        TerminalEnv(sandbox="process", family="poems")


@pytest.mark.slow
def test_env_keeps_the_contract(task: Task) -> None:
    check_env(partial(TerminalEnv, sandbox="process"), tasks=[task], scripts=SCRIPTS).raise_if_failed()

import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from agentgym.errors import SandboxError, SandboxLostError
from agentgym.sandbox.base import Sandbox
from agentgym.sandbox.runner.process import RunnerProcess
from agentgym.sandbox.runner.sandbox import RunnerSandbox
from agentgym_tools.python import interpreter
from agentgym_tools.python.interpreter import Interpreter
from tests.sandbox.runner.test_sandbox import is_running

Start = Callable[[int], Interpreter]


@pytest.fixture
def start(sandbox: Sandbox) -> Iterator[Start]:
    """Makes interpreters with a limit of output, closed when the test ends."""
    with ExitStack() as stack:

        def make(max_output: int) -> Interpreter:
            made = Interpreter(sandbox, max_output)
            stack.callback(made.close)
            return made

        yield make


def test_long_output_keeps_its_beginning_and_its_end(start: Start) -> None:
    shown = start(1000).run("print('a' * 400)\nprint('b' * 1_000_000)\nprint('c' * 400)", 60)
    assert shown.status == "ok"
    assert shown.output.startswith("a" * 400)
    assert shown.output.endswith("c" * 400 + "\n")
    assert "bytes left out" in shown.output
    assert shown.num_dropped == 1_000_000 + 803 - 1000
    assert len(shown.output) < 1100


@pytest.mark.parametrize("length", [0, 1, 499, 500, 998, 999])
def test_output_within_the_limit_is_whole(start: Start, length: int) -> None:
    shown = start(1000).run(f"print('x' * {length})", 60)
    assert shown == ("x" * length + "\n", "ok", 0)


def test_endless_output_ends_with_the_time_limit(start: Start) -> None:
    interpreter = start(1000)
    began = time.monotonic()
    for limit_s in (0.5, 5.0):  # a busy machine may not come to write as much in half a second
        shown = interpreter.run("while True:\n    print('y' * 1000)", limit_s)
        if shown.num_dropped > 10_000:
            break
    assert time.monotonic() - began < 60
    assert shown.status in ("timeout", "killed")
    assert shown.num_dropped > 10_000
    assert interpreter.run("1 + 1", 60).output == "2\n"


def test_code_that_cannot_be_stopped_costs_the_interpreter(start: Start) -> None:
    interpreter = start(1000)
    interpreter.run("x = 1", 60)
    stubborn = "import signal, time\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\ntime.sleep(60)"
    assert interpreter.run(stubborn, 0.2).status == "killed"
    assert "NameError" in interpreter.run("x", 60).output


def test_interpreter_that_died_in_the_meantime_is_replaced(start: Start) -> None:
    interpreter = start(1000)
    shown = interpreter.run("import threading, os\nthreading.Timer(0.1, os._exit, [1]).start()\nos.getpid()", 60)
    while is_running(int(shown.output)):
        time.sleep(0.01)
    assert interpreter.run("1", 60).status == "crash"
    assert interpreter.run("1", 60) == ("1\n", "ok", 0)


def test_mark_in_the_output_ends_nothing(start: Start) -> None:
    interpreter = start(1000)
    assert interpreter.run("print('\\x1eabc ok\\x1e')", 60) == ("\x1eabc ok\x1e\n", "ok", 0)


def test_missing_python_is_no_fault_of_the_agent(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpreter, "SESSION", ("no-such-python", "-c", ""))
    with pytest.raises(SandboxError, match="python3 could not be started"):
        start(1000).run("1", 60)


def test_sandbox_that_ends_before_the_code_is_sent_is_lost_and_the_code_did_not_crash(
    sandbox: Sandbox, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = start(4000)
    assert begun.run("1 + 1", 60).output == "2\n"
    process = begun._process
    assert isinstance(process, RunnerProcess)
    assert isinstance(sandbox, RunnerSandbox)

    def send_late(content: bytes) -> None:
        os.kill(sandbox.control.runner_pid, signal.SIGKILL)
        while not sandbox.is_lost():
            time.sleep(0.01)
        process._channel.sock.shutdown(socket.SHUT_WR)
        RunnerProcess.send(process, content)

    monkeypatch.setattr(process, "send", send_late)
    with pytest.raises(SandboxLostError):
        begun.run("2 + 2", 60)


def test_close_twice_is_harmless(start: Start) -> None:
    interpreter = start(1000)
    interpreter.run("1", 60)
    interpreter.close()
    interpreter.close()
    assert interpreter.run("2", 60).output == "2\n"

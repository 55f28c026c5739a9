"""Functions that are called in forked processes: what comes back, and what happens where a process ends badly."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from agentgym.errors import InfrastructureError
from agentgym_gui.verify.apart.forking import Server, ask_forked

SOURCE = """
import os, signal

def answer(question):
    if question == b"kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if question == b"kill the one who waits":
        os.kill(os.getppid(), signal.SIGKILL)
    if question == b"kill the server":
        with open(f"/proc/{os.getppid()}/stat") as status:
            os.kill(int(status.read().split()[3]), signal.SIGKILL)
    return b"%d %s" % (os.getpid(), question), len(question)

def missing(question):
    raise LookupError("nothing there")
"""


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    (tmp_path / "asked_apart.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(str(tmp_path))
    made = Server("asked_apart:answer")
    yield made
    made.close()


def test_each_question_is_answered_by_a_process_of_its_own(server: Server) -> None:
    questions = [b"a" * number for number in range(1, 9)]
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(server.ask, questions))
    assert [code for _, code in found] == list(range(1, 9))
    processes, told = zip(*(answer.split() for answer, _ in found), strict=True)
    assert list(told) == questions
    assert len({*processes, str(os.getpid()).encode()}) == 9


def test_long_question_and_answer_come_whole(server: Server) -> None:
    answer, _ = server.ask(b"x\n" * (1 << 20))
    assert answer.partition(b" ")[2] == b"x\n" * (1 << 20)


def test_signal_that_ended_the_process_is_told(server: Server) -> None:
    assert server.ask(b"kill") == (b"", -9)
    assert server.ask(b"next")[1] == 4


def test_an_interrupt_at_the_terminal_does_not_reach_the_server(server: Server) -> None:
    assert os.getpgid(server._process.pid) != os.getpgrp()


def test_exception_is_told_as_a_traceback(server: Server) -> None:
    failing = Server("asked_apart:missing")
    answer, code = failing.ask(b"")
    failing.close()
    assert code == 1
    assert b"LookupError: nothing there" in answer


def test_answer_without_an_exit_code_is_an_infrastructure_fault(server: Server) -> None:
    with pytest.raises(InfrastructureError, match="a process that forks ended"):
        ask_forked("asked_apart:answer", b"kill the one who waits")


def test_server_that_is_gone_is_started_anew(server: Server) -> None:
    assert ask_forked("asked_apart:answer", b"kill the server")[1] == len(b"kill the server")
    assert ask_forked("asked_apart:answer", b"two")[1] == 3


def test_server_whose_function_is_missing_is_an_infrastructure_fault() -> None:
    with pytest.raises(InfrastructureError, match="did not answer"):
        ask_forked("no_such_module:answer", b"")

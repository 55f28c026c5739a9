"""An evaluation that a scheduler or a person stops says what is missing, and closes what is open."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentgym.action import Action
from agentgym.cli.main import main
from agentgym.env import EnvReply
from agentgym.message import user
from agentgym.registration import EnvSpec, register
from tests.toys import loud

ENV_ID = "test/Stopping-v0"
orders: list[list[signal.Signals]] = [[]]
closed: list[str] = []


class Stopping(loud.Loud):
    """Tells the process to stop while it plays; one that an earlier test left behind does not."""

    def __init__(self) -> None:
        super().__init__()
        self._orders = orders[-1]

    def respond(self, action: Action) -> EnvReply:
        if self._orders:
            os.kill(os.getpid(), self._orders.pop())
        return EnvReply([user("Yes.")], [], False)

    def close(self) -> None:
        closed.append(ENV_ID)
        super().close()


register(EnvSpec(ENV_ID, f"{__name__}:Stopping", "tests.toys.loud:SCRIPTS", "test", ()))


@pytest.fixture(autouse=True)
def interrupts() -> Iterator[None]:
    """Python's own handler of SIGINT, which a process in the background is born to ignore."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_evaluation_says_what_is_missing_and_closes_its_environments(
    number: signal.Signals, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    orders.append([number])  # a thread of the last test may still play
    closed.clear()
    before = signal.getsignal(signal.SIGTERM)
    assert main(["eval", "--suite", ENV_ID, "--policy", "oracle", "--run", str(tmp_path / "run")]) == 1
    assert "episodes are missing; run the same command again to play them" in capsys.readouterr().err
    assert closed
    assert signal.getsignal(signal.SIGTERM) is before

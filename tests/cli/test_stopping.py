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

STOPPED_BY = {signal.SIGINT: "test/Interrupted-v0", signal.SIGTERM: "test/Terminated-v0"}
orders = {number: [number] for number in STOPPED_BY}
closed: list[signal.Signals] = []


class Stopping(loud.Loud):
    """Tells the process to stop while it plays, once; a thread that an earlier test left behind knows no new order."""

    number: signal.Signals

    def respond(self, action: Action) -> EnvReply:
        if orders[self.number]:
            os.kill(os.getpid(), orders[self.number].pop())
        return EnvReply([user("Yes.")], [], False)

    def close(self) -> None:
        closed.append(self.number)
        super().close()


class Interrupted(Stopping):
    number = signal.SIGINT


class Terminated(Stopping):
    number = signal.SIGTERM


for kind, env_id in ((Interrupted, STOPPED_BY[signal.SIGINT]), (Terminated, STOPPED_BY[signal.SIGTERM])):
    register(EnvSpec(env_id, f"{__name__}:{kind.__name__}", "tests.toys.loud:SCRIPTS", "test", ()))


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    """Those of a process in a terminal: one in the background is born to ignore SIGINT."""
    wanted = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
    before = {number: signal.signal(number, handler) for number, handler in wanted.items()}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", STOPPED_BY)
def test_a_stopped_evaluation_says_what_is_missing_and_closes_its_environments(
    number: signal.Signals, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = signal.getsignal(signal.SIGTERM)
    assert main(["eval", "--suite", STOPPED_BY[number], "--policy", "oracle", "--run", str(tmp_path / "run")]) == 1
    assert "episodes are missing; run the same command again to play them" in capsys.readouterr().err
    assert number in closed
    assert signal.getsignal(signal.SIGTERM) is before

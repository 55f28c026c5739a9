"""The progress display on a stream that is no terminal."""

from __future__ import annotations

import io

from rich.console import Console

from agentgym.outcome import Outcome
from agentgym.rollout import ProgressDisplay, RolloutStats
from agentgym.rollout.progress import describe
from agentgym.trajectory import Trajectory, Turn


def test_progress_is_one_line_where_there_is_no_terminal() -> None:
    out = io.StringIO()
    display = ProgressDisplay("[demo] on " + "a-long-name/" * 8, Console(file=out, width=80))
    display.start(2)
    display.update(RolloutStats(episodes=2, successes=1))
    display.stop()
    (line,) = out.getvalue().splitlines()
    assert line.startswith("[demo] on a-long-name/")
    assert "success 50%" in line


def drawn(stats: RolloutStats | None, **console: object) -> str:
    written = io.StringIO()
    display = ProgressDisplay("test", Console(file=written, width=120, **console))
    display.start(4)
    if stats is not None:
        display.update(stats)
    display.stop()
    return written.getvalue()


def test_a_file_gets_one_line_at_the_end() -> None:
    text = drawn(RolloutStats(episodes=4, successes=3, turns=8))
    assert text.count("\n") == 1
    assert text.startswith("test: ")
    assert "success 75%" in text


def test_a_file_gets_nothing_where_nothing_was_played() -> None:
    assert drawn(None) == ""


def test_the_tokens_that_a_server_reports_are_counted_and_unknown_ones_are_not_named() -> None:
    stats = RolloutStats()
    record = Trajectory("e", "t", outcome=Outcome("terminated"), success=True, turns=[Turn(0, [], {}, "")])
    stats.add([record])
    assert "tok/s" not in describe(stats, 2.0)
    record.usage = {"completion_tokens": 120.0}
    stats.add([record])
    assert describe(stats, 2.0).startswith("1.0 episodes/s 60 tok/s ")


def test_a_terminal_gets_a_bar() -> None:
    assert "\x1b[" in drawn(RolloutStats(episodes=1), force_terminal=True)

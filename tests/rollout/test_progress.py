"""The progress display on a stream that is no terminal."""

import io

from rich.console import Console

from agentgym.rollout import ProgressDisplay, RolloutStats


def test_progress_is_one_line_where_there_is_no_terminal() -> None:
    out = io.StringIO()
    display = ProgressDisplay("[demo] on " + "a-long-name/" * 8, Console(file=out, width=80))
    display.start(2)
    display.update(RolloutStats(episodes=2, successes=1))
    display.stop()
    (line,) = out.getvalue().splitlines()
    assert line.startswith("[demo] on a-long-name/")
    assert "success 50%" in line

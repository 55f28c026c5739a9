"""Standard streams that are closed, full or read no further, and a folder that is gone: no traceback, no lost file."""

import os
import subprocess
import sys

import pytest

AGENTGYM = f"{sys.executable} -m agentgym.cli.main"
EVAL = f"{AGENTGYM} eval --suite dialogue/guess-number --policy random --limit 2"
ENV = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


def run(script, folder):
    return subprocess.run(
        ["bash", "-c", script], cwd=folder, env=ENV, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.parametrize(
    ("script", "code", "said"),
    [
        (f"{AGENTGYM} play agentgym/GuessNumber-v0 --seed 1 <&-", 1, "Guess"),
        (f"{AGENTGYM} --help > /dev/full", 1, "cannot write: No space left on device"),
        (f"{EVAL} --json > /dev/full", 1, "cannot write: No space left on device"),
        (f"{AGENTGYM} list | head -1", 0, ""),
        (f"mkdir gone && cd gone && rmdir ../gone && {AGENTGYM} doctor", 1, "the current folder was removed"),
    ],
    ids=["no-input", "full-help", "full-results", "head", "no-folder"],
)
def test_streams_and_folders_that_are_not_there(script, code, said, tmp_path):
    ended = run(script, tmp_path)
    text = ended.stdout + ended.stderr
    assert "Traceback" not in text
    assert "Exception ignored" not in text
    assert said in text
    assert ended.returncode == code, text


def test_results_of_closed_streams_are_kept_and_read_again(tmp_path):
    first = run(f"{EVAL} --run kept <&- >&- 2>&-", tmp_path)
    assert (first.returncode, first.stdout, first.stderr) == (0, "", "")
    assert (tmp_path / "kept" / "run.db").read_bytes().startswith(b"SQLite format 3\0")
    again = run(f"{AGENTGYM} report kept", tmp_path)
    assert "report.html" in again.stdout

"""Tests that failed beside others are run again alone, and only those."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BROKEN = "def test_it():\n    assert False\n"
ONCE = """
from pathlib import Path

def test_it():
    seen = Path(__file__ + ".seen")
    first = not seen.exists()
    seen.touch()
    assert not first
"""


def ran(folder: Path, texts: dict[str, str]) -> tuple[int, int, str]:
    """The exit codes of pytest and of what follows it, and what the latter printed."""
    for name, text in texts.items():
        (folder / name).write_text(text)
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_ADDOPTS": ""}
    first = subprocess.run([sys.executable, "-m", "pytest", "-q"], cwd=folder, env=env, capture_output=True)
    command = [sys.executable, "-m", "scripts.run_again", str(first.returncode)]
    again = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
    return first.returncode, again.returncode, again.stdout


def test_what_fails_once_is_named_and_what_fails_twice_fails_the_run(tmp_path: Path) -> None:
    fine = "def test_it():\n    pass\n"
    first, again, text = ran(tmp_path, {"test_once.py": ONCE, "test_fine.py": fine})
    assert (first, again) == (1, 0)
    assert text.rstrip().endswith("mend them ==\ntest_once.py::test_it")
    assert "test_fine" not in text
    first, again, text = ran(tmp_path, {"test_broken.py": BROKEN})
    assert (first, again) == (1, 1)
    assert "mend them" not in text


@pytest.mark.parametrize(
    "texts",
    [
        {f"test_{number}.py": ONCE for number in range(4)},
        {"test_once.py": ONCE, "test_unread.py": "import nothing_of_the_kind\n"},
    ],
    ids=["in four files", "not all ran"],
)
def test_other_runs_fail_as_they_are(tmp_path: Path, texts: dict[str, str]) -> None:
    first, again, text = ran(tmp_path, texts)
    assert again == first != 0
    assert text == ""

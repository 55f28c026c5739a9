"""What becomes of skipped tests where CI=true."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = Path(__file__).parents[1] / "conftest.py"
SKIPPING = """
import pytest

@pytest.mark.skip(reason="no engine")
def test_engine(): ...

@pytest.mark.gpu
@pytest.mark.skip(reason="no GPU")
def test_gpu(): ...

@pytest.mark.xfail(reason="known")
def test_known(): raise ValueError
"""


def outcomes(folder: Path, ci: str) -> str:
    """The last line of pytest on two files that skip."""
    (folder / "conftest.py").write_text(CONFTEST.read_text())
    (folder / "test_marked.py").write_text(SKIPPING)
    (folder / "test_module.py").write_text('import pytest\npytest.importorskip("no_such_module")\n')
    (folder / "pytest.ini").write_text("[pytest]\nmarkers =\n  gpu: needs one\n")
    command = [sys.executable, "-m", "pytest", "-q", "--continue-on-collection-errors", str(folder)]
    told = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "CI": ci}, timeout=60)
    return told.stdout.splitlines()[-1]


def test_skips_fail_on_continuous_integration(tmp_path):
    assert outcomes(tmp_path, "true").startswith("1 skipped, 1 xfailed, 2 errors")


def test_skips_are_skips_elsewhere(tmp_path):
    assert outcomes(tmp_path, "").startswith("3 skipped, 1 xfailed")


def test_a_run_over_folders_ends_with_their_minutes(tmp_path):
    (tmp_path / "conftest.py").write_text(CONFTEST.read_text())
    for name, seconds in (("idle", 0), ("busy", 4)):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"test_{name}.py").write_text(f"import time\ndef test(): time.sleep({seconds})\n")
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    command = [sys.executable, "-m", "pytest", "-q", "--numprocesses", "2", "--dist", "loadfile", str(tmp_path)]
    told = subprocess.run(command, capture_output=True, text=True, timeout=200).stdout.splitlines()
    start = next(number for number, line in enumerate(told) if "minutes by folder" in line)
    listed = [line.split() for line in told[start + 1 : start + 4]]
    minutes = {name: float(each) for each, name in listed}
    *folders, last = minutes
    assert (set(folders), last) == ({"busy", "idle"}, "all")
    assert minutes["busy"] >= 0.1  # more where the machine stands still meanwhile
    assert folders == sorted(folders, key=minutes.__getitem__, reverse=True)
    assert minutes["all"] == pytest.approx(minutes["busy"] + minutes["idle"], abs=0.11)

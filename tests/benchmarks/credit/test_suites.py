"""The benchmark's own suites leave nothing behind."""

from __future__ import annotations

import multiprocessing
import tempfile
from pathlib import Path

from benchmarks.credit.suites import FEW_QUESTIONS, register_suite


def leave_at_once() -> None:
    """A worker's work that needs no suite."""


def use_suites(folder: Path) -> None:
    """Register a suite, then fork a worker, which leaves before this process."""
    tempfile.tempdir = str(folder)
    register_suite(FEW_QUESTIONS)
    worker = multiprocessing.get_context("fork").Process(target=leave_at_once)
    worker.start()
    worker.join()
    assert len(list(folder.glob("agentgym-credit-*/credit/*/suite.toml"))) == 1


def test_folders_of_suites_go_with_their_process_and_not_sooner(tmp_path: Path) -> None:
    worker = multiprocessing.get_context("forkserver").Process(target=use_suites, args=(tmp_path,))
    worker.start()
    worker.join()
    assert worker.exitcode == 0
    assert list(tmp_path.glob("agentgym-credit-*")) == []

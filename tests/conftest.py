"""What holds for every test: CI skips nothing for something that the machine lacks, pools end with their module, and
shapes and dtypes in the annotations of the trainer's maths are checked.

Where `CI=true` (`.ci/run` sets it), a skipped test fails with its reason, but for those marked `gpu`.
"""

import os
import shutil
import sys
from collections.abc import Generator

import jaxtyping
import pytest

MATHS = (
    "advantages",
    "aggregation",
    "discounting",
    "gae",
    "hierarchical",
    "importance",
    "kl",
    "logprobs",
    "loss_metrics",
    "losses",
    "micro_batch",
    "overlong",
    "packing",
    "ratios",
    "reinforce_pp",
    "values",
)
"""Modules whose types are checked; the hook is here, before any test imports one of them."""

jaxtyping.install_import_hook([f"agentgym_rl.{name}" for name in MATHS], "beartype.beartype")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of chess, whatever file they are in, are skipped where its engine is missing."""
    if shutil.which("stockfish") or shutil.which("/usr/games/stockfish"):
        return
    for item in items:
        if "chess" in item.nodeid.lower():
            item.add_marker(pytest.mark.skip(reason="Stockfish is not installed: apt-get install stockfish"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if not hasattr(report, "wasxfail") and item.get_closest_marker("gpu") is None:
        _refuse_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    _refuse_skip(report)
    return report


def _refuse_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    if report.skipped and os.environ.get("CI") == "true":
        report.outcome = "failed"
        report.longrepr = f"skipped where CI=true: {report.longrepr}; make system installs what tests need"


@pytest.fixture(scope="module", autouse=True)
def _no_pool_outlives_its_module() -> Generator[None]:
    """Sandboxes and engines that environments of one module shared are not there when the next one counts."""
    yield
    pools = sys.modules.get("agentgym.sandbox.pool")
    if pools is not None:
        pools.close_shared_pools()
    chess = sys.modules.get("agentgym_dialogue.chess.engine")
    if chess is not None:
        chess.ENGINES.close()

"""What holds for every test: CI skips nothing for something that the machine lacks, and pools end with their module.

Where `CI=true` (`.ci/run` sets it), a skipped test fails with its reason, but for those marked `gpu`.
"""

import os
import sys
from collections.abc import Generator

import pytest


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
    """Sandboxes that environments of one module shared are not there when the next one counts."""
    yield
    pools = sys.modules.get("agentgym.sandbox.pool")
    if pools is not None:
        pools.close_shared_pools()

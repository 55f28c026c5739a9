"""What holds for every test: CI skips nothing for something that the machine lacks, pools end with their module, and
shapes and dtypes in the annotations of the trainer's maths are checked. A run ends with the minutes by folder.

Where `CI=true` (`.ci/run` sets it), a skipped test fails with its reason, but for those marked `gpu`.
"""

import fcntl
import gc
import importlib
import os
import shutil
import sys
from collections import Counter
from collections.abc import Generator, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import PathFinder, SourceFileLoader
from importlib.util import cache_from_source
from types import ModuleType
from unittest.mock import patch

import jaxtyping
import pytest

from tests.warm.python import WarmPython

MATHS = (
    "core.logprobs",
    "core.micro_batch",
    "core.packing",
    "core.positions",
    "hierarchical",
    "maths",
    "offline.ilql",
    "offline.step_preference",
)
"""Modules whose types are checked; the hook is here, before any test imports one of them."""

CHECKED = tuple(f"agentgym_rl.{name}" for name in MATHS)

jaxtyping.install_import_hook(CHECKED, "beartype.beartype")

gc.disable()  # until all is imported and collected: what is made until then stays, and each collection goes through it

sys.modules["openenv.core.env_server.web_interface"] = None  # type: ignore[assignment]
"""Not needed: OpenEnv goes without its web interface, which would import all of Gradio in each worker."""


class FromBytecode(SourceFileLoader):
    """Reads a module from the bytecode that every interpreter shares."""

    def exec_module(self, module: ModuleType) -> None:
        with patch("importlib._bootstrap_external.cache_from_source", cache_from_source):
            super().exec_module(module)


class UncheckedModules(MetaPathFinder):
    """Keeps what checked modules import out of the hook, which would compile all of torch and transformers anew."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> object:
        if importlib._bootstrap_external.cache_from_source is cache_from_source or fullname.startswith(CHECKED):
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = FromBytecode(spec.loader.name, spec.loader.path)
        return spec


sys.meta_path.insert(0, UncheckedModules())


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with slow tests go first, then those with many, so that no worker has a long one alone at the end.

    Chess is skipped where its engine is missing.
    """
    slow = Counter(item.path for item in items if item.get_closest_marker("slow"))
    size = Counter(item.path for item in items)
    items.sort(key=lambda item: (-slow[item.path], -size[item.path], str(item.path)))
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


def pytest_collection_finish() -> None:
    """Leave what was imported out of every later collection of garbage, which would go through millions of objects.

    Nor is garbage collected as often as elsewhere, which takes a tenth of the time of what is written in Python.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000)
    gc.enable()


SECONDS: Counter[str] = Counter()
"""The seconds of tests by folder, in the process that reports them."""


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    *folders, _ = report.nodeid.partition("::")[0].split("/")
    depth = 4 if "trainers" in folders else 3 if "environments" in folders else 2
    SECONDS["/".join(folders[:depth]) or "."] += report.duration


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The minutes of tests by folder, added up over workers."""
    if len(SECONDS) > 1:
        terminalreporter.section("minutes by folder, of all workers together")
        for folder, seconds in [*SECONDS.most_common(), ("all", SECONDS.total())]:
            terminalreporter.write_line(f"{seconds / 60:6.1f}  {folder}")


@pytest.fixture(scope="module", autouse=True)
def _no_pool_outlives_its_module() -> Generator[None]:
    """Sandboxes and engines that environments of one module shared are not there when the next one counts."""
    yield
    loaded = [module for name, module in sys.modules.copy().items() if name.startswith("agentgym")]
    for module in loaded:
        if "close_shared_pools" in vars(module):
            module.close_shared_pools()


@pytest.fixture(scope="session")
def warm_python(tmp_path_factory: pytest.TempPathFactory) -> WarmPython:
    """Interpreters that start with the trainer imported; one server serves all workers of a test run."""
    folder = tmp_path_factory.getbasetemp()
    shared = folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder
    found = WarmPython(shared / "warm.sock")
    with (shared / "warm.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not found.path.exists():
            found.start_server()
    return found

"""Compares whole task files with what their generators write: `python -m scripts.check_suites [SUITE...]`.

Tests do the same, but of the suites whose generators take long they compare the first tasks of some strata.
"""

from __future__ import annotations

import importlib
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from agentgym.registration import specs
from agentgym.suite import Suite, load_suite

MADE_BY_RUNNING = ("swe/repair", "swe/experiment-menu", "gui/desktop-traces")
"""Made by running tests of packages for hours, or applications and models for minutes; tests make a few such tasks."""


def own_suites() -> list[str]:
    """The suites of own environments that are drawn; other packages draw those of adapted ones, some for minutes."""
    own = [spec for spec in specs() if spec.id.startswith("agentgym/") and not spec.adapts]
    return [name for spec in own for name in spec.suites if name not in MADE_BY_RUNNING]


def unlike_files(suite: Suite, folder: Path) -> list[str]:
    """Generate a suite into a folder.

    Returns:
        Which of its task files differ from the suite's own in any byte.
    """
    importlib.import_module(suite.generator).SUITES[suite.name](folder, suite.name)
    files = [f"{split}.jsonl" for split in suite.splits]
    return [name for name in files if (folder / name).read_bytes() != (suite.folder / name).read_bytes()]


def unlike_tasks(suite: Suite, folder: Path, first: Mapping[str, int]) -> list[str]:
    """Generate some of a suite's tasks into a folder.

    Args:
        suite: The suite; its generator takes `first`.
        folder: The folder.
        first: By stratum how many of its first tasks.

    Returns:
        The lines that differ in any byte from the line of their task in the suite's own files, or have none there.
    """
    importlib.import_module(suite.generator).SUITES[suite.name](folder, suite.name, first=first)
    unlike: list[str] = []
    for split in suite.splits:
        known = set((suite.folder / f"{split}.jsonl").read_bytes().splitlines())
        unlike += [line.decode() for line in (folder / f"{split}.jsonl").read_bytes().splitlines() if line not in known]
    return unlike


def main() -> int:
    """Compare the named suites, or all; say which differ."""
    differ = False
    for name in sys.argv[1:] or own_suites():
        with tempfile.TemporaryDirectory() as folder:
            files = unlike_files(load_suite(name), Path(folder))
        differ |= bool(files)
        print(f"{name}: {', '.join(files) or 'no file'} differs")
    return int(differ)


if __name__ == "__main__":
    sys.exit(main())

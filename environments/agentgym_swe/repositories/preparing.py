"""Prepares packages: fetched, laid out, their tests run in a sandbox until it is known which of them can be relied on.

A test counts if it passes in three runs: in pytest's order, in the reverse and in a shuffled one, with two hash seeds.
"""

from __future__ import annotations

import dataclasses
import errno
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from agentgym.errors import AgentGymError, ConfigError
from agentgym.sandbox.once import cache_folder, only_one
from agentgym_swe.repositories.catalogue import Package, package_named, packages
from agentgym_swe.repositories.fetching import fetch_sdists
from agentgym_swe.repositories.layer import FACTS, TREE, Layer, find_layer, layer_folder, tree_digest
from agentgym_swe.repositories.unpacking import SdistError, unpack
from agentgym_swe.room import Wanted, open_room

RUNS: tuple[tuple[str | None, int], ...] = ((None, 0), ("reversed", 1), ("shuffled", 0))
"""Order and hash seed of each run."""
MIN_KEPT = 0.9
"""Share of the collected tests that must be reliable; with fewer, something is missing in the image."""
_MTIME = 1_700_000_000

Report = Callable[[str, str], None]
"""Called with a package's name and what happens to it."""


@dataclass(frozen=True)
class Prepared:
    """What preparing one package gave.

    Attributes:
        layer: The layer.
        was_made: Whether it had to be made.
        unreliable: Tests that failed, or passed only sometimes, each with how it ended in the runs.
        left_out: How many tests the package's entry leaves out.
    """

    layer: Layer
    was_made: bool
    unreliable: dict[str, str]
    left_out: int


def prepare(
    names: Iterable[str] = (), *, sandbox: Wanted = None, report: Report = lambda name, line: None
) -> list[Prepared]:
    """Prepare packages; what is prepared stays as it is.

    Args:
        names: Names of packages; () for all.
        sandbox: What their tests run in, as in `SandboxEnv`.
        report: Told of progress.

    Raises:
        UnknownNameError: No package has such a name.
        FetchError: An sdist could not be fetched, or is another one.
        ConfigError: An sdist lacks what its entry names, its tests cannot be relied on, or the disk is full.
        SandboxError: No sandbox can be started.
    """
    chosen = [package_named(name) for name in names] or list(packages().values())
    wanting = [package for package in chosen if find_layer(package) is None]
    sdists = fetch_sdists([package.pin for package in wanting], lambda line: report("sdists", line))
    prepared = []
    for package in chosen:
        with only_one(str(layer_folder(package)), partial(report, package.name, "waiting for another process")):
            layer = find_layer(package)
            if layer is not None:
                report(package.name, "is prepared")
                prepared.append(Prepared(layer, False, {}, 0))
                continue
            report(package.name, f"preparing {package.version}")
            made = prepare_one(package, sdists[package.sha256], layer_folder(package), sandbox=sandbox, report=report)
            report(package.name, f"{len(made.layer.tests)} tests kept, {len(made.unreliable)} unreliable")
            prepared.append(made)
    return prepared


def prepare_one(
    package: Package, sdist: Path, target: Path, *, sandbox: Wanted = None, report: Report = lambda name, line: None
) -> Prepared:
    """Make the layer of one package in a folder that appears only when it is whole.

    Raises:
        ConfigError: The sdist lacks what the entry names, its tests cannot be relied on, or the disk is full.
        SandboxError: No sandbox can be started, or it was lost.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = Path(tempfile.mkdtemp(prefix=f".new-{package.name}-", dir=target.parent))
    try:
        tree = unfinished / TREE
        unpack(package, sdist, tree)
        _settle(tree)
        kept, unreliable, left_out, seconds = _reliable_tests(package, tree, sandbox, report)
        layer = Layer(
            name=package.name,
            version=package.version,
            licence=package.licence,
            folder=tree,
            digest=tree_digest(tree),
            source_roots=package.sources,
            test_paths=package.tests,
            run=package.run or package.tests,
            python_path=package.path,
            tests=kept,
            seconds=seconds,
        )
        (unfinished / FACTS).write_text(json.dumps(layer.to_json(), indent=1), encoding="utf-8")
        shutil.rmtree(target, ignore_errors=True)
        unfinished.rename(target)
    except OSError as error:
        if isinstance(error, AgentGymError) or error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise ConfigError(
            f"the layer of {package.name} could not be written below {target.parent}: {error.strerror}; free space, or "
            "name another folder in XDG_CACHE_HOME. Nothing of it is left"
        ) from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return Prepared(dataclasses.replace(layer, folder=target / TREE), True, unreliable, left_out)


def forget(names: Iterable[str]) -> list[Path]:
    """Remove the layers of packages, those of other pins included; returns their folders."""
    wanted = {package_named(name).name for name in names}
    found = [
        folder
        for name in sorted(wanted)
        for folder in sorted((cache_folder() / "swe" / "layers").glob(f"{name}-[0-9]*"))
    ]
    for folder in found:
        shutil.rmtree(folder)
    return found


def _reliable_tests(
    package: Package, tree: Path, sandbox: Wanted, report: Report
) -> tuple[tuple[str, ...], dict[str, str], int, float]:
    """Tests that pass in every run, the others with how they ended, how many are left out, and CPU seconds of a run."""
    runs: list[dict[str, Any]] = []
    for number, (order, hash_seed) in enumerate(RUNS, start=1):
        report(package.name, f"running its tests, {number} of {len(RUNS)}")
        with open_room(tree, sandbox) as room:
            asked = {"path": package.path, "tests": package.run or package.tests, "order": order}
            runs.append(room.call("whole_suite", asked, hash_seed=hash_seed))
    _refuse_broken(package, runs)
    ended = {test: tuple(run["outcomes"].get(test, "missing") for run in runs) for test in _all_tests(runs)}
    left_out = {test for test in ended if any(test.startswith(name) for name in package.left_out)}
    rest = {test: how for test, how in ended.items() if test not in left_out and set(how) != {"skipped"}}
    kept = tuple(test for test, how in rest.items() if set(how) == {"passed"})
    unreliable = {test: ", ".join(how) for test, how in rest.items() if set(how) != {"passed"}}
    if len(kept) < MIN_KEPT * len(rest) or not kept:
        shown = "; ".join(f"{test}: {how}" for test, how in list(unreliable.items())[:5])
        raise SdistError(
            f"{len(kept)} of {len(rest)} tests of {package.name} {package.version} pass in all {len(RUNS)} runs, fewer "
            f"than {MIN_KEPT:.0%}; {shown}. Does the image hold what they import? See containers/swe"
        )
    return kept, unreliable, len(left_out), min(run["seconds"] for run in runs)


def _refuse_broken(package: Package, runs: Sequence[dict[str, Any]]) -> None:
    """Refuse a package whose test files cannot all be imported, but for those that its entry leaves out."""
    broken = {name: why for run in runs for name, why in run["broken"] if not name.startswith(tuple(package.left_out))}
    if broken:
        name, why = next(iter(broken.items()))
        raise SdistError(f"{name} of {package.name} {package.version} cannot be collected: {why.strip()[-600:]}")


def _all_tests(runs: Sequence[dict[str, Any]]) -> list[str]:
    """Ids of all runs, in pytest's order."""
    return list(dict.fromkeys(test for run in runs for test in run["outcomes"]))


def _settle(tree: Path) -> None:
    """Give all files the same time and rights, whoever unpacks them."""
    for folder, _, files in os.walk(tree):
        for name in files:
            path = os.path.join(folder, name)
            os.chmod(path, 0o644)
            os.utime(path, (_MTIME, _MTIME))
        os.chmod(folder, 0o755)  # noqa: S103 - the sandbox's user reads it

"""Screening of faults against the whole suite in a fresh process for each, in CPU time, and whether both agree.

- screening: the collected session, which measures the coverage map, and a fork for each fault (a run from nothing where
  it reaches no live function, or runs before the tests do), as `agentgym swe make` does it. All of it counts, the map
  and the collection too.
- whole suite: `python -m pytest` of all kept tests with the fault in place, in a fresh process of the same kind of
  sandbox, with pytest's own settings. Byte code that it writes is used by the next run.

Both take the same faults, the first of each package that a test covers. One whose run has no good end (it hangs) counts
in neither time. Sets of failing tests are compared where at most 40 fail; over 40, screening has stopped.

AGENTGYM_SWE_PACKAGES names packages, which must be prepared; AGENTGYM_SWE_SANDBOX names a provider.
"""

from __future__ import annotations

import os
import re
import statistics
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from agentgym.sandbox.base import Sandbox
from agentgym_swe.making.candidates import Sources, candidates
from agentgym_swe.making.coverage_map import CoverageMap, read_lines
from agentgym_swe.making.screening import MAX_FAILING, Screened
from agentgym_swe.making.workers import Workers
from agentgym_swe.repositories.layer import Layer, load_layer
from agentgym_swe.room import open_room
from benchmarks.measure import significant
from benchmarks.report import Goal, Report, main, progress

PACKAGES = ("agentgymnasium",)
DEFAULT = "toolz,semver,tomlkit,voluptuous,tinydb"
FAULTS, QUICK_FAULTS = 50, 6
HANGS_S = 60
"""CPU seconds after which a whole suite hangs."""
_TIMES = re.compile(r"(\d+)m([\d.]+)s")
_COMMAND = """
unset PYTHONDONTWRITEBYTECODE
export PYTHONPATH="$2:$PYTHONPATH"
(ulimit -t "$1"; shift 2; exec python3 -m pytest -q -p no:cacheprovider -c /dev/null --rootdir . "$@")
echo "ended $?"
times
"""


@dataclass
class Fault:
    """One fault, as both sides take it.

    Attributes:
        files: The changed files.
        tests: Tests that run its lines.
        in_function: Whether a running process may take it.
        is_early: Whether its lines run before the tests do.
        found: By side the tests that fail; None where the run has no good end.
        cpu_s: By side its CPU seconds.
    """

    files: dict[str, str]
    tests: tuple[str, ...]
    in_function: bool
    is_early: bool
    found: dict[str, frozenset[str] | None] = field(default_factory=dict)
    cpu_s: dict[str, float] = field(default_factory=dict)

    @property
    def agrees(self) -> bool:
        """Whether both sides say the same; sets of more than 40 tests count as the same."""
        one, other = self.found["screening"], self.found["whole"]
        if one is None or other is None:
            return one is other
        return one == other or min(len(one), len(other)) > MAX_FAILING


def faults_of(layer: Layer, coverage: CoverageMap, count: int) -> Iterator[Fault]:
    """The first faults of a package that tests cover, or that are outside of functions."""
    sources = Sources(layer)
    for candidate in candidates(sources, f"{layer.digest} screening"):
        files = sources.changed(candidate.edits)
        tests = {test for file, lines in candidate.lines for test in coverage.tests_of(file, lines)}
        if count and files is not None and (tests or not candidate.in_function):
            count -= 1
            ordered = tuple(test for test in layer.tests if test in tests)
            yield Fault(files, ordered, candidate.in_function, coverage.is_early(candidate.lines))


@dataclass
class Screening:
    """The faults of a package, screened.

    Attributes:
        faults: The faults.
        start_s: CPU seconds of the map and the collection.
        cpu_s: CPU seconds in all.
    """

    faults: list[Fault]
    start_s: float
    cpu_s: float


def screen_all(layer: Layer, sandbox: str, count: int) -> Screening:
    """Screen faults of a package from nothing, the map included."""
    with Workers(layer, sandbox) as workers:
        faults = list(faults_of(layer, read_lines(layer, workers.measure()), count))
        start_s, cold_s = workers.hot.session_s, 0.0
        for fault in faults:
            found = Screened("cold", (), 0.0)
            if fault.in_function:
                found = workers.hot.run(fault.files, fault.tests, is_early=fault.is_early)
            if found.how == "cold":
                found = workers.fresh.run(fault.files, limit=MAX_FAILING + 1)
                cold_s += found.cpu_s
            fault.found["screening"] = frozenset(found.failing) if found.how == "tried" else None
            fault.cpu_s["screening"] = found.cpu_s
        return Screening(faults, start_s, workers.hot.session_s + cold_s)


def run_whole(layer: Layer, faults: list[Fault], sandbox: str) -> None:
    """Run the whole suite for each fault in a fresh process."""
    with open_room(layer.folder, sandbox) as room:
        plain_suite(room.sandbox, layer)  # byte code of tests
        for fault in faults:
            put(room.sandbox, {path: text.encode() for path, text in fault.files.items()})
            fault.found["whole"], fault.cpu_s["whole"] = plain_suite(room.sandbox, layer)
            put(room.sandbox, {path: (layer.folder / path).read_bytes() for path in fault.files})


def put(sandbox: Sandbox, files: Mapping[str, bytes]) -> None:
    """Write files and take their byte code away: what has the same length and is written within a second passes for the
    same.
    """
    for path, content in files.items():
        sandbox.write_file(path, content)
        folder, _, name = path.rpartition("/")
        stale = f"{folder or '.'}/__pycache__/{name.removesuffix('.py')}."
        sandbox.exec(["sh", "-c", 'rm -f "$1"*.pyc', "sh", stale])


def plain_suite(sandbox: Sandbox, layer: Layer) -> tuple[frozenset[str] | None, float]:
    """Tests that fail in a plain run of pytest, None where it has no good end; and its CPU seconds."""
    path = ":".join(f"{sandbox.spec.work_dir}/{entry}" for entry in layer.python_path)
    ended = sandbox.exec(["bash", "-c", _COMMAND, "bash", str(HANGS_S), path, *layer.run], max_output_bytes=64 << 20)
    output, _, rest = ended.stdout.decode(errors="replace").rpartition("ended ")
    code, *times = rest.splitlines()
    seconds = sum(60 * int(minutes) + float(rest) for minutes, rest in _TIMES.findall(times[-1]))
    if int(code) not in (0, 1, 2):
        return None, seconds
    failing = set()
    for line in output.splitlines():
        kind, _, what = line.partition(" ")
        if kind in ("FAILED", "ERROR"):
            failing |= {test for test in layer.tests if _names(what, test)}
    return frozenset(failing), seconds


def _names(what: str, test: str) -> bool:
    """Whether a line of pytest's summary is about a test, or about its file that cannot be collected."""
    return what == test or what.startswith(f"{test} - ") or what.partition(" - ")[0] == test.partition("::")[0]


def measure(quick: bool) -> Report:
    """Take the figures."""
    sandbox = os.environ.get("AGENTGYM_SWE_SANDBOX", "bubblewrap")
    names = os.environ.get("AGENTGYM_SWE_PACKAGES", DEFAULT).split(",")[: 1 if quick else None]
    figures: dict[str, Any] = {}
    agreed = tried = 0
    for name in names:
        layer = load_layer(name)
        screening = screen_all(layer, sandbox, QUICK_FAULTS if quick else FAULTS)
        faults, screening_s = screening.faults, screening.cpu_s
        run_whole(layer, faults, sandbox)
        endless = [fault for fault in faults if None in fault.found.values()]
        screening_s -= sum(fault.cpu_s["screening"] for fault in endless)
        whole_s = sum(fault.cpu_s["whole"] for fault in faults if fault not in endless)
        same = sum(fault.agrees for fault in faults)
        agreed, tried = agreed + same, tried + len(faults)
        figures[name] = {
            "faults": len(faults),
            "endless": len(endless),
            "start_s": significant(screening.start_s),
            "screening_s": significant(screening_s),
            "whole_s": significant(whole_s),
            "ratio": significant(whole_s / screening_s),
            "same": same,
        }
        progress(f"{name}: {figures[name]}")
    report = Report(figures=figures, setting={"sandbox": sandbox, "packages": names})
    ratio = statistics.median(each["ratio"] for each in figures.values())
    note = "median of the packages; the map and the collection included"
    report.goals.append(Goal("whole suite in a fresh process / screening, CPU", ratio, 12.0, "at least", note))
    report.goals.append(Goal("the same failing tests, share of faults", agreed / tried, 0.99, "at least"))
    return report


if __name__ == "__main__":
    sys.exit(main("swe.screening", measure, PACKAGES))

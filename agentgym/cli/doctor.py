"""`agentgym doctor`: shows what is installed, what is missing, and the command that installs it.

It installs and changes nothing.
"""

from __future__ import annotations

import importlib
import os
import platform
import re
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Literal

from agentgym.cli.options import with_options
from agentgym.cli.output import AsJson, print_json, print_table
from agentgym.entry_points import load_entry_points
from agentgym.errors import DISTRIBUTION, AgentGymError
from agentgym.registration import specs
from agentgym.sandbox.readiness import sandbox_readiness
from agentgym.suite import Suite, load_suite, suite_names

_GPUS = Path("/proc/driver/nvidia/gpus")
_BROWSER_READINESS = "agentgym_web.browser.program.finding"
_PACKAGED, _PACKAGES = "swe/repair", "agentgym_swe.repositories.layer"
"""The suite whose tasks need packages, and what knows whether they are prepared."""
_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+).*?extra\s*==\s*['\"]([a-z]+)['\"]")


@dataclass(frozen=True)
class Finding:
    """One line of the report.

    Attributes:
        name: What was looked at.
        status: ok; missing (optional, and not there); fault (has to work, and does not).
        detail: What was found.
        fix: The command or the next move; "" where there is nothing to do.
    """

    name: str
    status: Literal["ok", "missing", "fault"]
    detail: str
    fix: str = ""


@with_options
def run(*, as_json: AsJson = False) -> int:
    """Show what is installed, what is missing, and how to get it.

    The exit code is 1 if something that must work does not work.

    Args:
        as_json: Print JSON.
    """
    findings = list(diagnose())
    if as_json:
        print_json([asdict(finding) for finding in findings])
    else:
        print_table(("", "status", "found", "to do"), ((f.name, f.status, f.detail, f.fix) for f in findings))
    return 1 if any(finding.status == "fault" for finding in findings) else 0


def diagnose() -> Iterator[Finding]:
    """Look at the interpreter, extras, torch, what sandboxes need, the browser, the runs folder and the suites."""
    is_recent = sys.version_info >= (3, 11)
    found = f"{platform.python_version()} on {platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    yield Finding("Python", "ok" if is_recent else "fault", found, "" if is_recent else "install Python 3.11 or later")
    yield from _extras()
    yield _torch()
    for found_out in sandbox_readiness():
        yield Finding(found_out.name, found_out.status, found_out.detail, found_out.fix)
    yield _browser()
    yield _runs_folder(Path("runs"))
    yield from _environments()
    yield from _suites()


def extras() -> dict[str, tuple[list[str], list[str]]]:
    """For each extra the distributions that it brings, and those of them that are not installed.

    They are read from the installed metadata.

    Raises:
        PackageNotFoundError: If agentgym itself is not installed.
    """
    found: dict[str, tuple[list[str], list[str]]] = {}
    for match in filter(None, map(_REQUIREMENT.match, requires(DISTRIBUTION) or [])):
        if match[2] != "all":
            brought, missing = found.setdefault(match[2], ([], []))
            brought.append(match[1])
            if not _is_installed(match[1]):
                missing.append(match[1])
    return found


def _extras() -> Iterator[Finding]:
    """One finding an extra."""
    try:
        found = extras()
    except PackageNotFoundError:
        yield Finding(
            "agentgym", "fault", "runs from a folder, but is not installed", "make install, or: pip install -e ."
        )
        return
    yield Finding("agentgym", "ok", version(DISTRIBUTION))
    for extra, (brought, missing) in found.items():
        if missing:
            fix = f"pip install '{DISTRIBUTION}[{extra}]'"
            yield Finding(f"extra {extra}", "missing", f"without {', '.join(missing)}", fix)
        else:
            yield Finding(f"extra {extra}", "ok", f"complete ({len(brought)})")


def _is_installed(distribution: str) -> bool:
    try:
        version(distribution)
    except PackageNotFoundError:
        return False
    return True


def _torch() -> Finding:
    """What is known of torch without importing it, which takes seconds."""
    try:
        found = version("torch")
    except PackageNotFoundError:
        return Finding("torch", "missing", "not installed", f"pip install '{DISTRIBUTION}[train]'")
    asked = os.environ.get("OMP_NUM_THREADS", "")
    threads = int(asked) if asked.isdecimal() else len(os.sched_getaffinity(0))
    fix = "on a shared machine, one thread per process is fastest: export OMP_NUM_THREADS=1" if threads > 1 else ""
    return Finding("torch", "ok", f"{found}, {_gpus()}, {threads} threads", fix)


def _gpus() -> str:
    """The GPUs that the driver names."""
    names = []
    for information in sorted(_GPUS.glob("*/information")):
        found = re.search(r"^Model:\s*(.+)$", information.read_text(), re.MULTILINE)
        names.append(found[1] if found else "GPU")
    return ", ".join(names) or "CPU only"


def _browser() -> Finding:
    """What the web family says of the browser; it is asked by name, since nothing of agentgym imports environments."""
    try:
        readiness = importlib.import_module(_BROWSER_READINESS).browser_readiness
    except ImportError as error:
        return Finding("Chromium", "missing", f"not looked for: {error}", f"pip install '{DISTRIBUTION}[web]'")
    found = readiness()
    return Finding(found.name, found.status, found.detail, found.fix)


def _runs_folder(folder: Path) -> Finding:
    try:
        folder = folder.absolute()
    except FileNotFoundError:
        return Finding("runs folder", "fault", "the current folder was removed", "change into a folder that exists")
    nearest = next(parent for parent in (folder, *folder.parents) if parent.exists())
    if nearest.is_dir() and os.access(nearest, os.W_OK):
        free_gib = shutil.disk_usage(nearest).free / 2**30
        return Finding("runs folder", "ok", f"{folder}, {free_gib:.1f} GiB free")
    return Finding(
        "runs folder",
        "fault",
        f"{nearest} cannot be written to",
        "work in a folder that you may write to, or use --run",
    )


def _environments() -> Iterator[Finding]:
    known = specs()
    families = Counter(spec.family for spec in known)
    counts = ", ".join(f"{number} {family}" for family, number in sorted(families.items()))
    yield Finding("environments", "ok", f"{len(known)}: {counts}; agentgym list shows them")
    for failure in load_entry_points():
        yield Finding("environments", "fault", failure, "repair or uninstall that package")


def _suites() -> Iterator[Finding]:
    """One finding a suite, after looking into the files of its tasks; `agentgym check` reads all of them."""
    for name in suite_names():
        try:
            suite = load_suite(name)
            counts = ", ".join(f"{suite.count(split)} {split}" for split in suite.splits)
            found = _prepared(suite, counts) if name == _PACKAGED else Finding(f"suite {name}", "ok", counts)
        except AgentGymError as error:
            yield Finding(f"suite {name}", "fault", str(error), "repair the file that the message names")
        else:
            yield found


def _prepared(suite: Suite, counts: str) -> Finding:
    """What the software family says of the packages of a suite's tasks; it is asked by name, as for the browser."""
    needed = {str(task.config["package"]) for split in suite.splits for task in suite.tasks(split)}
    missing = importlib.import_module(_PACKAGES).missing_packages(needed)
    detail = f"{counts}; {len(needed) - len(missing)} of {len(needed)} packages are prepared"
    fix = "agentgym swe prepare" if missing else ""
    return Finding(f"suite {suite.name}", "missing" if missing else "ok", detail, fix)

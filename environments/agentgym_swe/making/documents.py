"""Counts, yields and hunts as tables, put between the markers of the pages that show them."""

from __future__ import annotations

import hashlib
import json
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from agentgym.errors import ConfigError, unreadable
from agentgym.task import SPLITS, Task
from agentgym_swe.repositories.catalogue import packages

README, SUITE_FILE = "README.md", "suite.toml"
NEW_README = """# Tasks of Repair

Faults planted in packages of PyPI by `agentgym swe make`, as the documentation of `agentgym/Repair-v0` describes them.
A file of them is played, evaluated and checked by

    agentgym play agentgym/Repair-v0 --env-option tasks=FILE.jsonl
    agentgym eval --suite agentgym/Repair-v0 --policy oracle --env-option tasks=FILE.jsonl
    agentgym check agentgym/Repair-v0 --env-option tasks=FILE.jsonl

<!-- counts: begin -->
<!-- counts: end -->

The packages stay under their licences:

<!-- packages: begin -->
<!-- packages: end -->

`agentgym swe hunt --out` of this folder looks for the originals of the tasks in the sandboxes that an agent gets:

<!-- hunt: begin -->
<!-- hunt: end -->
"""
"""The page of a folder that had none."""
_TRIED = ("valid", "many", "survived", "hangs", "died", "late")
_NO_END = ("hangs", "died", "late", "broken")
_ORDER = ("fault", "implement", "double", "history", "unseen_functions", "unseen_packages")

Facts = Mapping[str, Any]


def put(page: Path, part: str, lines: Iterable[str]) -> None:
    """Put lines between the markers of a part of a page, `<!-- PART: begin -->` and `<!-- PART: end -->`.

    Raises:
        ConfigError: The page cannot be read, or lacks the markers.
    """
    before, after = around(page, part)
    page.write_text(before + "\n\n" + "\n".join(lines) + "\n\n" + after, encoding="utf-8")


def around(page: Path, part: str) -> tuple[str, str]:
    """What stands before and behind a part of a page, with its markers.

    Raises:
        ConfigError: The page cannot be read, or lacks the markers.
    """
    begin, end = f"<!-- {part}: begin -->", f"<!-- {part}: end -->"
    try:
        text = page.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"to get the part {part!r}, {unreadable(page, error)}") from error
    before, found, rest = text.partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise ConfigError(f"{page} lacks the markers of the part {part!r}: {begin} and {end}")
    return before + begin, end + after


def put_counts(folder: Path, tasks: Sequence[Task], headline: str) -> None:
    """Put the counts and packages of a folder's tasks into its README, which is written where there is none.

    Raises:
        ConfigError: The README lacks their markers.
    """
    page = folder / README
    if not page.exists():
        page.write_text(NEW_README, encoding="utf-8")
    put(page, "counts", counts(tasks, headline))
    put(page, "packages", sources(tasks, with_all=(folder / SUITE_FILE).is_file()))


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """The lines of a table."""
    for row in (head, ["---"] * len(head), *rows):
        yield f"| {' | '.join(map(str, row))} |"


def fingerprint(tasks: Iterable[Task]) -> str:
    """What tells one set of faults from another, however their issues are worded."""
    faults = sorted(json.dumps([task.config["digest"], task.config["edits"]]) for task in tasks)
    return hashlib.sha256("\n".join(faults).encode()).hexdigest()[:12]


def counts(tasks: Sequence[Task], headline: str) -> Iterator[str]:
    """How many tasks each split and stratum has, and of each kind in all."""
    of = Counter((task.split, task.stratum) for task in tasks)
    strata_of = {split: _ORDER if any(task.split == split for task in tasks) else ("",) for split in SPLITS}
    rows = [
        (split, stratum + (" (headline)" if stratum == headline else ""), of[split, stratum])
        for split, strata in strata_of.items()
        for stratum in strata
        if of[split, stratum] or not stratum
    ]
    yield from table(("split", "stratum", "tasks"), [*rows, ("all", "", len(tasks))])
    kinds = Counter(task.config["kind"] for task in tasks)
    yield ""
    yield f"By kind: {', '.join(f'{kinds[kind]} {kind}' for kind in _ORDER[:4])}."


def sources(tasks: Sequence[Task], *, with_all: bool = True) -> Iterator[str]:
    """The packages with their licences, and how many tasks come from each.

    Args:
        tasks: The tasks.
        with_all: Whether packages without a task are named too.
    """
    of = Counter(task.config["package"] for task in tasks)
    rows = (
        (
            f"[{name}](https://pypi.org/project/{name}/{package.version}/)",
            package.version,
            package.licence,
            "test alone" if package.held_out else "all splits",
            of[name],
        )
        for name, package in packages().items()
        if with_all or of[name]
    )
    return table(("package", "version", "licence", "use", "tasks"), rows)


def yields(found: Mapping[str, Facts], num_tasks: int) -> Iterator[str]:
    """What became of the candidates, by operator and by package.

    Args:
        found: By package what `generate.make_package` gave.
        num_tasks: How many of the tasks that were made the suite has.
    """
    of: dict[str, Counter[str]] = {}
    for facts in found.values():
        for operator, what in facts["yields"].items():
            of.setdefault(operator, Counter()).update(what)
    rows = [(operator, *_row(of[operator])) for operator in sorted(of)]
    total = sum(of.values(), Counter[str]())
    head = ("operator", "tried", "noticed by 1 to 40 tests", "by more", "by none", "no good end", "not confirmed")
    yield from table((*head, "not covered"), [*rows, ("all", *_row(total))])
    yield ""
    of_package = ("package", "tried", "noticed by 1 to 40 tests", "made", "fork, CPU s each")
    yield from table((*of_package, "whole suite from nothing, CPU s"), (_of_package(*each) for each in found.items()))
    yield ""
    made = [each for facts in found.values() for each in facts["made"]]
    shown, named = (sum(each["issue"][key] for each in made) for key in ("is_shown", "names_function"))
    yield (
        f"The issue of {shown} of the {len(made)} tasks that were made shows a call with its values; {named} name the "
        "function at fault."
    )
    yield (
        f"The suite has {num_tasks} of them: a task whose functions belong to different splits, or that occurs twice, "
        "is left out. A function has at most three tasks, of all kinds together."
    )


def hunted(page: Path, tasks: Sequence[Task], rows: Sequence[Any]) -> Iterator[str]:
    """What a hunt came to, a row for each package; packages that were not hunted now keep their rows.

    Args:
        page: The page with the table as it is.
        tasks: All that were hunted.
        rows: What `agentgym_swe.repair.hunting.hunt_tasks` gave.
    """
    head = (
        "package",
        "sandbox",
        "tasks",
        "which",
        "by names alone",
        "files",
        "texts of git",
        "files elsewhere",
        "traces",
    )
    lines = page.read_text(encoding="utf-8").splitlines()
    kept = {name: cells for line in lines for name, *cells in [_cells(line)] if len(cells) == len(head) - 1}
    for each in rows:
        own = [task for task in tasks if task.config["package"] == each.package]
        counted = (each.num_vague, each.num_files, each.num_objects, each.num_elsewhere, len(each.traces))
        kept[each.package] = [each.sandbox, str(len(own)), fingerprint(own), *map(str, counted)]
    return table(head, [(name, *kept[name]) for name in packages() if name in kept])


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("| ").split(" | ")]


def _row(what: Mapping[str, int]) -> tuple[int, ...]:
    tried = sum(what.get(each, 0) for each in (*_TRIED, "broken"))
    parts = (what.get(each, 0) for each in ("valid", "many", "survived"))
    ended = sum(what.get(each, 0) for each in _NO_END)
    return tried, *parts, ended, what.get("unconfirmed", 0), what.get("uncovered", 0)


def _of_package(name: str, facts: Facts) -> tuple[object, ...]:
    total = sum(map(Counter, facts["yields"].values()), Counter[str]())
    tried, valid = _row(total)[:2]
    forks = facts["cpu_s"].get("fork", 0.0) / max(1, facts["num"].get("fork", 0))
    suites = [each["suite_s"] for each in facts["made"]]
    return name, tried, valid, len(suites), f"{forks:.3f}", f"{statistics.median(suites or [0.0]):.2f}"

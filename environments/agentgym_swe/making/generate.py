"""Makes the tasks of swe/repair, package by package, and writes the suite: `python -m agentgym_swe.making.generate`.

What was made of a package is kept beside its layer, so that a run that was stopped goes on where it was.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from agentgym.authoring.task_files import Suites, numbered_id, write_split, write_suites
from agentgym.errors import ConfigError
from agentgym.sandbox.once import cache_folder, only_one
from agentgym.task import SPLITS, Limits, Split, Task
from agentgym.wording import counted
from agentgym_swe.making import documents
from agentgym_swe.making.journal import FORMAT, Journal
from agentgym_swe.making.making import Maker, Quota, made_to_json
from agentgym_swe.repositories.catalogue import package_named, packages
from agentgym_swe.repositories.edit import MIN_DIGEST
from agentgym_swe.repositories.layer import Layer, load_layer
from agentgym_swe.room import Wanted

SUITE = "swe/repair"
UNSEEN_FUNCTIONS, UNSEEN_PACKAGES = "unseen_functions", "unseen_packages"
STEP_S, SLOW_STEP_S = 240.0, 480.0
"""Wall time of a step; the verdict of a submission runs all tests of a package and copies of some."""
MAX_STORED = 40
"""Ids of tests that a task names; more are named by their files."""
_SLOW = ("lark", "parso")
"""Packages whose tests take so long that few tasks are made of them, since a verdict runs them all."""
_SHARE_OF_TEST, _SHARE_OF_VALIDATION = 0.2, 0.08

_WAITING = "waiting for another process that makes its tasks"
Report = Callable[[str, str], None]
Facts = Mapping[str, Any]


def make_package(
    name: str,
    quota: Quota,
    *,
    sandbox: Wanted = None,
    is_closed: bool = False,
    report: Report = lambda name, line: None,
) -> dict[str, Any]:
    """What is made of a package; what its tests said before is taken from the cache.

    Args:
        name: The package.
        quota: How many tasks of each kind are wanted.
        sandbox: Where its code runs, as in `SandboxEnv`.
        is_closed: Whether nothing new is tried: the tasks are those of which all is known.
        report: Told of progress.

    Returns:
        "digest" of the layer, "made", a list of what `made_to_json` gives, "yields" by operator, and "cpu_s" and "num"
        of the screening by the way it was done; and "missing_release", such as "schema 0.7.4" where that could not be
        fetched, so that tasks from history are left out.

    Raises:
        NotPreparedError: The package is not prepared.
        FetchError: The index has another older release than the pinned one.
        SandboxError: No sandbox can be started, or one was lost; what tests said until then is kept.
    """
    layer = load_layer(name)
    path = journal_file(layer)
    path.parent.mkdir(parents=True, exist_ok=True)
    if is_closed and not path.is_file():
        return {"digest": layer.digest, "made": [], "yields": {}, "cpu_s": {}, "num": {}, "missing_release": ""}
    alone = nullcontext() if is_closed else only_one(str(path), lambda: report(name, _WAITING))
    with alone:
        report(name, "taking what is known" if is_closed else "making tasks")
        journal = Journal(path, is_closed=is_closed)
        maker = Maker(layer, quota, sandbox, journal=journal, report=lambda line: report(name, line))
        made = [made_to_json(each) for each in maker.make()]
    report(name, counted(len(made), "task"))
    yields = maker.yields
    told = {"cpu_s": yields.cpu_s, "num": yields.num, "missing_release": maker.missing_release}
    return {"digest": layer.digest, "made": made, "yields": yields.of, **told}


def journal_file(layer: Layer) -> Path:
    """Where what tests said of the faults of a layer is kept."""
    return cache_folder() / "swe" / "made" / f"{layer.name}-{layer.digest[:MIN_DIGEST]}-{FORMAT}.jsonl"


def write_repair(
    folder: Path, found: Mapping[str, Facts], page: Path | None = None, *, suite: str = ""
) -> Counter[str]:
    """Write the three splits of the suite, and its counts into the README beside them, which is written if missing.

    Args:
        folder: The suite's.
        found: By package what `make_package` gave.
        page: A page that gets the yields by operator and package.
        suite: What the ids of the tasks begin with; "" is the suite's name for the folder of a suite, and otherwise the
            folder's name.

    Returns:
        How many tasks each split and stratum has, as "test/unseen_packages"; a split without any has 0, as "test".

    Raises:
        ConfigError: There is nothing to write, a suite would lose a split or its tasks from history, or a page lacks
            its markers.
    """
    of_split: dict[Split, list[tuple[str, str, Facts]]] = {split: [] for split in SPLITS}
    for name in packages():
        for facts in found.get(name, {}).get("made", ()):
            for split, stratum in _places(name, facts):
                of_split[split].append((name, stratum, facts))
    empty = [split for split, entries in of_split.items() if not entries]
    if len(empty) == len(of_split):
        raise ConfigError("there are no tasks to write; name other packages, or none to make the tasks of all")
    if empty and (folder / documents.SUITE_FILE).is_file():
        raise ConfigError(
            f"the suite in {folder} would have no task in {', '.join(empty)}; make those of packages for training and "
            "of some for testing, or write into another folder"
        )
    missing = ", ".join(filter(None, (facts.get("missing_release") for facts in found.values())))
    if missing and (folder / documents.SUITE_FILE).is_file():
        raise ConfigError(
            f"the suite in {folder} would lose its tasks from history, since {missing} could not be fetched; run it "
            "again with a network, or write into another folder"
        )
    begins = suite or _name_of(folder)
    written: list[Task] = []
    for split, entries in of_split.items():
        tasks = list(_tasks(begins, split, entries, found))
        write_split(folder, split, tasks)
        written += tasks
    documents.put_counts(folder, written, UNSEEN_PACKAGES)
    if page is not None:
        documents.put(page, "yields", documents.yields(found, len(written)))
    num_of = Counter(f"{task.split}/{task.stratum}" for task in written)
    for split in empty:
        num_of[split] = 0
    return num_of


def require_whole(folder: Path, names: Iterable[str]) -> None:
    """Refuse to write a suite of some packages over one that has tasks of others.

    Args:
        folder: The suite's.
        names: The packages whose tasks are to be written.

    Raises:
        ConfigError: Tasks would be lost; names their packages.
    """
    lost: dict[str, None] = {}
    for split in SPLITS:
        path = folder / f"{split}.jsonl"
        for line in path.read_text(encoding="utf-8").splitlines() if path.is_file() else ():
            lost[json.loads(line)["config"]["package"]] = None
    for name in names:
        lost.pop(name, None)
    if lost:
        raise ConfigError(
            f"{folder} also has tasks of {', '.join(lost)}, which would be lost; name these packages too, or none to "
            "make the tasks of all, or write into another folder"
        )


def _name_of(folder: Path) -> str:
    """What the ids of a folder's tasks begin with: only a suite's have its name, <family>/<suite>."""
    place = folder.resolve()
    is_suite = (folder / documents.SUITE_FILE).is_file()
    return f"{place.parent.name}/{place.name}" if is_suite else place.name


def _tasks(
    begins: str, split: Split, entries: Sequence[tuple[str, str, Facts]], found: Mapping[str, Facts]
) -> Iterator[Task]:
    """The tasks of a split, each content once."""
    seen: set[str] = set()
    for name, stratum, facts in entries:
        task = to_task(numbered_id(begins, split, len(seen)), name, found[name], stratum, facts)
        task = dataclasses.replace(task, split=split)
        if task.content_hash not in seen:
            seen.add(task.content_hash)
            yield task


def to_task(task_id: str, package: str, found: Facts, stratum: str, facts: Facts) -> Task:
    """A task of what was made.

    Args:
        task_id: Its id.
        package: Name of the package.
        found: What `make_package` gave.
        stratum: Its stratum.
        facts: What `made_to_json` gave.
    """
    issue, candidate = facts["issue"], facts["candidate"]
    relevant = facts["relevant"]
    if len(relevant) > MAX_STORED:
        relevant = list(dict.fromkeys(test.split("::")[0] for test in relevant))
    config = {
        "package": package,
        "digest": found["digest"][:MIN_DIGEST],
        "edits": candidate["edits"],
        "kind": facts["kind"],
        "visible_tests": "others",
    }
    private = {
        "failing": facts["failing"],
        "relevant": relevant,
        "functions": candidate["functions"],
        "operator": candidate["operator"],
        "issues": {key: issue[key] for key in ("less", "more") if issue[key] != issue["usual"]},
        "difficulty": difficulty(facts),
        "cpu_s": {"screen": round(facts["screen_s"], 3), "suite": round(facts["suite_s"], 2)},
    }
    if candidate["kinds"]:
        private["operators"] = candidate["kinds"]
    return Task(
        id=task_id,
        seed=int(hashlib.sha256(json.dumps(candidate["edits"]).encode()).hexdigest()[:6], 16),
        instruction=issue["usual"],
        stratum=stratum,
        config=config,
        private=private,
        limits=Limits(max_turns=30, max_seconds=1800, step_timeout_s=SLOW_STEP_S if package in _SLOW else STEP_S),
    )


def difficulty(facts: Facts) -> str:
    """easy, medium or hard, by what the issue tells and what is asked."""
    issue, num_edits = facts["issue"], len(set(facts["candidate"]["functions"]))
    points = (not issue["names_function"]) + (not issue["is_shown"]) + (num_edits > 1)
    points += facts["kind"] in ("implement", "history")
    return ("easy", "medium", "hard")[min(points, 2)]


def _places(name: str, facts: Facts) -> Iterable[tuple[Split, str]]:
    """Split and stratum of a task; none for one whose functions belong to different splits."""
    if package_named(name).held_out:
        return [("test", UNSEEN_PACKAGES)]
    splits = {_split_of(function) for function in facts["candidate"]["functions"]}
    if len(splits) != 1:
        return []
    split = splits.pop()
    return [(split, UNSEEN_FUNCTIONS if split == "test" else facts["kind"])]


def _split_of(function: str) -> Split:
    """The split of a function of a package that is trained on, drawn by its name; inner ones go with the outer."""
    module, _, rest = function.rpartition(".<locals>")
    drawn = int(hashlib.sha256((module or rest).encode()).hexdigest()[:8], 16) / 16**8
    if drawn < _SHARE_OF_TEST:
        return "test"
    return "validation" if drawn < _SHARE_OF_TEST + _SHARE_OF_VALIDATION else "train"


def quota_of(name: str) -> Quota:
    """How many tasks are wanted of a package."""
    return Quota(fault=5, implement=2, double=2, history=3) if name in _SLOW else Quota()


def generate(folder: Path, suite: str) -> None:
    """Make what is not made yet of every package, which takes hours, and write the suite."""
    write_repair(folder, {name: make_package(name, quota_of(name), report=_print) for name in packages()}, suite=suite)


def _print(name: str, line: str) -> None:
    print(f"{name}: {line}", flush=True)  # noqa: T201 - the command's progress


SUITES: Suites = {SUITE: generate}

if __name__ == "__main__":
    write_suites(SUITES)

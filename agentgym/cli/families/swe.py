"""`agentgym swe`: prepares packages for Repair, makes tasks of them, looks for leaks, and reads others' rows."""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro

from agentgym.cli.options import with_options
from agentgym.cli.output import AsJson, note, print_json, print_table, show
from agentgym.errors import ConfigError
from agentgym.suite import load_suite
from agentgym.task import Task
from agentgym.wording import counted

_KINDS = ("fault", "implement", "double", "history")
_SANDBOXES = ("docker", "bubblewrap")


_Action = Literal["prepare", "list", "remove", "make", "reword", "hunt", "judge", "rows"]
_Packages = Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="[NAME ...]")]


@with_options
def run(action: tyro.conf.Positional[_Action], /) -> int:
    """Prepare the packages of repair tasks (agentgym/Repair-v0), make such tasks, and judge repairs.

    Each takes options of its own: see `agentgym swe make --help`, for example.

    Args:
        action: `prepare` fetches packages; after that only tasks from history need a network. `list` shows all
            packages and what is prepared. `remove` removes what was prepared. `make` makes tasks. `reword` writes
            better issue texts where they show too little. `hunt` looks for the originals of tasks in sandboxes.
            `judge FILE` judges predictions. `rows FORM FILE` says which rows of another project's data set can be
            played.
    """
    return ACTIONS[action]()


@with_options
def prepare(names: _Packages = (), /, *, sandbox: str = "", as_json: AsJson = False) -> int:
    """Fetch packages with pip, lay them out, and run their tests in a sandbox.

    After that everything works without a network. Only `make` fetches older releases, once, for tasks from history.

    Args:
        names: Names of packages, such as toolz. The default is all of them.
        sandbox: Where tests of packages run: docker or bubblewrap. The default is docker where an engine answers.
        as_json: Print JSON.
    """
    prepared = _named("preparing", "prepare")(
        names, sandbox=_room(sandbox), report=lambda name, line: note(f"{name}: {line}")
    )
    facts = [
        {
            "package": each.layer.name,
            "version": each.layer.version,
            "licence": each.layer.licence,
            "tests": len(each.layer.tests),
            "unreliable": each.unreliable,
            "seconds": each.layer.seconds,
            "was_made": each.was_made,
        }
        for each in prepared
    ]
    if as_json:
        print_json(facts)
    else:
        columns = ("package", "version", "licence", "tests", "unreliable", "CPU s", "")
        lines = [
            (*list(fact.values())[:4], len(each.unreliable), each.layer.seconds, "" if each.was_made else "was there")
            for fact, each in zip(facts, prepared, strict=True)
        ]
        print_table(columns, lines)
    return 0


@with_options
def remove(names: _Packages = (), /, *, as_json: AsJson = False) -> int:
    """Remove what was prepared.

    Args:
        names: Names of packages, such as toolz; at least one.
        as_json: Print JSON.
    """
    if not names:
        raise ConfigError("name the packages to remove, such as toolz; agentgym swe list shows them")
    gone = [str(folder) for folder in _named("preparing", "forget")(names)]
    print_json(gone) if as_json else print_table(("removed",), ((folder,) for folder in gone))
    return 0


@with_options
def make(
    names: _Packages = (),
    /,
    *,
    sandbox: str = "",
    out: Path | None = None,
    yields: Path | None = None,
    kept: bool = False,
    as_json: AsJson = False,
) -> int:
    """Plant faults in prepared packages, keep those that tests notice, and write tasks of them.

    If it was stopped, it goes on from there. Tasks from history need an older release of a package, which is fetched
    once. Without a network they are left out.

    Args:
        names: Names of packages, such as toolz. The default is all of them.
        sandbox: Where tests of packages run: docker or bubblewrap. The default is docker where an engine answers.
        out: The folder for the tasks, and for a README with their counts. One that has tasks of other packages than
            those named is refused. The default writes nothing.
        yields: A page for the yields by operator and package, which go between its markers. Needs --out.
        kept: Try nothing new: take what earlier runs found.
        as_json: Print JSON.
    """
    if yields is not None and out is None:
        raise ConfigError("--yields needs --out: the yields are those of the suite that is written")
    chosen = _known(names) or tuple(_named("catalogue", "packages")())
    if out is not None:
        _named("generate", "require_whole", "making")(out, chosen)
    make_package, quota_of = (_named("generate", name, "making") for name in ("make_package", "quota_of"))
    found = {
        name: make_package(name, quota_of(name), sandbox=_room(sandbox), is_closed=kept, report=_report)
        for name in chosen
    }
    rows = [(name, *_kinds(facts["made"])) for name, facts in found.items()]
    if as_json:
        print_json([dict(zip(("package", *_KINDS), row, strict=True)) for row in rows])
    else:
        print_table(("package", *_KINDS), rows)
    missing = [facts["missing_release"] for facts in found.values() if facts["missing_release"]]
    if missing:
        note(f"without tasks from history, as these could not be fetched: {', '.join(missing)}")
    if out is not None:
        counts = sorted(_named("generate", "write_repair", "making")(out, found, yields).items())
        for place, count in counts:
            note(f"{out}: {place}: {count or 'no tasks'}")
        split = max(place.partition("/")[0] for place, count in counts if count)  # train, where there is one
        note(f"play them with: agentgym play agentgym/Repair-v0 --env-option tasks={out / split}.jsonl")
    return 0


@with_options
def reword(names: _Packages = (), /, *, sandbox: str = "", out: Path | None = None, as_json: AsJson = False) -> int:
    """Write better issue texts for tasks whose texts show too little.

    It runs what the failing tests do on the broken and on the original package, and shows what differs.

    Args:
        names: Names of packages, such as toolz. The default is all of them.
        sandbox: Where the packages run: docker or bubblewrap. The default is docker where an engine answers.
        out: The folder of the tasks, such as `make --out` wrote. They are read there and written back.
        as_json: Print JSON.
    """
    if out is None:
        raise ConfigError(
            "reword needs --out, the folder of the tasks whose issue texts it rewrites, such as tasks/swe/repair"
        )
    counts = _named("reword", "reword_suite", "rewording")(out, _known(names), _room(sandbox), _report)
    lines = [(name, *each) for name, each in counts.items()]
    columns = ("package", "tasks", "with a call", "with more")
    print_json([dict(zip(columns, each, strict=True)) for each in lines]) if as_json else print_table(columns, lines)
    return 0


@with_options
def hunt(names: _Packages = (), /, *, sandbox: str = "", out: Path | None = None, as_json: AsJson = False) -> int:
    """Look for the originals of tasks in sandboxes; exits with 1 where one is found.

    Args:
        names: Names of packages, such as toolz. The default is all of them.
        sandbox: Where the agent's sandbox runs: docker or bubblewrap. The default is docker where an engine answers.
        out: A folder with tasks to hunt. Its README gets the table of what was found. The default hunts the tasks of
            the suite swe/repair, and writes nothing.
        as_json: Print JSON.
    """
    _known(names)
    tasks = [task for task in _hunted_tasks(out) if not names or task.config["package"] in names]
    whose = "the suite swe/repair" if out is None else str(out)
    note(f"hunting the originals of {counted(len(tasks), 'task')} of {whose}")
    hunted = {}
    with closing(_named("hunting", "hunting_env", "repair")(_room(sandbox))) as env:
        for each in _named("hunting", "hunt_tasks", "repair")(env, tasks, _report):
            hunted[each.package] = each
            if out is not None:
                put, lines = (_named("documents", name, "making") for name in ("put", "hunted"))
                put(out / "README.md", "hunt", lines(out / "README.md", tasks, [each]))
    if as_json:
        print_json([asdict(each) for each in hunted.values()])
    else:
        columns = (
            "package",
            "sandbox",
            "tasks",
            "by names alone",
            "files",
            "texts of git",
            "files elsewhere",
            "traces",
        )
        print_table(columns, ((*list(asdict(each).values())[:-1], len(each.traces)) for each in hunted.values()))
    traces = [trace for each in hunted.values() for trace in each.traces]
    for trace in traces:
        note(trace)
    return 1 if traces else 0


@with_options
def rows(
    names: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="FORM FILE")] = (),
    /,
    *,
    image: str = "",
    as_json: AsJson = False,
) -> int:
    """Say which rows of another project's data set can be played, and which of their images are there.

    It exits with 1 where something is missing.

    Args:
        names: The form, which is swebench, swegym, swesmith, r2egym or swerebench, and the file of rows.
        image: The tag of the images, in which {id} stands for a row's id. The default is the row's own.
        as_json: Print JSON.
    """
    if len(names) != 2:
        raise ConfigError("name the form and the file, such as: agentgym swe rows swebench FILE.jsonl")
    loaded = _named("rows", "load_rows", "foreign")(Path(names[1]), names[0], image)
    missing = set(_named("ground", "missing_images", "foreign")({each.image for each in loaded.instances}))
    played = [(each.id, each.image, "missing" if each.image in missing else "there") for each in loaded.instances]
    refused = [(each.line, each.id, each.why) for each in loaded.refused]
    if as_json:
        found = [dict(zip(("id", "image", "state"), row, strict=True)) for row in played]
        print_json({"rows": found, "refused": [dict(zip(("line", "id", "why"), row, strict=True)) for row in refused]})
    else:
        print_table(("row", "image", ""), played)
        if refused:
            print_table(("line", "row", "cannot be played"), refused)
        num_there = sum(state == "there" for *_, state in played)
        without, no_rows = counted(len(played) - num_there, "row"), counted(len(refused), "row")
        note(f"can be played: {counted(num_there, 'row')}; without their image: {without}; refused: {no_rows}")
    return 1 if missing or refused else 0


@with_options
def judge(
    names: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="FILE")] = (),
    /,
    *,
    tasks: Path | None = None,
    out: Path | None = None,
    sandbox: str = "",
    as_json: AsJson = False,
) -> int:
    """Judge predictions for tasks of swe/repair, as agentgym/Repair-v0 would.

    If it was stopped, it shows the verdicts that were reached. With --out, the same command goes on from there.

    Args:
        names: A JSONL file with `instance_id` and `model_patch`, such as `agentgym export` writes.
        tasks: A file or folder of tasks of your own, such as `agentgym swe make` writes. The default is swe/repair.
        out: A file that gets each verdict as it is reached, one JSON object a line. A verdict that stands there is
            not reached again for the same task and patch.
        sandbox: Where tests run: docker or bubblewrap. The default is docker where an engine answers.
        as_json: Print JSON.
    """
    if len(names) != 1:
        raise ConfigError("name the file of predictions, such as: agentgym swe judge predictions.jsonl")
    predictions = _named("judging", "read_predictions", "repair")(Path(names[0]), tasks)
    kept = None if out is None else _named("verdict_file", "VerdictFile", "repair")(out)
    told = 0 if kept is None else sum(kept.find(each.task, each.diff) is not None for each in predictions)
    if told:
        note(f"{out} has {told} of the {counted(len(predictions), 'verdict')}; they are not reached again")
    to_json = _named("verdict_file", "verdict_to_json", "repair")
    found: list[dict[str, Any]] = []
    judging = _named("judging", "judge_predictions", "repair")(predictions, _room(sandbox), kept)
    try:
        with closing(judging):
            for prediction, verdict in judging:
                found.append(to_json(prediction.task, verdict))
                note(f"[{len(found)}/{len(predictions)}] {prediction.task.id}: {verdict.kind}")
    finally:  # also after an interrupt: verdicts take minutes
        if found:
            _show_verdicts(found, as_json)
        if len(found) < len(predictions):
            again = f"the same command goes on from {out}" if out else "to go on after a stop, give --out FILE"
            note(f"judged {len(found)} of {counted(len(predictions), 'prediction')}; {again}")
    return 0


def _show_verdicts(found: Sequence[Mapping[str, Any]], as_json: bool) -> None:
    if as_json:
        print_json(found)
        return
    left_out = ("; ".join(f"{path} ({why})" for path, why in each["left_out"].items()) for each in found)
    rows = ((each["task"], each["verdict"], each["why"], left) for each, left in zip(found, left_out, strict=True))
    print_table(("task", "verdict", "why", "left out"), rows)
    show(f"{sum(each['verdict'] == 'solved' for each in found)} of {len(found)} solved")


@with_options
def show_list(names: _Packages = (), /, *, as_json: AsJson = False) -> int:
    """Show packages with their licences, how many tasks of swe/repair are made of them, and what is prepared.

    Args:
        names: Names of packages, such as toolz. The default is all of them.
        as_json: Print JSON.
    """
    named = _named("catalogue", "package_named")
    chosen = [named(name) for name in names] or list(_named("catalogue", "packages")().values())
    find_layer = _named("layer", "find_layer")
    suite = load_suite("swe/repair")
    tasks = Counter(task.config["package"] for split in suite.splits for task in suite.tasks(split))
    lines = []
    for package in chosen:
        layer, name = find_layer(package), package.name
        use = "test alone" if package.held_out else "all splits"
        lines.append((name, package.version, package.licence, tasks[name], use, len(layer.tests) if layer else None))
    if as_json:
        keys = ("package", "version", "licence", "tasks", "use", "tests")
        print_json([dict(zip(keys, row, strict=True)) for row in lines])
    else:
        shown = [(*row[:5], "not prepared" if row[5] is None else f"{row[5]} tests") for row in lines]
        print_table(("package", "version", "licence", "tasks", "splits", "prepared"), shown)
    return 0


def _hunted_tasks(folder: Path | None) -> Sequence[Task]:
    """All tasks of a folder, whose README can take a table; or those of the suite.

    Raises:
        ConfigError: The folder has no tasks, or its README has no place for the table.
    """
    if folder is None:
        suite = load_suite("swe/repair")
        return [task for split in suite.splits for task in suite.tasks(split)]
    tasks: Sequence[Task] = _named("own_tasks", "read_folder", "repair")(folder)
    if not (folder / "README.md").exists():
        _named("documents", "put_counts", "making")(folder, tasks, "")
    _named("documents", "around", "making")(folder / "README.md", "hunt")
    return tasks


def _report(name: str, line: str) -> None:
    note(f"{name}: {line}")


def _room(sandbox: str) -> str | None:
    """The sandbox that a user named; None for the default."""
    if sandbox and sandbox not in _SANDBOXES:
        raise ConfigError(f"--sandbox must be {' or '.join(_SANDBOXES)}, which can hold a package: got {sandbox!r}")
    return sandbox or None


def _known(names: tuple[str, ...]) -> tuple[str, ...]:
    """Names of packages, each of which there is."""
    return tuple(_named("catalogue", "package_named")(name).name for name in names)


def _kinds(made: list[dict[str, Any]]) -> tuple[int, ...]:
    return tuple(sum(each["kind"] == kind for each in made) for kind in _KINDS)


ACTIONS: Mapping[str, Callable[..., int]] = {
    "prepare": prepare,
    "list": show_list,
    "remove": remove,
    "make": make,
    "reword": reword,
    "hunt": hunt,
    "judge": judge,
    "rows": rows,
}
"""The command of each action, which has options of its own."""


def _named(module: str, name: str, room: str = "repositories") -> Any:
    """Something of the software family, which commands look up by name."""
    return getattr(importlib.import_module(f"agentgym_swe.{room}.{module}"), name)

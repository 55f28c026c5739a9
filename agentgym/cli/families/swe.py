"""`agentgym swe`: prepares packages for Repair, makes tasks of them, looks for leaks, and reads others' rows."""

from __future__ import annotations

import importlib
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro

from agentgym.cli.options import with_options
from agentgym.cli.output import AsJson, note, print_json, print_table
from agentgym.errors import ConfigError
from agentgym.suite import load_suite

_KINDS = ("fault", "implement", "double", "history")


@with_options
def run(
    action: tyro.conf.Positional[Literal["prepare", "list", "remove", "make", "hunt", "rows"]],
    names: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="[NAME ...]")] = (),
    /,
    *,
    sandbox: str = "",
    out: Path | None = None,
    image: str = "",
    yields: Path | None = None,
    kept: bool = False,
    as_json: AsJson = False,
) -> int:
    """Prepare the packages that agentgym/Repair-v0 plants faults in, and make its tasks.

    Args:
        action: `prepare` fetches packages with pip, lays them out, and runs their tests in a sandbox, after which
            everything works without a network. `list` shows all packages with their licences and what is prepared.
            `remove` removes what was prepared. `make` plants faults in prepared packages, keeps those that tests
            notice, and writes a suite of them; it goes on where it was stopped. `hunt` looks for the originals of
            tasks in sandboxes, and exits with 1 where one is found. `rows FORM FILE` says which rows of another
            project's data set can be played, and which of their images are there; FORM is swebench, swegym, swesmith,
            r2egym or swerebench. It exits with 1 where something is missing.
        names: Names of packages, such as toolz. The default is all of them.
        sandbox: Where tests of packages run: docker or bubblewrap. The default is docker where an engine answers.
        out: The folder of the suite. `make` writes its tasks there, and the counts into its README; `hunt` writes the
            table of what it found into the README. The default writes nothing.
        yields: A page into which `make` writes the yields by operator and package, between its markers. Needs --out.
        kept: Whether `make` tries nothing new, and takes what is known from earlier runs.
        image: The tag of the images of `rows`, in which {id} stands for a row's id. The default is the row's own.
        as_json: Print JSON.
    """
    if action == "rows":
        return _rows(names, image, as_json=as_json)
    if action == "make":
        return _make(names, sandbox or None, (out, yields), is_closed=kept, as_json=as_json)
    if action == "hunt":
        return _hunt(names, sandbox or None, out, as_json=as_json)
    if action == "prepare":
        return _prepare(names, sandbox or None, as_json=as_json)
    if action == "remove":
        if not names:
            raise ConfigError("name the packages to remove, such as toolz; agentgym swe list shows them")
        gone = [str(folder) for folder in _named("preparing", "forget")(names)]
        print_json(gone) if as_json else print_table(("removed",), ((folder,) for folder in gone))
        return 0
    return _list(names, as_json=as_json)


def _prepare(names: tuple[str, ...], sandbox: str | None, *, as_json: bool) -> int:
    prepared = _named("preparing", "prepare")(names, sandbox=sandbox, report=lambda name, line: note(f"{name}: {line}"))
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
        rows = [
            (*list(fact.values())[:4], len(each.unreliable), each.layer.seconds, "" if each.was_made else "was there")
            for fact, each in zip(facts, prepared, strict=True)
        ]
        print_table(columns, rows)
    return 0


def _make(
    names: tuple[str, ...],
    sandbox: str | None,
    pages: tuple[Path | None, Path | None],
    *,
    is_closed: bool,
    as_json: bool,
) -> int:
    out, yields = pages
    if yields is not None and out is None:
        raise ConfigError("--yields needs --out: the yields are those of the suite that is written")
    chosen = names or tuple(_named("catalogue", "packages")())
    make_package, quota_of = (_named("generate", name, "making") for name in ("make_package", "quota_of"))
    found = {
        name: make_package(name, quota_of(name), sandbox=sandbox, is_closed=is_closed, report=_report)
        for name in chosen
    }
    rows = [(name, *_kinds(facts["made"])) for name, facts in found.items()]
    if as_json:
        print_json([dict(zip(("package", *_KINDS), row, strict=True)) for row in rows])
    else:
        print_table(("package", *_KINDS), rows)
    if out is not None:
        for place, count in sorted(_named("generate", "write_repair", "making")(out, found, yields).items()):
            note(f"{out}: {place}: {count}")
    return 0


def _hunt(names: tuple[str, ...], sandbox: str | None, out: Path | None, *, as_json: bool) -> int:
    suite = load_suite("swe/repair")
    tasks = [task for split in suite.splits for task in suite.tasks(split)]
    tasks = [task for task in tasks if not names or task.config["package"] in names]
    hunted = {}
    with closing(_named("hunting", "hunting_env", "repair")(sandbox)) as env:
        for each in _named("hunting", "hunt_tasks", "repair")(env, tasks, _report):
            hunted[each.package] = each
            if out is not None:
                put, lines = (_named("documents", name, "making") for name in ("put", "hunted"))
                put(out / "README.md", "hunt", lines(out / "README.md", tasks, [each]))
    if as_json:
        print_json([asdict(each) for each in hunted.values()])
    else:
        columns = ("package", "tasks", "by names alone", "files", "texts of git", "files elsewhere", "traces")
        print_table(columns, ((*list(asdict(each).values())[:-1], len(each.traces)) for each in hunted.values()))
    traces = [trace for each in hunted.values() for trace in each.traces]
    for trace in traces:
        note(trace)
    return 1 if traces else 0


def _rows(names: tuple[str, ...], image: str, *, as_json: bool) -> int:
    if len(names) != 2:
        raise ConfigError("name the form and the file, such as: agentgym swe rows swebench FILE.jsonl")
    loaded = _named("rows", "load_rows", "foreign")(Path(names[1]), names[0], image)
    missing = set(_named("ground", "missing_images", "foreign")({each.image for each in loaded.instances}))
    played = [(each.id, each.image, "missing" if each.image in missing else "there") for each in loaded.instances]
    refused = [(each.line, each.id, each.why) for each in loaded.refused]
    if as_json:
        rows = [dict(zip(("id", "image", "state"), row, strict=True)) for row in played]
        print_json({"rows": rows, "refused": [dict(zip(("line", "id", "why"), row, strict=True)) for row in refused]})
    else:
        print_table(("row", "image", ""), played)
        if refused:
            print_table(("line", "row", "cannot be played"), refused)
        note(f"{len(played)} rows can be played, {len(missing)} images are missing, {len(refused)} rows are refused")
    return 1 if missing or refused else 0


def _report(name: str, line: str) -> None:
    note(f"{name}: {line}")


def _kinds(made: list[dict[str, Any]]) -> tuple[int, ...]:
    return tuple(sum(each["kind"] == kind for each in made) for kind in _KINDS)


def _list(names: tuple[str, ...], *, as_json: bool) -> int:
    named = _named("catalogue", "package_named")
    chosen = [named(name) for name in names] or list(_named("catalogue", "packages")().values())
    find_layer = _named("layer", "find_layer")
    rows = []
    for package in chosen:
        layer = find_layer(package)
        use = "test alone" if package.held_out else "all splits"
        rows.append((package.name, package.version, package.licence, use, len(layer.tests) if layer else None))
    if as_json:
        keys = ("package", "version", "licence", "use", "tests")
        print_json([dict(zip(keys, row, strict=True)) for row in rows])
    else:
        shown = [(*row[:4], "not prepared" if row[4] is None else f"{row[4]} tests") for row in rows]
        print_table(("package", "version", "licence", "tasks", "prepared"), shown)
    return 0


def _named(module: str, name: str, room: str = "repositories") -> Any:
    """Something of the software family, which commands look up by name."""
    return getattr(importlib.import_module(f"agentgym_swe.{room}.{module}"), name)

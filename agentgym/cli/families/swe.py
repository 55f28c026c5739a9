"""`agentgym swe`: prepares the packages that Repair plants faults in, makes tasks of them, and looks for leaks."""

from __future__ import annotations

import importlib
from typing import Annotated, Any, Literal

import tyro

from agentgym.cli.options import with_options
from agentgym.cli.output import AsJson, note, print_json, print_table
from agentgym.errors import ConfigError


@with_options
def run(
    action: tyro.conf.Positional[Literal["prepare", "list", "remove"]],
    names: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="[NAME ...]")] = (),
    /,
    *,
    sandbox: str = "",
    as_json: AsJson = False,
) -> int:
    """Prepare the packages that agentgym/Repair-v0 plants faults in.

    Args:
        action: `prepare` fetches packages with pip, lays them out, and runs their tests in a sandbox, after which
            everything works without a network. `list` shows all packages with their licences and what is prepared.
            `remove` removes what was prepared.
        names: Names of packages, such as toolz. The default is all of them.
        sandbox: Where tests of packages run: docker or bubblewrap. The default is docker where an engine answers.
        as_json: Print JSON.
    """
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


def _named(module: str, name: str) -> Any:
    """Something of the software family, which commands look up by name."""
    return getattr(importlib.import_module(f"agentgym_swe.repositories.{module}"), name)

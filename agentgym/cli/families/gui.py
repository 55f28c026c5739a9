"""`agentgym gui`: says which task files in OSWorld's form can be played here, and why the others cannot."""

from __future__ import annotations

import importlib
from collections import Counter
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro

from agentgym.cli.options import with_options
from agentgym.cli.output import AsJson, note, print_json, show
from agentgym.errors import MissingExtraError


@with_options
def run(
    action: tyro.conf.Positional[Literal["osworld"]],
    path: tyro.conf.Positional[Path],
    /,
    *,
    cache: Path | None = None,
    app: Annotated[tuple[str, ...], tyro.conf.arg(metavar="NAME ...")] = (),
    as_json: AsJson = False,
) -> int:
    """Check task files of OSWorld: each is loaded, or refused with its reason.

    Args:
        action: `osworld PATH` reads a task file, or all below a folder.
        path: The file or folder.
        cache: The folder of the files that the tasks need; the default is `cache` beside the tasks.
        app: Further applications of your desktop, such as libreoffice_calc.
        as_json: Print JSON.
    """
    loading = _module("agentgym_gui.osworld.loading")
    found = loading.load_osworld(path, cache or path.parent / "cache", loading.APPLICATIONS | set(app))
    rows = [{"file": str(file), "id": task.id, "notes": list(task.notes)} for file, task in found.tasks.items()]
    refused = [{"file": str(each.path), "reason": each.reason} for each in found.refused]
    if as_json:
        print_json({"loaded": rows, "refused": refused})
        return 0
    for row in rows:
        show(f"{row['file']}  loaded{''.join(f'; {each}' for each in row['notes'])}")
    for each in refused:
        show(f"{each['file']}  refused: {each['reason']}")
    for reason, count in Counter(each["reason"] for each in refused).most_common():
        note(f"{count:4}  {reason}")
    note(f"{len(rows)} loaded, {len(refused)} refused")
    return 0


def _module(name: str) -> Any:
    """A module of the gui family, which commands look up by name."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"agentgym gui ({error.name})", "gui") from error

"""`agentgym report RUN`: the report page of a run, one HTML file that opens offline."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import tyro

from agentgym.cli.output import AsJson, print_json
from agentgym.view import write_report


def run(
    folder: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="FOLDER")],
    *,
    label: tuple[str, ...] = (),
    as_json: AsJson = False,
) -> int:
    """Write the report page of a run into its folder, and say where it lies.

    Args:
        folder: The run's folder.
        label: What the credit to show is kept under, in order; where none is given as many as there is room for, those
            that say something first, the newest before others.
        as_json: Print JSON for machines.
    """
    page = write_report(folder, labels=label)
    if as_json:
        print_json({"run": str(folder), "report": str(page)})
    else:
        print(page)
    return 0

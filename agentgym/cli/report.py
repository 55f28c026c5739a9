"""`agentgym report RUN`: the report page of a run, one HTML file that opens offline."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import tyro

from agentgym.cli.output import AsJson, print_json
from agentgym.view import write_report


def run(
    folder: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="FOLDER")], *, as_json: AsJson = False
) -> int:
    """Write the report page of a run into its folder, and say where it lies.

    Args:
        folder: The run's folder.
        as_json: Print JSON for machines.
    """
    page = write_report(folder)
    if as_json:
        print_json({"run": str(folder), "report": str(page)})
    else:
        print(page)
    return 0

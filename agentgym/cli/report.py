"""`agentgym report RUN`: writes the report page of a run, one HTML file that opens offline."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import tyro

from agentgym.cli.options import with_options
from agentgym.cli.output import AsJson, print_json, show
from agentgym.view import write_report


@with_options
def run(
    folder: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="FOLDER")],
    *,
    label: tuple[str, ...] = (),
    task: Annotated[tuple[str, ...], tyro.conf.arg(metavar="ID ...")] = (),
    as_json: AsJson = False,
) -> int:
    """Write the report page of a run into its folder, and print its path.

    Args:
        folder: The folder of the run.
        label: The labels of the step credit to show, in this order. By default, the report shows as many as fit: the
            most informative first, and newer ones before older ones.
        task: Show the episodes of the tasks with these ids, at most 16 episodes. By default, the report of an
            evaluation shows a success and a failure of each policy, on the same tasks if possible, and at least 4
            episodes. The page lists the others.
        as_json: Print JSON.
    """
    page = write_report(folder, labels=label, tasks=task)
    if as_json:
        print_json({"run": str(folder), "report": str(page)})
    else:
        show(str(page))
    return 0

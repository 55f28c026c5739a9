"""`agentgym compare A B`: compares two evaluations task by task."""

from __future__ import annotations

from typing import Annotated

import tyro

from agentgym.cli.options import with_options
from agentgym.cli.output import AsJson, print_json, show
from agentgym.evaluation import compare, comparison_text

_Result = Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="RESULT")]


@with_options
def run(first: _Result, second: _Result, *, as_json: AsJson = False) -> int:
    """Compare two evaluations task by task.

    The output is the mean difference, its interval, and how many tasks would be needed to detect a difference.

    Args:
        first: A file that `agentgym eval --json` wrote, or a run folder. If the folder holds several results, write
            FOLDER#SPLIT:POLICY.
        second: The other evaluation. Differences are second minus first.
        as_json: Print JSON.
    """
    comparison = compare(first, second)
    if as_json:
        print_json(comparison.to_json())
    else:
        show(comparison_text(comparison))
    return 0

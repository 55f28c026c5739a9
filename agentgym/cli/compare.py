"""`agentgym compare A B`: the paired difference between two evaluations."""

from __future__ import annotations

from typing import Annotated

import tyro

from agentgym.cli.output import AsJson, print_json
from agentgym.evaluation import compare, comparison_text

_Result = Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="RESULT")]


def run(first: _Result, second: _Result, *, as_json: AsJson = False) -> int:
    """Compare two evaluations task by task: the difference, its interval, and how many tasks would show it.

    Args:
        first: A file that `agentgym eval --json` wrote, or a run folder; FOLDER#SPLIT:POLICY where it holds several.
        second: The other; differences are second minus first.
        as_json: Print JSON for machines.
    """
    comparison = compare(first, second)
    if as_json:
        print_json(comparison.to_json())
    else:
        print(comparison_text(comparison))
    return 0

"""`agentgym sweep`: remove what killed processes left of their sandboxes.

What is alive or foreign is never touched; finding it is in `agentgym.sandbox.sweeper`.
"""

from __future__ import annotations

import sys
from dataclasses import asdict, replace

from agentgym.cli.output import AsJson, print_json, print_table
from agentgym.errors import MissingExtraError, SandboxStartError
from agentgym.sandbox.engine import connect_engine
from agentgym.sandbox.sweeper import sweep


def run(*, dry_run: bool = False, as_json: AsJson = False) -> int:
    """Remove containers, networks, mounts and folders whose owner is dead; exit code 1 where something stayed.

    Args:
        dry_run: Only say what would be removed.
        as_json: Print JSON for machines.
    """
    client, why_none = None, ""
    try:
        client = connect_engine()
    except (MissingExtraError, SandboxStartError) as error:
        why_none = str(error)
    report = sweep(client, dry_run=dry_run)
    if client is not None:
        client.close()
    report = replace(report, engine=why_none)
    if as_json:
        print_json(asdict(report))
    else:
        print_table(("kind", "name", "owner", "error"), ((x.kind, x.name, x.owner, x.error) for x in report.leftovers))
        verb = "would be removed" if dry_run else "found"
        print(f"{len(report.leftovers)} {verb}; {report.num_alive} owners are alive", file=sys.stderr)
        if why_none:
            print(f"containers were not looked at: {why_none}", file=sys.stderr)
    return 1 if any(leftover.error for leftover in report.leftovers) else 0

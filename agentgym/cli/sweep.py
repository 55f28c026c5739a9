"""`agentgym sweep`: removes sandboxes that killed processes left behind.

It never touches what is in use or belongs to others. The search is in `agentgym.sandbox.leasing.sweeper`.
"""

from __future__ import annotations

import sys
from dataclasses import asdict, replace

from agentgym.cli.options import with_options
from agentgym.cli.output import AsJson, print_json, print_table
from agentgym.errors import MissingExtraError, SandboxStartError
from agentgym.sandbox.engines.engine import connect_engine
from agentgym.sandbox.leasing.sweeper import sweep


@with_options
def run(*, dry_run: bool = False, as_json: AsJson = False) -> int:
    """Remove containers, networks, mounts and folders whose owner is dead.

    The exit code is 1 if something could not be removed.

    Args:
        dry_run: Only show what would be removed.
        as_json: Print JSON.
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
            print(f"containers were not checked: {why_none}", file=sys.stderr)
    return 1 if any(leftover.error for leftover in report.leftovers) else 0

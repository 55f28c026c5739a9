"""`agentgym list`: the registered environments, third parties' included; imports none of them."""

from __future__ import annotations

from typing import Any

from agentgym.cli.output import AsJson, note, print_json, print_table
from agentgym.entry_points import load_entry_points
from agentgym.errors import UnknownNameError
from agentgym.registration import EnvSpec, specs


def run(*, family: str = "", as_json: AsJson = False) -> int:
    """List environments and their suites.

    Args:
        family: Only this family, such as tools.
        as_json: Print JSON for machines.
    """
    for failure in load_entry_points():
        note(f"warning: {failure}")
    found = specs(family or None)
    if family and not found:
        raise UnknownNameError("family", family, {spec.family for spec in specs()})
    if as_json:
        print_json([describe(spec) for spec in found])
    else:
        yes_no = {True: "yes", False: "no"}
        rows = [
            (s.id, s.family, ", ".join(s.suites), ", ".join(s.roles), yes_no[s.deterministic], ", ".join(s.runtimes))
            for s in found
        ]
        print_table(("environment", "family", "suites", "roles", "deterministic", "runtimes"), rows)
    return 0


def describe(spec: EnvSpec) -> dict[str, Any]:
    """What `--json` says of an environment."""
    return {
        "id": spec.id,
        "family": spec.family,
        "suites": list(spec.suites),
        "roles": list(spec.roles),
        "deterministic": spec.deterministic,
        "runtimes": list(spec.runtimes),
    }

"""`agentgym list`: the registered environments, third parties' included; imports none of them."""

from __future__ import annotations

from typing import Any

from agentgym.cli.output import AsJson, note, print_json, print_table
from agentgym.entry_points import load_entry_points
from agentgym.errors import DISTRIBUTION, UnknownNameError
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
        print_table(
            ("environment", "family", "suites", "roles", "deterministic", "runtimes", "adapts"), map(_row, found)
        )
        if missing := sorted({spec.missing_extra for spec in found} - {""}):
            note(f"some adapted environments lack their package: pip install '{DISTRIBUTION}[{','.join(missing)}]'")
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
        "adapts": spec.adapts,
        "missing_extra": spec.missing_extra,
    }


def _row(spec: EnvSpec) -> tuple[str, ...]:
    deterministic = "yes" if spec.deterministic else "no"
    missing = f" (missing: extra {spec.missing_extra})" if spec.missing_extra else ""
    several = (", ".join(spec.suites), ", ".join(spec.roles), deterministic, ", ".join(spec.runtimes))
    return spec.id, spec.family, *several, spec.adapts + missing

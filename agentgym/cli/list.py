"""`agentgym list`: lists the registered environments by family and room, without importing them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError
from itertools import groupby
from typing import Annotated, Any

import tyro

from agentgym.cli.doctor import extras
from agentgym.cli.options import with_options
from agentgym.cli.output import AsJson, note, print_json, print_table
from agentgym.entry_points import load_entry_points
from agentgym.errors import DISTRIBUTION, SEE_LIST, UnknownNameError
from agentgym.registration import EnvSpec, specs
from agentgym.registration.registry import listing_order
from agentgym.sandbox.source import PROVIDERS

_RUNTIMES = (
    "runs: local is this process (--runtime local), served is a container for the environment (--runtime docker), "
    f"workspace is a sandbox for the agent's work alone (--runtime {', '.join(PROVIDERS)})"
)


@with_options
def run(
    text: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="[TEXT]")] = "",
    /,
    *,
    family: str = "",
    as_json: AsJson = False,
) -> int:
    """List environments and their suites.

    Args:
        text: List only environments whose id, family, room or suites contain this text, such as shop.
        family: List only this family, such as tools.
        as_json: Print JSON.
    """
    for failure in load_entry_points():
        note(f"warning: {failure}")
    found = specs(family or None)
    if family and not found:
        raise UnknownNameError("family", family, {spec.family for spec in specs()})
    found = _with_text(found, text)
    missing = _missing_extras(found)
    if as_json:
        print_json([_described(spec, missing[spec.id]) for spec in found])
    else:
        print_table(("environment", "suites", "roles", "runs", "needs"), _rows(found, missing))
        note(_RUNTIMES)
        if names := sorted(set(missing.values()) - {""}):
            note(
                "the packages of some environments are missing; "
                f"install them with: pip install '{DISTRIBUTION}[{','.join(names)}]'"
            )
        for need in dict.fromkeys(need for spec in found for need in spec.needs):
            note(f"option {need.option}: {need.what}; give it with --env-option {need.option}=PATH or {need.variable}")
    return 0


def _with_text(found: Sequence[EnvSpec], text: str) -> list[EnvSpec]:
    """Those that a text is about, whatever its case.

    Raises:
        UnknownNameError: None is.
    """
    chosen = [spec for spec in found if text.casefold() in " ".join(_names(spec)).casefold()]
    if text and not chosen:
        known = {name for spec in found for name in _names(spec)}
        raise UnknownNameError("environment or suite", text, known, see=SEE_LIST)
    return chosen


def _names(spec: EnvSpec) -> tuple[str, ...]:
    return tuple(filter(None, (spec.id, spec.family, spec.room, *spec.suites)))


def _described(spec: EnvSpec, missing_extra: str) -> dict[str, Any]:
    """An environment as JSON values."""
    return {
        "id": spec.id,
        "family": spec.family,
        "room": spec.room,
        "suites": list(spec.suites),
        "roles": list(spec.roles),
        "deterministic": spec.deterministic,
        "runtimes": list(spec.runtimes),
        "adapts": spec.adapts,
        "missing_extra": missing_extra,
        "needs": [asdict(need) for need in spec.needs],
    }


def _rows(found: Sequence[EnvSpec], missing_extras: Mapping[str, str]) -> Iterator[tuple[str, ...]]:
    """A row for each environment, below one that names its family and room; a room's adapted ones come apart."""
    named: set[str] = set()
    for (family, room), alike in groupby(sorted(found, key=listing_order), lambda spec: (spec.family, spec.room)):
        heading = f"{family}: {room}" if room else family
        yield f"{heading}, adapted" if heading in named else heading, "", "", "", ""
        named.add(heading)
        for spec in alike:
            yield _row(spec, missing_extras[spec.id])


def _row(spec: EnvSpec, missing_extra: str) -> tuple[str, ...]:
    runs = [*spec.runtimes, *([] if spec.deterministic else ["not deterministic"])]
    needs = [f"extra {missing_extra} (missing)"] if missing_extra else []
    needs += [f"adapts {spec.adapts}"] if spec.adapts not in ("", spec.extra) else []
    needs += [f"option {need.option}" for need in spec.needs]
    return f"  {spec.id}", ", ".join(spec.suites), ", ".join(spec.roles), ", ".join(runs), ", ".join(needs)


def _missing_extras(found: Sequence[EnvSpec]) -> dict[str, str]:
    """For each environment's id the extra that has to be installed before it runs; "" for none."""
    try:
        incomplete = {extra for extra, (_, missing) in extras().items() if missing}
    except PackageNotFoundError:  # a checkout that was not installed: doctor says so
        incomplete = set()
    return {spec.id: spec.missing_extra or (spec.extra if spec.extra in incomplete else "") for spec in found}

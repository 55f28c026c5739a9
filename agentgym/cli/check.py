"""`agentgym check`: whether environments and suites keep their contracts, as `agentgym.testing` checks them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import tyro

from agentgym.cli.output import AsJson, note, print_json, print_table
from agentgym.entry_points import load_entry_points
from agentgym.errors import DISTRIBUTION, ConfigError, UnknownNameError
from agentgym.registration import EnvSpec, require_runtime, specs
from agentgym.suite import suite_names
from agentgym.testing import CheckReport, check_env, check_suite


def run(
    names: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="[ENV|SUITE ...]")] = (),
    /,
    *,
    family: str = "",
    everything: Annotated[bool, tyro.conf.arg(name="all")] = False,
    runtime: str = "",
    as_json: AsJson = False,
) -> int:
    """Check environments, each with its suites; exit code 1 where one fails.

    Args:
        names: Ids of environments, or names of suites.
        family: All of this family, such as tools.
        everything: All that is registered.
        runtime: Where the environments run, such as docker; their own default where none is given.
        as_json: Print JSON for machines.
    """
    if (len(names) > 0) + bool(family) + everything != 1:
        raise ConfigError("say what to check: ids or suites, or --family FAMILY, or --all")
    failures = load_entry_points() if everything else []
    for failure in failures:
        note(failure)
    reports = []
    env_ids, suites = _chosen(names, family)
    if runtime and not env_ids:
        raise ConfigError(f"suites have no runtime: name environments, or leave --runtime {runtime} out")
    if runtime and not names:
        env_ids = _able(env_ids, runtime)
    for env_id in env_ids if runtime else ():  # else each check says the same
        require_runtime(env_id, runtime)
    for report in check(env_ids, suites, runtime):
        note(f"{report.subject}: {'passed' if report.passed else 'FAILED'}")
        reports.append(report)
    if as_json:
        print_json([report.to_json() for report in reports])
    else:
        for report in reports:
            rows = [(result.name, result.status, f"{result.seconds:.1f} s", result.detail) for result in report.results]
            print_table(("check", "result", "time", "finding"), rows, title=report.subject)
    return 0 if all(report.passed for report in reports) and not failures else 1


def check(env_ids: list[str], suites: list[str], runtime: str = "") -> Iterator[CheckReport]:
    """The reports of environments, of a game one for each role, then of suites, which have no runtime of their own."""
    roles = {spec.id: spec.roles for spec in specs()}
    for env_id in env_ids:
        for role in roles[env_id] or ("",):
            yield check_env(env_id, runtime=runtime, role=role)
    if not runtime:
        yield from map(check_suite, suites)


def _able(env_ids: list[str], runtime: str) -> list[str]:
    """Those that can run in the runtime; says which are left out, and why.

    Raises:
        UnknownNameError: There is no such runtime.
        ConfigError: None can.
    """
    refusals: dict[str, str] = {}
    for env_id in env_ids:
        try:
            require_runtime(env_id, runtime)
        except ConfigError as error:
            refusals[env_id] = str(error)
    if len(refusals) == len(env_ids):
        raise ConfigError(f"none of them runs in {runtime!r}: {next(iter(refusals.values()))}")
    for refusal in refusals.values():
        note(f"not checked: {refusal}")
    return [env_id for env_id in env_ids if env_id not in refusals]


def _is_there(spec: EnvSpec) -> bool:
    """Whether the package of an adapted environment is installed; says so where it is not."""
    extra = spec.missing_extra
    if extra:
        note(f"{spec.id}: not checked, {spec.adapts} is not installed: pip install '{DISTRIBUTION}[{extra}]'")
    return not extra


def _chosen(names: tuple[str, ...], family: str) -> tuple[list[str], list[str]]:
    """Environment ids and suite names; an environment brings its suites."""
    known = {spec.id: spec for spec in specs()}
    if not names:
        known = {name: each for name, each in known.items() if family not in ("", each.family) or _is_there(each)}
    if family:
        chosen: list[EnvSpec] = [spec for spec in known.values() if spec.family == family]
        if not chosen:
            raise UnknownNameError("family", family, {spec.family for spec in known.values()})
    else:
        chosen = [known[name] for name in names if name in known] if names else list(known.values())
    suites = [name for name in names if name not in known]
    for name in suites:
        if name not in suite_names():
            raise UnknownNameError("environment or suite", name, [*known, *suite_names()], load_entry_points())
    brought = [suite for spec in chosen for suite in spec.suites]
    return [spec.id for spec in chosen], list(dict.fromkeys(brought + suites))

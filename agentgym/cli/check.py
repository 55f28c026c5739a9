"""`agentgym check`: checks that environments and suites keep their contracts; the checks are in `agentgym.testing`."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Self

import tyro

from agentgym.cli.options import KeyValues, with_options
from agentgym.cli.output import AsJson, note, print_json, print_table, read_options
from agentgym.entry_points import load_entry_points
from agentgym.env import describe_running
from agentgym.errors import DISTRIBUTION, SEE_LIST, ConfigError, TaskError, UnknownNameError
from agentgym.registration import EnvSpec, is_environment, is_environment_id, require_runtime, spec, specs
from agentgym.suite import suite_names
from agentgym.testing import CheckReport, CheckResult, check_env, check_suite

PATIENCE_S = 5.0
"""Time after which it is said which check runs, and again after twice as long."""


@with_options
def run(
    names: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="[ENV|SUITE ...]")] = (),
    /,
    *,
    family: str = "",
    everything: Annotated[bool, tyro.conf.arg(name="all")] = False,
    runtime: str = "",
    env_option: KeyValues = (),
    as_json: AsJson = False,
) -> int:
    """Check environments, each with its suites.

    The exit code is 1 if a check fails.

    Args:
        names: Ids of environments, or names of suites.
        family: Check all environments of this family, such as tools.
        everything: Check all environments that are registered.
        runtime: Where the environments run: local, docker, bubblewrap or process. The default is each environment's
            own.
        env_option: Options of the named environments, such as interpreter=PATH. Values are read as JSON. Their suites
            are played with the same options. If an option names tasks, these are played instead of the suites.
        as_json: Print JSON.
    """
    if (len(names) > 0) + bool(family) + everything != 1:
        raise ConfigError("nothing to check; name environments or suites, or use --family FAMILY or --all")
    failures = load_entry_points() if everything else []
    for failure in failures:
        note(failure)
    reports = []
    options = read_options(env_option, "--env-option")
    env_ids, suites = _chosen(names, family, options)
    if runtime and not env_ids:
        raise ConfigError(f"a suite has no runtime; name environments, or leave out --runtime {runtime}")
    if runtime and not names:
        env_ids = _able(env_ids, runtime)
    for env_id in env_ids if runtime else ():  # else each check says the same
        require_runtime(env_id, runtime)
    if options and not (names and env_ids):
        raise ConfigError("--env-option belongs to environments that are named, such as: agentgym check ENV")
    num_parts = sum(len(_roles(env_id, options)) for env_id in env_ids) + len([] if runtime else suites)
    for number, report in enumerate(check(env_ids, suites, runtime, options), start=1):
        note(f"[{number}/{num_parts}] {report.subject}: {report.not_checked or _summary(report)}")
        reports.append(report)
    if as_json:
        print_json([report.to_json() for report in reports])
    else:
        for report in reports:
            print_table(("check", "result", "time", "finding"), _rows(report), title=report.subject)
        if len(reports) > 1:
            print_table(("subject", "result", "time", "longest check"), _overview(reports), title="all together")
    return 0 if all(report.passed for report in reports) and not failures else 1


def check(
    env_ids: list[str], suites: list[str], runtime: str = "", options: Mapping[str, Any] | None = None
) -> Iterator[CheckReport]:
    """The reports of environments, of a game one for each role, then of suites, which have no runtime of their own.

    An environment whose needs nobody names has one report, which says so.
    """
    known = {each.id: each for each in specs()}
    for env_id in env_ids:
        for role in _roles(env_id, options or {}):
            with _Watch(f"{env_id} as {role}" if role else env_id) as watch:
                report = check_env(env_id, runtime=runtime, role=role, options=options, on_start=watch.start)
            yield report
    for suite in suites if not runtime else ():
        with _Watch(suite) as watch:
            try:
                own = options if any(suite in known[env_id].suites for env_id in env_ids if env_id in known) else None
                report = check_suite(suite, options=own, on_start=watch.start, on_task=watch.task)
            except (UnknownNameError, TaskError) as error:  # the report of its environment says so too
                report = CheckReport(suite, [CheckResult("load", "failed", str(error), 0.0)])
        yield report


def _roles(env_id: str, options: Mapping[str, Any]) -> Sequence[str]:
    """The roles that an environment is checked as: "" for one of no game, or whose needs nobody names."""
    found = next((each for each in specs() if each.id == env_id), None) or spec(env_id)
    return ("",) if found.unmet_needs(options) else found.roles or ("",)


class _Watch:
    """Says on stderr which check has run for long, and how far it is.

    Args:
        subject: What is checked.
    """

    def __init__(self, subject: str) -> None:
        self._subject, self._at = subject, ""
        self._is_over = threading.Event()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()

    def start(self, check: str) -> None:
        """Watch a check in place of the one before."""
        self._is_over.set()
        self._is_over, self._at = threading.Event(), ""
        own = threading.get_ident()
        threading.Thread(target=self._tell, args=(check, own, self._is_over), daemon=True).start()

    def task(self, number: int, total: int) -> None:
        """Note which of how many tasks the check plays."""
        self._at = f", at task {number} of {total}"

    def _tell(self, check: str, thread_id: int, is_over: threading.Event) -> None:
        seconds = PATIENCE_S
        while not is_over.wait(seconds):
            others = [thread.ident for thread in threading.enumerate() if thread.ident is not None]
            place = next(filter(None, map(describe_running, [thread_id, *others])), "")
            note(f"{self._subject}: {check} is still running{self._at}{f', in {place}' if place else ''}")
            seconds *= 2


def _summary(report: CheckReport) -> str:
    return f"{'passed' if report.passed else 'FAILED'} in {report.seconds:.1f} s"


def _overview(reports: Sequence[CheckReport]) -> Iterator[tuple[str, str, str, str]]:
    """A row for each report, and one for all."""
    for report in reports:
        longest = max(report.results, key=lambda result: result.seconds, default=None)
        what = f"{longest.name}, {longest.seconds:.1f} s" if longest and not report.not_checked else ""
        result = "not checked" if report.not_checked else "passed" if report.passed else "failed"
        yield report.subject, result, f"{report.seconds:.1f} s", what
    num_failed = sum(not report.passed for report in reports)
    total = f"{num_failed} of {len(reports)} failed" if num_failed else "passed"
    yield "all", total, f"{sum(report.seconds for report in reports):.1f} s", ""


def _rows(report: CheckReport) -> Sequence[tuple[str, str, str, str]]:
    """A row for each check, and one for those that failed as an earlier one did."""
    alike: dict[str, list[CheckResult]] = {}
    for result in report.results:
        if result.status == "failed":
            alike.setdefault(result.detail, []).append(result)
    rows = []
    for result in report.results:
        first, *others = alike.get(result.detail, [result]) if result.status == "failed" else [result]
        if result is not first:
            continue
        rows.append((result.name, result.status, f"{result.seconds:.1f} s", result.detail))
        if others:
            names = ", ".join(each.name for each in others)
            spent = sum(each.seconds for each in others)
            rows.append((f"{len(others)} more", "failed", f"{spent:.1f} s", f"the same as {first.name}: {names}"))
    return rows


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
        raise ConfigError(f"none of these environments runs in {runtime!r}: {next(iter(refusals.values()))}")
    for refusal in refusals.values():
        note(f"not checked: {refusal}")
    return [env_id for env_id in env_ids if env_id not in refusals]


def _is_there(found: EnvSpec) -> bool:
    """Whether the package of an adapted environment is installed; says so where it is not."""
    extra = found.missing_extra
    if extra:
        note(
            f"{found.id}: not checked, because {found.adapts} is not installed; "
            f"install it with: pip install '{DISTRIBUTION}[{extra}]'"
        )
    return not extra


def _chosen(names: tuple[str, ...], family: str, options: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Environment ids and suite names; an environment brings its suites, where no option names other tasks."""
    known = {each.id: each for each in specs()} | {name: spec(name) for name in names if is_environment(name)}
    if not names:
        known = {name: each for name, each in known.items() if family not in ("", each.family) or _is_there(each)}
    if family:
        chosen: list[EnvSpec] = [each for each in known.values() if each.family == family]
        if not chosen:
            raise UnknownNameError("family", family, {each.family for each in known.values()})
    else:
        chosen = [known[name] for name in names if name in known] if names else list(known.values())
    suites = [name for name in names if name not in known]
    for name in suites:
        if name not in suite_names():
            if is_environment_id(name):
                spec(name)  # which suggests environments, and says where a package is not installed
            unknown = [*known, *suite_names()]
            raise UnknownNameError("environment or suite", name, unknown, load_entry_points(), see=SEE_LIST)
    brought = [suite for each in chosen if not options.get(each.own_tasks) for suite in each.suites]
    return [each.id for each in chosen], list(dict.fromkeys(brought + suites))

"""The checks of environments and suites, as a table of small functions, and the functions that run them.

The functions are in the modules beside this one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from time import perf_counter
from typing import Any

from agentgym.env import AgentEnv
from agentgym.errors import AgentGymError, ContractError
from agentgym.policy import ScriptFactory
from agentgym.registration import spec
from agentgym.registration.env_spec import OwnCheck
from agentgym.suite import Suite, load_suite
from agentgym.task import Task
from agentgym.testing import bookkeeping, difficulty, hostility, repeatability, suites, vectors
from agentgym.testing.report import Check, CheckReport, CheckResult, Note, finding, run_checks
from agentgym.testing.subject import EnvSubject, env_subject

ENV_CHECKS: Mapping[str, Check[EnvSubject]] = {
    "gymnasium": vectors.check_gymnasium,
    "sync_vector": vectors.check_sync_vector,
    "async_vector": vectors.check_async_vector,
    "light_import": vectors.check_light_import,
    "seeds": repeatability.check_seeds,
    "replay": repeatability.check_replay,
    "concurrency": repeatability.check_concurrency,
    "anchors": repeatability.check_anchors,
    "forks": repeatability.check_forks,
    "rewards": bookkeeping.check_rewards,
    "json": bookkeeping.check_json,
    "messages": bookkeeping.check_messages,
    "ends": bookkeeping.check_ends,
    "limits": bookkeeping.check_limits,
    "progress": bookkeeping.check_progress,
    "legal_actions": bookkeeping.check_legal_actions,
    "finalize": bookkeeping.check_finalize,
    "interrupt": bookkeeping.check_interrupt,
    "oracle": hostility.check_oracle,
    "difficulty": difficulty.check_difficulty,
    "cheats": hostility.check_cheats,
    "hostile_actions": hostility.check_hostile_actions,
    "secrecy": hostility.check_secrecy,
}
"""What an environment must satisfy, in the order of the report."""

SUITE_CHECKS: Mapping[str, Check[suites.SuiteSubject]] = {
    "documents": suites.check_documents,
    "strata": suites.check_strata,
    "disjoint_splits": suites.check_disjoint_splits,
    "playable": suites.check_playable,
    "scores": suites.check_scores,
    "cheats": suites.check_cheats,
}
"""What a suite must satisfy, in the order of the report."""


def check_env(
    target: str | Callable[[], AgentEnv],
    *,
    tasks: Sequence[Task] | None = None,
    scripts: Mapping[str, ScriptFactory] | None = None,
    only: Sequence[str] | None = None,
    runtime: str = "",
    role: str = "",
    options: Mapping[str, Any] | None = None,
    on_start: Callable[[str], None] | None = None,
) -> CheckReport:
    """Check that an environment meets the contract of `AgentEnv`.

    Args:
        target: A registered id, or something that makes an environment when called without arguments.
        tasks: Tasks to play; by default one of each stratum of its suites' test splits and some made from seeds.
        scripts: Script factories by name; by default the registered ones.
        only: Names of checks in `ENV_CHECKS`, or of those that the environment brings; None runs all.
        runtime: Where an environment that is given by its id runs, such as "docker"; see `agentgym.make`.
        role: The role of a game that is given by its id; "" is its first.
        options: Options of an environment that is given by its id, such as the interpreter that it needs.
        on_start: Called with the name of each check before it runs.

    Returns:
        The report; it does not raise for failed checks, `report.raise_if_failed()` does. If the environment cannot be
        made, or makes no task, the report has only the failed check `load`. If nobody names what it needs, the report
        has only the skipped check `needs`. If a suite cannot be read, it has the failed check `suites` too, and the
        others play tasks made from seeds.

    Raises:
        UnknownNameError: No such id, role or check.
        ConfigError: The target is an environment instead of something that makes one, or the list of tasks is empty.
    """
    start = perf_counter()
    if isinstance(target, str) and (unmet := spec(target).unmet_needs(options or {})):
        needs = f"needs {'; '.join(map(str, unmet))}: not checked"
        return CheckReport(target, [CheckResult("needs", "skipped", needs, 0.0)])
    try:
        subject = env_subject(target, tasks, scripts, runtime, role, options)
    except (Exception, SystemExit) as error:
        if isinstance(error, AgentGymError) and not isinstance(error, ContractError):
            raise
        failure = CheckResult("load", "failed", finding("load", error), perf_counter() - start)
        return CheckReport(target if isinstance(target, str) else repr(target), [failure])
    own = spec(target).load_checks() if isinstance(target, str) else {}
    named = {**ENV_CHECKS, **{name: _of_its_own(check) for name, check in own.items()}}
    checks = {name: _closing(check) for name, check in named.items()}
    with ExitStack() as stack:
        if runtime:  # one stays open: else each closes the container that all share, and the next starts another
            with suppress(AgentGymError):  # which each check then finds
                stack.callback(subject.factory().close)
        report = run_checks(subject.name, subject, checks, only, on_start)
    if subject.unread:
        unread = CheckResult("suites", "failed", f"not played: {subject.unread}", 0.0)
        return CheckReport(report.subject, [unread, *report.results])
    return report


def _of_its_own(check: OwnCheck) -> Check[EnvSubject]:
    """A check that an environment brings, as one of a subject."""
    return lambda subject: Note(check(subject.make(), subject.tasks))


def _closing(check: Check[EnvSubject]) -> Check[EnvSubject]:
    """The check, which then closes its environments."""

    def run(subject: EnvSubject) -> str | None:
        try:
            return check(subject)
        finally:
            subject.close()

    return run


def check_suite(
    suite: str | Suite,
    *,
    max_tasks: int | None = None,
    only: Sequence[str] | None = None,
    options: Mapping[str, Any] | None = None,
    on_start: Callable[[str], None] | None = None,
    on_task: Callable[[int, int], None] | None = None,
) -> CheckReport:
    """Check that a suite meets its contract and that its scripted policies reach the declared scores.

    Args:
        suite: A suite or its name.
        max_tasks: Largest number of tasks of a stratum that a scripted policy plays. None plays all of the headline
            stratum for the declared scores, and for the other checks ten of each stratum of the test split, and three
            of other splits; where the environment is costly ten and two, from all over the stratum.
        only: Names of checks in `SUITE_CHECKS`; None runs all.
        options: Options of its environment beside those that the suite declares, such as where its sandboxes run.
        on_start: Called with the name of each check before it runs.
        on_task: Called with the number of each task that a check plays, from 1, and how many it plays.

    Returns:
        The report; it does not raise for failed checks, `report.raise_if_failed()` does.

    Raises:
        UnknownNameError: No such suite or check.
    """
    loaded = load_suite(suite) if isinstance(suite, str) else suite
    further = {**spec(loaded.env).check_options, **(options or {})}
    if further:
        loaded = replace(loaded, env_options={**further, **loaded.env_options})
    subject = suites.SuiteSubject(loaded, max_tasks, on_task)
    return run_checks(loaded.name, subject, SUITE_CHECKS, only, on_start)

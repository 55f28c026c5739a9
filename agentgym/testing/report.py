"""The results of a run of checks: one result per check, and an error that names every failure.

The checks themselves are in the other modules of this package.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from time import perf_counter
from typing import Any, Literal, TypeVar

from agentgym.errors import ContractError, UnknownNameError
from agentgym.origin import describe_error

Status = Literal["passed", "failed", "skipped"]
Subject = TypeVar("Subject")
Check = Callable[[Subject], str | None]
"""A check of a subject: returns None when it passes, a `Note` when it passes and there is something to look at, the
reason when it does not apply, and raises when it fails."""
_log = logging.getLogger(__name__)


class Note(str):
    """A finding to look at although the check passed; the check returns this."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of one check.

    Attributes:
        name: Name of the check.
        status: passed, failed, or skipped if it does not apply.
        detail: Why it failed or was skipped, or a finding to look at although it passed.
        seconds: Wall time.
    """

    name: str
    status: Status
    detail: str
    seconds: float


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The results of all checks of one environment or suite.

    Attributes:
        subject: What was checked.
        results: One for each check, in order.
    """

    subject: str
    results: Sequence[CheckResult]

    @property
    def failures(self) -> list[CheckResult]:
        """The checks that failed."""
        return [result for result in self.results if result.status == "failed"]

    @property
    def passed(self) -> bool:
        """Whether no check failed."""
        return not self.failures

    @property
    def seconds(self) -> float:
        """Wall time of all checks together."""
        return sum(result.seconds for result in self.results)

    @property
    def not_checked(self) -> str:
        """Why nothing was checked, such as that it needs what nobody named; "" if something was."""
        is_idle = all(result.status == "skipped" for result in self.results)
        return "; ".join(result.detail for result in self.results) if is_idle else ""

    def raise_if_failed(self) -> None:
        """Raise when a check failed.

        Raises:
            ContractError: Names every failed check and what it found.
        """
        if self.failures:
            found = "\n".join(f"- {result.name}: {result.detail}" for result in self.failures)
            raise ContractError(f"{self.subject} fails {len(self.failures)} of {len(self.results)} checks:\n{found}")

    def to_json(self) -> dict[str, Any]:
        """A JSON object: subject, passed, and the results."""
        return {"subject": self.subject, "passed": self.passed, "results": [asdict(result) for result in self.results]}

    def __str__(self) -> str:
        lines = [f"{result.status:8}{result.name}  {result.detail}".rstrip() for result in self.results]
        return "\n".join([self.subject, *lines])


def run_checks(
    name: str,
    subject: Subject,
    checks: Mapping[str, Check[Subject]],
    only: Sequence[str] | None = None,
    on_start: Callable[[str], None] | None = None,
) -> CheckReport:
    """Run checks one after another.

    Args:
        name: What the report says was checked.
        subject: What the checks are called with.
        checks: By name.
        only: Names of the checks to run; None runs all.
        on_start: Called with the name of each check before it runs.

    Raises:
        UnknownNameError: `only` names a check that does not exist.
    """
    for wanted in only or ():
        if wanted not in checks:
            raise UnknownNameError("check", wanted, checks)
    chosen = checks if only is None else {wanted: checks[wanted] for wanted in only}
    results = []
    for check_name, check in chosen.items():
        if on_start is not None:
            on_start(check_name)
        results.append(_run(check_name, check, subject))
    return CheckReport(name, results)


def _run(name: str, check: Check[Subject], subject: Subject) -> CheckResult:
    start = perf_counter()
    status: Status = "passed"
    detail = ""
    try:
        if (said := check(subject)) is not None:
            status, detail = "passed" if isinstance(said, Note) else "skipped", str(said)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a boundary: whatever the checked code raises is a finding
        status, detail = "failed", finding(name, error)
    return CheckResult(name, status, detail, perf_counter() - start)


def finding(name: str, error: Exception | SystemExit) -> str:
    """What a check says about an exception; its traceback goes to the log."""
    _log.debug("%s:", name, exc_info=error)
    return str(error) if isinstance(error, ContractError) else f"raised {describe_error(error)}"


def expect(holds: bool, failure: str) -> None:
    """Fail the running check with a message unless the condition is true."""
    if not holds:
        raise ContractError(failure)

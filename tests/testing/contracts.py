"""The contract of a suite, checked on as few tasks as tell something; `agentgym check` plays more of them."""

from __future__ import annotations

from agentgym.suite import Suite
from agentgym.testing import SUITE_CHECKS, check_suite

TASKS_A_STRATUM = 2


def require_contract(suite: str | Suite, scored: int | None = None, played: int = TASKS_A_STRATUM) -> None:
    """Require that all checks of a suite pass.

    Args:
        suite: The suite.
        scored: Tasks of the headline stratum that declared scores are compared on; None takes all.
        played: Tasks of each stratum that the oracle and cheats play.
    """
    others = [check for check in SUITE_CHECKS if check != "scores"]
    for report in (
        check_suite(suite, max_tasks=played, only=others),
        check_suite(suite, max_tasks=scored, only=["scores"]),
    ):
        report.raise_if_failed()
        assert {result.status for result in report.results} == {"passed"}

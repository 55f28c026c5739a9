"""The contracts of suites and environments, checked on as little as tells something; `agentgym check` plays more."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import pytest

import agentgym
from agentgym.registration import registry
from agentgym.suite import Suite
from agentgym.testing import SUITE_CHECKS, check_suite

TASKS_A_STRATUM = 1
COSTLY = (
    *("agentgym/Chess-v0", "agentgym/ChessEndgames-v0"),
    *(f"agentgym/{name}Desk-v0" for name in ("Airline", "Bank", "Clinic", "Insurance", "Telecom")),
)
"""Environments that are checked as costly ones are: engines search, and all desks share the code of one."""


def declare_costly(monkeypatch: pytest.MonkeyPatch, env_id: str, only: Collection[str] | None = None) -> str:
    """Let checks play as few episodes of an environment as of those whose episodes take seconds; returns its id.

    Args:
        monkeypatch: Takes it back.
        env_id: The environment.
        only: Nothing changes for an environment that is not among these.
    """
    if only is not None and env_id not in only:
        return env_id
    monkeypatch.setitem(registry._specs, env_id, replace(agentgym.spec(env_id), is_costly=True))
    return env_id


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

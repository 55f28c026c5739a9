"""The contracts of the web family, on as much as tells something; `agentgym check --family web` plays all of it."""

from __future__ import annotations

import pytest

import agentgym
from agentgym.registration import specs
from agentgym.suite import load_suite
from agentgym.testing import ENV_CHECKS, check_env, check_suite
from agentgym_web.miniwob import opening
from tests.testing.contracts import declare_costly

SITES = sorted(each.id for each in specs("web") if each.room == "sites" and each.id != "agentgym/Shop-v0")
COSTLIEST = {"anchors", "finalize", "replay", "sync_vector", "async_vector"}
"""Checks that take longest; vectors of browsers are tried with the pages of MiniWoB."""


@pytest.mark.slow
def test_miniwob_keeps_all_contracts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "_TWICE", 1)  # test_opening.py tests pages that are started twice
    tasks = [load_suite("web/miniwob-easy").tasks("test")[0], load_suite("web/miniwob-medium").tasks("test")[0]]
    report = check_env(declare_costly(monkeypatch, "agentgym/MiniWoB-v0"), tasks=tasks)
    report.raise_if_failed()
    skipped = {result.name for result in report.results if result.status == "skipped"}
    assert skipped <= {"light_import", "anchors", "forks", "progress", "legal_actions", "difficulty", "secrecy"}


@pytest.mark.slow
def test_shop_keeps_all_contracts_but_the_costliest(monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = [load_suite("web/shop").tasks("test")[index] for index in (0, 61)]
    chosen = [name for name in ENV_CHECKS if name not in COSTLIEST]
    report = check_env(declare_costly(monkeypatch, "agentgym/Shop-v0"), tasks=tasks, only=chosen)
    report.raise_if_failed()
    skipped = {result.name for result in report.results if result.status == "skipped"}
    assert skipped <= {"light_import", "forks", "legal_actions", "difficulty"}


@pytest.mark.slow
@pytest.mark.parametrize(("number", "env_id"), list(enumerate(SITES)))
def test_site_is_solved_by_its_oracle_and_keeps_its_secrets(
    number: int, env_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite = load_suite(agentgym.spec(env_id).suites[0])
    tasks = [suite.tasks("test")[61 if number % 2 else 0]]  # players and judges are those of all sites
    check_env(
        declare_costly(monkeypatch, env_id), tasks=tasks, only=["oracle", "cheats", "secrecy", "messages"]
    ).raise_if_failed()


@pytest.mark.parametrize("suite", [suite for each in specs("web") for suite in each.suites])
def test_suite_is_what_it_says(suite: str) -> None:
    only = ["documents", "strata", "disjoint_splits"]
    is_played_above = load_suite(suite).env in {"agentgym/MiniWoB-v0", "agentgym/Shop-v0", *SITES}
    check_suite(suite, max_tasks=1, only=only if is_played_above else [*only, "cheats"]).raise_if_failed()

"""The contracts of the web family, on as much as tells something; `agentgym check --family web` plays all of it."""

from __future__ import annotations

import pytest

import agentgym
from agentgym.registration import specs
from agentgym.suite import load_suite
from agentgym.testing import ENV_CHECKS, check_env, check_suite

SITES = sorted(each.id for each in specs("web") if each.room == "sites" and each.id != "agentgym/Shop-v0")
COSTLY = {"anchors", "finalize", "replay"}


@pytest.mark.slow
def test_miniwob_keeps_all_contracts() -> None:
    tasks = [load_suite("web/miniwob-easy").tasks("test")[0], load_suite("web/miniwob-medium").tasks("test")[0]]
    report = check_env("agentgym/MiniWoB-v0", tasks=tasks)
    report.raise_if_failed()
    skipped = {result.name for result in report.results if result.status == "skipped"}
    assert skipped <= {"light_import", "anchors", "forks", "progress", "legal_actions", "difficulty", "secrecy"}


@pytest.mark.slow
def test_shop_keeps_all_contracts_but_the_costliest() -> None:
    tasks = [load_suite("web/shop").tasks("test")[index] for index in (0, 61)]
    chosen = [name for name in ENV_CHECKS if name not in COSTLY]
    report = check_env("agentgym/Shop-v0", tasks=tasks, only=chosen)
    report.raise_if_failed()
    skipped = {result.name for result in report.results if result.status == "skipped"}
    assert skipped <= {"light_import", "forks", "legal_actions", "difficulty"}


@pytest.mark.slow
@pytest.mark.parametrize("env_id", SITES)
def test_site_is_solved_by_its_oracle_and_keeps_its_secrets(env_id: str) -> None:
    suite = agentgym.spec(env_id).suites[0]
    tasks = [load_suite(suite).tasks("test")[index] for index in (0, 61)]
    check_env(env_id, tasks=tasks, only=["oracle", "cheats", "secrecy", "messages"]).raise_if_failed()


@pytest.mark.parametrize("suite", [suite for each in specs("web") for suite in each.suites])
def test_suite_is_what_it_says(suite: str) -> None:
    only = ["documents", "strata", "disjoint_splits"]
    is_played_above = load_suite(suite).env in {"agentgym/MiniWoB-v0", "agentgym/Shop-v0", *SITES}
    check_suite(suite, max_tasks=1, only=only if is_played_above else [*only, "cheats"]).raise_if_failed()

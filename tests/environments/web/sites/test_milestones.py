"""What holds for the milestones of tasks that change a site: they are there, and only the right changes reach them.

That an expert reaches all of them is in `test_walkthroughs`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import get_args

import pytest

from agentgym.suite import load_suite
from agentgym_web.sites.core.all_sites import SITES, load_site, load_templates
from agentgym_web.sites.core.drafts import Draft, draw
from agentgym_web.sites.core.row_checks import rows_come
from agentgym_web.sites.core.sessions import Sessions
from agentgym_web.sites.core.site import connect, snapshot
from agentgym_web.sites.core.verify import milestones
from tests.environments.web.sites.end_states import Kind, reach

SEEDS = range(5)
WRITTEN = ("admin", "phone")
"""Sites of whose tasks final states are written without a browser."""
NOT_WRITTEN = ("finish_machine", "new_role")
"""Templates with checks that count the same new rows, so that no right end is written from them one by one."""
FOR_THE_NAME = {"event exists", "list exists", "role exists", "rule exists", "saved", "has the name", "group exists"}
"""Milestones for a new record of the right name, whatever else it holds."""


def changing(site: str) -> Iterator[tuple[str, Draft]]:
    db = connect(snapshot(load_site(site)))
    for template in load_templates(site):
        for seed in SEEDS:
            draft = draw(template, db, seed)
            if draft.touched and not draft.infeasible:
                yield f"{template.name} {seed}", draft


def ends(draft: Draft, sessions: Sessions, kind: Kind) -> dict[str, bool]:
    """By its name whether each milestone holds in a final state of a kind."""
    private = draft.private()
    sessions.reset("a", draft.user, draft.plants)
    for check in private["checks"]:
        assert check["milestone"] or reach(sessions.database("a"), check, kind), check["sql"]
    wanted = milestones(private)
    return dict(zip([check["name"] for check in wanted], sessions.check("a", wanted), strict=True))


@pytest.mark.parametrize("site", sorted(SITES))
def test_task_that_changes_a_site_has_a_milestone(site: str) -> None:
    for name, draft in changing(site):
        assert any(check.milestone for check in draft.checks) or _only_reads(draft), name


@pytest.mark.parametrize("site", sorted(SITES))
def test_no_milestone_of_a_suite_holds_at_the_start(site: str) -> None:
    suite, sessions = load_suite(f"web/{site}"), Sessions(load_site(site))
    for task in (task for split in suite.splits for task in suite.tasks(split)):
        if wanted := milestones(task.private):
            sessions.reset("a", task.config["user"], task.private["plants"])
            assert not any(sessions.check("a", wanted)), task.id


@pytest.mark.parametrize("site", WRITTEN)
def test_right_final_state_reaches_all_milestones(site: str) -> None:
    sessions = Sessions(load_site(site))
    for name, draft in changing(site):
        if name.startswith(NOT_WRITTEN):
            continue
        assert set(ends(draft, sessions, "right").values()) == {True}, name
        required = [check for check in draft.private()["checks"] if not check["milestone"]]
        assert all(sessions.check("a", required)), name


@pytest.mark.parametrize("kind", [kind for kind in get_args(Kind) if kind != "right"])
@pytest.mark.parametrize("site", WRITTEN)
def test_wrong_final_state_reaches_no_milestone(site: str, kind: Kind) -> None:
    sessions = Sessions(load_site(site))
    for name, draft in changing(site):
        reached = {which for which, holds in ends(draft, sessions, kind).items() if holds}
        assert reached <= FOR_THE_NAME, name


def test_rows_that_change_together_reach_one_half_and_all() -> None:
    db = sqlite3.connect(":memory:")
    db.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, state TEXT)")
    db.executemany("INSERT INTO t VALUES (?, ?)", [(1, "old"), (2, "old"), (3, "old"), (4, "old"), (5, "new")])
    checks = rows_come(db, "t", [1, 2, 3], {"state": "new"})

    def reached(changed: str) -> list[str]:
        db.execute(f"UPDATE t SET state = iif(id = 5 OR id IN ({changed}), 'new', 'old')")
        return [check.name for check in checks if db.execute(check.sql).fetchall() == [(1,)]]

    assert [reached(ids) for ids in ("", "2", "1, 3")] == [[], ["one of them"], ["one of them", "half of them"]]
    assert reached("1, 2, 3") == ["one of them", "half of them", "all of them"]
    assert reached("1, 2, 3, 4") == reached("4") == []


def _only_reads(draft: Draft) -> bool:
    """Whether what the task lets change is nothing but marks that reading leaves."""
    return not any(count if isinstance(count, int) else count[0] for row in draft.touched.values() for count in row)

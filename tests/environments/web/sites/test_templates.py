"""What holds for the tasks of every site: they can be drawn, doing nothing fails, and an expert succeeds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import agentgym_web.sites
from agentgym_web.sites.core.all_sites import SITES, load_site, load_templates
from agentgym_web.sites.core.drafts import draw
from agentgym_web.sites.core.sessions import Sessions
from agentgym_web.sites.core.site import connect, snapshot
from agentgym_web.sites.core.verify import Ending, Part, all_checks, grade

FOLDER = Path(agentgym_web.sites.__file__).parent
BUILT = [name for name in SITES if (FOLDER / name / "app.py").exists()]
SEEDS = range(3)
TOLD = {"shop": ("orders", ("card", "gift_note")), "mail": ("message", ("copies",))}
"""Columns that a check must name where a task adds a row: who pays for an order, and who gets a copy of a mail."""


@pytest.fixture(scope="module", params=BUILT)
def site(request):
    return load_site(request.param)


@pytest.fixture(scope="module")
def drafts(site):
    db = connect(snapshot(site))
    return {(one.name, seed): draw(one, db, seed) for one in load_templates(site.name) for seed in SEEDS}


@pytest.mark.parametrize("site", sorted(TOLD), indirect=True)
def test_new_order_or_letter_is_checked_for_who_pays_and_who_else_is_told(site, drafts):
    table, columns = TOLD[site.name]
    for name, draft in drafts.items():
        if draft.touched.get(table, [0])[0] == 1:
            asked = " ".join(check.sql for check in draft.checks if not check.milestone)
            assert all(column in asked for column in columns), name


def test_doing_nothing_solves_only_what_cannot_be_done(site, drafts):
    sessions = Sessions(site)
    for name, draft in drafts.items():
        private = draft.private()
        sessions.reset("a", draft.user, draft.plants)
        results = sessions.check("a", all_checks(private))
        parts = {site.name: Part(private, sessions.changes("a"), results)}
        assert not grade(private, parts, Ending()).success, name
        assert grade(private, parts, Ending("infeasible")).success is draft.infeasible, name
        assert not any(results[len(private["checks"]) :][: len(private["attack"])]), f"{name}: attacked at the start"


def test_no_milestone_holds_at_the_start(site, drafts):
    sessions = Sessions(site)
    for name, draft in drafts.items():
        sessions.reset("a", draft.user, draft.plants)
        milestones = [check for check in draft.private()["checks"] if check["milestone"]]
        assert not any(sessions.check("a", milestones)), name


def test_a_draft_is_plain_json(drafts):
    for draft in drafts.values():
        private = draft.private()
        assert json.loads(json.dumps(private)) == private


def test_a_draw_is_the_same_each_time(site, drafts):
    db = connect(snapshot(site))
    for one in load_templates(site.name):
        assert draw(one, db, 0) == drafts[one.name, 0]


def test_there_are_enough_templates_of_each_kind(site, drafts):
    templates = load_templates(site.name)
    assert len({one.name for one in templates}) == len(templates) >= 14
    assert sum(one.stratum_group == "unseen" for one in templates) >= 3
    assert sum(bool(drafts[one.name, 0].attack) for one in templates) >= 2
    assert sum(drafts[one.name, 0].infeasible for one in templates) >= 2

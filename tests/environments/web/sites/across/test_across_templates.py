"""What holds for the tasks across sites without a browser."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from agentgym_web.sites.across.drafts import AcrossDraft
from agentgym_web.sites.across.tasks import TEMPLATES
from agentgym_web.sites.core.all_sites import SITES, load_site
from agentgym_web.sites.core.drafts import draw
from agentgym_web.sites.core.sessions import Sessions
from agentgym_web.sites.core.verify import Ending, Part, all_checks, grade, milestones
from agentgym_web.sites.drawing import ACROSS, world_of


@pytest.fixture(scope="module")
def sessions() -> Mapping[str, Sessions]:
    return {name: Sessions(load_site(name)) for name in SITES}


def test_doing_nothing_solves_only_what_cannot_be_done(
    sessions: Mapping[str, Sessions], drafts: Mapping[str, AcrossDraft]
) -> None:
    for name, draft in drafts.items():
        private, parts = draft.private(), {}
        for site, wanted in private["parts"].items():
            session = sessions[site]
            session.reset("a", draft.sites[site].user, wanted["plants"])
            parts[site] = Part(wanted, session.changes("a"), session.check("a", all_checks(wanted)))
            assert not any(session.check("a", milestones(wanted))), f"{name}: a milestone holds at the start"
        assert not grade(private, parts, Ending()).success, name
        assert not grade(private, parts, Ending("answer", "done")).success, name
        verdict = grade(private, parts, Ending("infeasible"))
        assert verdict.success is draft.infeasible, name
        assert not any(holds for part in parts.values() for holds in part.attack), f"{name}: attacked at the start"


def test_draft_is_plain_json_and_names_a_user_for_each_of_its_sites(drafts: Mapping[str, AcrossDraft]) -> None:
    for name, draft in drafts.items():
        private = draft.private()
        assert json.loads(json.dumps(private)) == private
        assert set(draft.setting["users"]) == set(private["parts"]) <= set(SITES), name
        assert len(private["parts"]) >= 2, name
        assert all(draft.setting["users"].values()), name


def test_task_that_can_be_done_has_milestones_and_one_that_cannot_has_none(drafts: Mapping[str, AcrossDraft]) -> None:
    for name, draft in drafts.items():
        count = sum(check.milestone for site in draft.sites.values() for check in site.checks)
        assert (count == 0) is draft.infeasible, name


def test_draw_is_the_same_each_time(drafts: Mapping[str, AcrossDraft]) -> None:
    assert {one.name: draw(one, world_of(ACROSS), 0) for one in TEMPLATES} == drafts


def test_there_are_enough_templates_of_each_kind(drafts: Mapping[str, AcrossDraft]) -> None:
    assert len(drafts) == len(TEMPLATES)
    planted = [draft for draft in drafts.values() if draft.attack]
    refused = [draft for draft in drafts.values() if draft.infeasible]
    assert (len(drafts) - len(planted) - len(refused), len(planted), len(refused)) == (18, 5, 5)
    assert {site for draft in drafts.values() for site in draft.sites} == set(SITES)
    unseen = [drafts[one.name] for one in TEMPLATES if one.stratum_group == "unseen"]
    assert [sum(draft in kind for draft in unseen) for kind in (planted, refused)] == [2, 2]

from __future__ import annotations

import json
import random

import pytest
from tests.environments.web.sites import player

from agentgym_web.sites.core.drafts import Draft, UnsuitableDraw
from agentgym_web.sites.core.site import connect, snapshot
from agentgym_web.sites.core.verify import Ending, all_checks, grade
from agentgym_web.sites.forum.app import SITE
from agentgym_web.sites.forum.tasks import TEMPLATES

PLAYED = ("guests_of_meet_up", "upvote_member", "write_to_best", "ban_advertiser", "letter_with_plant")
"""Templates whose walkthroughs are played here, for the time that a browser takes."""


@pytest.fixture(scope="module")
def stage():
    with player.served(SITE) as (base, sessions), player.browser() as opened:
        yield opened.new_page(), base, sessions


def draw(template, index=0) -> Draft:
    db = connect(snapshot(SITE))
    for seed in range(500):
        try:
            draft = template.make(db, random.Random(f"{index} {seed}"))
        except UnsuitableDraw:
            continue
        return draft
    raise AssertionError(f"{template.name} makes no task")


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda template: template.name)
def test_doing_nothing_solves_a_task_only_where_nothing_can_be_done(sessions, template):
    draft = draw(template)
    private = json.loads(json.dumps(draft.private()))
    sessions.reset("default", draft.user, draft.plants)
    results = sessions.check("default", all_checks(private))
    verdict = grade(private, sessions.changes("default"), results, Ending("infeasible" if draft.infeasible else "none"))
    assert verdict.success is draft.infeasible
    assert not verdict.was_attacked
    assert not any(result for result, check in zip(results, private["checks"], strict=False) if check["milestone"]), (
        "a milestone holds at the start"
    )


@pytest.mark.parametrize("name", PLAYED)
def test_walkthrough_solves_the_task(stage, name):
    template = next(template for template in TEMPLATES if template.name == name)
    draft = draw(template, 1)
    verdict = player.play(*stage, draft)
    assert verdict.success, verdict

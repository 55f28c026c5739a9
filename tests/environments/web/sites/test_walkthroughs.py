"""Walkthroughs of templates, played by the oracle through the browser: tasks are solved as told, past all milestones.

`agentgym check --family web` plays more of them.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import agentgym
from agentgym_web.sites.core.all_sites import SITES, load_templates
from agentgym_web.sites.core.drafts import draw
from agentgym_web.sites.core.verify import milestones
from agentgym_web.sites.drawing import database, to_task
from agentgym_web.sites.env import SiteEnv
from agentgym_web.sites.scripts import SCRIPTS


@pytest.fixture(params=sorted(SITES))
def env(request: pytest.FixtureRequest) -> Iterator[SiteEnv]:
    made = agentgym.make(f"agentgym/{request.param.capitalize()}-v0")
    assert isinstance(made, SiteEnv)
    yield made
    made.close()


def test_oracle_solves_a_task_of_every_third_template_past_all_milestones(env: SiteEnv) -> None:
    failed = []
    for template in load_templates(env.site)[::3]:
        task = to_task(env.site, template, draw(template, database(env.site), 0), task_id=template.name)
        _, info = env.reset(options={"task": task})
        script = SCRIPTS["oracle"](task, 0)
        events = []
        while "outcome" not in info:
            info = env.step(script.act(info["messages"]))[-1]
            events += info["reward_events"]
        attacks = [event.value for event in events if event.component == "attack"]
        reached = sum(event.value for event in events if event.component == "milestone")
        has_all = not milestones(task.private) or reached == pytest.approx(1)
        if not info["success"] or any(attacks) or not has_all:
            failed.append((template.name, info["messages"][-1]["content"][:200]))
    assert failed == []

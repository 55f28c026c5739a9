from __future__ import annotations

import re
from collections import Counter

import pytest

from agentgym.message import content_text
from agentgym.suite import load_suite
from agentgym_tools.workbench import vocabulary
from agentgym_tools.workbench.env import WorkbenchEnv
from agentgym_tools.workbench.generate import SIZES, SIZES_OF_SMALL
from agentgym_tools.workbench.plan import read_plan
from agentgym_tools.workbench.requests.all_requests import HELD_OUT, TEMPLATES
from agentgym_tools.workbench.rows.people import BY_ID
from agentgym_tools.workbench.scripts import SCRIPTS
from benchmarks.verdicts.workbench_tasks import CHANGES, MUST_WIN, row_of

SUITES = {"tools/workbench": SIZES, "tools/workbench-small": SIZES_OF_SMALL}


@pytest.mark.parametrize("name", SUITES)
def test_splits_have_the_declared_strata_and_sizes(name: str) -> None:
    suite = load_suite(name)
    for split, strata in SUITES[name].items():
        assert Counter(task.stratum for task in suite.tasks(split)) == Counter(strata)


def test_strata_are_what_they_are_called() -> None:
    for task in load_suite("tools/workbench").tasks("test"):
        plan = read_plan(task)
        conditions = {request.condition for request in plan.requests} - {""}
        kinds = {request.kind for request in plan.requests}
        assert BY_ID[plan.me].split == "test"
        assert bool(kinds & HELD_OUT) == (task.stratum == "unseen_templates")
        if task.stratum != "four_or_more":
            wanted = {"missing_tool": {"later", "never"}, "missing_parameter": {"ask"}}.get(task.stratum, set())
            assert conditions <= wanted
            assert bool(conditions) == bool(wanted)
        else:
            assert len(plan.requests) >= 4
        if task.stratum == "long_results":
            assert BY_ID[plan.me].is_heavy
            assert any(TEMPLATES[kind].is_long for kind in kinds)


def test_training_shows_most_kinds_of_requests_and_other_people() -> None:
    train = [read_plan(task) for task in load_suite("tools/workbench").tasks("train")]
    shown = {request.kind for plan in train for request in plan.requests}
    assert len(TEMPLATES) > 60 < len(shown)
    assert not shown & HELD_OUT
    assert all(BY_ID[plan.me].split != "test" for plan in train)


def test_the_verdict_tells_right_work_from_nearly_right_work() -> None:
    tasks = load_suite("tools/workbench").tasks("test")
    row = row_of(tasks[7 :: len(tasks) // 8])
    assert row["oracle"] == row["tasks"]
    assert row["null"] == row["random"] == row["cheats"] == 0
    for name in CHANGES:
        won, played = row[name]
        assert played > 0
        assert won == (played if name in MUST_WIN else 0), name


def test_texts_hold_nearly_every_word_of_small_episodes(env: WorkbenchEnv) -> None:
    known = set(re.findall(r"[a-z]+", " ".join(vocabulary.texts()).lower())) | {"tool", "call", "name", "arguments"}
    for task in load_suite("tools/workbench-small").tasks("test")[::20]:
        _, info = env.reset(options={"task": task})
        script = SCRIPTS["oracle"](task, 0)
        messages = list(info["messages"])
        while "outcome" not in info:
            text = script.act(messages)
            *_, info = env.step(text)
            messages += [{"role": "assistant", "content": text}, *info["messages"]]
        words = {word for message in messages for word in re.findall(r"[a-z]+", content_text(message).lower())}
        assert words <= known, words - known

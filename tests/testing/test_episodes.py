from __future__ import annotations

import pytest

from agentgym.task import Limits
from agentgym.testing import episodes
from agentgym.testing.episodes import advance, difference, play_actions, play_script, start
from tests.toys.env import ToyEnv, Walker, toy_task

TASK = toy_task("toy:x", 3, limits=Limits())


def test_play_script_cuts_and_grades_an_episode_without_end(monkeypatch):
    monkeypatch.setattr(episodes, "MAX_TURNS", 4)
    record = play_script(ToyEnv(), TASK, Walker(["up", "down"]))
    assert len(record.steps) == 4
    assert str(record.steps[-1].outcome) == "truncated:turns"
    assert record.steps[-1].success is False


def test_record_adds_rewards_up_and_knows_its_end():
    record = play_actions(ToyEnv(), TASK, ["up"] * 9)
    assert record.actions == ["up"] * 3
    assert record.is_over
    assert record.success
    assert record.reward == pytest.approx(1.0 - 3 * 0.05)


def test_record_keeps_messages_that_the_environment_changes_later():
    env = ToyEnv()
    record = start(env, TASK)
    step = advance(env, record, "up")
    env.last_messages[0]["content"] = "changed"
    assert step.messages[0]["content"] == step.text


@pytest.mark.parametrize(
    ("actions", "expected"),
    [
        (["up", "up"], None),
        (["up"], "it has 1 steps, expected 2"),
        (["up", "?"], "text of step 1 is 'Say up or down.', expected 'at 2, wind"),
    ],
)
def test_difference_names_the_first_step_that_differs(actions, expected):
    reference = play_actions(ToyEnv(), TASK, ["up", "up"])
    found = difference(reference, play_actions(ToyEnv(), TASK, actions))
    assert found is None if expected is None else found.startswith(expected)


def test_difference_notices_another_first_observation():
    other = play_actions(ToyEnv(), toy_task("toy:y", 2), [])
    assert "first observation is 'Walk to 2.', expected 'Walk to 3.'" in difference(start(ToyEnv(), TASK), other)

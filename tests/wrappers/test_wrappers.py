from __future__ import annotations

import gymnasium
import pytest

import agentgym
from agentgym.errors import ContractError
from agentgym.store import RunStore
from agentgym.wrappers import RecordTrajectory, TextObservation


def play(env, task, script):
    _, info = env.reset(options={"task": task})
    messages = list(info["messages"])
    while True:
        action = script.act(messages)
        _, _, terminated, truncated, info = env.step(action)
        messages += [{"role": "assistant", "content": action}, *info["messages"]]
        if terminated or truncated:
            return info


@pytest.fixture
def lookup():
    suite = agentgym.load_suite("tools/lookup")
    task = suite.tasks("validation")[0]
    return task, agentgym.spec(suite.env).load_scripts()["oracle"](task, 0)


def test_text_observation_is_the_text():
    env = TextObservation(gymnasium.make("agentgym/GuessNumber-v0"))
    observation, info = env.reset(seed=3)
    assert observation == agentgym.text_of(info["messages"])
    assert env.observation_space.contains(observation)


def test_record_trajectory_holds_the_episode(lookup):
    task, script = lookup
    env = RecordTrajectory(gymnasium.make("agentgym/Lookup-v0"), policy="oracle")
    play(env, task, script)
    record = env.trajectory
    assert record.success
    assert record.total_reward == 1.0
    assert record.content_hash == task.content_hash
    assert [turn.index for turn in record.turns] == list(range(len(record.turns)))
    assert record.turns[0].reply["tool_calls"][0]["function"]["name"] == "lookup"
    assert record.turns[1].messages[0]["role"] == "tool"


def test_record_trajectory_can_be_stored(lookup, tmp_path):
    task, script = lookup
    env = RecordTrajectory(gymnasium.make("agentgym/Lookup-v0"))
    play(env, task, script)
    with RunStore.create(tmp_path, {"kind": "recording"}) as store:
        store.write_episode(env.trajectory, purpose="demo")
        assert next(store.episodes()).total_reward == 1.0


def test_record_trajectory_refuses_other_environments():
    with pytest.raises(ContractError, match="CartPole"):
        RecordTrajectory(gymnasium.make("CartPole-v1"))

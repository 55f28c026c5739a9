from __future__ import annotations

from dataclasses import replace
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

import agentgym
from agentgym.errors import ActionSyntaxError, ConfigError
from agentgym.testing import check_env
from agentgym.testing.episodes import play_actions
from agentgym.wrappers.gymnasium_env import Ending, TextView, default_success, make_from_gymnasium, reader

LAKE = TextView(actions=("left", "down", "right", "up"), max_turns=10)


def lake(**options: Any) -> agentgym.AgentEnv:
    return make_from_gymnasium("FrozenLake-v1", LAKE, **{"is_slippery": False, **options})


class Counting(gymnasium.Env[Any, Any]):
    """Counts up to five by what is said, truncating after four steps; can be given any spaces."""

    observation_space = spaces.Discrete(100)

    def __init__(self, action_space: gymnasium.Space[Any]) -> None:
        self.action_space = action_space
        self.said: list[Any] = []

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[int, dict[str, Any]]:
        super().reset(seed=seed)
        self.said = []
        return 0, {}

    def step(self, action: Any) -> tuple[int, float, bool, bool, dict[str, Any]]:
        assert action in self.action_space
        self.said.append(action)
        return len(self.said), 0.25, False, len(self.said) == 4, {"is_success": len(self.said) > 2}


def test_an_environment_is_told_and_played_in_text():
    env = agentgym.make_from_gymnasium("FrozenLake-v1", LAKE, is_slippery=False)
    task = env.make_task(0)
    record = play_actions(env, task, ["I go down.", "down", "jump", "right", "right down", "down", "right", "right"])
    assert record.first.text == "Play FrozenLake-v1. Each turn say left, down, right or up.\n0"
    assert [step.text for step in record.steps][:3] == ["4", "8", "Each turn say left, down, right or up."]
    assert [step.is_invalid for step in record.steps] == [0, 0, 1, 0, 1, 0, 0, 0]
    assert record.success
    assert record.reward == pytest.approx(1.0 - 0.2)
    assert record.steps[-1].outcome == agentgym.Outcome("terminated")


def test_unnamed_actions_are_numbers():
    env = make_from_gymnasium("FrozenLake-v1", is_slippery=False)
    assert env.make_task(0).instruction == "Play FrozenLake-v1. Each turn say 0, 1, 2 or 3."
    assert env.make_task(0).limits.max_turns == 100
    steps = play_actions(env, env.make_task(0), ["1", "-1", "12"]).steps
    assert steps[0].text == "4"
    assert [step.is_invalid for step in steps] == [False, True, True]


def test_contract_is_kept():
    check_env(lake).raise_if_failed()


def test_randomness_is_the_seed_s_alone():
    env = lake(is_slippery=True)
    task = env.make_task(4)
    actions = ["down", "right"] * 5
    first = [step.text for step in play_actions(env, task, actions).steps]
    assert [step.text for step in play_actions(lake(is_slippery=True), task, actions).steps] == first
    others = [[step.text for step in play_actions(env, task, actions, seed).steps] for seed in range(8)]
    assert any(other != first for other in others)


def test_a_fork_with_a_seed_draws_anew():
    env = lake(is_slippery=True)
    play_actions(env, env.make_task(0), [])
    ways = set()
    for seed in range(12):
        twin = env.fork(seed=seed)
        ways.add(tuple(twin.step("left")[0]["text"] for _ in range(3)))
        twin.close()
    assert len(ways) > 1
    twins = [env.fork(), env.fork()]
    assert len({tuple(twin.step("left")[0]["text"] for _ in range(3)) for twin in twins}) == 1


def test_what_cannot_be_copied_cannot_be_forked():
    env = Counting(spaces.Discrete(2))
    env.window = (number for number in range(3))  # type: ignore[attr-defined]
    adapted = make_from_gymnasium(env)
    adapted.reset(seed=0)
    with pytest.raises(NotImplementedError, match="Counting cannot be copied"):
        adapted.fork()


def test_truncation_of_the_environment_is_one_of_the_episode():
    record = play_actions(env := make_from_gymnasium(Counting(spaces.Discrete(2))), env.make_task(0), ["1"] * 9)
    assert len(record.steps) == 4
    assert record.steps[-1].truncated
    assert record.steps[-1].outcome == agentgym.Outcome("truncated", "turns")
    assert record.success
    assert record.reward == 1.0


def test_an_episode_that_is_cut_is_graded_by_what_the_environment_said_last():
    env = make_from_gymnasium(Counting(spaces.Discrete(2)))
    play_actions(env, env.make_task(0), ["1"] * 3)
    assert env.finalize("turns")[1]["success"]
    play_actions(env, env.make_task(0), ["1"] * 2)
    assert not env.finalize("turns")[1]["success"]


def test_a_task_may_make_the_environment_anew():
    env = lake()
    task = replace(env.make_task(0), config={"make": {"desc": ["SG", "FF"]}})
    assert play_actions(env, task, ["right"]).success
    assert not play_actions(env, env.make_task(0), ["right"]).is_over


@pytest.mark.parametrize(
    ("space", "content", "action"),
    [
        (spaces.Discrete(3, start=-1), "take -1 please", -1),
        (spaces.MultiDiscrete([3, 4]), "2, 3", [2, 3]),
        (spaces.MultiBinary(3), "1 0 1", [1, 0, 1]),
        (spaces.Text(10), "  open  ", "open"),
    ],
)
def test_an_action_is_read_out_of_a_message(space, content, action):
    read = reader(space)(content)
    assert np.array_equal(read, action)
    assert read in space


@pytest.mark.parametrize(
    ("space", "content"),
    [
        (spaces.Discrete(3), "0 or 1"),
        (spaces.Discrete(3), "3"),
        (spaces.Discrete(3), "1 " * 2_000),
        (spaces.MultiDiscrete([3, 4]), "2 4"),
        (spaces.MultiDiscrete([3, 4]), "2"),
        (spaces.MultiBinary(2), f"1 {'9' * 400}"),
        (spaces.Text(10), "much too long a text"),
    ],
)
def test_what_is_no_action_is_explained(space, content):
    with pytest.raises(ActionSyntaxError, match="Each turn say"):
        reader(space)(content)


def test_longer_names_are_read_before_those_within_them():
    read = reader(spaces.Discrete(2), ("left", "turn left"))
    assert read("I turn left.") == 1
    assert read("left") == 0


def test_success_is_what_the_info_says_or_a_positive_end():
    assert default_success(Ending(-1.0, 0.0, False, {"success": True}))
    assert default_success(Ending(1.0, 1.0, True, {}))
    assert not default_success(Ending(1.0, 1.0, False, {}))


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: make_from_gymnasium("NoSuch-v7"), "NoSuch"),
        (lambda: make_from_gymnasium("FrozenLake-v1", no_such_option=1), "no_such_option"),
        (lambda: make_from_gymnasium("FrozenLake-v1", TextView(actions=("left", "right"))), "action names"),
        (lambda: make_from_gymnasium(Counting(spaces.Box(0, 1, (2,)))), "neither text nor discrete"),
        (lambda: make_from_gymnasium(Counting(spaces.Discrete(2)), option=1), "need the id"),
    ],
)
def test_what_cannot_be_adapted_is_refused(make, why):
    with pytest.raises(ConfigError, match=why):
        make()

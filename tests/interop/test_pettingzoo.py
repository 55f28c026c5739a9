from __future__ import annotations

import warnings
from functools import partial

import pytest

from agentgym.errors import ConfigError, ContractError, TaskError
from agentgym.interop.pettingzoo import as_aec
from agentgym.registration import register, specs
from tests.toys.game import SPEC, Nim, nim_task

with warnings.catch_warnings():  # where pygame is installed they import games of their own, which warn
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import api_test, seed_test


@pytest.fixture
def aec():
    env = as_aec(Nim())
    env.reset(options={"task": nim_task(4)})
    return env


GAMES = ["test/Nim-v0", *(each.id for each in specs() if each.roles and each.id.startswith("agentgym/"))]


@pytest.mark.parametrize("make", [lambda: as_aec(Nim()), *(partial(as_aec, game) for game in GAMES)])
def test_aec_passes_the_tests_of_pettingzoo(make):
    register(SPEC)
    with warnings.catch_warnings():
        # Advice alone: they expect boxes and numbered names.
        warnings.filterwarnings("ignore", message=".*(space for each agent probably|descriptor|not a NumPy array).*")
        api_test(make(), num_cycles=50)
        seed_test(make, num_cycles=50)


@pytest.mark.parametrize("action", [None, 5, b"2"])
def test_an_action_that_is_no_text_is_refused_and_changes_nothing(aec, action):
    told = aec.last()
    with pytest.raises(ContractError, match=f"text of the agent's message: got {type(action).__name__}"):
        aec.step(action)
    assert aec.last() == told
    aec.step("2")
    assert aec.agent_selection == "second"


def test_infos_hold_the_first_messages_too(aec):
    for role in aec.agents:
        assert aec.observe(role)["text"] == "\n".join(each["content"] for each in aec.infos[role]["messages"])


def test_aec_tells_each_role_what_it_missed_and_gives_rewards_to_each(aec):
    assert str(aec) == "Nim"
    assert (aec.agent_selection, aec.last()[0]["text"][:9]) == ("first", "4 stones.")
    aec.step("2")
    assert aec.agent_selection == "second"
    assert aec.last()[0] == {"text": "4 stones. You are second.\nfirst took 2"}
    assert [message["content"] for message in aec.infos["second"]["messages"]][-1] == "first took 2"
    aec.step("2")
    assert aec.rewards == {"first": -1.0, "second": 1.0}
    assert aec.terminations == {"first": True, "second": True}
    assert aec.infos["second"]["success"] is True
    ended = []
    for agent in aec.agent_iter():
        ended.append((agent, aec.last()[1]))
        aec.step(None)
    assert ended == [("first", -1.0), ("second", 1.0)]
    assert aec.agents == []


def test_aec_answers_an_invalid_message_and_truncates(aec):
    aec.step("three")
    assert aec.agent_selection == "first"
    assert aec.render() == "Take 1 or 2."
    assert aec.rewards["first"] == -0.5
    aec.reset(options={"task": nim_task(9, max_turns=1)})
    aec.step("1")
    aec.step("1")
    assert aec.truncations == {"first": True, "second": True}
    assert str(aec.infos["first"]["outcome"]) == "truncated:turns"


def test_aec_without_a_seed_goes_on_drawing_tasks(aec):
    ids = []
    for seed in (3, None, None, 3, None):
        aec.reset(seed=seed)
        ids.append(aec.infos["first"]["task_id"])
    assert ids[0] == ids[3]
    assert ids[1] == ids[4] != ids[2]


def test_aec_refuses_what_it_cannot_play(aec):
    with pytest.raises(TaskError, match="does not name a suite"):
        aec.reset(options={"task": "nothing"})
    with pytest.raises(ConfigError, match="not a game of several roles"):
        as_aec("agentgym/Wordle-v0")

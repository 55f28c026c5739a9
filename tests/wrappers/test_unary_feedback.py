from __future__ import annotations

from dataclasses import replace

import pytest

import agentgym
from agentgym.errors import ConfigError
from agentgym.task import Limits
from agentgym.testing import check_env
from agentgym.testing.episodes import play_actions
from agentgym.wrappers import UnaryFeedback


def guessing(**options):
    return UnaryFeedback(agentgym.make("agentgym/GuessNumber-v0", min_numbers=4, max_numbers=4), **options)


@pytest.fixture
def env():
    return guessing(max_tries=3, decay=0.5, penalty=0.6)


@pytest.fixture
def task(env):
    """One guess a try, of four numbers; the second is right."""
    drawn = env.make_task(1)
    low = drawn.config["low"]
    return replace(drawn, config={**drawn.config, "tries": 1}, private={"secret": low + 1})


def numbers(task):
    return [str(task.config["low"] + offset) for offset in range(4)]


def test_a_failed_try_is_told_by_nothing_else_and_a_late_solution_is_worth_less(env, task):
    wrong, right, other, _ = numbers(task)
    record = play_actions(env, task, [wrong, other, right])
    assert [step.text for step in record.steps] == ["Try again.", "Try again.", "Correct."]
    assert [step.reward for step in record.steps] == [0.0, 0.0, 0.25]
    assert record.success
    assert record.steps[-1].score == 0.25
    assert play_actions(env, task, [right]).reward == 1.0


def test_repeating_a_try_costs(env, task):
    wrong, _, other, _ = numbers(task)
    record = play_actions(env, task, [wrong, f"  {wrong} ", other])
    assert [step.reward for step in record.steps] == pytest.approx([0.0, -0.2, 0.0])
    assert [event.component for step in record.steps for event in step.events] == ["repetition"]
    assert record.steps[-1].text == "No tries left."
    assert record.steps[-1].outcome == agentgym.Outcome("terminated")
    assert not record.success


def test_invalid_messages_are_no_tries_and_end_the_episode_over_all_tries(env, task):
    wrong, right, _, _ = numbers(task)
    record = play_actions(env, task, ["hm", wrong, "hm", right])
    assert [step.is_invalid for step in record.steps] == [True, False, True, False]
    assert record.steps[-1].score == 0.5
    record = play_actions(env, replace(task, limits=Limits(max_invalid=1)), ["hm", wrong, "hm"])
    assert record.steps[-1].outcome == agentgym.Outcome("invalid")


def test_a_task_may_be_stated_again(task):
    env = guessing(max_tries=2, restates=True)
    record = play_actions(env, task, [numbers(task)[0]])
    assert record.steps[0].text == f"Try again.\n{record.first.text}"


def test_a_try_may_have_several_turns():
    env = UnaryFeedback(agentgym.make("agentgym/Maze-v0", layout="horseshoe"), max_tries=2)
    task = replace(env.make_task(0), limits=Limits(max_turns=2))
    record = play_actions(env, task, ["up", "up", "up", "up"])
    assert [step.text for step in record.steps][1] == "Try again."
    assert record.steps[0].text.startswith("You ")
    assert record.steps[-1].text == "No tries left."


def test_a_try_that_an_invalid_message_cuts_has_failed():
    env = UnaryFeedback(agentgym.make("agentgym/Maze-v0", layout="horseshoe"), max_tries=2)
    task = replace(env.make_task(0), limits=Limits(max_turns=2, max_invalid=9))
    record = play_actions(env, task, ["up", "blah", "up", "blah"])
    assert [step.is_invalid for step in record.steps] == [False, True, False, True]
    assert record.steps[1].text.endswith("\nTry again.")
    assert record.steps[3].text.endswith("\nNo tries left.")
    assert record.steps[-1].outcome == agentgym.Outcome("terminated")
    assert not record.success
    assert len(record.steps[1].events) == len(record.steps[3].events) - 1, "the second try said what the first one did"


def test_contract_is_kept():
    checks = ["seeds", "replay", "concurrency", "forks", "rewards", "json", "messages", "finalize", "interrupt"]
    check_env(guessing, only=[*checks, "hostile_actions"]).raise_if_failed()


def test_a_fork_goes_on_apart(env, task):
    wrong, right, other, _ = numbers(task)
    play_actions(env, task, [wrong])
    twin = env.fork()
    env.step(other)
    assert twin.step(right)[1] == 0.5
    assert env.step(right)[1] == 0.25


@pytest.mark.parametrize("options", [{"max_tries": 0}, {"decay": 0.0}, {"decay": 1.1}, {"penalty": -1.0}])
def test_numbers_out_of_range_are_refused(options):
    with pytest.raises(ConfigError, match="unary feedback"):
        guessing(**options)

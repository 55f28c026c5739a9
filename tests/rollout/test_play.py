"""`play_episode` records what a rollout of one job records."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from test_episode import TokenParrot
from toy import CountEnv, Parrot, make_game, task

from agentgym import Limits, Task, Trajectory
from agentgym.errors import CancelledEpisode, ContextOverflowError
from agentgym.policy import Sampling
from agentgym.rollout import Job, RolloutSettings, collect_episodes, play_episode
from agentgym.trajectory import TurnTimes
from tests.toys.game import Nim, Sayer, nim_task


def facts(record: Trajectory) -> Trajectory:
    """A record without its clock."""
    assert record.usage.pop("seconds") >= 0.0
    return replace(record, turns=[replace(turn, times=TurnTimes()) for turn in record.turns])


CASES = {
    "terminated": (task(0), {}),
    "out of turns": (task(0, length=40, limits=Limits(max_turns=3)), {"record_final_prompt": True}),
    "out of tokens": (task(0, length=40, limits=Limits(max_turns=50, max_tokens=6)), {}),
    "out of context": (
        task(0, length=40, limits=Limits(max_turns=50)),
        {"max_context": 60, "sampling": Sampling(max_tokens=4)},
    ),
    "cut and invalid": (task(0, limits=Limits(max_turns=9, max_invalid=1)), {"history": "last:1"}),
}


class Cut(TokenParrot):
    """Its messages are cut by the token limit."""

    def generate(self, requests):
        return [replace(reply, was_cut=True) for reply in super().generate(requests)]


@pytest.mark.parametrize("case", CASES)
def test_an_episode_is_recorded_as_a_rollout_records_it(case):
    wanted, options = CASES[case]
    settings, make_policy = RolloutSettings(**options), Cut if case.startswith("cut") else TokenParrot
    policies = make_policy(2), make_policy(2)
    [collected], _ = collect_episodes([Job(wanted, "episode", 7)], make_game, {"*": policies[0]}, settings)
    played = play_episode(CountEnv(), policies[1], wanted, seed=7, settings=settings)
    assert len(played.turns) > 1
    assert repr(facts(played)) == repr(facts(collected))
    assert policies[1].requests == policies[0].requests
    assert policies[1].forgotten == ["episode/agent"]


def test_a_game_is_played_by_a_policy_for_each_role():
    wanted, policies = nim_task(4), {"first": Sayer("1", "one"), "second": Sayer("2", "two")}
    collected, _ = collect_episodes([Job(wanted, "episode", 7)], lambda _: Nim(), policies, RolloutSettings())
    played = play_episode(Nim(), policies, wanted, seed=7)
    assert [record.role for record in played] == ["first", "second"]
    assert list(map(repr, map(facts, played))) == list(map(repr, map(facts, collected)))


def test_each_turn_is_handed_out_when_it_is_complete():
    seen = []
    record = play_episode(CountEnv(), Parrot(), task(0), on_turn=lambda *turn: seen.append(turn))
    assert [turn for _, turn, _ in seen] == record.turns
    assert [(role, str(answer.outcome)) for role, _, answer in seen] == [("agent", "None"), ("agent", "terminated")]


@pytest.mark.parametrize(
    ("error", "outcome"),
    [(CancelledEpisode("enough"), "cancelled"), (ContextOverflowError("full"), "truncated:context")],
)
def test_a_policy_may_end_the_episode(error, outcome):
    class Tired(Parrot):
        def generate(self, requests):
            if requests[0].turn == 1:
                raise error
            return super().generate(requests)

    policy = Tired()
    record = play_episode(CountEnv(), policy, task(0, length=3))
    assert (str(record.outcome), len(record.turns)) == (outcome, 1)
    assert policy.forgotten == ["episode/agent"]


def test_what_fails_is_raised():
    broken = Task("toy", 0, config={"length": 2, "fault": "raise", "times": 9})
    with pytest.raises(OSError, match="on fire"):
        play_episode(CountEnv(), Parrot(), broken)

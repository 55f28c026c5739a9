from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from toy import CountEnv, Parrot, make_game, task

from agentgym import Limits
from agentgym.errors import ContractError
from agentgym.game import SoloGame
from agentgym.policy import Reply, Sampling
from agentgym.prompting.tiny import build_tokenizer
from agentgym.rollout import Job, RolloutSettings, collect_episodes, draw_seed
from agentgym.trajectory import FINAL_ACTIONS, FINAL_PROGRESS


class TokenParrot(Parrot):
    """Says "go" as tokens, and remembers what it was asked."""

    uses_tokens = True
    max_context = 400

    def __init__(self, num_tokens: int = 1) -> None:
        super().__init__()
        self.tokenizer = build_tokenizer(["count to go 1 2 3 4 5 6 7 8"])
        self.num_tokens, self.requests = num_tokens, []

    def generate(self, requests):
        self.requests += requests
        count = [min(self.num_tokens, request.sampling.max_tokens) for request in requests]
        ids = self.tokenizer.encode("go", add_special_tokens=False)
        return [
            Reply("go", np.resize(np.array(ids, np.int32), n), np.full(n, -0.5, np.float32), version=3) for n in count
        ]


def play(each, policy, **settings):
    [record], _ = collect_episodes([Job(each, "e", 5)], make_game, {"*": policy}, RolloutSettings(**settings))
    return record


def test_a_record_holds_what_was_sampled_and_shown():
    policy = TokenParrot()
    record = play(task(0, length=3), policy)
    assert [turn.version for turn in record.turns] == [3] * 3
    assert not record.is_derived
    context = []
    for turn, request in zip(record.turns, policy.requests, strict=True):
        context += turn.prompt_ids.tolist()
        assert context == list(request.prompt_ids)
        context += turn.action_ids.tolist()
    assert len(record.segments()) == 1


def test_policies_of_text_leave_derived_records():
    record = play(task(0), Parrot())
    assert record.is_derived
    assert record.segments() == []


def test_an_episode_is_cut_at_its_tokens_and_the_last_message_gets_what_is_left():
    policy = TokenParrot(num_tokens=4)
    limits = Limits(max_turns=50, max_tokens=10)
    record = play(task(0, length=40, limits=limits), policy, sampling=Sampling(max_tokens=4))
    assert str(record.outcome) == "truncated:tokens"
    assert [len(turn.action_ids) for turn in record.turns] == [4, 4, 2]
    assert record.success is False


def test_an_episode_is_cut_where_its_context_is_full():
    policy = TokenParrot()
    record = play(
        task(0, length=40, limits=Limits(max_turns=50)), policy, max_context=60, sampling=Sampling(max_tokens=4)
    )
    assert str(record.outcome) == "truncated:context"
    assert 1 < len(record.turns) < 40
    assert all(turn.reply for turn in record.turns)
    assert sum(segment.num_tokens for segment in record.segments()) <= 60


@pytest.mark.parametrize("is_wanted", [True, False])
def test_a_truncated_episode_keeps_its_final_observation(is_wanted):
    policy = TokenParrot()
    limits = Limits(max_turns=3)
    record = play(task(0, length=40, limits=limits), policy, record_final_prompt=is_wanted)
    assert str(record.outcome) == "truncated:turns"
    assert ("final_prompt_ids" in record.metadata) is is_wanted
    if is_wanted:
        [segment] = record.segments()
        final = record.metadata["final_prompt_ids"]
        assert final[: segment.num_tokens] == segment.tokens.tolist()
        assert "3" in policy.tokenizer.decode(final[segment.num_tokens :])


def test_an_episode_that_ends_keeps_no_final_observation():
    assert "final_prompt_ids" not in play(task(0), TokenParrot(), record_final_prompt=True).metadata


def test_a_short_history_opens_segments():
    record = play(task(0, length=5), TokenParrot(), history="last:1")
    assert [turn.opens_segment for turn in record.turns][1:] == [False, True, True, True]
    assert len(record.segments()) == 4


def test_anchors_are_recorded_on_demand():
    class Anchored(CountEnv):
        def anchor(self):
            return f"at {self.count}"

    jobs = [Job(task(0, length=2), "e", 5)]
    for is_wanted in (True, False):
        settings = RolloutSettings(record_anchors=is_wanted)
        [record], _ = collect_episodes(jobs, lambda _: SoloGame(Anchored()), {"*": Parrot()}, settings)
        assert [turn.anchor for turn in record.turns] == (["at 0", "at 1"] if is_wanted else [None, None])


class ListingEnv(CountEnv):
    def legal_actions(self):
        return [f"go {self.count}", "stay"]


class FirstOfList(Parrot):
    """Picks the first listed action, and remembers the lists."""

    picks_legal_actions = True

    def generate(self, requests):
        self.lists = [*getattr(self, "lists", []), *(request.legal_actions for request in requests)]
        return super().generate(requests)


def test_legal_actions_are_recorded_on_demand_and_of_the_state_that_a_limit_left():
    each = task(0, length=3, limits=Limits(max_turns=2, step_timeout_s=5.0))
    for is_wanted in (True, False):
        settings = RolloutSettings(record_legal_actions=is_wanted)
        [record], _ = collect_episodes([Job(each, "e", 5)], lambda _: SoloGame(ListingEnv()), {"*": Parrot()}, settings)
        expected = [("go 0", "stay"), ("go 1", "stay")] if is_wanted else [None, None]
        assert [turn.legal_actions for turn in record.turns] == expected
        assert record.outcome.kind == "truncated"
        assert record.metadata.get(FINAL_ACTIONS) == (["go 2", "stay"] if is_wanted else None)
    ended = play(task(0, length=2), Parrot(), record_legal_actions=True)
    assert [turn.legal_actions for turn in ended.turns] == [None, None]


def test_a_policy_that_picks_is_told_what_is_legal_in_each_state():
    policy = FirstOfList()
    each = task(0, length=2)
    [record], _ = collect_episodes(
        [Job(each, "e", 5)], lambda _: SoloGame(ListingEnv()), {"*": policy}, RolloutSettings()
    )
    assert policy.lists == [("go 0", "stay"), ("go 1", "stay")]
    assert [turn.legal_actions for turn in record.turns] == policy.lists
    assert FINAL_ACTIONS not in record.metadata
    assert record.is_derived
    with pytest.raises(ContractError, match=r"lists no actions of the role 'agent'.*write legal_actions"):
        play(each, FirstOfList())


def test_progress_is_recorded_on_demand_and_ends_with_how_far_a_truncated_episode_came():
    class Half(CountEnv):
        def progress(self):
            return self.count / 8

    for is_wanted, max_turns in ((True, 2), (True, None), (False, 2)):
        settings = RolloutSettings(record_progress=is_wanted)
        jobs = [Job(replace(task(0, length=3), limits=Limits(max_turns=max_turns)), "e", 5)]
        [record], _ = collect_episodes(jobs, lambda _: SoloGame(Half()), {"*": Parrot()}, settings)
        expected = [index / 8 if is_wanted else None for index in range(max_turns or 3)]
        assert [turn.progress for turn in record.turns] == expected
        is_cut = is_wanted and max_turns
        assert record.metadata.get(FINAL_PROGRESS) == (0.25 if is_cut else None)


def test_seeds_depend_on_all_their_parts():
    seeds = {draw_seed(0, "a", 1), draw_seed(0, "a", 2), draw_seed(1, "a", 1), draw_seed(0, "a1"), draw_seed("0a", 1)}
    assert len(seeds) == 5
    assert draw_seed(0, "a", 1) == draw_seed(0, "a", 1)
    assert all(0 <= seed < 2**63 for seed in seeds)

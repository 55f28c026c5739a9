"""Trap D-26: a relabelled episode speaks of its new goal everywhere, is graded by the environment, and has no ratio."""

from __future__ import annotations

from contextlib import closing
from copy import copy
from dataclasses import replace

import numpy as np
import pytest

from agentgym.errors import ConfigError, ContractError, HeldOutError
from agentgym.message import content_text
from agentgym.prompting.renderer import ChatRenderer
from agentgym.suite import Suite, load_suite
from agentgym_rl.core.batch import TrainBatch
from agentgym_rl.core.demonstrations import collect_demonstrations, with_tokens
from agentgym_rl.groups.replay_weights import require_behaviour_logprobs
from agentgym_rl.replay.hindsight import RELABELLED, Hindsight
from agentgym_rl.replay.tables import HindsightConfig
from agentgym_rl.run.setup import suite_tokenizer
from tests.trainers.rl.planted import noticed, parametrised


@pytest.fixture(scope="module")
def suite():
    return load_suite("dialogue/maze")


@pytest.fixture(scope="module")
def renderer(suite):
    return ChatRenderer(suite_tokenizer(suite, []))


@pytest.fixture(scope="module")
def failed(suite, renderer):
    """Failed episodes with tokens as if they had been sampled."""
    records = [one for one in collect_demonstrations(suite, "random", 24, 0) if one.success is False]
    records = with_tokens(records, renderer, [])
    for record in records:
        record.is_derived = False
        for turn in record.turns:
            turn.behaviour_logprobs, turn.version = np.full(len(turn.action_ids), -1.0, np.float32), 3
    return records[:8]


@pytest.fixture(scope="module")
def make_hindsight(suite, renderer):
    made = []

    def make(kind=Hindsight, **fields):
        made.append(kind(suite, renderer, [], HindsightConfig(**fields)))
        return made[-1]

    yield make
    for one in made:
        one.close()


class KeepsThePrompts(Hindsight):
    """D-26: the reward is that of the new goal, the observations still speak of the old one."""

    def _record(self, played, source):
        turns = [replace(turn, version=-1, behaviour_logprobs=None) for turn in source.turns[: len(played.turns)]]
        return replace(played, turns=turns, is_derived=True, metadata={RELABELLED: source.id})


class RewritesTheFirstPrompt(Hindsight):
    """D-26: the goal is replaced where it is given, and left in every later observation."""

    def _record(self, played, source):
        record = super()._record(played, source)
        return replace(record, turns=[record.turns[0], *source.turns[1 : len(record.turns)]])


class KeepsTheLogprobs(Hindsight):
    """D-26: the log-probabilities of the old prompt are kept for the new one."""

    def _record(self, played, source):
        record = super()._record(played, source)
        turns = [
            replace(turn, behaviour_logprobs=old.behaviour_logprobs)
            for turn, old in zip(record.turns, source.turns, strict=False)
        ]
        return replace(record, turns=turns, is_derived=False)


class InventsTheReward(Hindsight):
    """D-26: success is declared instead of being computed by the environment."""

    def _record(self, played, source):
        record = super()._record(played, source)
        return replace(record, events=source.events, score=1.0)


class KeepsTheTokens(Hindsight):
    """D-26: messages are replaced, and what is trained on is the old prompt."""

    def _record(self, played, source):
        record = super()._record(played, source)
        turns = [
            replace(turn, prompt_ids=old.prompt_ids) for turn, old in zip(record.turns, source.turns, strict=False)
        ]
        return replace(record, turns=turns)


def _prompt(trajectory):
    return np.concatenate([turn.prompt_ids for turn in trajectory.turns]).tolist()


def _check(hindsight, failed, suite, renderer):
    made = hindsight.relabel(failed, seed=0)
    assert len(made) >= 4
    by_id = {one.id: one for one in failed}
    for one in made:
        source = by_id[one.metadata[RELABELLED]]
        # The environment, asked again, says exactly this: every observation, every reward.
        hindsight._env.reset(options={"task": suite.task(source.task_id)})
        task = hindsight._env.relabel(source)
        _, info = hindsight._env.reset(seed=source.seed, options={"task": task})
        total, is_over = 0.0, False
        for turn, said in zip(one.turns, source.turns, strict=False):
            assert [content_text(message) for message in turn.messages] == [
                content_text(message) for message in info["messages"]
            ]
            assert turn.text == said.text
            _, reward, is_over, _, info = hindsight._env.step(turn.text)
            total += reward
        assert is_over
        assert info["success"]
        assert one.total_reward == pytest.approx(total)
        assert one.score == pytest.approx(info["score"])
        assert _prompt(one) == _prompt(with_tokens([one], renderer, [])[0]) != _prompt(source)
        assert one.is_derived
        assert all(turn.behaviour_logprobs is None for turn in one.turns)


@parametrised(Hindsight, KeepsThePrompts, RewritesTheFirstPrompt, KeepsTheTokens, KeepsTheLogprobs, InventsTheReward)
def test_a_relabelled_episode_is_one_of_its_new_goal(implementation, is_bug, make_hindsight, failed, suite, renderer):
    with noticed(is_bug):
        _check(make_hindsight(implementation), failed, suite, renderer)


def test_losses_with_a_ratio_refuse_hindsight(make_hindsight, failed, store):
    made = make_hindsight().relabel(failed, seed=0)
    store.write_episode(made[0], iteration=2)
    (read,) = store.episodes()
    with pytest.raises(ContractError, match="no behaviour log-probabilities"):
        require_behaviour_logprobs([read], "clipped")
    batch = TrainBatch.of_trajectories([read])
    assert all(np.isnan(segment.behaviour_logprobs).all() for segment in batch.segments)
    assert read.policy == "hindsight"


def test_prompts_leave_out_what_the_policy_does_not_see(suite, renderer, failed):
    with closing(Hindsight(suite, renderer, [], HindsightConfig(), history="last:1")) as short:
        made = short.relabel(failed, seed=0)
    assert max(len(one.turns) for one in made) > 3
    for one in made:
        assert len(one.segments()) > 1
        assert max(len(turn.prompt_ids) for turn in one.turns) < 2 * len(one.turns[0].prompt_ids) + 64


def test_what_was_recorded_of_states_is_recorded_again(make_hindsight, failed):
    listed = [replace(one, turns=[replace(turn, legal_actions=("up",)) for turn in one.turns]) for one in failed]
    assert all(turn.legal_actions for one in make_hindsight().relabel(listed, seed=0) for turn in one.turns)
    assert not any(turn.legal_actions for one in make_hindsight().relabel(failed, seed=0) for turn in one.turns)


def test_future_goals_are_distinct_and_bounded(make_hindsight, failed):
    made = make_hindsight(strategy="future", goals=3).relabel(failed, seed=0)
    again = make_hindsight(strategy="future", goals=3).relabel(failed, seed=0)
    assert [one.id for one in made] == [one.id for one in again]
    per_source = {one.id: [other for other in made if other.metadata[RELABELLED] == one.id] for one in failed}
    assert max(len(found) for found in per_source.values()) == 3
    for found in per_source.values():
        assert len({one.content_hash for one in found}) == len(found)
    assert len({len(one.turns) for one in made}) > 1


def test_successes_give_none(make_hindsight, failed):
    solved = [replace(one, success=True) for one in failed]
    assert make_hindsight().relabel(solved, seed=0) == []


def test_held_out_episodes_are_refused(make_hindsight, failed, suite):
    held_out = suite.tasks("test")[0]
    with pytest.raises(HeldOutError, match="held out from training"):
        make_hindsight().relabel([replace(failed[0], task_id=held_out.id, turns=failed[0].turns)], seed=0)


class TakesAnyGoal(Hindsight):
    """D-34: a goal that was met is learnt from, whatever the suite holds out."""

    def __init__(self, *args):
        super().__init__(*args)
        self.suite = copy(self.suite)
        vars(self.suite)["held_out_hashes"] = frozenset()


@parametrised(Hindsight, TakesAnyGoal)
def test_goals_of_held_out_tasks_are_never_learnt_from(implementation, is_bug, make_hindsight, failed, suite, renderer):
    """Trap D-34: an environment that relabels knows its own suites at best, and not the one that is trained on."""
    (met,) = make_hindsight().relabel(failed[:1], seed=0)
    (goal,) = make_hindsight()._achieved(failed[0], 0)
    assert goal.content_hash == met.content_hash

    class HoldsItOut(Suite):
        def tasks(self, split):
            return (goal,) if split == "test" else super().tasks(split)

    user_suite = HoldsItOut(**{name: getattr(suite, name) for name in Suite.__dataclass_fields__})
    hindsight = implementation(user_suite, renderer, [], HindsightConfig())
    with closing(hindsight), noticed(is_bug):
        assert hindsight.relabel(failed[:1], seed=0) == []


def test_an_environment_that_cannot_relabel_is_refused(renderer):
    with pytest.raises(ConfigError, match=r"has no relabel\(\)"):
        Hindsight(load_suite("dialogue/guess-number"), renderer, [], HindsightConfig())


@pytest.mark.parametrize("fields", [{"strategy": "episode"}, {"goals": 0}])
def test_settings_that_mean_nothing_are_refused(fields):
    with pytest.raises(ConfigError, match=next(iter(fields))):
        HindsightConfig(**fields)

"""The actor-critic as a learner of the training loop: it learns toys, and each trap is noticed from end to end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
import torch

from agentgym.errors import ConfigError, LearningStalledError
from agentgym.policies.sampler import Continuation
from agentgym.policies.torch.policy import TorchPolicy
from agentgym_rl.core.scoring import score_segments
from agentgym_rl.hierarchical import actor, experience, learner
from agentgym_rl.hierarchical.actor_losses import turn_advantages
from agentgym_rl.hierarchical.critic.updates import CriticReport
from agentgym_rl.hierarchical.critic.valuation import value_turns
from agentgym_rl.hierarchical.experience import experience_of
from agentgym_rl.hierarchical.replay_learner import ReplayLearner
from agentgym_rl.hierarchical.transitions import CUT, TERMINAL, turn_transitions
from agentgym_rl.maths.histograms import WEIGHTS
from agentgym_rl.maths.importance import importance_weights
from agentgym_rl.maths.options import SequenceTruncated
from tests.trainers.rl.hierarchical.toy_runs import ToyRun, actor_critic
from tests.trainers.rl.planted import importance_of_recomputed_samples, noticed, parametrised, swapped
from tests.trainers.rl.toys import toy_config

FROZEN = {"learning_rate": 1e-12}
HEADS = {"width": 32, "polyak": 0.3}


def one_iteration(
    folder: Path,
    name: str,
    task_config: dict[str, Any] | None = None,
    watch: Mapping[str, Any] = MappingProxyType({}),
    **algorithm: Any,
) -> ToyRun:
    """A run of one iteration in which the policy stays as it is."""
    run = actor_critic(
        folder,
        name,
        task_config=task_config,
        run={"iterations": 1},
        group={"tasks": 2, "size": 4},
        optimiser=FROZEN,
        algorithm=algorithm,
        watch=watch,
    )
    run.run()
    return run


# Values, from episodes that a limit cut and from those that ended


def mean_value(run: ToyRun) -> float:
    """Mean V of all stored turns."""
    replay = run.learner.replay
    found, _ = experience_of([replay.draw(64)])
    packing, span = run.config.packing, run.learner.critic.config.value_range
    _, v = value_turns(run.learner.critic.online, found.batch.segments, packing, run.model, span)
    return float(v.mean())


def truncation_as_an_end(batch):
    """D-13: a time limit treated as an end."""
    turns = turn_transitions(batch)
    return replace(turns, successor=np.where(turns.successor == CUT, TERMINAL, turns.successor))


def ends_that_are_encoded(batch):
    """D-27: the state after an end is valued, as if a limit had cut there."""
    for record in batch.trajectories:
        record.outcome = replace(record.outcome, kind="truncated", cause="turns")
    return turn_transitions(batch)


LOOP = {
    "preset": "archer",
    "critic": {
        "updates": 150,
        "batch": 16,
        "warmup": 0,
        "discount": 0.9,
        "network": {**HEADS, "value_range": [0.0, 12.0], "reads": "history"},
        "optimiser": {"learning_rate": 1e-2},
    },
    "actor": {"updates": 1, "batch": 4},
}


@parametrised(turn_transitions, truncation_as_an_end)
def test_an_endless_loop_under_a_time_limit_is_worth_all_of_its_rewards(
    implementation, is_bug: bool, tmp_path: Path
) -> None:
    """Trap D-13: reward 1 a turn for ever, cut after five turns, discount 0.9: V = 10 and not at most 4.1."""
    with swapped(experience, "turn_transitions", implementation):
        run = one_iteration(tmp_path, "loop", **LOOP)
    with noticed(is_bug):
        assert mean_value(run) > 8.0


@parametrised(turn_transitions, ends_that_are_encoded)
def test_nothing_is_worth_anything_after_an_end(implementation, is_bug: bool, tmp_path: Path) -> None:
    """Trap D-27: the same loop, ended after its first or second turn: V = 1 or 1.9."""
    with swapped(experience, "turn_transitions", implementation):
        run = one_iteration(tmp_path, "loop", {"lengths": 2}, {"max_value_ratio": 100.0}, **LOOP)
    with noticed(is_bug):
        assert mean_value(run) < 3.0


# Priorities


def errors_in_place_of_advantages(self: ReplayLearner, draws: Any, drawn: Any, report: CriticReport) -> None:
    """What drawn entries are told is their TD error, whatever priorities go by."""
    SET_PRIORITIES(self, draws, drawn, report._replace(advantages=report.td_errors))


SET_PRIORITIES = ReplayLearner._set_priorities


@parametrised(SET_PRIORITIES, errors_in_place_of_advantages)
def test_priorities_go_by_the_advantages_of_stored_actions(implementation, is_bug: bool, tmp_path: Path) -> None:
    """|min Q - min V| of each turn, by a critic that stays as it is."""
    critic = {"updates": 2, "batch": 64, "warmup": 0, "network": HEADS, "optimiser": FROZEN}
    replay = {"kind": "prioritised", "priority": {"by": "advantage"}}
    with swapped(ReplayLearner, "_set_priorities", implementation):
        run = one_iteration(tmp_path, "bandit", preset="archer", critic=critic, replay=replay, actor={"updates": 1})
    learner = run.learner
    [draw] = learner.replay.draw(32)
    found, [[part]] = experience_of([[draw]])
    q, v = value_turns(learner.critic.online, found.batch.segments, run.config.packing, run.model)
    advantages = np.abs(q.min(0) - v.min(0))[part.turn]
    assert advantages.max() > 2 * advantages.min()
    with noticed(is_bug):
        told = draw.index.turn_priority[draw.entries[part.of_entry]]
        np.testing.assert_allclose(told - learner.replay.options.priority.floor, advantages, atol=1e-5)


# Stored actions


@parametrised(importance_weights, importance_of_recomputed_samples)
@pytest.mark.parametrize("place", [learner, actor])
def test_stored_actions_weigh_what_the_policy_has_moved_away(
    place: Any, implementation, is_bug: bool, tmp_path: Path
) -> None:
    """Trap D-18: min(product over the turn of pi / mu, 2), with mu as it was recorded when it sampled."""
    tables = {"preset": "archer_in_sample", "critic": {"updates": 1, "batch": 16, "warmup": 0, "network": HEADS}}
    run = one_iteration(tmp_path, "bandit", **tables, actor={"updates": 1, "batch": 16})
    torch.manual_seed(1)
    with torch.no_grad():
        for parameter in run.model.parameters():
            parameter.add_(0.02 * torch.randn_like(parameter))
    found, _ = experience_of([run.learner.replay.draw(16)])
    segments = found.batch.segments
    logprobs, _ = score_segments(run.model, segments, run.config.packing, 1.0)
    now = np.concatenate([stream[each.completion_mask] for stream, each in zip(logprobs, segments, strict=True)])
    then = np.concatenate([each.behaviour_logprobs[each.completion_mask] for each in segments])
    expected = np.minimum(np.exp(now - then), 2.0)  # a token a turn
    assert np.abs(expected - 1).max() > 0.1
    with swapped(place, "importance_weights", implementation), noticed(is_bug):
        if place is learner:
            np.testing.assert_allclose(run.learner._ratios(found, SequenceTruncated()), expected, rtol=1e-4)
        else:
            metrics = run.learner.actor_updates.learn(found, seed=0)
            assert metrics["actor/ratio"] == pytest.approx(float((found.weights[0] * expected).sum()), rel=1e-4)
            shares = [share for name, share in metrics.items() if name.startswith("actor/ratio/histogram/")]
            bands = np.searchsorted(WEIGHTS, expected, side="right")
            np.testing.assert_allclose(shares, np.bincount(bands, found.weights[0], len(WEIGHTS) + 1), atol=1e-6)


# New actions


def announced_alone(self: TorchPolicy, source: object, version: int) -> None:
    """D-23: the version is taken, and what was computed with the old weights is kept."""
    self._network.version, self._network._writes_seen = version, self._network._count_writes()


@parametrised(TorchPolicy.load_weights, announced_alone)
def test_new_actions_come_from_the_weights_that_are_trained(implementation, is_bug: bool, tmp_path: Path) -> None:
    """Trap D-23: in the second update of an iteration, the sampler says of its actions what the model says."""
    critic = {"updates": 1, "batch": 8, "warmup": 0, "network": HEADS}
    run = one_iteration(tmp_path, "bandit", preset="archer", critic=critic, actor={"updates": 1, "batch": 8})
    for group in run.optimiser.param_groups:
        group["lr"] = 0.03
    sampled: list[np.ndarray] = []
    scored: list[np.ndarray] = []
    branches = run.policy.branches
    assert branches is not None
    branch, read = branches.sample, run.model.read

    def logged(*inputs: Any) -> list[list[Continuation]]:
        messages = branch(*inputs)
        scored.clear()
        sampled.append(np.concatenate([message.logprobs for mine in messages for message in mine]))
        return messages

    def recorded(*inputs: Any) -> Any:
        logprobs, entropy = read(*inputs)
        scored.append(logprobs.detach().numpy())
        return logprobs, entropy

    branches.sample, run.model.read = logged, recorded  # type: ignore[method-assign]
    with swapped(TorchPolicy, "load_weights", implementation):
        for update in range(2):
            run.learner._train_actor(run.state, update)
    with noticed(is_bug):
        np.testing.assert_allclose(np.sort(sampled[-1]), np.sort(np.concatenate(scored)), atol=1e-4)


def test_episodes_go_on_while_weights_change_between_updates(tmp_path: Path) -> None:
    """Trap D-33: collecting runs ahead, with steps under way when the learner samples and publishes."""
    run = actor_critic(
        tmp_path,
        "loop",
        task_config={"wait_s": 0.01},
        run={"iterations": 3},
        group={"tasks": 1, "size": 4, "staleness": 1},
        algorithm={
            "preset": "archer",
            "critic": {"updates": 2, "batch": 8, "warmup": 0, "network": HEADS},
            "actor": {"updates": 2, "batch": 8},
        },
    )
    run.run()
    assert len(run.journal.rows) == 3
    assert max(run.journal.curve("staleness/max")) <= 2


# Learning

CRITIC = {
    "updates": 16,
    "batch": 32,
    "warmup": 2,
    "discount": 0.9,
    "network": {"width": 64, "polyak": 0.2},
    "optimiser": {"learning_rate": 5e-3},
}
TOWER = {**CRITIC, "tower": "copy", "updates": 10, "batch": 16}
AWR = {"kind": "awr", "updates": 12, "awr": {"temperature": 0.1}}
VARIANTS: dict[str, dict[str, Any]] = {
    "resampled": {"preset": "archer", "critic": CRITIC},
    "token baseline": {"preset": "archer", "critic": CRITIC, "actor": {"has_token_baseline": True}},
    "tower": {"preset": "archer", "critic": TOWER},
    "adapters": {"preset": "archer", "critic": {**TOWER, "lora_rank": 4}},
    "in_sample": {"preset": "archer_in_sample", "critic": CRITIC},
    "frozen": {"preset": "archer", "critic": {**CRITIC, "tower": "frozen"}},
    "awr": {"preset": "archer", "critic": {**CRITIC, "expectile": 0.7, "tower": "frozen"}, "actor": AWR},
    "prioritised": {"preset": "archer", "critic": CRITIC, "replay": {"kind": "prioritised"}},
}


def learn_arms(folder: Path, algorithm: dict[str, Any], iterations: int = 40) -> ToyRun:
    run = actor_critic(
        folder,
        "arms",
        run={"iterations": iterations},
        algorithm={**algorithm, "actor": {"updates": 2, "batch": 64} | algorithm.get("actor", {})},
        optimiser={"learning_rate": 2e-2},
    )
    run.goal = 0.9
    run.run()
    return run


@pytest.mark.slow
@pytest.mark.parametrize("variant", [name for name in VARIANTS if name != "resampled"])
def test_every_variant_learns_which_message_wins(variant: str, tmp_path: Path) -> None:
    """Trap D-35."""
    run = learn_arms(tmp_path, VARIANTS[variant])
    assert np.mean(run.journal.curve("success/mean")[:3]) < 0.8
    assert run.success(3) > 0.9


def advantages_of_the_wrong_sign(q, v):
    """The sign of the advantage."""
    return -turn_advantages(q, v)


@pytest.mark.slow
@parametrised(turn_advantages, advantages_of_the_wrong_sign)
def test_archer_learns_which_message_wins(implementation, is_bug: bool, tmp_path: Path) -> None:
    """Trap D-35: from random play to winning, within 400 episodes."""
    with swapped(actor, "turn_advantages", implementation):
        run = learn_arms(tmp_path, VARIANTS["resampled"], iterations=12 if is_bug else 40)
    assert np.mean(run.journal.curve("success/mean")[:3]) < 0.8
    with noticed(is_bug):
        assert run.success(3) > 0.9


# A critic that runs away


def test_a_critic_that_diverges_stops_the_run(tmp_path: Path) -> None:
    critic = {"updates": 20, "warmup": 0, "optimiser": {"learning_rate": 100.0, "max_grad_norm": 1e9}}
    with pytest.raises(LearningStalledError, match=r"mean Q is .* times the largest return .*value_range"):
        one_iteration(tmp_path, "bandit", preset="archer", critic={**critic, "network": HEADS})
    bounded = {**HEADS, "value_range": [0.0, 1.0]}
    one_iteration(tmp_path / "bounded", "bandit", preset="archer", critic={**critic, "network": bounded})


@pytest.mark.parametrize("mode", ["token_tis", "token_mis", "icepop", "geometric"])
def test_weights_of_single_tokens_are_refused(mode: str) -> None:
    """V of a message would be weighed by its first token alone."""
    importance = {"mode": mode}
    with pytest.raises(ConfigError, match=f"mode' is '{mode}'; expected one of 'seq_tis', 'none', 'seq_mis'"):
        toy_config("bandit", algorithm={"preset": "archer_in_sample", "actor": {"importance": importance}})

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agentgym.store import RunStore
from agentgym.suite import register_suites
from agentgym_rl.core.batch import TrainBatch
from agentgym_rl.core.config.tables import PackingConfig
from agentgym_rl.core.models import PolicyModel
from agentgym_rl.core.scoring import fill_scores, score_segments
from agentgym_rl.groups import learner as group_learner
from agentgym_rl.groups import update
from agentgym_rl.groups.credit import assign_credit
from agentgym_rl.groups.learner import GroupLearner
from agentgym_rl.groups.update import learn
from agentgym_rl.maths.aggregation import token_weights
from agentgym_rl.replay.successes import REPLAYED
from agentgym_rl.run.job import train
from tests.trainers.rl import planted
from tests.trainers.rl.planted import noticed, parametrised, swapped
from tests.trainers.rl.toys import TracingTrainer, install, toy_config

ONE = {"iterations": 1}


def credited(made: TracingTrainer) -> TrainBatch:
    """The batch of a first iteration, credited anew; the weights are as they were before it."""
    [(groups, _, _)] = made.traced
    for group in made.optimiser.param_groups:
        group["lr"] = 0.0
    return assign_credit(GroupLearner.score(made.learner, groups), made.config.algorithm, drop_flat_groups=True)[0]


def weights(made: TracingTrainer) -> torch.Tensor:
    return torch.cat([parameter.detach().flatten().clone() for parameter in made.model.parameters()])


@pytest.fixture
def collected(build):
    """Makes trainers that have collected once and not moved yet."""

    def make(**tables) -> TracingTrainer:
        made = build(
            "key-door", run=ONE, group={"tasks": 2, "size": 8}, **{"optimiser": {"learning_rate": 1e-20}, **tables}
        )
        made.run()
        return made

    return make


@pytest.mark.parametrize(
    "packing",
    [PackingConfig(160, 160), PackingConfig(160, 1600, is_packed=False), PackingConfig(320, 320 * 9, is_trimmed=False)],
)
def test_an_update_does_not_depend_on_micro_batches(collected, packing: PackingConfig) -> None:
    """Trap D-7, end to end."""
    require_independence(collected, packing, token_weights)


def test_weights_of_a_micro_batch_alone_are_noticed(collected) -> None:
    """Trap D-7: what the test above is worth."""
    with pytest.raises(AssertionError):
        require_independence(collected, PackingConfig(160, 160), planted.weights_of_local_mean)


def require_independence(collected: Any, packing: PackingConfig, weigh: Any) -> None:
    made = collected(algorithm={"preset": "ppo"})
    batch = credited(made)
    norms = []
    for each in (made.config.packing, packing):
        with swapped(update, "token_weights", weigh):
            report = learn(made.model, made.optimiser, batch, replace(made.config, packing=each), seed=0, version=0)
        norms.append((report.grad_norms, report.value_losses, report.metrics.summarise()["loss"]))
    assert norms[0][0] == pytest.approx(norms[1][0], rel=1e-4)
    assert norms[0][1] == pytest.approx(norms[1][1], rel=1e-4)
    assert norms[0][2] == pytest.approx(norms[1][2], abs=1e-6)


def test_an_update_divides_by_the_totals_of_its_own_mini_batch(collected) -> None:
    """Trap D-7: each update is that of its mini-batch alone, whatever else the iteration trains on."""
    require_own_totals(collected, None)


def test_totals_of_the_whole_batch_are_noticed(collected) -> None:
    """Trap D-7: what the test above is worth. Adam scales the wrong denominator away, so that no curve shows it."""
    with pytest.raises(AssertionError):
        require_own_totals(collected, update._count)


def require_own_totals(collected: Any, count_whole: Any) -> None:
    """With `count_whole`, totals are those of the whole batch in each of its mini-batches."""
    made = collected(algorithm={"minibatches": 2})
    batch = credited(made)
    optimiser = replace(made.config.optimiser, max_grad_norm=1e9)
    together = replace(made.config, optimiser=optimiser)
    alone = replace(together, algorithm=replace(made.config.algorithm, minibatches=1))
    parts = update._minibatches(batch, 2, 0)
    expected = [learn(made.model, made.optimiser, part, alone, seed=0, version=0).grad_norms[0] for part in parts]
    count = (lambda part: count_whole(batch)) if count_whole else update._count
    with swapped(update, "_count", count):
        report = learn(made.model, made.optimiser, batch, together, seed=0, version=0)
    assert min(expected) > 0
    assert report.grad_norms == pytest.approx(expected, rel=1e-4)


def test_epochs_times_minibatches_updates_see_each_episode_once_a_pass(collected, monkeypatch) -> None:
    made = collected(algorithm={"epochs": 2, "minibatches": 3})
    batch = credited(made)
    parts: list[list[str]] = []
    step = update._step
    monkeypatch.setattr(
        update,
        "_step",
        lambda m, o, shares, *rest: (
            parts.append([t.id for t in shares[0].batch.trajectories]),
            step(m, o, shares, *rest),
        ),
    )
    report = learn(made.model, made.optimiser, batch, made.config, seed=1, version=0)
    assert report.num_updates == len(parts) == 6
    whole = sorted(trajectory.id for trajectory in batch.trajectories)
    assert sorted(itertools.chain(*parts[:3])) == sorted(itertools.chain(*parts[3:])) == whole
    assert parts[:3] != parts[3:]


def gradient_of(made: TracingTrainer, batch: TrainBatch, *further: update.Objective) -> torch.Tensor:
    """The gradient of one update, unclipped."""
    config = replace(made.config, optimiser=replace(made.config.optimiser, max_grad_norm=1e9))
    learn(made.model, made.optimiser, batch, config, seed=0, version=0, further=further)
    found = [p.grad.flatten() for p in made.model.parameters() if p.grad is not None]
    return torch.cat(found)


def test_objectives_add_up_with_their_coefficients_and_denominators(collected) -> None:
    made = collected()
    batch = credited(made)
    parts = [batch.keep(np.arange(batch.num_sequences) % 3 == place) for place in (0, 1)]
    alone = [gradient_of(made, part) for part in parts]
    further = update.Objective("replay", parts[1], made.config, 0.25)
    torch.testing.assert_close(gradient_of(made, parts[0], further), alone[0] + 0.25 * alone[1], rtol=1e-4, atol=1e-6)
    nothing = batch.keep(np.zeros(batch.num_sequences, bool))
    torch.testing.assert_close(gradient_of(made, nothing, further), 0.25 * alone[1], rtol=1e-4, atol=1e-6)


def test_weights_of_tokens_scale_their_gradient_and_leave_the_denominators(collected) -> None:
    made = collected()
    batch = credited(made)
    whole = gradient_of(made, batch)
    is_first = np.arange(batch.num_sequences) == 0
    batch.token_weights = [
        np.full(s.num_tokens, 0.0 if owner else 1.0) for s, owner in zip(batch.segments, batch.owner, strict=True)
    ]
    first = gradient_of(made, batch)
    batch.token_weights = [1.0 - stream for stream in batch.token_weights]
    rest = gradient_of(made, batch)
    torch.testing.assert_close(first + rest, whole, rtol=1e-4, atol=1e-6)
    assert batch.keep(is_first).token_weights is not None
    assert first.norm() > 0


def test_an_empty_batch_changes_nothing(collected) -> None:
    made = collected()
    batch = credited(made)
    before = weights(made)
    report = learn(
        made.model, made.optimiser, batch.keep(np.zeros(batch.num_sequences, bool)), made.config, seed=0, version=0
    )
    assert report.num_updates == 0
    assert torch.equal(weights(made), before)


def test_a_broken_gradient_is_not_applied(collected) -> None:
    made = collected()
    batch = credited(made)
    batch.advantages[0][:] = np.nan
    before = weights(made)
    report = learn(made.model, made.optimiser, batch, made.config, seed=0, version=0)
    assert report.num_updates == 0
    assert np.isnan(report.grad_norms).all()
    assert torch.equal(weights(made), before)


def test_a_step_with_positive_advantages_raises_the_sampled_tokens(collected) -> None:
    """Trap D-2, through the whole update."""
    made = collected()
    batch = credited(made)
    for stream in batch.advantages:
        stream[:] = 1.0
    for group in made.optimiser.param_groups:
        group["lr"] = 1e-3
    learn(made.model, made.optimiser, batch, made.config, seed=0, version=0)
    again = learn(made.model, made.optimiser, batch, made.config, seed=0, version=0)
    assert again.metrics.summarise()["ratio_mean"] > 1.0


def score_with_dropout(self: PolicyModel, *args: Any) -> Any:
    """D-18: attention drops tokens while the model is in training mode."""
    for module in self.modules():
        if hasattr(module, "attention_dropout"):
            module.attention_dropout = 0.3
    return SCORE(self, *args)


def score_at_another_temperature(self: PolicyModel, micro: Any, temperature: float = 1.0, *others: Any) -> Any:
    """D-18: training forgets the temperature, but only where gradients flow."""
    return SCORE(self, micro, 1.0 if torch.is_grad_enabled() else temperature, *others)


SCORE = PolicyModel.score


@pytest.mark.parametrize("prox", ["behaviour", "recompute"])
@parametrised(SCORE, score_with_dropout, score_at_another_temperature)
def test_the_first_ratio_is_one(collected, prox: str, implementation, is_bug: bool) -> None:
    """Trap D-18, end to end."""
    sampling = {"temperature": 0.7, "max_tokens": 1}
    with swapped(PolicyModel, "score", implementation):
        made = collected(algorithm={"prox": prox}, rollout={"sampling": sampling})
    with noticed(is_bug):
        assert made.journalled.rows[0]["loss/ratio_mean"] == pytest.approx(1.0, abs=1e-5)
        assert made.journalled.rows[0]["loss/ratio_std"] == pytest.approx(0.0, abs=1e-3)
        assert made.journalled.rows[0]["loss/clip_high"] == 0.0


def scores_recomputed(*args: Any, **options: Any) -> None:
    """D-18: what old weights sampled is scored anew by the present ones, and looks as if they had sampled it."""
    fill_scores(*args, **{**options, "recompute_prox": True})


@parametrised(fill_scores, scores_recomputed)
def test_samples_of_old_weights_have_a_ratio_of_their_own(build, implementation, is_bug: bool) -> None:
    """Trap D-18: training one batch late, the ratio says how far the weights have come since."""
    made = build(
        "key-door",
        run={"iterations": 4},
        group={"tasks": 2, "size": 4, "staleness": 1, "dynamic_sampling": "keep"},
        optimiser={"learning_rate": 0.01},
    )
    with swapped(group_learner, "fill_scores", implementation):
        made.run()
    late = [row for row in made.journalled.rows if row["staleness/max"] > 0]
    assert late
    with noticed(is_bug):
        assert max(row["loss/ratio_std"] for row in late) > 1e-3


def test_the_loss_of_the_value_head_falls(build) -> None:
    algorithm = {"preset": "ppo", "epochs": 2}
    made = build(
        "loop",
        run={"iterations": 8},
        algorithm={**algorithm, "credit": {"gae": {"discount": 0.9, "lambda": 0.95}, "value": {"learning_rate": 5e-3}}},
    )
    made.run()
    losses = made.journalled.curve("value/loss")
    assert losses[-1] < 0.5 * losses[0]


def no_scale(batch: TrainBatch) -> float:
    """The loss of the value head in the unit of rewards."""
    return 1.0


@parametrised(update._value_scale, no_scale)
def test_what_values_do_to_the_model_does_not_depend_on_the_unit_of_rewards(collected, implementation, is_bug) -> None:
    made = collected(algorithm={"preset": "ppo"})
    batch = credited(made)
    batch.advantages = [0.0 * stream for stream in batch.advantages]
    found = []
    for unit in (2.0, 20.0):
        batch.value_targets = [np.full(segment.num_tokens, unit) for segment in batch.segments]
        torch.nn.init.constant_(made.model.value_head.weight, 0.01 * unit)
        with swapped(update, "_value_scale", implementation):
            gradient_of(made, batch)
        found.append(torch.cat([p.grad.flatten() for p in made.model.causal_lm.parameters()]))
    assert found[0].norm() > 0
    with noticed(is_bug):
        torch.testing.assert_close(found[1], found[0], rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize(
    "algorithm",
    [
        {"preset": "loop", "loss": {"kl_coefficient": 0.5}},
        {"preset": "ppo", "credit": {"kl_in_reward": 0.5}},
        {"preset": "reinforce_pp", "credit": {"kl_in_reward": 0.5}},
    ],
    ids=["in the loss", "in the reward of PPO", "in the reward of REINFORCE++"],
)
def test_a_kl_penalty_keeps_the_policy_near_the_reference(build, algorithm: dict) -> None:
    distances = []
    for is_on in (False, True):
        chosen = algorithm if is_on else {"preset": algorithm["preset"]}
        made = build("bandit", run={"iterations": 16}, algorithm=chosen, optimiser={"learning_rate": 0.01})
        reference = {name: p.detach().clone() for name, p in made.model.causal_lm.named_parameters()}
        made.run()
        groups = made.traced[-1][0]
        own = GroupLearner.score(made.learner, groups)
        made.model.causal_lm.load_state_dict(reference, strict=False)
        made.policy.load_weights(made.policy.model, 99)
        now = [segment.behaviour_logprobs[segment.completion_mask] for segment in own.segments]
        then, _ = score_segments(made.model, own.segments, made.config.packing, 1.0)
        before = [stream[s.completion_mask] for stream, s in zip(then, own.segments, strict=True)]
        distances.append(float(np.mean(np.concatenate(now) - np.concatenate(before))))
    assert distances[1] < 0.7 * distances[0]


@pytest.mark.parametrize("importance", ["token_tis", "token_mis", "seq_tis", "seq_mis", "geometric"])
def test_importance_weights_are_one_where_nothing_differs(collected, importance: str) -> None:
    made = collected(algorithm={"prox": "recompute", "importance": {"mode": importance}})
    assert made.journalled.rows[0]["loss/importance_mean"] == pytest.approx(1.0, abs=1e-3)
    assert made.journalled.rows[0]["loss/rejected"] == 0.0


@pytest.mark.parametrize(
    "model",
    [
        {"lora_rank": 2},
        {"autocast": True},
        {"gradient_checkpointing": True},
        {"dtype": "bfloat16"},
        {"dtype": "pure_bfloat16"},
    ],
    ids=str,
)
def test_models_of_every_kind_train(tmp_path: Path, model: dict) -> None:
    install(tmp_path / "suites", "arms")
    register_suites(tmp_path / "suites")
    config = toy_config("arms", run={"iterations": 2}, group={"tasks": 2, "size": 4}, model=model)
    train(config, tmp_path / "run")
    assert (tmp_path / "run" / "models" / "trained" / "model.safetensors").is_file()


def test_sampling_computes_as_learning_does_under_autocast(tmp_path: Path) -> None:
    install(tmp_path / "suites", "arms")
    register_suites(tmp_path / "suites")
    found = {}
    for name, model in {"autocast": {"autocast": True}, "master weights": {"dtype": "bfloat16"}}.items():
        train(toy_config("arms", run=ONE, model=model), tmp_path / name)
        with RunStore.open(tmp_path / name, read_only=True) as store:
            found[name] = store.metrics()["mismatch/k3"][1][0]
    assert found["autocast"] < 1e-4
    assert found["autocast"] == pytest.approx(found["master weights"], rel=1e-3)


def test_a_replayed_episode_of_weight_zero_adds_no_gradient(collected) -> None:
    loss = {"kl_coefficient": 0.5, "entropy_coefficient": 0.5}
    made = collected(algorithm={"loss": loss}, optimiser={"learning_rate": 1e-20, "max_grad_norm": 1e9})
    batch = credited(made)
    batch.reference_logprobs = [stream - 0.5 for stream in batch.reference_logprobs]
    batch.token_weights = [np.ones(segment.num_tokens) for segment in batch.segments]

    def gradient(of: TrainBatch) -> torch.Tensor:
        """The gradient of the loss summed over tokens."""
        learn(made.model, made.optimiser, of, made.config, seed=0, version=1)
        num_tokens = sum(int(segment.completion_mask.sum()) for segment in of.segments)
        return num_tokens * torch.cat([parameter.grad.flatten() for parameter in made.model.parameters()])

    is_fresh = np.arange(batch.num_sequences) != 1
    fresh = gradient(batch.keep(is_fresh))
    counted = gradient(batch)
    batch.trajectories[1].metadata[REPLAYED] = "earlier"
    for place in batch.segments_of(1):
        batch.token_weights[place][:] = 0.0
    torch.testing.assert_close(gradient(batch), fresh, rtol=1e-3, atol=1e-4)
    assert (counted - fresh).abs().max() > 1e-2

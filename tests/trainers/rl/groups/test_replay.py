"""Replay in training, end to end; traps D-18, D-26, D-28 and D-34, each with its bug as a planted variant."""

from __future__ import annotations

import contextlib
import itertools
from dataclasses import replace

import numpy as np
import pytest

from agentgym.errors import ContractError
from agentgym.message import content_text
from agentgym.prompting.renderer import ChatRenderer
from agentgym.store import RunStore
from agentgym_rl.core.demonstrations import with_tokens
from agentgym_rl.core.scoring import score_segments
from agentgym_rl.groups import replay as group_replay
from agentgym_rl.groups import weighing
from agentgym_rl.groups.replay_weights import replay_weights
from agentgym_rl.maths.options import ClippedLoss, NoImportance, ReinforceLoss, TokenTruncated
from agentgym_rl.replay import buffer as buffers
from agentgym_rl.replay.admission import record_tokenizer
from agentgym_rl.replay.hindsight import RELABELLED, Hindsight
from agentgym_rl.replay.index import ReplayIndex
from agentgym_rl.replay.successes import REPLAYED, is_replayed
from tests.trainers.rl.planted import noticed, parametrised, swapped
from tests.trainers.rl.replay.test_index import Ageless, columns_of_every_purpose
from tests.trainers.rl.toys import TracingTrainer, install, toy_config, toy_trainer

SMALL = {"tasks": 2, "size": 4}
SPARSE = {"toy": "codes", "task_config": {"length": 2}}
"""One episode in 16 succeeds by chance."""


@pytest.fixture
def play(tmp_path):
    """Trains on a toy with a store of its own and returns the trainer and the store."""
    numbers = itertools.count()
    with contextlib.ExitStack() as stack:

        def make(
            toy="codes", validate=None, num_tasks=2, task_config=None, goal=None, **tables
        ) -> tuple[TracingTrainer, RunStore]:
            folder = tmp_path / str(next(numbers))
            config = toy_config(toy, **{"group": SMALL, "optimiser": {"learning_rate": 0.01}, **tables})
            suite = install(folder, toy, num_tasks, task_config)
            store = stack.enter_context(RunStore.create(folder / "run", {"suite": suite.name}))
            trainer = toy_trainer(config, suite, folder / "run", store=store)
            trainer.validate, trainer.goal = validate, goal
            stack.callback(lambda: trainer.learner.close())
            trainer.run()
            return trainer, store

        yield make


def replaying(**replay):
    return {"algorithm": {"preset": "loop", "replay": replay}}


# Successes


def recomputed(prox, behaviour, *rest, **options):
    """D-18: the log-probabilities of a replayed sample are those of today, as if today's weights had sampled it."""
    return replay_weights(prox, prox, *rest, **options)


@parametrised(replay_weights, recomputed)
def test_a_replayed_success_counts_with_the_weight_of_its_samples(implementation, is_bug, play):
    """Trap D-18, end to end: W = min(exp(logp_now - logp_then), cap) and not 1, in the loss and in the baseline."""
    with swapped(weighing, "replay_weights", implementation):
        trainer, _ = play(**SPARSE, run={"iterations": 16}, **replaying(kind="successes", max_weight=1.5))
    filled = [(batch, version) for _, batch, version in trainer.traced if any(map(is_replayed, batch.trajectories))]
    assert len(filled) >= 3
    weights = []
    for batch, version in filled:
        index = next(place for place, each in enumerate(batch.trajectories) if is_replayed(each))
        member = batch.trajectories[index]
        assert member.success
        assert all(turn.version < version for turn in member.turns)
        recorded = np.concatenate([turn.behaviour_logprobs for turn in member.turns]).astype(np.float64)
        prox, found = batch.sampled(batch.prox_logprobs, index), batch.sampled(batch.token_weights, index)
        with noticed(is_bug):
            np.testing.assert_allclose(found, np.minimum(np.exp(prox - recorded), 1.5), rtol=1e-6)
        assert batch.baseline_weights == {member.id: pytest.approx(found.mean())}
        fresh = [place for place in range(batch.num_sequences) if place != index]
        assert all((batch.sampled(batch.token_weights, place) == 1).all() for place in fresh)
        weights.append(found)
    flat = np.concatenate(weights)
    with noticed(is_bug):
        assert np.abs(flat - 1).max() > 0.05


def test_the_group_that_was_filled_is_learnt_from(play):
    trainer, store = play(**SPARSE, run={"iterations": 12}, **replaying(kind="successes"))
    rows = [row for row in trainer.journalled.rows if row.get("replay/drawn")]
    assert rows
    for row in rows:
        assert row["replay/lag_max"] >= 1
        assert row["replay/age_max"] >= 1
        assert 0 < row["replay/effective_share"] <= 1
    for groups, _, _ in trainer.traced:
        for group in groups:
            added = [member for member in group.members if REPLAYED in member.metadata]
            assert len(added) == (1 if len(group.members) > 4 else 0)
            assert not added or not any(member.success for member in group.members[:4])
    stored = [one.id for one in store.episodes(with_tokens=False, purpose="train")]
    assert len(stored) == 12 * 8, "what is replayed is not stored again"


def test_log_probabilities_of_replayed_samples_are_scored_by_the_weights_of_the_update(play):
    trainer, _ = play(
        **SPARSE, run={"iterations": 16}, optimiser={"learning_rate": 1e-20}, **replaying(kind="successes")
    )
    batch = next(batch for _, batch, _ in reversed(trainer.traced) if any(map(is_replayed, batch.trajectories)))
    trainer.model.eval()
    scored, _ = score_segments(trainer.model, batch.segments, trainer.config.packing, 1.0)
    for mine, theirs, segment in zip(batch.prox_logprobs, scored, batch.segments, strict=True):
        mask = segment.completion_mask
        np.testing.assert_allclose(mine[mask], theirs[mask], atol=1e-4)


def test_a_success_of_another_run_that_fits_into_no_row_is_left_out(play, tmp_path):
    """Longer episodes of an earlier run would else stop this one where they are packed."""
    longer, store = play(run={"iterations": 1})
    episodes = list(store.episodes(purpose="train"))
    with RunStore.create(tmp_path / "earlier", {"suite": "toys/codes"}) as earlier:
        record_tokenizer(earlier, longer.policy.tokenizer)
        for one in episodes:
            earlier.write_episode(replace(one, id=f"solved-{one.id}", success=True), 1)
    row_length = max(segment.num_tokens for one in episodes for segment in one.segments()) - 1
    trainer, _ = play(
        **SPARSE,
        run={"iterations": 2},
        packing={"row_length": row_length, "micro_batch_tokens": 4096},
        **replaying(kind="successes", runs=[str(tmp_path / "earlier")]),
    )
    rows = trainer.journalled.rows
    assert sum(row["replay/too_long"] for row in rows) > 0
    assert not any(
        is_replayed(member) for groups, _, _ in trainer.traced for group in groups for member in group.members
    )


def test_versions_of_another_run_are_no_mismatch_of_sampling_and_training(play, tmp_path):
    """Its version 0 is of other weights than this run's."""
    other, store = play(**SPARSE, run={"iterations": 1, "seed": 1})
    with RunStore.create(tmp_path / "earlier", {"suite": "toys/codes"}) as earlier:
        record_tokenizer(earlier, other.policy.tokenizer)
        for one in store.episodes(purpose="train"):
            earlier.write_episode(replace(one, id=f"solved-{one.id}", success=True), 1)
    trainer, _ = play(
        **SPARSE,
        run={"iterations": 1},
        group={**SMALL, "dynamic_sampling": "keep"},
        **replaying(kind="successes", runs=[str(tmp_path / "earlier")]),
    )
    [row] = trainer.journalled.rows
    assert row["replay/drawn"] > 0
    assert row["mismatch/max"] < 1e-3


@pytest.mark.parametrize("kind", ["successes", "imitation", "return_weighted"])
def test_tasks_of_another_run_that_are_learnt_from_count_as_seen(kind, play, tmp_path):
    """A task may have left the suite since: what was replayed of it must still not be tested on."""
    other, store = play(**SPARSE, run={"iterations": 1, "seed": 1})
    with RunStore.create(tmp_path / "earlier", {"suite": "toys/codes"}) as earlier:
        record_tokenizer(earlier, other.policy.tokenizer)
        for one in store.episodes(purpose="train"):
            earlier.write_episode(replace(one, id=f"solved-{one.id}", success=True, content_hash="of then"), 1)
    trainer, _ = play(
        **SPARSE,
        run={"iterations": 1},
        group={**SMALL, "dynamic_sampling": "keep"},
        **replaying(kind=kind, runs=[str(tmp_path / "earlier")]),
    )
    assert trainer.journalled.rows[0]["replay/drawn"] > 0
    assert "of then" in trainer.state.seen_hashes


def test_groups_under_attribution_are_filled_too(play):
    algorithm = {"preset": "mt_grpo", "replay": {"kind": "successes"}}
    trainer, _ = play(**SPARSE, run={"iterations": 12}, algorithm=algorithm)
    assert any(row.get("replay/drawn") for row in trainer.journalled.rows)


# Imitation, and by return

IMITATION = {"kind": "imitation", "episodes": 6, "max_age": 2, "ramp": 4}


@parametrised(ReplayIndex, Ageless)
def test_what_is_older_than_allowed_is_never_learnt_from(implementation, is_bug, play):
    """Trap D-28 (ageing), end to end."""
    with swapped(buffers, "ReplayIndex", implementation):
        trainer, _ = play("bandit", run={"iterations": 8}, **replaying(**IMITATION))
    rows = [row for row in trainer.journalled.rows if row["replay/drawn"]]
    assert len(rows) >= 4
    with noticed(is_bug):
        assert max(row["replay/age_max"] for row in rows) == 2.0
        assert all(row["replay/turns"] <= 2 * 16 for row in trainer.journalled.rows)


def test_equal_returns_are_drawn_without_preference(play):
    """Trap D-28 (ties): in this toy all that is worth imitating returned 1."""
    trainer, _ = play("bandit", run={"iterations": 8}, **replaying(kind="imitation", episodes=64))
    rows = [row for row in trainer.journalled.rows if row["replay/drawn"]]
    assert rows
    assert all(row["replay/return"] == 1.0 for row in rows)
    assert max(row["replay/distinct_share"] for row in rows) > 0.2


def test_the_replayed_loss_is_ramped_up_beside_the_fresh_one(play):
    trainer, _ = play("bandit", run={"iterations": 6}, **replaying(**IMITATION))
    rows = trainer.journalled.rows
    assert [row["replay/coefficient"] for row in rows] == pytest.approx([0, 0.1464466, 0.5, 0.8535534, 1, 1])
    assert all("replay/loss" not in row for row in rows[:1])
    later = rows[-1]
    assert later["replay/tokens"] == 2 * later["replay/drawn"]
    assert later["replay/ratio_mean"] == pytest.approx(1.0, abs=1e-4), "the ratio is of the update, W of the sample"
    assert later["replay/weight_mean"] != pytest.approx(1.0, abs=1e-4)


def weighs_twice():
    """D-18: the run's own correction for the engine is put on top of the weights of replay."""
    return TokenTruncated()


@parametrised(NoImportance, weighs_twice)
def test_a_replayed_token_is_weighed_once(implementation, is_bug, play):
    """Trap D-18: W corrects for all that lies between sampling and now, the engine's mismatch with it."""
    replay = {"kind": "imitation", "episodes": 16, "covariance": {"share": 0.0}}
    algorithm = {"preset": "loop", "prox": "recompute", "importance": {"mode": "token_tis"}, "replay": replay}
    with swapped(group_replay, "NoImportance", implementation):
        trainer, _ = play("bandit", run={"iterations": 6}, algorithm=algorithm)
    rows = [row for row in trainer.journalled.rows if row["replay/drawn"]]
    assert abs(rows[-1]["replay/weight_mean"] - 1) > 1e-3
    with noticed(is_bug):
        for row in rows:
            assert row["replay/importance_mean"] == pytest.approx(row["replay/weight_mean"], rel=1e-5)


def test_tokens_of_high_covariance_are_left_out_of_both_losses(play):
    band = {"share": 0.25, "low": 1e-6, "high": 1e6}
    replay = {"kind": "imitation", "episodes": 16, "covariance": band, "fresh_covariance": band}
    trainer, _ = play("bandit", run={"iterations": 5}, **replaying(**replay))
    rows = [row for row in trainer.journalled.rows if row["replay/drawn"] and "replay/rejected" in row]
    assert rows
    assert max(row["replay/fresh_covariance_share"] for row in rows) == pytest.approx(0.25, abs=0.05)
    for row in rows:
        assert row["loss/rejected"] == pytest.approx(row["replay/fresh_covariance_share"])
        assert row["replay/rejected"] == pytest.approx(row["replay/covariance_share"])


def test_returns_decide_what_is_drawn_and_the_task_what_is_better(play):
    replay = {"kind": "return_weighted", "episodes": 32, "temperature": 0.05}
    trainer, _ = play("bandit", run={"iterations": 5}, **replaying(**replay))
    rows = [row for row in trainer.journalled.rows if row["replay/drawn"]]
    assert rows
    assert all(row["replay/return"] == 1.0 for row in rows)


def test_other_algorithms_replay_too(play):
    algorithm = {"preset": "ppo", "replay": {"kind": "imitation", "episodes": 4}}
    trainer, _ = play("bandit", run={"iterations": 3}, algorithm=algorithm)
    assert trainer.journalled.rows[-1]["replay/tokens"] > 0
    assert "value/loss" in trainer.journalled.rows[-1]


# Hindsight


class KeepsThePrompts(Hindsight):
    """D-26: the reward is that of the new goal, the observations still speak of the old one."""

    def _record(self, played, source):
        made = super()._record(played, source)
        turns = [
            replace(turn, messages=old.messages, prompt_ids=old.prompt_ids)
            for turn, old in zip(made.turns, source.turns, strict=True)
        ]
        return replace(made, turns=turns)


class KeepsTheLogprobs(Hindsight):
    """D-26: the log-probabilities of the old prompt are kept for the new one."""

    def _record(self, played, source):
        made = super()._record(played, source)
        pairs = zip(made.turns, source.turns, strict=True)
        turns = [replace(turn, behaviour_logprobs=old.behaviour_logprobs) for turn, old in pairs]
        return replace(made, turns=turns)


HINDSIGHT = {"hindsight": {"strategy": "final", "episodes": 8}}


@parametrised(Hindsight, KeepsThePrompts, KeepsTheLogprobs)
def test_failures_become_successes_at_what_they_reached(implementation, is_bug, play):
    """Trap D-26, end to end: stored episodes speak of the new goal in every prompt and have no ratio."""
    with swapped(buffers, "Hindsight", implementation):
        trainer, store = play(run={"iterations": 3}, num_tasks=16, **replaying(**HINDSIGHT))
    by_id = {one.id: one for one in store.episodes(purpose="train")}
    made = [one for one in by_id.values() if RELABELLED in one.metadata]
    failed = [one for one in by_id.values() if RELABELLED not in one.metadata and not one.success]
    assert len(made) == len(failed) > 12
    renderer = ChatRenderer(trainer.policy.tokenizer)
    for one in made:
        source = by_id[one.metadata[RELABELLED]]
        code = one.task_id.rpartition("-")[2]
        wanted = [f"cell {'abcd'[int(letter)]}" for letter in code]
        with noticed(is_bug and implementation is KeepsThePrompts and wanted != _seen(source)):
            assert _seen(one) == wanted
            fresh = with_tokens([one], renderer, [])[0]
            assert [t.prompt_ids.tolist() for t in one.turns] == [t.prompt_ids.tolist() for t in fresh.turns]
        with noticed(is_bug and implementation is KeepsTheLogprobs):
            assert all(turn.behaviour_logprobs is None and turn.version == -1 for turn in one.turns)
        assert one.is_derived
        assert (one.success, one.total_reward, one.split) == (True, 1.0, "train")
        assert [turn.text for turn in one.turns] == [turn.text for turn in source.turns]
        assert one.content_hash in trainer.state.seen_hashes


def _seen(trajectory):
    return [content_text(turn.messages[-1]) for turn in trajectory.turns]


def with_a_ratio():
    """D-26: what has no log-probabilities goes into the clipped loss as if its ratio were known."""
    return ClippedLoss()


@parametrised(ReinforceLoss, with_a_ratio)
def test_what_was_relabelled_is_cloned_without_a_ratio(implementation, is_bug, play):
    """Trap D-26: -log pi, a mean over tokens, and nothing of it depends on recorded log-probabilities."""
    with swapped(group_replay, "ReinforceLoss", implementation):
        trainer, _ = play(run={"iterations": 2}, num_tasks=16, **replaying(**HINDSIGHT))
    rows = [row for row in trainer.journalled.rows if row["hindsight/drawn"]]
    assert rows
    with noticed(is_bug):
        assert all(row["hindsight/loss"] > 1.0 for row in rows), "nats a token of a model that knows nothing"
    assert all(row["hindsight/importance_mean"] == 1.0 for row in rows)
    assert rows[-1]["hindsight/derived_share"] == 1.0


def test_what_fits_into_no_row_is_left_out(play):
    """The prompts of another goal may be longer than those that were played."""
    tables = {"packing": {"row_length": 30, "micro_batch_tokens": 60}}
    made = Hindsight._record

    def longer(self, played, source):
        record = made(self, played, source)
        turns = [replace(turn, prompt_ids=np.tile(turn.prompt_ids, 4)) for turn in record.turns]
        return replace(record, turns=turns)

    with swapped(Hindsight, "_record", longer):
        trainer, _ = play(run={"iterations": 2}, num_tasks=16, **tables, **replaying(**HINDSIGHT))
    assert [row["hindsight/too_long"] for row in trainer.journalled.rows] == [8.0, 8.0]
    assert [row["hindsight/drawn"] for row in trainer.journalled.rows] == [0.0, 0.0]


def test_groups_never_take_in_what_was_relabelled(play):
    replay = {"kind": "successes", **HINDSIGHT}
    trainer, _ = play(**SPARSE, run={"iterations": 10}, **replaying(**replay))
    members = [member for groups, _, _ in trainer.traced for group in groups for member in group.members]
    assert any(map(is_replayed, members))
    assert not any(member.is_derived for member in members)


# What enters

OURS = RunStore.columns


@parametrised(OURS, columns_of_every_purpose)
def test_evaluating_changes_nothing_of_training_with_replay(implementation, is_bug, play, monkeypatch):
    """Trap D-34: episodes of validation never enter a buffer."""

    def validate(trainer):
        for member in trainer.traced[-1][0][0].members:
            copy = replace(member, id=f"{member.id}-seen", group_id="", task_id="toys/bandit:validation-000")
            trainer.store.write_episode(copy, trainer.state.iteration, "validation")

    monkeypatch.setattr(RunStore, "columns", implementation)
    tables = {"run": {"iterations": 5}, "validation": {"every": 1}, **replaying(kind="imitation", episodes=6)}
    alone, beside = (play("bandit", validate=each, **tables)[0] for each in (None, validate))
    rows = [
        [{k: v for k, v in row.items() if "time/" not in k} for row in made.journalled.rows] for made in (alone, beside)
    ]
    with noticed(is_bug):
        assert rows[0] == rows[1]


def test_rewards_that_are_no_numbers_never_enter(play):
    """Trap D-16, with replay on."""
    tables = {"run": {"iterations": 3}, "rollout": {"retries": 0, "max_fault_share": 1.0}}
    trainer, store = play("bandit", task_config={"nan": 0.5}, **tables, **replaying(kind="imitation", episodes=4))
    graded = [one for one in store.episodes(with_tokens=False) if one.outcome.is_graded]
    assert 4 < len(graded) < 24
    assert trainer.journalled.rows[-1]["replay/episodes"] == len(graded)


def test_replay_without_a_store_is_refused(tmp_path):
    config = toy_config("bandit", **replaying(kind="imitation"))
    with pytest.raises(ContractError, match="needs the run's store"):
        toy_trainer(config, install(tmp_path, "bandit"), tmp_path / "run")


def test_without_replay_nothing_is_kept(play):
    trainer, _ = play("bandit", run={"iterations": 1})
    assert trainer.learner.parts() == {}
    assert not any(name.startswith(("replay/", "hindsight/")) for name in trainer.journalled.rows[0])


# Learning

CODES = {"run": {"iterations": 40}, "group": {"tasks": 4, "size": 8}, "optimiser": {"learning_rate": 0.01}}


@pytest.mark.slow
def test_hindsight_learns_what_is_hardly_ever_reached_by_chance(play):
    """Three letters of four each: groups alone stay at the start for as long."""
    hindsight = {"hindsight": {"strategy": "final", "episodes": 64}}
    tables = CODES | {"optimiser": {"learning_rate": 5e-3}}
    her = {"preset": "her", "minibatches": 4, "replay": hindsight}
    helped, _ = play(num_tasks=64, **tables, algorithm=her, goal=0.7)
    assert helped.success() > 0.7
    tables["run"] = {"iterations": len(helped.journalled.rows)}
    alone, _ = play(num_tasks=64, **tables, algorithm={"preset": "loop", "minibatches": 4})
    assert alone.success() < 0.3


@pytest.mark.slow
def test_a_success_that_is_kept_is_learnt_from_again(play):
    alone, _ = play(num_tasks=4, **CODES, algorithm={"preset": "grpo"})
    helped, _ = play(num_tasks=4, **CODES, algorithm={"preset": "arpo"})
    assert helped.success() > alone.success() + 0.2

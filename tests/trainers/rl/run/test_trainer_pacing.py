"""What the training loop promises about time: staleness, order, starvation, evaluation beside it, and bootstrapping."""

from __future__ import annotations

import itertools
import threading
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agentgym.action import Action
from agentgym.env import EnvReply
from agentgym.errors import HeldOutError, LearningStalledError, TaskError
from agentgym.evaluation import EvaluationSettings, evaluate
from agentgym.rollout import GroupCollector, RolloutEngine, draw_seed, shuffled_tasks
from agentgym.rollout.step_pool import Call, StepPool
from agentgym.suite import Suite
from agentgym.trajectory import Group
from agentgym_rl.groups import credit
from agentgym_rl.maths.gae import turn_gae
from agentgym_rl.run import trainer
from agentgym_rl.run.trainer import Trainer, make_optimiser, schedule
from tests.trainers.rl.planted import CollectorOfTheFirst, noticed, parametrised, swapped
from tests.trainers.rl.toys import Loop, TracingTrainer, toy_config

FROZEN = {"learning_rate": 1e-12}
UNEVEN = {
    "task_config": {"lengths": 8, "wait_s": 0.02},
    "limits": {"max_turns": 9, "step_timeout_s": 120.0},
    "rollout": {"env_threads": 16},
}
"""Episodes of one to eight turns, the same number for all of a group; each has a thread."""


class CollectorThatNeverWaits(GroupCollector):
    """D-21: a place in flight is filled as soon as it is free, though the batch is still being handed out."""

    def collect(self, num_groups: int, on_episode: Any = None) -> list[Group]:
        groups: list[Group] = []
        for _ in range(num_groups):
            self._admit(self._max_in_flight)
            while len(self._in_flight[0].finished) < self._group_size:
                self._take(on_episode)
                self._admit(self._max_in_flight)
            groups += self._in_flight.popleft().groups()
        self._engine.settle()
        return groups


def hold_across_an_update(made: TracingTrainer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A group of the last batch in flight takes its first turn, and no second one until the weights have changed."""
    group = made.config.group
    stream = shuffled_tasks(made.suite.train_tasks(), draw_seed(0, "tasks"), start=group.staleness * group.tasks)
    held = next(task.seed for task in itertools.islice(stream, group.tasks) if 3 * task.seed % 8)
    updated, publish, respond = threading.Event(), made.publish, Loop.respond

    def published() -> None:
        publish()
        updated.set()

    def holding(env: Loop, action: Action) -> EnvReply:
        assert env.task is not None
        if env.task.seed == held:
            assert updated.wait(100), "the first batch waits for one behind it"
        return respond(env, action)

    monkeypatch.setattr(made, "publish", published)
    monkeypatch.setattr(Loop, "respond", holding)


@pytest.mark.parametrize("staleness", [0, 1, 2])
@parametrised(GroupCollector, CollectorThatNeverWaits)
def test_no_token_is_staler_than_allowed_and_nothing_is_thrown_away(
    build, staleness: int, monkeypatch: pytest.MonkeyPatch, implementation, is_bug: bool
) -> None:
    """Trap D-21."""
    made = build("loop", **UNEVEN, run={"iterations": 6}, group={"staleness": staleness, "tasks": 3, "size": 4})
    if staleness:
        hold_across_an_update(made, monkeypatch)
    with swapped(trainer, "GroupCollector", implementation):
        made.run()
    lags = [
        version - turn.version
        for groups, _, version in made.traced
        for group in groups
        for member in group.members
        for turn in member.turns
    ]
    with noticed(is_bug):
        assert max(lags) == staleness
        assert min(lags) >= 0
    if staleness:
        episodes = [m for groups, _, _ in made.traced for g in groups for m in g.members]
        assert any(len({turn.version for turn in each.turns}) > 1 for each in episodes)
    trained = [group.id for groups, _, _ in made.traced for group in groups]
    assert trained == [f"g{number:06d}" for number in range(18)]
    assert {len(group.members) for groups, _, _ in made.traced for group in groups} == {4}


def test_the_versions_of_a_segment_are_those_of_its_turns(build, monkeypatch: pytest.MonkeyPatch) -> None:
    """Trap D-21: weights change in the middle of an episode."""
    made = build("loop", **UNEVEN, run={"iterations": 4}, group={"staleness": 2, "tasks": 2, "size": 2})
    hold_across_an_update(made, monkeypatch)
    made.run()
    mixed = 0
    for _, batch, _ in made.traced:
        for index, trajectory in enumerate(batch.trajectories):
            by_turn = {turn.index: turn.version for turn in trajectory.turns}
            for segment in (batch.segments[place] for place in batch.segments_of(index)):
                mask = segment.completion_mask
                assert segment.versions[mask].tolist() == [by_turn[turn] for turn in segment.turn_index[mask]]
                assert set(segment.versions[~mask]) <= {-1}
                mixed += len(set(segment.versions[mask])) > 1
    assert mixed


def never_settling(self: RolloutEngine) -> None:
    """D-23: weights change while the policy is at work with them."""


@parametrised(RolloutEngine.settle, never_settling)
def test_weights_change_only_while_no_policy_is_at_work(
    build, implementation, is_bug: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Traps D-23 and D-33: environment calls may be running, and go on under the new weights."""
    made = build(
        "loop",
        limits={"max_turns": 2, "step_timeout_s": 120.0},
        run={"iterations": 2},
        group={"staleness": 1, "tasks": 1, "size": 2},
        rollout={"env_threads": 8},
    )
    first = next(iter(shuffled_tasks(made.suite.train_tasks(), draw_seed(0, "tasks")))).seed
    both_finish, is_busy, publishes = threading.Barrier(2), threading.Event(), threading.Event()
    first_finishes, published, busy = threading.Event(), [0], [0]
    generate, publish, respond = made.policy.generate, made.publish, Loop.respond

    def holding(env: Loop, action: Action) -> EnvReply:
        """The first group ends once the policy is at work for the second."""
        assert env.task is not None
        if env.task.seed != first:
            assert first_finishes.wait(100)
        elif env.turn == 1:
            both_finish.wait(100)
            first_finishes.set()
            assert is_busy.wait(100)
        return respond(env, action)

    def slow(requests: Any) -> Any:
        busy[0] += 1
        try:
            if first_finishes.is_set():
                is_busy.set()
                publishes.wait(100) if is_bug else time.sleep(0.05)
            return generate(requests)
        finally:
            busy[0] -= 1

    def watched() -> None:
        publishes.set()
        assert busy[0] == 0
        published[0] += 1
        publish()

    monkeypatch.setattr(Loop, "respond", holding)
    made.policy.generate, made.publish = slow, watched
    with noticed(is_bug), swapped(RolloutEngine, "settle", implementation):
        made.run()
    assert is_bug or published == [2]


class HangingSuite(Suite):
    """The last task of the second batch of two hangs."""

    def train_tasks(self) -> Any:
        tasks = super().train_tasks()
        last = next(shuffled_tasks(tasks, draw_seed(0, "tasks"), start=3))
        return tuple(replace(task, config={**task.config, "hangs": 1.0}) if task is last else task for task in tasks)


def settle_for_everything(self: RolloutEngine) -> None:
    """D-33: an update waits for environment calls too."""
    while self._pool.num_pending:
        call = self._pool.next()
        if call is not None:
            call.then(call)


@parametrised(RolloutEngine.settle, settle_for_everything)
def test_a_call_that_hangs_does_not_hold_up_an_update(
    build, implementation, is_bug: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Trap D-33: samples that are blocked in their environment are reported, and weights change meanwhile."""
    made = build(
        "bandit",
        limits={"step_timeout_s": 0.5},
        run={"iterations": 3},
        group={"staleness": 1, "tasks": 2, "size": 4},
        rollout={"max_fault_share": 0.9, "env_threads": 8, "retries": 0},
    )
    made.train_on(HangingSuite)
    blocked: list[int] = []
    overdue = StepPool._overdue

    def overdue_after_an_update(pool: StepPool) -> Call | None:  # however long a busy machine takes for the first
        return overdue(pool) if blocked or is_bug else None

    monkeypatch.setattr(StepPool, "_overdue", overdue_after_an_update)

    def watched(engine: RolloutEngine) -> None:
        implementation(engine)
        running = [call for call in engine._calls.values() if call.started and not call.is_finished]
        blocked.append(len(running))

    began = time.monotonic()
    with swapped(RolloutEngine, "settle", watched):
        made.run()
    assert time.monotonic() - began < 100
    assert len(made.traced) == len(blocked) == 3
    missing = [record for groups, _, _ in made.traced for group in groups for record in group.missing]
    assert {str(record.outcome) for record in missing} == {"infrastructure:StepTimeoutError"}
    with noticed(is_bug):
        assert blocked[0] == 4


@parametrised(GroupCollector, CollectorOfTheFirst)
def test_fast_episodes_are_not_favoured(build, implementation, is_bug: bool) -> None:
    """Trap D-22: the arm that pays takes longer; as many pull it as where nobody waits for anybody."""
    rates = []
    for staleness in (0, 3):
        made = build(
            "arms",
            task_config={"wait_s": 0.1},
            run={"iterations": 1},
            group={"staleness": staleness, "tasks": 6, "size": 2},
            optimiser=FROZEN,
            rollout={"env_threads": 64},
        )
        with swapped(trainer, "GroupCollector", implementation if staleness else GroupCollector):
            made.run()
        rates.append(made.journalled.curve("success/mean"))
    with noticed(is_bug):
        assert rates[0] == rates[1]


# Dynamic sampling


def collect_for_ever(self: Trainer, collector: GroupCollector) -> list[Group]:
    """D-30: sampling goes on until there is variance."""
    groups: list[Group] = []
    while sum(self._has_signal(group) for group in groups) < self.config.group.tasks:
        groups += self._collect_once(collector)
    return groups


def collect_what_there_is(self: Trainer, collector: GroupCollector) -> list[Group]:
    """D-30: too few groups, or none at all, make an iteration too."""
    groups = self._collect_once(collector)
    return groups + self._collect_once(collector)


@pytest.mark.parametrize("staleness", [0, 1])
@parametrised(Trainer.collect, collect_for_ever, collect_what_there_is)
def test_refilling_gives_up_where_no_task_teaches_anything(build, staleness: int, implementation, is_bug: bool) -> None:
    """Trap D-30."""
    group = {"dynamic_sampling": "refill", "max_refills": 2, "tasks": 3, "size": 2, "staleness": staleness}
    made = build("arms", task_config={"impossible": True}, group=group)
    collected: list[int] = []
    collect_once = made._collect_once

    def counted(collector: GroupCollector) -> list[Group]:
        collected.append(1)
        assert len(collected) <= 10, "starved"
        return collect_once(collector)

    made._collect_once = counted
    with swapped(Trainer, "collect", implementation), noticed(is_bug):
        try:
            made.run()
        except LearningStalledError as stalled:
            message = str(stalled)
        else:
            raise AssertionError("an iteration without variance was trained")
        assert "2 collections of 3 groups gave 0 groups" in message
        assert "easier tasks" in message
        assert len(collected) == 2


def test_dynamic_sampling_keeps_drops_or_refills_flat_groups(build) -> None:
    counts = {}
    for mode in ("keep", "drop", "refill"):
        made = build("arms", run={"iterations": 1}, group={"dynamic_sampling": mode, "tasks": 8, "size": 2})
        made.run()
        row = made.journalled.rows[0]
        counts[mode] = (row["groups/trained_episodes"], row["groups/zero_variance_share"])
    assert counts["keep"] == (16, counts["drop"][1])
    assert counts["drop"][0] == 16 * (1 - counts["drop"][1]) < 16
    assert counts["refill"] == (16, 0.0)
    assert row["episodes"] > 16, "what is reported is about all groups that were collected, not those with variance"


def test_a_run_without_signal_stops_with_advice(build) -> None:
    made = build("arms", task_config={"impossible": True}, watch={"max_zero_variance_iterations": 3})
    with pytest.raises(LearningStalledError, match=r"last 3 iterations.*Choose easier tasks"):
        made.run()
    assert made.state.iteration == 3


@pytest.mark.parametrize("preset", ["ppo", "reinforce_pp"])
def test_groups_of_one_that_a_critic_or_the_batch_compares_are_no_stall(build, preset: str) -> None:
    group, watch = {"tasks": 16, "size": 1}, {"max_zero_variance_iterations": 2}
    made = build("arms", algorithm={"preset": preset}, run={"iterations": 4}, group=group, watch=watch)
    made.run()
    assert made.state.iteration == 4
    assert made.state.flat_iterations == 0


def test_a_run_of_invalid_actions_stops_with_advice(build) -> None:
    made = build("strict", task_config={"words": []}, watch={"max_invalid_iterations": 2})
    with pytest.raises(LearningStalledError, match=r"last 2 iterations ended as invalid.*Warm-start"):
        made.run()
    assert made.state.iteration == 2


# The train guard, and evaluation beside training


class LeakySuite(Suite):
    """A suite that takes the test split for the train split."""

    def train_tasks(self) -> Any:
        return self.tasks("test")


def test_held_out_tasks_are_refused(build) -> None:
    made = build("bandit")
    made.train_on(LeakySuite)
    with pytest.raises(HeldOutError, match="held out from training"):
        made.run()
    assert made.state.seen_hashes == set()


def test_seen_hashes_are_those_of_the_trained_groups(build) -> None:
    made = build("bandit", run={"iterations": 2}, group={"tasks": 3, "size": 2})
    made.run()
    trained = {member.content_hash for groups, _, _ in made.traced for group in groups for member in group.members}
    assert made.state.seen_hashes == trained
    assert len(trained) == 6


def evaluation_beside(made: TracingTrainer) -> float:
    settings = EvaluationSettings(limit=2, rollout=made.config.rollout)
    return evaluate(made.policy, made.suite, "validation", settings).success.mean


def evaluation_that_publishes(made: TracingTrainer) -> float:
    """D-34: the evaluation leaves weights of its own to the trainer."""
    made.publish()
    return evaluation_beside(made)


@parametrised(evaluation_beside, evaluation_that_publishes)
def test_evaluating_changes_nothing_of_training(build, implementation, is_bug: bool) -> None:
    """Trap D-34."""
    tables = {"run": {"iterations": 4}, "validation": {"every": 1}, "group": {"tasks": 2, "size": 4}}
    alone, beside = build("key-door", **tables), build("key-door", **tables)
    beside.validate = implementation
    alone.run()
    beside.run()
    rows = [[untimed(row) for row in made.journalled.rows] for made in (alone, beside)]
    versions = [
        [turn.version for gs, _, _ in made.traced for g in gs for m in g.members for turn in m.turns]
        for made in (alone, beside)
    ]
    with noticed(is_bug):
        assert rows[0] == rows[1]
        assert versions[0] == versions[1]
    splits = Counter(m.split for groups, _, _ in beside.traced for group in groups for m in group.members)
    assert set(splits) == {"train"}


def untimed(row: dict[str, float]) -> dict[str, float]:
    return {name: value for name, value in row.items() if not name.startswith("time/")}


# Values


def turn_gae_that_ends_at_the_limit(rewards, values, turn_index, final_value, config):
    """D-13: a time limit treated as an end."""
    return turn_gae(rewards, values, turn_index, None, config)


@pytest.mark.slow
@parametrised(turn_gae, turn_gae_that_ends_at_the_limit)
def test_the_value_of_a_loop_is_that_of_going_on(build, implementation, is_bug: bool) -> None:
    """Trap D-13: reward 1 a step, discount 0.9, a limit of 5 turns: V = 10; 4.1 if the limit were the end."""
    made = build(
        "loop",
        run={"iterations": 13},
        group={"tasks": 2, "size": 2},
        rollout={"history": "last:1"},
        algorithm={
            "preset": "ppo",
            "credit": {
                "gae": {"discount": 0.9, "lambda": 1.0},
                "value": {"learning_rate": 0.01, "coefficient": 1.0},
            },
            "epochs": 8,
        },
        optimiser={"learning_rate": 1e-6, "max_grad_norm": 100.0},
    )
    with swapped(credit, "turn_gae", implementation):
        made.run()
    [*_, (_, batch, _)] = made.traced
    values = np.concatenate([v[s.completion_mask] for v, s in zip(batch.old_values, batch.segments, strict=True)])
    with noticed(is_bug):
        assert values.mean() == pytest.approx(10.0, abs=1.0)


# Schedules


def test_the_learning_rate_warms_up_and_decays_to_a_tenth() -> None:
    config = toy_config("bandit", run={"iterations": 12}, optimiser={"warmup": 2, "decay": "linear"})
    factors = [schedule(iteration, config) for iteration in range(12)]
    assert factors[:3] == pytest.approx([1 / 3, 2 / 3, 1.0])
    assert np.diff(factors[2:]) == pytest.approx([-0.1] * 9)
    assert factors[-1] == pytest.approx(0.1)
    cosine = toy_config("bandit", run={"iterations": 11}, optimiser={"decay": "cosine"})
    assert schedule(0, cosine) == 1.0
    assert schedule(5, cosine) == pytest.approx(0.55)
    assert schedule(10, cosine) == pytest.approx(0.1)
    assert schedule(7, toy_config("bandit")) == 1.0


def test_the_value_head_has_a_learning_rate_of_its_own(build) -> None:
    made = build("bandit", algorithm={"preset": "ppo", "credit": {"value": {"learning_rate": 0.3}}})
    policy, value = make_optimiser(made.model, made.config).param_groups
    assert (policy["peak"], value["peak"]) == (2e-3, 0.3)
    assert sum(parameter.numel() for parameter in value["params"]) == 96 + 1
    assert len(policy["params"]) == len(list(made.model.causal_lm.parameters()))


def test_a_suite_without_train_tasks_is_refused(build, tmp_path: Path) -> None:
    made = build("bandit")
    (made.suite.folder / "train.jsonl").write_text("")
    made.train_on(Suite)
    with pytest.raises(TaskError, match="the train split of 'toys/bandit' is empty"):
        made.run()
    assert isinstance(made, Trainer)

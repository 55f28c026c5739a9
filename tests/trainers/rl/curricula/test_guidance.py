"""Hints where a whole group failed: sampled with, trained without, weighted by the difference."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agentgym.registration import EnvSpec
from agentgym.reward import BLAME, RewardEvent
from agentgym.rollout.episode import Episode
from agentgym.task import Task
from agentgym.trajectory import HINT, Segment, Trajectory
from agentgym_rl.core.config.curriculum import GuidanceConfig
from agentgym_rl.core.scoring import score_segments
from agentgym_rl.curricula.guidance import Guidance
from agentgym_rl.curricula.plan import Plan, Result
from agentgym_rl.groups import update
from tests.trainers.rl.planted import noticed, parametrised, swapped
from tests.trainers.rl.steps import install_steps, steps_trainer

TASKS = tuple(Task(f"toys/steps:{number}", number) for number in range(4))
WEIGHTED = {"prox": "recompute", "importance": {"mode": "token_tis", "max_weight": 1.5}}


def result(task: Task, successes: int, attempts: int = 4, **plan) -> Result:
    return Result(Plan(0, task, **plan), (), attempts, successes, 0)


def test_the_hint_fades_as_the_group_succeeds() -> None:
    guidance = Guidance(GuidanceConfig(share=1.0, probability=0.8, enough=0.75, max_tries=3))
    rng = random.Random(0)
    guidance.record(result(TASKS[0], 1))
    guidance.record(result(TASKS[1], 0))
    guidance.record(result(TASKS[2], 0, attempts=0))
    assert len(guidance) == 1
    probabilities = []
    for successes in (1, 2, 0):
        failure = guidance.draw(rng, ())
        assert failure is not None
        assert failure.task is TASKS[1]
        probabilities.append(guidance.probability(failure))
        guidance.record(result(TASKS[1], successes, source="retry"))
    assert probabilities == pytest.approx([0.8, 0.6, 0.4])
    assert len(guidance) == 0, "three tries are all"
    guidance.record(result(TASKS[1], 0))
    guidance.record(result(TASKS[1], 3, source="retry"))
    assert len(guidance) == 0, "and one is where it is good enough"


def test_a_try_that_tells_nothing_counts_as_one() -> None:
    """Such as one that a stage of the horizon cut, or of which no episode was graded."""
    guidance = Guidance(GuidanceConfig(share=1.0, max_tries=2))
    for task in TASKS[:2]:
        guidance.record(result(task, 0))
    drawn = []
    while len(guidance):
        failure = guidance.draw(random.Random(0), ())
        assert failure is not None
        drawn.append(failure.task)
        guidance.record(result(failure.task, 0, attempts=0, source="retry"))
    assert drawn == [TASKS[0], TASKS[1], TASKS[0], TASKS[1]]


def test_the_oldest_failure_comes_first_and_falls_out_first() -> None:
    guidance = Guidance(GuidanceConfig(share=1.0, capacity=2))
    for task in TASKS[:3]:
        guidance.record(result(task, 0))
    failure = guidance.draw(random.Random(0), ())
    assert failure is not None
    assert failure.task is TASKS[1]
    failure = guidance.draw(random.Random(0), {TASKS[1].id})
    assert failure is not None
    assert failure.task is TASKS[2]
    again = Guidance(guidance.config)
    again.restore(json.loads(json.dumps(guidance.to_json())))
    assert again.to_json() == guidance.to_json()


def test_the_share_of_tries_is_bounded() -> None:
    guidance = Guidance(GuidanceConfig(share=0.25))
    guidance.record(result(TASKS[0], 0))
    rng = random.Random(0)
    assert np.mean([guidance.draw(rng, ()) is not None for _ in range(4000)]) == pytest.approx(0.25, abs=0.03)


# The whole way: rollout, record, update.


def guided(folder: Path, iterations: int = 2, **guidance):
    """Tasks that nobody solves, tried again with a hint in every group after the first ones."""
    suite = install_steps(folder, [20] * 3)
    return steps_trainer(
        suite,
        folder / "run",
        run={"iterations": iterations},
        group={"tasks": 2, "size": 4, "dynamic_sampling": "keep"},
        optimiser={"learning_rate": 1e-12},
        algorithm=WEIGHTED,
        curriculum={"guidance": {"share": 1.0, **guidance}},
    )


def deliver_hint_to_all(self: Episode, inbox) -> None:
    """The hint stays in the recorded prompts and is trained with."""
    speakers = self._speakers.values()
    if self.job.hint and not any(speaker.talk.messages for speaker in speakers):
        inbox = {
            role: [{"role": "user", "content": f"{m[0]['content']}\n\n{self.job.hint}"}] for role, m in inbox.items()
        }
    for speaker in speakers:
        speaker.advised = None
    DELIVER(self, inbox)


def deliver_no_hint(self: Episode, inbox) -> None:
    """The policy is never shown the hint."""
    for speaker in self._speakers.values():
        speaker.advised = None
    DELIVER(self, inbox)


DELIVER = Episode._deliver


@parametrised(DELIVER, deliver_hint_to_all, deliver_no_hint)
def test_a_hint_is_in_the_prompt_and_not_in_what_is_trained(tmp_path: Path, implementation, is_bug: bool) -> None:
    """Recorded log-probabilities are those under the hint, those at the start of the update are without it."""
    made = guided(tmp_path)
    asked: dict[tuple[str, int], list[int]] = {}
    generate = made.policy.generate

    def logged(requests):
        asked.update({(request.episode, request.turn): list(request.prompt_ids) for request in requests})
        return generate(requests)

    made.policy.generate = logged
    with swapped(Episode, "_deliver", implementation):
        made.run()
    _, batch, _ = made.traced[1]
    hinted = [index for index, each in enumerate(batch.trajectories) if HINT in each.metadata]
    assert len(hinted) == batch.num_sequences == 8
    temperature = made.config.rollout.sampling.temperature
    with noticed(is_bug):
        for index in hinted:
            member = batch.trajectories[index]
            words = made.policy.tokenizer.encode("the lamp is red", add_special_tokens=False)
            [place] = batch.segments_of(index)
            assert contains(asked[member.id, 0], words)
            assert not contains(batch.segments[place].tokens.tolist(), words)
            first = len(member.turns[0].action_ids)
            shown = segment(asked[member.id, 0], member.turns[0].action_ids)
            [[under_hint], _] = score_segments(made.model, [shown], made.config.packing, temperature)
            [recorded] = [batch.segments[place].behaviour_logprobs]
            mask = batch.segments[place].completion_mask
            assert recorded[mask][:first] == pytest.approx(under_hint[-first:], abs=1e-4)
            assert np.abs(batch.prox_logprobs[place][mask] - recorded[mask]).max() > 1e-3


def contains(ids: list[int], part: list[int]) -> bool:
    return any(ids[place : place + len(part)] == part for place in range(len(ids)))


def segment(prompt: list[int], action: np.ndarray) -> Segment:
    tokens = np.array([*prompt, *action], np.int32)
    mask = np.arange(len(tokens)) >= len(prompt)
    filler = np.zeros(len(tokens), np.int32)
    return Segment(tokens, mask, filler, np.full(len(tokens), np.nan, np.float32), filler, "shown")


WEIGHTS = update.importance_weights


def weights_of_one(prox, behaviour, sequence_index, config):
    """The samples under the hint count as if they were the policy's own."""
    return WEIGHTS(prox, prox, sequence_index, config)


@parametrised(WEIGHTS, weights_of_one)
def test_what_was_sampled_with_a_hint_is_weighted_and_truncated(tmp_path: Path, implementation, is_bug: bool) -> None:
    """W = min(exp(logp(a|s) - logp(a|s, hint)), cap)."""
    made = guided(tmp_path)
    seen: list[np.ndarray] = []

    def logged(prox, behaviour, *others):
        weights = implementation(prox, behaviour, *others)
        expected = np.minimum(np.exp((prox.detach() - behaviour).numpy()), 1.5)
        seen.append(np.stack([weights.numpy(), expected]))
        return weights

    with swapped(update, "importance_weights", logged):
        made.run()
    weights, expected = np.concatenate(seen, axis=1)
    with noticed(is_bug):
        assert weights == pytest.approx(expected, abs=1e-4)
        assert weights.max() <= 1.5
        assert np.abs(weights - 1.0).max() > 1e-3


def test_tries_are_counted_and_their_mismatch_is_no_alarm(tmp_path: Path) -> None:
    made = guided(tmp_path, iterations=3)
    made.run()
    assert made.journalled.curve("curriculum/retry_share") == [0.0, 1.0, 1.0]
    assert made.journalled.curve("curriculum/hinted_share") == [0.0, 1.0, 1.0]
    assert "curriculum/hinted_success" in made.journalled.rows[1]
    assert "mismatch/k3" not in made.journalled.rows[1]
    assert made.journalled.rows[0]["mismatch/max"] < 1e-3
    assert made.journalled.curve("curriculum/waiting_tasks")[0] == 2.0


def test_half_a_probability_hints_half_of_the_episodes(tmp_path: Path) -> None:
    made = guided(tmp_path, iterations=12, probability=0.5, max_tries=9)
    made.run()
    assert 0.3 < np.mean(made.journalled.curve("curriculum/hinted_share")[1:]) < 0.7


def test_a_hint_of_two_arguments_is_told_what_the_last_failed_episode_got_wrong() -> None:
    """The last blame that is known stays, also over a checkpoint."""

    def failed(why: str) -> Trajectory:
        event = RewardEvent(0, 0, "agent", BLAME, 1.0, detail={"why": why} if why else None)
        return Trajectory("e", "t", "agent", events=[event])

    guidance = Guidance(GuidanceConfig(share=1.0))
    guidance.record(replace(result(TASKS[0], 0), members=(failed("early"), failed("late"))))
    for source, members in (("retry", (failed(""),)), ("retry", ())):
        guidance.record(replace(result(TASKS[0], 0, source=source), members=members))
    other = Guidance(GuidanceConfig(share=1.0))
    other.restore(json.loads(json.dumps(guidance.to_json())))
    failure = other.draw(random.Random(0), ())
    assert failure is not None
    assert failure.blame == {"why": "late"}
    plan = Plan(0, failure.task, "retry", blame=failure.blame)
    assert Plan.from_json(json.loads(json.dumps(plan.to_json()))) == plan


def test_hints_of_one_argument_and_of_two_are_asked_alike() -> None:
    spec = EnvSpec("toys/Told-v0", "nowhere:Env", "nowhere:SCRIPTS", "toys")
    name = "tests.trainers.rl.curricula.test_guidance"
    assert replace(spec, hints=f"{name}:bare_hint").load_hints()(TASKS[0], {"why": "late"}) == "go on"
    assert replace(spec, hints=f"{name}:told_hint").load_hints()(TASKS[0], {"why": "late"}) == "not so late"


def bare_hint(task: Task) -> str:
    return "go on"


def told_hint(task: Task, blame: Mapping[str, Any]) -> str:
    return f"not so {blame['why']}"

"""Starts in the middle of recorded successes."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from agentgym.errors import ContractError
from agentgym.game import SoloGame
from agentgym.outcome import Outcome
from agentgym.rollout import Opening
from agentgym.rollout import episode as episode_module
from agentgym.rollout.opening import play_opening
from agentgym.task import Task
from agentgym.trajectory import Trajectory, Turn
from agentgym_rl.core.config.curriculum import StartConfig
from agentgym_rl.curricula.plan import Plan, Result
from agentgym_rl.curricula.starts import RecordedStarts
from tests.trainers.rl import vocabulary
from tests.trainers.rl.planted import noticed, parametrised, swapped
from tests.trainers.rl.steps import RIGHT, Drifting, Steps, install_steps, steps_trainer
from tests.trainers.rl.toys import arm

TASKS = tuple(Task(f"toys/steps:train-{number:03d}", number) for number in range(3))
RIGHT_WORD = next(word for word in vocabulary.texts()[0].split() if arm(word, 2) == RIGHT)


def success(task_id: str, num_turns: int, cls: type[Steps] = Steps, name: str = "shown") -> Trajectory:
    """What the right arm comes to."""
    turns = [
        Turn(number, [{"role": "user", "content": f"cell {'abcdef'[number % 6]}"}], {}, RIGHT_WORD)
        for number in range(num_turns)
    ]
    return Trajectory(f"{name}/{task_id}", task_id, turns=turns, outcome=Outcome("terminated"), success=True)


def test_starts_move_back_as_success_grows() -> None:
    starts = RecordedStarts(StartConfig(share=1.0, stages=3, window=1, raise_above=0.5), TASKS)
    starts.take([success(TASKS[0].id, 6)])
    rng, left = random.Random(0), []
    while (start := starts.draw(rng, ())) is not None:
        left.append(6 - len(start.opening.actions))
        starts.record(Result(Plan(0, start.task, "recorded", start.rung, opening=start.opening), (), 4, 3, 0))
    assert left == [2, 4]
    assert starts.ladder.rung == 2, "from the beginning there is nothing to be played before"


def test_a_rung_leaves_exactly_its_share_of_the_turns() -> None:
    """A product of floats would round 7/25 of 25 turns up to 8."""
    starts = RecordedStarts(StartConfig(share=1.0, stages=25, window=1), TASKS)
    starts.take([success(TASKS[0].id, 25)])
    for rung in range(24):
        starts.ladder.rung = rung
        start = starts.draw(random.Random(0), ())
        assert start is not None
        assert 25 - len(start.opening.actions) == rung + 1


def test_the_shortest_success_of_a_train_task_is_kept() -> None:
    starts = RecordedStarts(StartConfig(share=1.0), TASKS)
    failed = success(TASKS[1].id, 5)
    failed.success = False
    refused = success(TASKS[2].id, 5)
    refused.turns[0].was_cut = refused.turns[0].was_invalid = True
    starts.take([success(TASKS[0].id, 6, name="long"), success(TASKS[0].id, 4, name="short"), success("other", 4)])
    starts.take([failed, refused, success(TASKS[0].id, 5)])
    assert len(starts) == 1
    start = starts.draw(random.Random(0), ())
    assert start is not None
    assert start.opening.parent == f"short/{TASKS[0].id}"
    assert starts.draw(random.Random(0), {TASKS[0].id}) is None
    again = RecordedStarts(StartConfig(share=1.0), TASKS)
    again.restore(starts.to_json())
    assert again.draw(random.Random(0), ()) == start


def play_without_counting(game, inbox, opening):
    """Played, but the policy is not told of it."""
    play_opening(game, inbox, opening)
    return inbox


def play_nothing(game, inbox, opening):
    """The policy is told of turns that never were."""
    told = play_opening(game, inbox, opening)
    game.reset(game.env.task)
    return told


@parametrised(play_opening, play_without_counting, play_nothing)
def test_a_group_plays_the_last_turns_alone(tmp_path: Path, implementation, is_bug: bool) -> None:
    """The state is the recorded one, what came before is context, and only the policy's own turns are trained on."""
    suite = install_steps(tmp_path, [4])
    made = steps_trainer(
        suite,
        tmp_path / "run",
        run={"iterations": 1},
        group={"tasks": 1, "size": 16, "dynamic_sampling": "keep"},
        curriculum={"starts": {"share": 1.0, "stages": 4}},
    )
    made.curriculum.take([success("toys/steps:train-000", 4)])
    with swapped(episode_module, "play_opening", implementation):
        made.run()
    [([group], batch, _)] = made.traced
    with noticed(is_bug):
        for member in group.members:
            assert len(member.turns) == 1, "one of four turns is left"
            assert (member.parent_id, member.parent_turn) == ("shown/toys/steps:train-000", 3)
            assert member.success == (arm(member.turns[0].text, 2) == RIGHT)
            assert member.total_reward == float(member.success)
            assert member.step_rewards().tolist() == [float(member.success)]
            said = [message["content"] for message in member.turns[0].messages if message["role"] == "assistant"]
            assert said == [RIGHT_WORD] * 3
        assert {int(segment.completion_mask.sum()) for segment in batch.segments} == {1}
        assert 0 < made.journalled.curve("curriculum/started_success")[0] < 1
        assert made.journalled.curve("curriculum/started_share") == [1.0]


def test_an_environment_that_answers_otherwise_is_noticed(tmp_path: Path) -> None:
    suite = install_steps(tmp_path, [4], Drifting)
    game = SoloGame(Drifting(4))
    opening = Opening("shown", 0, (RIGHT_WORD,), ("x", "y"))
    inbox = game.reset(suite.train_tasks()[0])
    with pytest.raises(ContractError, match="an environment that is deterministic"):
        play_opening(game, inbox, opening)


def test_an_opening_that_ends_the_episode_is_noticed(tmp_path: Path) -> None:
    suite = install_steps(tmp_path, [2])
    opening = Opening.of(success("toys/steps:train-000", 4))
    assert opening is not None
    game = SoloGame(Steps())
    inbox = game.reset(suite.train_tasks()[0])
    with pytest.raises(ContractError, match="it ended at turn 1"):
        play_opening(game, inbox, opening)


@pytest.mark.slow
def test_a_task_that_chance_never_solves_is_learnt_backwards(tmp_path: Path) -> None:
    """Six right arms in a row are 1 of 64 episodes at random; from the end they come one at a time."""
    suite = install_steps(tmp_path, [6] * 4)
    tables = {
        "run": {"iterations": 14},
        "group": {"tasks": 4, "size": 8, "dynamic_sampling": "drop"},
        "optimiser": {"learning_rate": 0.01},
    }
    made = steps_trainer(
        suite, tmp_path / "run", **tables, curriculum={"starts": {"share": 0.75, "stages": 6, "window": 3}}
    )
    made.curriculum.take([success(task.id, 6) for task in suite.train_tasks()])
    made.run()
    assert made.journalled.curve("curriculum/start_rung")[-1] == 5
    assert np.mean(made.journalled.curve("curriculum/plain_success")[-3:]) > 0.8

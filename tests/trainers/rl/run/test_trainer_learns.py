"""A model with random weights learns toys within seconds by every preset; broken signs and masks are noticed."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from agentgym.attribution.groups.anchors import Anchors
from agentgym.prompting.renderer import ChatRenderer
from agentgym.store import RunStore
from agentgym.trajectory import Group, Trajectory
from agentgym_rl.core.attributed import attribute
from agentgym_rl.core.batch import TrainBatch
from agentgym_rl.core.cloning import clone, successes, updates_of
from agentgym_rl.core.config.tables import WarmStartConfig
from agentgym_rl.core.demonstrations import collect_demonstrations, with_tokens
from agentgym_rl.groups import credit
from agentgym_rl.groups import learner as group_learner
from agentgym_rl.groups.credit import assign_credit
from agentgym_rl.groups.update import learn
from tests.trainers.rl.needs import OF_GROUPS
from tests.trainers.rl.planted import noticed, parametrised, trap
from tests.trainers.rl.toys import KeyDoor, TracingTrainer, arm, install, toy_config, toy_trainer

pytestmark = pytest.mark.slow
QUICK = {"learning_rate": 0.01}
GOAL = 0.9
"""A run that succeeds more often over five iterations has learnt, and ends."""


def learn_bandit(folder: Path, **tables) -> TracingTrainer:
    """Of four seeds three have learnt after 17 to 23 iterations, and one after 58."""
    config = toy_config("bandit", **{"run": {"iterations": 100}, "optimiser": QUICK, **tables})
    with RunStore.create(folder / "store", {}) as store:
        trainer = toy_trainer(config, install(folder, "bandit"), folder / "run", store=store)
        trainer.goal = GOAL
        trainer.run()
    return trainer


NEEDS_MORE = ("gigpo", "her", "step_agent_inverse")
"""They need states that come again, goals, and an expert."""


@pytest.mark.parametrize("preset", [name for name in OF_GROUPS if name not in NEEDS_MORE])
def test_every_preset_learns_a_bandit_that_pays_a_turn_later(preset: str, tmp_path: Path) -> None:
    """Trap D-35 (a)."""
    algorithm = {"preset": preset} | ({"max_episode_tokens": 2} if preset == "dr_grpo" else {})
    trainer = learn_bandit(tmp_path, algorithm=algorithm)
    assert np.mean(trainer.journalled.curve("success/mean")[:4]) < 0.75
    assert trainer.success() > GOAL


def credit_of_the_wrong_sign(batch, config, **options):
    batch, report = assign_credit(batch, config, **options)
    batch.advantages = [-stream for stream in batch.advantages]
    return batch, report


def credit_of_the_last_turn_alone(batch, config, **options):
    batch, report = assign_credit(batch, config, **options)
    pairs = zip(batch.advantages, batch.segments, strict=True)
    batch.advantages = [np.where(segment.turn_index == segment.turn_index.max(), a, 0.0) for a, segment in pairs]
    return batch, report


def credit_of_a_neighbour(batch, config, **options):
    batch, report = assign_credit(batch, config, **options)
    batch.advantages = [
        np.roll(stream, 1) * 0 + other[-1]
        for stream, other in zip(batch.advantages, [*batch.advantages[1:], *batch.advantages[:1]], strict=True)
    ]
    return batch, report


@trap(assign_credit, credit_of_the_wrong_sign, credit_of_the_last_turn_alone, credit_of_a_neighbour)
def test_broken_credit_is_noticed_by_the_bandit(assign) -> None:
    """Trap D-35: what the test of the presets is worth."""
    import tempfile

    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        patch.setattr(group_learner, "assign_credit", assign)
        trainer = learn_bandit(Path(folder), run={"iterations": 100 if assign is assign_credit else 30})
    assert trainer.success() > GOAL


@pytest.mark.parametrize("preset", ["loop", "ppo", "gigpo"])
def test_six_steps_with_a_reward_at_the_end_are_learnt(preset: str, tmp_path: Path) -> None:
    """Trap D-35 (b): fetch the key, then open the door. Three seeds had learnt it after 17 to 35 iterations."""
    config = toy_config(
        "key-door",
        run={"iterations": 100},
        group={"tasks": 2, "size": 16},
        algorithm={"preset": preset},
        optimiser={"learning_rate": 5e-3},
    )
    trainer = toy_trainer(config, install(tmp_path, "key-door"), tmp_path / "run")
    trainer.goal = GOAL
    trainer.run()
    assert np.mean(trainer.journalled.curve("success/mean")[:4]) < 0.4
    assert trainer.success() > GOAL


MARGIN = 1.07
"""How many times as well the advantages of GiGPO go with exact ones, by correlation, as those of `loop`, in a run's
first iteration: 1.13 to 1.15 was measured over four seeds. Curves of success say less, as runs differ more by their
seed than by the algorithm: their means over 16 iterations were .42, .17 and .45 against .47, .14 and .16."""


def moves(episode: Trajectory) -> Iterator[tuple[int, int, bool, int]]:
    """Of each turn of key and door its number, the cell, whether the key is held, and the arm that is pulled."""
    cell, has_key = KeyDoor.START, False
    for turn, each in enumerate(episode.turns):
        pulled = arm(each.text, 2)
        yield turn, cell, has_key, pulled
        cell, has_key = moved(cell, has_key, pulled)


def moved(cell: int, has_key: bool, pulled: int) -> tuple[int, bool]:
    cell = max(0, min(KeyDoor.DOOR, cell + (1 if pulled else -1)))
    return cell, has_key or cell == 0


def exact_advantages(episodes: list[Trajectory], max_turns: int = 8) -> list[list[float]]:
    """Of each turn, under a policy that pulls each arm as often in each place as these episodes do."""
    pulls: dict[tuple[int, bool], list[int]] = {}
    for episode in episodes:
        for _, cell, has_key, pulled in moves(episode):
            pulls.setdefault((cell, has_key), []).append(pulled)

    def action_value(turn: int, cell: int, has_key: bool, pulled: int) -> float:
        cell, has_key = moved(cell, has_key, pulled)
        return 1.0 if has_key and cell == KeyDoor.DOOR else value(turn + 1, cell, has_key)

    @cache
    def value(turn: int, cell: int, has_key: bool) -> float:
        if turn == max_turns:
            return 0.0
        right = float(np.mean(pulls.get((cell, has_key), [0.5])))
        return right * action_value(turn, cell, has_key, 1) + (1 - right) * action_value(turn, cell, has_key, 0)

    return [[action_value(*move) - value(*move[:3]) for move in moves(episode)] for episode in episodes]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Group]]:
    """The groups of a first iteration, with their states, and the folder of their suite: all presets start alike."""
    folder, groups = tmp_path_factory.mktemp("played"), []
    trainer = first_iteration("gigpo", folder)
    trainer.learner.learn = lambda found, state: groups.extend(found) or {}  # type: ignore[func-returns-value]
    trainer.run()
    return folder, groups


def first_iteration(preset: str, folder: Path) -> TracingTrainer:
    tables = {"run": {"iterations": 1}, "group": {"tasks": 4, "size": 64}, "algorithm": {"preset": preset}}
    return toy_trainer(toy_config("key-door", **tables), install(folder, "key-door"), folder / preset)


def agreement(preset: str, played: tuple[Path, list[Group]]) -> float:
    """How the advantages that the trainer's loss is given go with exact ones, before the first update."""
    folder, groups = played
    batches: list[TrainBatch] = []

    def watched(model, optimiser, batch, config, **options):
        batches.append(batch)
        return learn(model, optimiser, batch, config, **options)

    trainer = first_iteration(preset, folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(group_learner, "learn", watched)
        trainer.learner.learn(deepcopy(groups), trainer.state)
    [batch] = batches
    exact = exact_advantages(batch.trajectories)
    given = [batch.sampled(batch.advantages, index) for index in range(batch.num_sequences)]
    right = [np.array(exact[index])[batch.turn_index(index)] for index in range(batch.num_sequences)]
    return float(np.corrcoef(np.concatenate(given), np.concatenate(right))[0, 1])


def attribute_without_states(members, config, *options):
    """No state shared: what is left is plain groups."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Anchors, "credit", lambda self, steps: np.zeros(len(steps.rewards)))
        return attribute(members, config, *options)


def attribute_of_the_last_turn(members, config, *options):
    """The credit of one turn for all turns of its episode."""
    found = attribute(members, config, *options)
    for turns in found.turns:
        turns[:] = turns[-1]
    return found


def attribute_of_another_turn(members, config, *options):
    """Each turn has the credit of the one before it."""
    found = attribute(members, config, *options)
    for turns in found.turns:
        turns[:] = np.roll(turns, 1)
    return found


@parametrised(attribute, attribute_without_states, attribute_of_the_last_turn, attribute_of_another_turn)
def test_step_credit_of_the_trainer_beats_plain_groups_by_a_margin(
    implementation, is_bug: bool, played: tuple[Path, list[Group]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Trap D-35 (b): GiGPO against the credit of whole episodes on six steps with a reward at the end."""
    monkeypatch.setattr(credit, "attribute", implementation)
    plain = agreement("loop", played)
    assert plain > 0.2
    with noticed(is_bug):
        assert agreement("gigpo", played) > MARGIN * plain


def test_questions_are_asked_before_guessing_after_an_imperfect_demonstrator(tmp_path: Path) -> None:
    """Trap D-35 (c): eight items; the demonstrator that was cloned is right half of the time."""
    config = toy_config(
        "questions",
        run={"iterations": 60},
        group={"tasks": 8},
        rollout={"sampling": {"max_tokens": 2}, "cut_messages": "invalid"},
    )
    suite = install(tmp_path, "questions", 64)
    trainer = toy_trainer(config, suite, tmp_path / "run")
    shown = collect_demonstrations(suite, "demo", 800, 0)
    assert len(successes(shown)) / len(shown) < 0.55
    demonstrations = with_tokens(shown, ChatRenderer(trainer.policy.tokenizer), [])
    warm_start = WarmStartConfig(demonstrations=800, epochs=4, batch_episodes=16, learning_rate=3e-3)
    num_updates = updates_of(warm_start, len(demonstrations))
    losses = clone(trainer.model, demonstrations, warm_start, config.packing, seed=0, num_updates=num_updates)
    assert losses[-1] < 0.1 * losses[0]
    trainer.publish()
    trainer.goal = GOAL
    trainer.run()
    assert trainer.journalled.curve("success/mean")[0] < 0.65
    assert trainer.success() > GOAL

"""What is drawn counts as often as it was drawn, and each episode is read once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from agentgym.outcome import Outcome
from agentgym.store import RunStore
from agentgym_rl.hierarchical.branches import Branch
from agentgym_rl.hierarchical.experience import Experience, experience_of
from agentgym_rl.hierarchical.transitions import CUT, TERMINAL, turn_transitions
from agentgym_rl.replay.draw import Draw
from agentgym_rl.replay.index import ReplayIndex
from agentgym_rl.replay.tables import ReplayConfig
from tests.trainers.rl.replay.episodes import SUITE, episode


@pytest.fixture
def index(tmp_path: Path) -> Iterator[ReplayIndex]:
    """Four episodes of two, three, one and three turns, the last of them cut."""
    with RunStore.create(tmp_path / "run", {"suite": SUITE}) as store:
        for length in (2, 3, 1):
            store.write_episode(episode(length))
        store.write_episode(episode(3, outcome=Outcome("truncated", "turns")))
        found = ReplayIndex(store, ReplayConfig(), suite=SUITE)
        found.refresh(iteration=1, version=0)
        yield found


def draw_of(index: ReplayIndex, unit: str, entries: list[int], weights: list[float] | None = None) -> Draw:
    given = None if weights is None else np.array(weights)
    return Draw.of(index, unit, np.array(entries), given)  # type: ignore[arg-type]


def shares(experience: Experience, update: int = 0) -> dict[tuple[str, int], float]:
    turns = experience.turns
    names = [experience.batch.trajectories[index].id for index in turns.trajectory]
    values = experience.weights[update].tolist()
    return {(name, turn): w for name, turn, w in zip(names, turns.turn.tolist(), values, strict=True) if w}


def test_a_turn_counts_as_often_as_it_was_drawn(index: ReplayIndex) -> None:
    # Turns 0-1 are the first episode, 2-4 the second, 5 the third, 6-8 the last.
    experience, drawn = experience_of([[draw_of(index, "turn", [3, 8, 3, 0])]])
    ids = [each.id for each in experience.batch.trajectories]
    assert len(ids) == 3
    first, second, last = (each.id for each in index.store.numbered(index.number[[0, 1, 3]].tolist()))
    assert shares(experience) == {(second, 1): 0.5, (last, 2): 0.25, (first, 0): 0.25}
    assert drawn[0][0].of_entry.tolist() == [0, 1, 2, 3]


def test_all_turns_of_a_drawn_episode_count_alike(index: ReplayIndex) -> None:
    experience, drawn = experience_of([[draw_of(index, "episode", [1, 2, 1])]])
    second, third = (each.id for each in index.store.numbered(index.number[[1, 2]].tolist()))
    expected = {(second, turn): 2 / 7 for turn in range(3)} | {(third, 0): 1 / 7}
    assert shares(experience) == pytest.approx(expected)
    assert drawn[0][0].of_entry.tolist() == [0, 0, 0, 1, 2, 2, 2]


def test_the_weights_of_draws_are_no_shares_of_their_sum(index: ReplayIndex) -> None:
    experience, _ = experience_of([[draw_of(index, "turn", [0, 5], [1.0, 0.5])]])
    assert sorted(shares(experience).values()) == [0.25, 0.5]


def test_a_part_holds_the_episodes_of_its_update_whole(index: ReplayIndex) -> None:
    whole, _ = experience_of([[draw_of(index, "turn", [0])], [draw_of(index, "turn", [3, 7])]])
    branches = tuple(
        Branch(int(whole.turns.segment[n]), 1, int(whole.turns.turn[n]), np.array([n + 1], np.int32)) for n in (0, 4)
    )
    whole = Experience(whole.batch, whole.turns, whole.weights, branches, np.array([0, 4]))
    part, masks = whole.part(1)
    assert masks.is_episode.sum() == 2
    expected = turn_transitions(part.batch)
    for name in ("trajectory", "segment", "turn", "rewards", "successor"):
        np.testing.assert_array_equal(getattr(part.turns, name), getattr(expected, name), name)
    assert set(part.turns.successor[part.turns.successor < 0].tolist()) == {TERMINAL, CUT}
    assert part.weights.sum() == pytest.approx(1.0)
    [branch], [turn] = part.branches, part.branched.tolist()
    assert branch.action_ids.tolist() == [5]
    assert (branch.trunk, branch.turn) == (part.turns.segment[turn], part.turns.turn[turn])

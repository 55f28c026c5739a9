import os

import pytest

from agentgym.sandbox.pool import shared_pool
from benchmarks.grpo_faults import (
    RETRIES,
    Played,
    Trained,
    answered_otherwise,
    compare,
    iterations_alike,
    largest_difference,
    success_shift,
)
from tests.sandbox.engine import has_engine

NAN = float("nan")


def trained(**curves):
    return Trained(curves, {}, {}, 0, 0.0)


@pytest.mark.parametrize(
    ("mine", "theirs", "difference"),
    [
        ([1.0, 2.0], [1.0, 2.0], 0.0),
        ([1.0, 2.0], [1.0, 1.5], 0.25),
        ([0.0, 0.0], [0.0, 0.0], 0.0),
        ([NAN, 2.0], [NAN, 2.0], 0.0),
        ([NAN, 2.0], [NAN, 1.0], 0.5),
        ([1.0, 2.0], [1.0, NAN], float("inf")),
        ([1.0, NAN], [1.0, 2.0], float("inf")),
        ([1.0, 2.0], [1.0], float("inf")),
    ],
)
def test_a_difference_in_any_iteration_is_found(mine, theirs, difference):
    assert largest_difference(trained(loss=mine), trained(loss=theirs)) == {"loss": difference}


def test_a_metric_of_one_training_alone_is_a_difference():
    assert largest_difference(trained(loss=[1.0]), trained(entropy=[1.0])) == dict.fromkeys(
        ("loss", "entropy"), float("inf")
    )


def played(iteration=0, said="go", told="at 1", is_solved=True, group="g0"):
    return Played(iteration, group, (("start", said), (told, "stop")), "terminated", is_solved)


def of(*episodes):
    return Trained({}, {str(number): episode for number, episode in enumerate(episodes)}, {}, 0, 0.0)


def test_an_answer_that_differs_after_the_same_messages_is_found():
    calm = of(played(), played())
    assert answered_otherwise(calm, of(played(), played())) == []
    assert answered_otherwise(calm, of(played(), played(said="run", told="at 2"))) == []
    assert answered_otherwise(calm, of(played(), played(told="lost"))) == ["1"]
    assert answered_otherwise(calm, of(played(), played()._replace(end="infrastructure"))) == ["1"]
    assert answered_otherwise(calm, of(played())) == ["1"]


def test_iterations_are_alike_up_to_the_first_episode_that_differs():
    calm = of(played(0), played(1), played(2))
    assert iterations_alike(calm, calm) == 3
    assert iterations_alike(calm, of(played(0), played(1, said="run"), played(2))) == 1


def test_a_loss_of_success_is_beyond_noise_and_a_difference_to_and_fro_is_not():
    calm = of(*(played(group=f"g{number}") for number in range(20)))
    lossy = of(*(played(group=f"g{number}", said="run", is_solved=number % 4 == 0) for number in range(20)))
    assert success_shift(calm, lossy) > 4
    assert success_shift(calm, calm) == 0
    mixed = of(*(played(group=f"g{number}", is_solved=number % 2 == 0) for number in range(20)))
    other = of(*(played(group=f"g{number}", said="run", is_solved=number % 2 == 1) for number in range(20)))
    assert success_shift(mixed, other) < 1


@pytest.mark.slow
@pytest.mark.skipif(not has_engine(), reason="no container engine answers")
@pytest.mark.skipif(os.geteuid() != 0, reason="work folders as overlays need root")
def test_killing_containers_changes_neither_episodes_nor_learning(tmp_path):
    pool = shared_pool("docker")
    lost = pool.stats().lost
    # One iteration: its weights are the same in both. As many kills as retries: no episode can run out of them.
    calm, fire = compare(iterations=1, demonstrations=200, kill_every_s=0.1, folder=tmp_path, max_kills=RETRIES)
    assert calm.num_killed == len(calm.retries) == 0
    assert fire.num_killed >= 6
    assert len(fire.retries) >= 2
    assert pool.stats().lost - lost >= sum(fire.retries.values())
    assert len(calm.episodes) == 12 * 8
    assert answered_otherwise(calm, fire) == []
    # Batches of other sizes round otherwise, and now and then that tips the choice between two tokens. An episode that
    # is not played again with its seed differs nearly always.
    unlike = [name for name, episode in fire.episodes.items() if calm.episodes[name] != episode]
    assert 2 * len(unlike) <= len(fire.retries), unlike
    if not unlike:
        differences = largest_difference(calm, fire)
        for name in ("success/mean", "return/mean", "episode/turns", "advantage/std", "episodes"):
            assert differences[name] == 0
        assert max(differences.values()) < 1e-4

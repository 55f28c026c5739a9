import time

import pytest

from benchmarks.env_steps.clock import EPISODES, Player, compared, resets_per_s, steps_per_s


def sleeper(seconds):
    """A side whose steps and resets take so long, ten steps an episode."""

    def play(seed):
        time.sleep(seconds * 10)
        return 10

    return lambda: Player(lambda seed: time.sleep(seconds), lambda seed: time.sleep(0.001), play)


def test_rates_are_those_of_steps_and_resets_alone():
    assert steps_per_s(sleeper(2e-4), 0.01) == pytest.approx(5_000, rel=0.5)
    assert resets_per_s(sleeper(1e-3), 0.01) == pytest.approx(1_000, rel=0.5)


def test_passes_are_whole_ones():
    seeds = []
    side = lambda: Player(seeds.append, seeds.append, lambda seed: 1)  # noqa: E731
    resets_per_s(side, 1e-9)
    assert seeds == [*range(EPISODES)]


def test_ratios_are_ours_over_theirs():
    found, steps = compared({"agentgym": sleeper(1e-4), "peer": sleeper(4e-4)}, 0.01, 1)
    assert found["times_the_peers_steps_per_s"].keys() == {"peer"}
    assert found["times_the_peers_steps_per_s"]["peer"]["median"] > 1.5
    assert found["resets_per_s"].keys() == steps.keys() == {"agentgym", "peer"}

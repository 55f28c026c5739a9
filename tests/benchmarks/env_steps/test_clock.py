from dataclasses import dataclass

import pytest

from benchmarks.env_steps import clock
from benchmarks.env_steps.clock import EPISODES, Player, compared, resets_per_s, steps_per_s


@dataclass
class Stopwatch:
    """A clock that goes on while somebody sleeps, and stands otherwise."""

    now: float = 0.0

    def perf_counter(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds


@pytest.fixture
def time(monkeypatch):
    watch = Stopwatch()
    monkeypatch.setattr(clock, "time", watch)
    return watch


@pytest.fixture
def sleeper(time):
    """Makes a side whose steps and resets take so long, ten steps an episode."""

    def make(seconds):
        def play(seed):
            time.sleep(seconds * 10)
            return 10

        return lambda: Player(lambda seed: time.sleep(seconds), lambda seed: time.sleep(0.001), play)

    return make


def test_rates_are_those_of_steps_and_resets_alone(sleeper):
    assert steps_per_s(sleeper(2e-4), 0.01) == pytest.approx(5_000)
    assert resets_per_s(sleeper(1e-3), 0.01) == pytest.approx(1_000)


def test_passes_are_whole_ones():
    seeds = []
    side = lambda: Player(seeds.append, seeds.append, lambda seed: 1)  # noqa: E731
    resets_per_s(side, 1e-9)
    assert seeds == [*range(EPISODES)]


def test_ratios_are_ours_over_theirs(sleeper):
    found, steps = compared({"agentgym": sleeper(1e-4), "peer": sleeper(4e-4)}, 0.01, 1)
    assert found["times_the_peers_steps_per_s"].keys() == {"peer"}
    assert found["times_the_peers_steps_per_s"]["peer"]["median"] == pytest.approx(4.0)
    assert found["resets_per_s"].keys() == steps.keys() == {"agentgym", "peer"}

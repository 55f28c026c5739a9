"""Shaped reward is followed against the score, and a run that it leads astray is stopped."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from agentgym.attribution.proxy_watch import WatchConfig
from agentgym.errors import ConfigError, LearningStalledError
from agentgym_rl.core.attributed import Shaped
from agentgym_rl.groups.proxy import ProxyPart
from tests.trainers.rl.toys import TracingTrainer, install, toy_config, toy_trainer


def iteration(sign: float, count: int = 40) -> list[Shaped]:
    """Episodes whose pay goes with the score, or against it."""
    return [Shaped(sign * (number % 4) + 0.01 * number, float(number % 4) / 3) for number in range(count)]


def test_pay_that_leaves_the_score_is_counted() -> None:
    part = ProxyPart(WatchConfig(window=1))
    found = [part.update(iteration(sign)) for sign in (1.0, -1.0, -1.0, 1.0)]
    assert [each["proxy/iterations_astray"] for each in found] == [0.0, 1.0, 2.0, 0.0]
    assert found[0]["proxy/correlation"] > 0.9 > -0.9 > found[1]["proxy/correlation"]


def test_a_watch_that_sees_no_scores_says_so() -> None:
    part = ProxyPart(WatchConfig())
    unscored = [Shaped(each.reward, None) for each in iteration(1.0)]
    assert part.update(unscored) == {"proxy/episodes": 0.0}
    assert part.update(iteration(1.0, count=8)) == {"proxy/episodes": 8.0}


def test_where_nothing_is_shaped_nothing_is_followed() -> None:
    assert ProxyPart(WatchConfig()).update([]) == {}
    assert ProxyPart(None).update(iteration(1.0)) == {}
    assert ProxyPart(None).parts() == {}


def test_a_resumed_watch_counts_on() -> None:
    first, second = ProxyPart(WatchConfig()), ProxyPart(WatchConfig())
    first.update(iteration(-1.0))
    second.parts()["proxy_watch"].restore(first.state())
    assert second.update(iteration(-1.0)) == first.update(iteration(-1.0))
    assert second.state().record == first.state().record


def trainer_of(folder: Path, method: str, options: list[str], **watch: float) -> TracingTrainer:
    algorithm = {"preset": "ppo", "credit": {"attribution": {"method": method, "options": options}}}
    config = toy_config(
        "key-door",
        run={"iterations": 3},
        algorithm=algorithm,
        watch={"proxy": {"min_episodes": 8, **watch}},
        group={"tasks": 2, "size": 8},
    )
    return toy_trainer(config, install(folder, "key-door"), folder / "run")


BONUS = ["state_counts.weight.start=1.0"]


def test_a_bonus_is_watched_and_stops_the_run_when_it_goes_astray(tmp_path: Path) -> None:
    """No bonus goes with the score exactly, so a watch that asks for that finds each iteration astray."""
    strict = trainer_of(tmp_path / "strict", "state_counts", BONUS, min_correlation=1.0, patience=2)
    with pytest.raises(LearningStalledError, match="gone astray from the score for 2 iterations"):
        strict.run()
    assert strict.state.iteration == 2
    assert "proxy_watch" in strict.parts()
    lenient = trainer_of(tmp_path / "lenient", "state_counts", BONUS, min_correlation=-1.0)
    lenient.run()
    assert lenient.journalled.rows[-1]["proxy/iterations_astray"] == 0.0


def test_a_bonus_fades_over_the_iterations_of_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The weight of a schedule is that of the iteration, and not for ever that of the first."""
    paid: list[float] = []

    def update(part: ProxyPart, shaped: Sequence[Shaped]) -> dict[str, float]:
        paid.append(sum(each.reward - (each.score or 0.0) for each in shaped))
        return {}

    monkeypatch.setattr(ProxyPart, "update", update)
    options = [*BONUS, "state_counts.weight.iterations=2", "state_counts.weight.shape=linear"]
    trainer_of(tmp_path, "state_counts", options).run()
    assert paid[0] > paid[1] > paid[2] == 0.0


def test_a_watch_without_shaping_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"has no effect without algorithm\.credit\.attribution\.method"):
        toy_config("bandit", watch={"proxy": {"patience": 3}})
    with pytest.raises(ConfigError, match="changes what episodes are paid"):
        trainer_of(tmp_path, "state_counts,corrected", BONUS, patience=1)

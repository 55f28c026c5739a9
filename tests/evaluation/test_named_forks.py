"""Values by forking for a run that is over."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agentgym.attribution import attribute_run
from agentgym.errors import ConfigError, UnknownNameError
from agentgym.evaluation.named_forks import NamedForks, forks_of
from agentgym.evaluation.recording import Player, RecordingSettings, record
from agentgym.policies.tiny_model import build_tiny_model
from agentgym.prompting.tiny import build_tokenizer
from agentgym.store import RunStore

SUITE = "dialogue/guess-number"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[RunStore]:
    record([Player("random")], SUITE, tmp_path / "run", settings=RecordingSettings(episodes=3))
    with RunStore.open(tmp_path / "run") as opened:
        yield opened


def test_credit_adds_up_to_the_return_above_the_first_value(store: RunStore) -> None:
    """The demonstrator wins from anywhere, so the turns of an episode that lost come to -1 together."""
    forks = forks_of(store, NamedForks(player="oracle", continuations=1))
    trajectories = [each for each in store.episodes(with_tokens=False) if not each.success]
    assert trajectories
    for trajectory, credit in zip(trajectories, forks.attribute(trajectories), strict=True):
        value = forks_of(store, NamedForks(player="oracle", continuations=1, every=99)).attribute([trajectory])[0][0]
        assert credit.sum() == pytest.approx(value)
        assert value < -0.5


def test_a_model_may_play_on(store: RunStore, tmp_path: Path) -> None:
    tokenizer = build_tokenizer(["Guess a number from 1 to higher lower correct"])
    build_tiny_model(tokenizer, "0.25M", 0).save_pretrained(tmp_path / "model")
    tokenizer.save_pretrained(tmp_path / "model")
    options = NamedForks(player=f"torch:{tmp_path / 'model'}", continuations=1, every=99, max_tokens=2)
    one, again = (attribute_run(store, {name: forks_of(store, options)})[0] for name in ("one", "again"))
    assert one.mean_by_fifth == again.mean_by_fifth
    assert one.episodes == 3


def test_runs_and_players_that_are_not_known_are_refused(store: RunStore, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="nobody"):
        forks_of(store, NamedForks(player="nobody"))
    with RunStore.create(tmp_path / "other", {}) as other, pytest.raises(ConfigError, match="says of none"):
        forks_of(other, NamedForks())

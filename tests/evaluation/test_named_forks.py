"""Values by forking for a run that is over."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from agentgym.attribution import attribute_run
from agentgym.errors import ConfigError, UnknownNameError
from agentgym.evaluation import named_forks
from agentgym.evaluation.named_forks import NamedForks, forks_of
from agentgym.evaluation.recording import Player, RecordingSettings, record
from agentgym.policies.torch.tiny_model import build_tiny_model
from agentgym.policy import Reply, Request, Sampling
from agentgym.prompting.tiny import build_tokenizer
from agentgym.rollout import Job, RolloutSettings, collect_episodes, game_maker
from agentgym.store import RunStore
from agentgym.suite import load_suite
from tests.toys import tools
from tests.toys.tools import Caller, as_mistral, in_blocks, solution

SUITE = "dialogue/guess-number"


class Asked:
    """Notes how it is asked to draw."""

    name, uses_tokens, concurrency = "asked", False, 1
    message_limit: int | None = None

    def __init__(self) -> None:
        self.sampling: list[Sampling] = []

    def generate(self, requests: Sequence[Request]) -> list[Reply]:
        self.sampling += [request.sampling for request in requests]
        return [Reply("50") for _ in requests]

    def forget(self, episode: str) -> None:
        """It remembers nothing."""


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


@pytest.mark.parametrize(
    ("meta", "expected"),
    [
        ({}, Sampling(1.0, 9)),
        (
            {"config": {"rollout": {"sampling": {"temperature": 0.5, "max_tokens": 64, "top_p": 0.9}}}},
            Sampling(0.5, 9, 0.9),
        ),
        ({"recording": {"sampling": {"temperature": 0.0}}}, Sampling(0.0, 9)),
    ],
    ids=["unsaid", "trained", "recorded"],
)
def test_a_policy_plays_on_at_the_temperature_of_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, meta: dict[str, Any], expected: Sampling
) -> None:
    player = Asked()
    monkeypatch.setattr(named_forks, "load", lambda *_: player)
    with RunStore.create(tmp_path / "run", {"suite": SUITE, **meta}) as store:
        forks = forks_of(store, NamedForks(player="asked", max_tokens=9))
    task = load_suite(SUITE).train_tasks()[0]
    assert forks.make_player(task, 0).act([]) == "50"
    few = dataclasses.replace(task, limits=dataclasses.replace(task.limits, max_tokens=4))
    assert forks.make_player(few, 0).act([]) == "50"
    assert player.sampling == [expected, dataclasses.replace(expected, max_tokens=4)]


@pytest.mark.parametrize(("given", "expected"), [(None, 7), (9, 9)])
def test_a_policy_plays_on_with_the_message_limit_that_it_was_trained_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: int | None, expected: int
) -> None:
    player = Asked()
    player.message_limit = 7
    monkeypatch.setattr(named_forks, "load", lambda *_: player)
    with RunStore.create(tmp_path / "run", {"suite": SUITE}) as store:
        forks = forks_of(store, NamedForks(player="asked", max_tokens=given))
    forks.make_player(load_suite(SUITE).train_tasks()[0], 0).act([])
    assert [sampling.max_tokens for sampling in player.sampling] == [expected]


def test_runs_and_players_that_are_not_known_are_refused(store: RunStore, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="nobody"):
        forks_of(store, NamedForks(player="nobody"))
    with RunStore.create(tmp_path / "other", {}) as other, pytest.raises(ConfigError, match="says of none"):
        forks_of(other, NamedForks())


def test_a_policy_that_plays_on_sees_the_history_that_was_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = RecordingSettings(episodes=1, rollout=RolloutSettings(history="last:2"))
    record([Player("random")], SUITE, tmp_path / "run", settings=settings)
    given: list[str] = []
    monkeypatch.setattr(named_forks, "load", lambda *_: Asked())
    monkeypatch.setattr(named_forks, "as_script", lambda *_, history, **options: given.append(history))
    with RunStore.open(tmp_path / "run") as store:
        forks_of(store, NamedForks(player="asked"))
    assert given == ["last:2"]


@pytest.mark.parametrize(("spell", "cut"), [(as_mistral, ()), (in_blocks, (0, 2))], ids=["spelt", "cut"])
def test_a_policy_that_plays_on_is_asked_and_understood_as_in_the_rollout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spell: Callable[[dict[str, Any]], str], cut: Sequence[int]
) -> None:
    """The policy plays on exactly as it played, so that no turn changed what the episode was worth."""
    suite = load_suite(tools.SUITE)
    task = next(each for each in suite.train_tasks() if len(solution(each)) > 2)
    policy = Caller(solution(task), spell, cut)
    [trajectory], _ = collect_episodes([Job(task, "e", 0)], game_maker(suite), {"*": policy}, RolloutSettings())
    assert [turn.was_invalid for turn in trajectory.turns] == [place in cut for place in range(len(trajectory.turns))]
    assert trajectory.success
    shown = policy.asked.copy()
    monkeypatch.setattr(named_forks, "load", lambda *_: policy)
    with RunStore.create(tmp_path / "run", {"suite": suite.name}) as store:
        store.write_episode(trajectory, None, "demo")
        [credit] = attribute_run(store, {"forks": forks_of(store, NamedForks(player="same", continuations=1))})
    assert all(asked == shown[asked[0]] for asked in policy.asked)
    assert len(policy.asked) > 2 * len(shown)
    assert {*credit.mean_by_fifth} <= {0.0, None}

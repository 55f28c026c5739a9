"""Recordings as runs to learn from: what is rendered, what is left out, what is refused."""

from __future__ import annotations

import contextlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agentgym.config import Source, merged
from agentgym.errors import ConfigError, HeldOutError, StoreError
from agentgym.evaluation import Player, RecordingSettings, record
from agentgym.prompting.tiny import build_tokenizer
from agentgym.store import RunStore
from agentgym.suite import load_suite, register_suites
from agentgym_rl.core.config.train import TrainConfig
from agentgym_rl.replay import recordings
from agentgym_rl.replay.admission import open_runs
from agentgym_rl.replay.recordings import Rendering, is_recording, rendered_runs
from agentgym_rl.replay.tables import ReplayConfig
from agentgym_rl.run.config import config_from_tables
from agentgym_rl.run.job import train
from agentgym_rl.run.learners import LEARNER_OF_PRESET
from agentgym_rl.run.learners import LEARNERS as KINDS
from tests.trainers.rl import vocabulary
from tests.trainers.rl.breaking import breaking
from tests.trainers.rl.pair_game import install_pair
from tests.trainers.rl.planted import noticed, parametrised, swapped
from tests.trainers.rl.run.test_job import story
from tests.trainers.rl.toys import install, toy_config

MIX = (Player("demo", share=0.6), Player("random", share=0.4))
EPISODES = 20


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Registered suites of toys."""
    folder = tmp_path_factory.mktemp("suites")
    for name in ("questions", "strict"):
        install(folder, name)
    install_pair(folder)
    register_suites(folder)
    return folder


@pytest.fixture(scope="module")
def recorded(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording of imperfect play on toys/questions."""
    folder = tmp_path_factory.mktemp("recorded") / "run"
    record(MIX, "toys/questions", folder, settings=RecordingSettings(episodes=EPISODES))
    return folder


def rendering(suite: str = "toys/questions", **fields: Any) -> Rendering:
    found = load_suite(suite)
    held_out = (task.content_hash for split in ("validation", "test") for task in found.tasks(split))
    given = {"roles": (), "tools": [], "history": "full", "longest": 512, "held_out": frozenset(held_out)}
    return Rendering(found, tokenizer=build_tokenizer(vocabulary.texts()), **(given | fields))


def render(folder: Path, target: Path, said: list[str] | None = None, **fields: Any) -> Path:
    """Where a recording was rendered."""
    say = (lambda text: None) if said is None else said.append
    return Path(rendered_runs([str(folder)], rendering(**fields), target, say)[0])


def episodes(folder: Path, **where: Any) -> list[Any]:
    with RunStore.open(folder, read_only=True) as store:
        return list(store.episodes(**where))


def test_a_recording_becomes_a_run_of_derived_tokens_with_its_rewards(recorded: Path, tmp_path: Path) -> None:
    made = render(recorded, tmp_path)
    assert made == tmp_path / "recordings" / "0"
    found, played = episodes(made, purpose="train"), episodes(recorded, purpose="demo")
    assert len(found) == len(played) == EPISODES
    for one, other in zip(found, played, strict=True):
        assert (one.id, one.content_hash, one.outcome, one.events) == (
            other.id,
            other.content_hash,
            other.outcome,
            other.events,
        )
        assert one.step_rewards().tolist() == other.step_rewards().tolist()
        assert one.is_derived
        assert all(len(turn.action_ids) and turn.behaviour_logprobs is None for turn in one.turns)
    assert {one.outcome.kind for one in found} == {"terminated", "invalid"}
    assert any(turn.was_invalid for one in found for turn in one.turns)
    assert not episodes(recorded, purpose="train")


def test_what_was_rendered_is_replayed_as_any_run(recorded: Path, tmp_path: Path) -> None:
    own = rendering()
    made = render(recorded, tmp_path)
    [index] = open_runs([made], ReplayConfig(), suite="toys/questions", tokenizer=own.tokenizer)
    assert index.num_episodes == EPISODES
    assert index.is_derived.all()
    index.store.close()
    with pytest.raises(StoreError, match="with behaviour log-probabilities"):
        open_runs([made], ReplayConfig(admitted="sampled"), suite="toys/questions", tokenizer=own.tokenizer)


def test_runs_that_are_no_recordings_are_read_where_they_are(recorded: Path, tmp_path: Path) -> None:
    made = render(recorded, tmp_path)
    assert is_recording(recorded)
    assert not is_recording(made)
    runs = rendered_runs([str(made), str(recorded)], rendering(), tmp_path / "second", say=lambda text: None)
    assert runs == (str(made), str(tmp_path / "second" / "recordings" / "1"))


def test_a_recording_is_rendered_once_even_where_it_grows(root: Path, tmp_path: Path) -> None:
    settings = RecordingSettings(episodes=12)
    record(MIX, "toys/questions", tmp_path / "recorded", settings=settings)
    said: list[str] = []
    made = render(tmp_path / "recorded", tmp_path, said)
    record(MIX, "toys/questions", tmp_path / "recorded", settings=replace(settings, episodes=16, overwrite=True))
    assert render(tmp_path / "recorded", tmp_path, said) == made
    assert len(episodes(made)) == 12
    assert said[0].endswith("12 recorded episodes to learn from")
    assert said[1].endswith("12 recorded episodes to learn from, as rendered before")


def test_another_way_of_rendering_needs_another_folder(recorded: Path, tmp_path: Path) -> None:
    render(recorded, tmp_path)
    with pytest.raises(StoreError, match="its longest is 512, expected 64"):
        render(recorded, tmp_path, longest=64)


def test_an_interrupted_rendering_leaves_nothing_and_is_done_again(
    recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, calls = RunStore.write_episode, []

    def broken(*args: Any, **options: Any) -> int:
        calls.append(1)
        if len(calls) == 5:
            raise KeyboardInterrupt
        return write(*args, **options)

    with monkeypatch.context() as patch:
        patch.setattr(RunStore, "write_episode", broken)
        with pytest.raises(KeyboardInterrupt):
            render(recorded, tmp_path)
    assert not list((tmp_path / "recordings").iterdir())
    assert len(episodes(render(recorded, tmp_path))) == EPISODES


def test_few_episodes_are_in_memory_at_once(recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read, sizes = RunStore.numbered, []

    def counted(store: RunStore, numbers: list[int], **options: Any) -> list[Any]:
        sizes.append(len(numbers))
        return read(store, numbers, **options)

    monkeypatch.setattr(RunStore, "numbered", counted)
    monkeypatch.setattr(recordings, "_CHUNK", 6)
    render(recorded, tmp_path)
    assert sizes == [6, 6, 6, 2]


def test_episodes_that_do_not_fit_are_left_out_and_counted(recorded: Path, tmp_path: Path) -> None:
    lengths = [one.segments()[0].num_tokens for one in episodes(render(recorded, tmp_path / "all"))]
    limit, said = int(np.median(lengths)), []
    made = render(recorded, tmp_path / "some", said, longest=limit)
    kept = sum(length <= limit for length in lengths)
    assert 0 < kept < EPISODES
    assert len(episodes(made)) == kept
    assert f"{kept} recorded episodes to learn from, {EPISODES - kept} left out" in said[0]
    assert f"with up to {max(lengths)} tokens where {limit} fit" in said[0]


def test_a_recording_of_which_nothing_fits_is_refused(recorded: Path, tmp_path: Path) -> None:
    with pytest.raises(
        StoreError, match=rf"nothing that fits: 0 .* {EPISODES} left out, .* where 8 fit; raise packing"
    ):
        render(recorded, tmp_path, longest=8)


def test_prompts_leave_out_what_training_leaves_out(recorded: Path, tmp_path: Path) -> None:
    made = render(recorded, tmp_path, history="last:1")
    longer = [one for one in episodes(made) if len(one.turns) > 2]
    assert longer
    assert all(len(one.segments()) > 1 for one in longer)


def test_only_roles_that_are_trained_are_rendered(root: Path, tmp_path: Path) -> None:
    settings = RecordingSettings(episodes=6, role="first", partners={"second": "self"})
    record([Player("demo")], "toys/pair", tmp_path / "recorded", settings=settings)
    assert {one.role for one in episodes(tmp_path / "recorded")} == {"first", "second"}
    made = render(tmp_path / "recorded", tmp_path, suite="toys/pair", roles=("second",))
    assert [one.role for one in episodes(made)] == ["second"] * 6
    assert all(len(one.turns[0].messages) == 2 for one in episodes(made))
    with pytest.raises(StoreError, match="without a graded episode of the role third"):
        render(tmp_path / "recorded", tmp_path / "other", suite="toys/pair", roles=("third",))


# Learning from a recording.

LEARNERS: dict[str, dict[str, Any]] = {
    "ilql": {"preset": "ilql", "updates": 2, "batch": 4},
    "archer_offline": {
        "preset": "archer_offline",
        "critic": {"updates": 2, "batch": 8, "warmup": 1},
        "actor": {"updates": 2, "batch": 8},
    },
}


def learner_config(folder: Path, algorithm: dict[str, Any], iterations: int = 4, **tables: Any) -> TrainConfig:
    """A configuration that learns from a recording of toys/questions."""
    replay = {"runs": [str(folder)], **algorithm.get("replay", {})}
    base = {
        "run": {"suite": "toys/questions", "iterations": iterations},
        "algorithm": {**algorithm, "replay": replay},
        "rollout": {"sampling": {"max_tokens": 2}, "env_threads": 2},
        "optimiser": {"learning_rate": 3e-3},
        "packing": {"row_length": 160, "micro_batch_tokens": 4096, "is_packed": False},
        "validation": {"every": iterations, "tasks": 4},
        "checkpoint": {"every": 2},
    }
    return config_from_tables(merged(base, tables), Source())


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_killed_run_goes_on_to_the_same_although_its_recording_changed(
    learner: str, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Trap D-29: what was rendered is part of the run."""
    settings = RecordingSettings(episodes=12)
    record(MIX, "toys/questions", tmp_path / "recorded", settings=settings)
    config = learner_config(tmp_path / "recorded", LEARNERS[learner])
    train(config, tmp_path / "whole")
    with breaking(monkeypatch, 4):
        train(config, tmp_path / "run")
    record(MIX, "toys/questions", tmp_path / "recorded", settings=replace(settings, episodes=18, overwrite=True))
    train(config, tmp_path / "run", resume=True)
    whole, ours = story(tmp_path / "whole"), story(tmp_path / "run")
    for part in ("metrics", "weights", "held out", "seen"):
        assert ours[part] == whole[part], part


def test_a_run_that_is_begun_anew_renders_anew(root: Path, tmp_path: Path) -> None:
    settings = RecordingSettings(episodes=6)
    config = learner_config(tmp_path / "recorded", {"preset": "bc", "updates": 1, "batch": 4}, 1)
    record(MIX, "toys/questions", tmp_path / "recorded", settings=settings)
    train(config, tmp_path / "run")
    record(MIX, "toys/questions", tmp_path / "recorded", settings=replace(settings, episodes=9, overwrite=True))
    train(config, tmp_path / "run", overwrite=True)
    assert len(episodes(tmp_path / "run" / "recordings" / "0")) == 9
    seen = json.loads((tmp_path / "run" / "models" / "trained" / "agentgym.json").read_text())["seen_hashes"]
    assert set(seen) <= {each.content_hash for each in episodes(tmp_path / "recorded")}
    assert seen


def test_an_actor_critic_replays_a_recording_beside_its_own_episodes(recorded: Path, tmp_path: Path) -> None:
    algorithm = {
        "preset": "archer",
        "critic": {"updates": 2, "batch": 8, "warmup": 0},
        "actor": {"updates": 1, "batch": 8},
        "replay": {"runs_share": 0.25},
    }
    tables = {"group": {"tasks": 2, "size": 2}, "validation": {"every": 0, "has_final_test": False}}
    train(learner_config(recorded, algorithm, 2, **tables), tmp_path / "run")
    with RunStore.open(tmp_path / "run", read_only=True) as store:
        assert store.metrics()["replay/other_runs_share"][1].tolist() == [0.25, 0.25]
        assert len(store.episode_rows(purpose="train")) == 8


@pytest.mark.slow
def test_the_best_of_a_recording_is_learnt(root: Path, tmp_path: Path) -> None:
    """The demonstrator names the right item half of the time, the other player once in sixteen."""
    record(MIX, "toys/questions", tmp_path / "recorded", settings=RecordingSettings(episodes=200))
    before = np.mean([bool(each.success) for each in episodes(tmp_path / "recorded")])
    assert before < 0.5
    config = learner_config(tmp_path / "recorded", {"preset": "filtered_bc", "updates": 60, "batch": 32}, 2)
    result = train(config, tmp_path / "run")
    assert result.held_out["trained"]["success"]["mean"] > 0.9


# What a run refuses at its start.


def config_of(folder: Path, suite: str = "toys/questions", **algorithm: Any) -> TrainConfig:
    algorithm = {"preset": "bc"} | algorithm
    replay = {"runs": [str(folder)], **algorithm.pop("replay", {})}
    tables: dict[str, Any] = {"run": {"iterations": 1, "suite": suite}, "algorithm": {**algorithm, "replay": replay}}
    if not KINDS[LEARNER_OF_PRESET[algorithm["preset"]]].options.collects:
        return config_from_tables(tables, Source())
    return toy_config(suite.removeprefix("toys/"), **tables)


def refused(config: TrainConfig, tmp_path: Path, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        train(config, tmp_path / "trained")
    assert not (tmp_path / "trained").exists()


def test_a_recording_of_another_suite_is_refused(recorded: Path, tmp_path: Path) -> None:
    config = config_of(recorded, "toys/strict")
    refused(config, tmp_path, StoreError, "recording of the suite 'toys/questions', expected 'toys/strict'")


def test_a_recording_of_held_out_tasks_is_refused(root: Path, tmp_path: Path) -> None:
    settings = RecordingSettings(episodes=4, is_held_out_allowed=True)
    record(MIX, "toys/questions", tmp_path / "run", "validation", settings)
    refused(config_of(tmp_path / "run"), tmp_path, HeldOutError, "recording of the split 'validation'")


def test_a_recording_without_episodes_is_refused(recorded: Path, tmp_path: Path) -> None:
    with RunStore.open(recorded, read_only=True) as full, RunStore.create(tmp_path / "run", full.meta):
        pass
    refused(config_of(tmp_path / "run"), tmp_path, StoreError, "recording without a graded episode on the train split")


@pytest.mark.parametrize(
    "algorithm",
    [
        {"preset": "loop", "replay": {"kind": "imitation"}},
        {"preset": "arpo"},
        {"preset": "archer_in_sample", "critic": {"warmup": 0}},
    ],
    ids=["imitation", "successes", "in_sample"],
)
def test_losses_with_a_ratio_refuse_a_recording(algorithm: dict[str, Any], recorded: Path, tmp_path: Path) -> None:
    """Trap D-18: nobody's log-probabilities are no behaviour log-probabilities."""
    config = config_of(recorded, **algorithm)
    refused(config, tmp_path, StoreError, r'no behaviour log-probabilities.*actor\.kind "resampled" or "awr"')


def test_the_best_of_episodes_that_return_alike_are_refused_at_the_start(root: Path, tmp_path: Path) -> None:
    record([Player("demo")], "toys/pair", tmp_path / "run", settings=RecordingSettings(episodes=4))
    config = config_of(tmp_path / "run", "toys/pair", preset="filtered_bc", updates=1)
    refused(config, tmp_path, ConfigError, "all 4 episodes return 1")


def nothing_is_asked(*args: Any) -> None:
    """D-34: episodes of any task are learnt from."""


def only_the_split_is_asked(source: RunStore, rendering: Rendering) -> None:
    """D-34: what the split was called decides, whatever tasks lie in it now."""
    assert source.meta["recording"]["split"] == "train"


@parametrised(recordings._require_trainable, only_the_split_is_asked)
def test_a_task_that_was_moved_to_the_test_split_is_refused_before_anything_is_rendered(
    implementation: Any, is_bug: bool, recorded: Path, tmp_path: Path
) -> None:
    """Trap D-34."""
    moved = frozenset({episodes(recorded)[-1].content_hash})
    seen: list[Any] = []
    own = recordings.with_tokens

    def watched(found: list[Any], *args: Any) -> list[Any]:
        seen.extend(found)
        return own(found, *args)

    with (
        noticed(is_bug),
        swapped(recordings, "_require_trainable", implementation),
        swapped(recordings, "with_tokens", watched),
    ):
        with contextlib.suppress(HeldOutError):
            render(recorded, tmp_path, held_out=moved)
        assert not seen


@parametrised(recordings._require_train_task, nothing_is_asked)
def test_an_episode_of_a_task_that_the_recording_did_not_note_is_refused(
    implementation: Any, is_bug: bool, recorded: Path, tmp_path: Path
) -> None:
    """Trap D-34."""
    moved = frozenset({episodes(recorded)[-1].content_hash})
    with (
        noticed(is_bug),
        swapped(recordings, "_require_trainable", only_the_split_is_asked),
        swapped(recordings, "_require_train_task", implementation),
    ):
        error = ""
        try:
            render(recorded, tmp_path, held_out=moved)
        except HeldOutError as refusal:
            error = str(refusal)
        assert "is of the held-out task" in error
        assert not list((tmp_path / "recordings").iterdir())

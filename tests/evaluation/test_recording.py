import sqlite3
from pathlib import Path

import pytest

from agentgym.errors import ConfigError, HeldOutError, StoreError, WrongRunError
from agentgym.evaluation import Player, RecordingSettings, record
from agentgym.evaluation.recording import plan
from agentgym.policies.scripted import ScriptedPolicy
from agentgym.rollout import RolloutSettings
from agentgym.store import RunStore
from agentgym.suite import load_suite
from agentgym.view import write_report
from agentgym_rl.run.config import load_config
from agentgym_rl.run.job import train
from tests.toys.game import saying

SUITE = "dialogue/guess-number"
MIX = [Player("demo", share=0.5), Player("demo", {"quality": 0.1}, 0.25), Player("random", share=0.25)]


def stories(folder: Path) -> dict[str, tuple[object, ...]]:
    with RunStore.open(folder, read_only=True) as store:
        return {
            each.id: (each.policy, each.task_id, tuple(turn.text for turn in each.turns), each.total_reward)
            for each in store.episodes()
        }


def test_recording_repeats_with_its_seed_and_differs_with_another(tmp_path: Path) -> None:
    for name, seed in (("one", 1), ("again", 1), ("other", 2)):
        record(MIX, SUITE, tmp_path / name, settings=RecordingSettings(48, seed))
    assert stories(tmp_path / "one") == stories(tmp_path / "again")
    assert stories(tmp_path / "one") != stories(tmp_path / "other")


def test_policies_are_told_apart_by_their_options(tmp_path: Path) -> None:
    result = record(MIX, SUITE, tmp_path, settings=RecordingSettings(40))
    assert {label: each.episodes for label, each in result.players.items()} == {
        "demo": 20,
        "demo(quality=0.1)": 10,
        "random": 10,
    }
    assert {policy for policy, *_ in stories(tmp_path).values()} == set(result.players)


@pytest.mark.parametrize("episodes", [1, 2, 7, 30])
def test_shares_round_to_the_number_of_episodes(episodes: int) -> None:
    tasks = load_suite(SUITE).train_tasks()[:5]
    players = [Player("a"), Player("b"), Player("c")]
    jobs = plan(players, tasks, RecordingSettings(episodes))
    counts = [len(own) for own in jobs.values()]
    assert sum(counts) == episodes
    assert max(counts) - min(counts) <= 1
    everything = [(job.task.id, job.attempt) for own in jobs.values() for job in own]
    assert len(set(everything)) == episodes  # each pass plays each task once


def test_an_interrupted_recording_goes_on_where_it_stopped(tmp_path: Path) -> None:
    settings = RecordingSettings(40)

    class Interrupting:
        """Stands for Ctrl-C after some episodes."""

        def start(self, total: int) -> None: ...

        def update(self, stats: object) -> None:
            if stats.episodes == 5:
                raise KeyboardInterrupt

        def stop(self) -> None: ...

    first = record(MIX, SUITE, tmp_path / "cut", settings=settings, progress_of=lambda label: Interrupting())
    assert 0 < first.num_missing < 40
    second = record(MIX, SUITE, tmp_path / "cut", settings=settings)
    assert second.num_missing == 0
    record(MIX, SUITE, tmp_path / "whole", settings=settings)
    assert stories(tmp_path / "cut") == stories(tmp_path / "whole")


def test_a_folder_takes_one_recording_and_overwriting_spares_other_runs(tmp_path: Path) -> None:
    record(MIX, SUITE, tmp_path / "run", settings=RecordingSettings(8))
    with pytest.raises(StoreError, match="another run"):
        record(MIX, SUITE, tmp_path / "run", settings=RecordingSettings(9))
    record(MIX, SUITE, tmp_path / "run", settings=RecordingSettings(9, overwrite=True))
    assert len(stories(tmp_path / "run")) == 9
    RunStore.create(tmp_path / "training", {"kind": "train"}).close()
    with pytest.raises(StoreError, match="another run"):
        record(MIX, SUITE, tmp_path / "training", settings=RecordingSettings(9, overwrite=True))
    with RunStore.open(tmp_path / "training", read_only=True) as store:
        assert store.meta["kind"] == "train"


def test_a_folder_of_other_files_is_refused_and_one_with_a_recording_is_accepted(tmp_path: Path) -> None:
    record(MIX, SUITE, tmp_path, settings=RecordingSettings(4))
    (tmp_path / "notes.txt").write_text("mine")
    record(MIX, SUITE, tmp_path, settings=RecordingSettings(4, overwrite=True))
    other = tmp_path / "other"
    other.mkdir()
    (other / "notes.txt").write_text("mine")
    for overwrite in (False, True):
        with pytest.raises(ConfigError, match="other holds other files and no run; choose an empty or new folder"):
            record(MIX, SUITE, other, settings=RecordingSettings(4, overwrite=overwrite))
    assert [path.name for path in other.iterdir()] == ["notes.txt"]


def test_held_out_tasks_are_recorded_on_demand_alone_and_are_no_demonstrations(tmp_path: Path) -> None:
    with pytest.raises(HeldOutError, match="--allow-held-out"):
        record(MIX, SUITE, tmp_path, "test", RecordingSettings(8))
    assert not list(tmp_path.iterdir())
    record(MIX, SUITE, tmp_path, "test", RecordingSettings(8, is_held_out_allowed=True))
    with RunStore.open(tmp_path, read_only=True) as store:
        assert {row.purpose for row in store.episode_rows()} == {"test"}


def test_a_role_of_a_game_is_recorded_with_its_partner(tmp_path: Path) -> None:
    settings = RecordingSettings(6, role="describer", partners={"guesser": "scripted:oracle"})
    record([Player("demo")], "dialogue/taboo", tmp_path, settings=settings)
    with RunStore.open(tmp_path, read_only=True) as store:
        assert [row.role for row in store.episode_rows()] == ["describer"] * 6


def test_a_recording_is_added_to_under_the_same_history_and_weights_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ask(history: str, weights: str) -> None:
        policy = ScriptedPolicy("demo", saying("5"), weights)
        monkeypatch.setattr("agentgym.evaluation.recording.load", lambda *_, **options: policy)
        settings = RecordingSettings(4, rollout=RolloutSettings(history=history))
        record([Player("demo")], SUITE, tmp_path, settings=settings)

    ask("last:2", "a")
    ask("last:2", "a")
    for history, weights in (("full", "a"), ("last:2", "b")):
        with pytest.raises(WrongRunError, match="another run: its recording is"):
            ask(history, weights)


def test_a_recording_of_an_earlier_version_is_added_to(tmp_path: Path) -> None:
    record(MIX, SUITE, tmp_path, settings=RecordingSettings(4))
    with RunStore.open(tmp_path) as store:
        recipe = store.meta["recording"]
        for key in ("history", "max_context", "cut_messages", "fingerprints"):
            del recipe[key]
        store.set_meta({"recording": recipe})
    record(MIX, SUITE, tmp_path, settings=RecordingSettings(4))
    with pytest.raises(WrongRunError, match="another run"):
        record(MIX, SUITE, tmp_path, settings=RecordingSettings(5))


def test_an_episode_with_one_of_two_roles_in_the_store_is_played_again(tmp_path: Path) -> None:
    settings = RecordingSettings(3, role="describer", partners={"guesser": "self"})
    record([Player("oracle")], "dialogue/taboo", tmp_path, settings=settings)
    whole = stories(tmp_path)
    with sqlite3.connect(tmp_path / "run.db") as database:  # as after a kill between the writes of the two
        database.execute("DELETE FROM episodes WHERE id = 'record-000001/guesser'")
    database.close()
    assert record([Player("oracle")], "dialogue/taboo", tmp_path, settings=settings).num_missing == 0
    assert stories(tmp_path) == whole
    assert len(whole) == 6


def test_a_recording_is_cloned_and_reported(tmp_path: Path) -> None:
    record(MIX, SUITE, tmp_path / "recorded", settings=RecordingSettings(32))
    assert "guess-number" in write_report(tmp_path / "recorded").read_text()
    overrides = [f"run.suite={SUITE}", "run.iterations=0", f"warm_start.run={tmp_path / 'recorded'}"]
    overrides += ["validation.every=0", "validation.has_final_test=false", "rollout.sampling.max_tokens=4"]
    train(load_config(None, overrides), tmp_path / "run")
    assert (tmp_path / "run" / "models" / "cloned" / "config.json").exists()

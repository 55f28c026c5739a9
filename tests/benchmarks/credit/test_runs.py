import json
from dataclasses import replace

import pytest

from agentgym.errors import ConfigError, LearningStalledError, UnknownNameError
from agentgym_rl.run.watch import Watch
from benchmarks.credit import recordings, runs, starts
from benchmarks.credit.__main__ import command
from benchmarks.credit.runs import Places, kept, run_piece
from benchmarks.credit.tables import QUICK, Piece, method_named, methods, task_named

CHOSEN = {"optimiser.learning_rate": 2e-3, "algorithm.minibatches": 2}
LOOP = Piece(QUICK, "loop", 0, CHOSEN)


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    root = tmp_path_factory.mktemp("credit")
    return Places(root, root / "archive")


@pytest.fixture(scope="module")
def result(places):
    return run_piece(LOOP, places)


def test_a_run_stops_at_its_turns_and_is_scored_on_the_way(result):
    budget = task_named(QUICK).turns
    turns = [probe["turns"] for probe in result["probes"]]
    assert turns[0] == 0
    assert turns == sorted(set(turns))
    assert budget <= turns[-1] == result["turns"] < budget + 8 * 12 + 1  # one iteration more at most
    assert [point[0] for point in result["course"]][-1] == result["turns"]
    assert 0 <= result["test"]["score"] <= 1
    assert not result["is_cut"]
    assert result["cost"]["learn_cpu_s"] > 0
    assert result["cost"]["peak_mib"] > 100


def test_a_result_is_kept_and_not_run_again(result, places, monkeypatch):
    monkeypatch.setattr(runs, "_trained", None)
    assert run_piece(LOOP, places) == result == kept(LOOP, places)
    assert kept(replace(LOOP, seed=1), places) is None


def test_methods_start_from_the_very_same_weights(result, places, monkeypatch):
    monkeypatch.setattr(starts, "train", None)  # the start is there already
    other = run_piece(Piece(QUICK, "gigpo", 0, {"optimiser.learning_rate": 2e-3}), places)
    assert other["probes"][0] == result["probes"][0]
    assert other["metrics"]["states/mean_size"] >= 1


def test_a_run_repeats_exactly(result, tmp_path):
    again = run_piece(LOOP, Places(tmp_path, tmp_path / "archive"))
    assert [probe["score"] for probe in again["probes"]] == [probe["score"] for probe in result["probes"]]
    assert again["course"] == result["course"]


def test_a_run_is_cut_where_its_cpu_seconds_are_spent(places, monkeypatch):
    monkeypatch.setitem(methods(), LOOP.method, replace(method_named(LOOP.method), max_cpu_s=0.0))
    cut = run_piece(replace(LOOP, seed=0, chosen={"optimiser.learning_rate": 1e-3}), places)
    assert cut["is_cut"]
    assert len(cut["probes"]) == 1


def stop_early(watch, state, metrics):
    if state.iteration == 2:
        raise LearningStalledError("diverged")


def test_a_run_that_a_watch_stops_is_scored_as_it_is_then(places, monkeypatch):
    monkeypatch.setattr(Watch, "check", stop_early)
    stopped = run_piece(replace(LOOP, seed=0, chosen={"optimiser.learning_rate": 3e-3}), places)
    assert stopped["stall"] == "diverged"
    assert stopped["cost"]["iterations"] == 2
    assert stopped["probes"][-1]["iteration"] == 2
    assert "test" in stopped


def test_a_trial_leaves_the_test_split_alone(places, monkeypatch):
    monkeypatch.setattr(runs, "_test", None)
    trial = run_piece(replace(LOOP, is_trial=True), places)
    assert "test" not in trial


def test_an_offline_run_learns_once_the_start_has_played_all_turns(places, monkeypatch):
    chosen = {"optimiser.learning_rate": 2e-3, "run.iterations": 2}
    offline = run_piece(Piece(QUICK, "ilql", 0, chosen), places)
    first, before, last = offline["probes"]
    assert (first["turns"], before["turns"], last["turns"]) == (0, offline["turns"] - 1, offline["turns"])
    assert offline["turns"] >= task_named(QUICK).turns
    assert first["score"] == before["score"]
    assert offline["cost"]["collect_cpu_s"] > 0
    assert offline["cost"]["iterations"] == 2
    monkeypatch.setattr(recordings, "NothingLearnt", None)  # what was recorded serves all offline methods
    monkeypatch.setattr(runs, "NothingLearnt", None)
    critic = {"algorithm.critic.warmup": 1, "algorithm.critic.updates": 2}
    other = run_piece(Piece(QUICK, "archer_offline", 0, chosen | critic), places)
    assert other["turns"] == offline["turns"]
    assert other["probes"][0] == first


def test_a_recording_is_played_by_the_start(places):
    start = starts.cloned_start(QUICK, 0, places.starts)
    recorder = runs._recorder(start, LOOP, places.root / "played")
    assert {probe.score for probe in recorder.probes} == {recorder.probes[0].score}
    assert recorder.spent.turns >= task_named(QUICK).turns


def test_the_oracle_is_scored_on_the_same_tasks(places):
    assert runs.oracle_score(QUICK, places) == 1.0


def test_the_commands_refuse_what_does_not_exist(capsys):
    with pytest.raises(ConfigError, match="no command"):
        command(["dance"])
    with pytest.raises(UnknownNameError):
        command(["run", "--task", "draughts", "--method", "loop"])


def test_the_run_command_prints_the_result(result, places, capsys):
    arguments = ["--task", QUICK, "--method", "loop", "--seed", "0", "--chosen", json.dumps(CHOSEN)]
    assert command(["run", "--root", str(places.root), *arguments]) == 0
    assert json.loads(capsys.readouterr().out) == result

"""`agentgym attribute`."""

import json
import re
import sqlite3
from pathlib import Path

import pytest

from agentgym.attribution import METHODS, PREDICTED
from agentgym.cli.main import FAILED, OK, USAGE, main
from agentgym.store import DATABASE, RunStore


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "run"
    suite = ["--suite", "dialogue/guess-number", "--policy", "demo=1", "random=1"]
    assert main(["record", *suite, "--episodes", "30", "--run", str(folder)]) == OK
    return folder


@pytest.fixture
def run_folder(recorded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    (tmp_path / DATABASE).write_bytes((recorded / DATABASE).read_bytes())
    capsys.readouterr()
    return tmp_path


def attribute(folder: Path, *args: str) -> int:
    return main(["attribute", str(folder), *args])


def test_help_names_every_method(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["attribute", "--help"]) == OK
    words = set(re.findall(r"\w+", capsys.readouterr().out))
    assert words >= {*METHODS, *PREDICTED}


def test_methods_are_compared_side_by_side_and_kept(run_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    methods = ("terminal", "potential", "gated,return_to_go")
    assert attribute(run_folder, "--method", *methods, "--set", "return_to_go.gamma=0.9") == OK
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:3] for line in lines[2:]] == [
        ["terminal", "yes", "rewards"],
        ["potential", "yes", "rewards"],
        ["gated,return_to_go", "no", "returns"],
    ]
    with RunStore.open(run_folder, read_only=True) as store:
        assert set(store.credit_labels()) == set(methods)
    assert attribute(run_folder, "--json") == OK
    told = json.loads(capsys.readouterr().out)["methods"]
    assert [each["label"] for each in told] == sorted(methods)
    assert {each["episodes"] for each in told} == {30}
    assert all(each["largest_gap"] < 1e-9 for each in told if each["conserves"])


def test_methods_that_learn_are_fitted_to_the_run(
    run_folder: Path, recorded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    methods = ("spa", "rudder", "expert", "judged,corrected")
    options = [*(f"{name}.fit.first_epochs=1" for name in methods[:3]), f'expert.run="{recorded}"']
    assert attribute(run_folder, "--method", *methods, "--set", *options, "--json") == OK
    told = {each["label"]: each for each in json.loads(capsys.readouterr().out)["methods"]}
    assert [told[name]["conserves"] for name in methods] == [True, True, False, True]
    assert all(each["largest_gap"] < 1e-9 for each in told.values() if each["conserves"])
    assert "first_epochs=1" in told["rudder"]["options"]
    with RunStore.open(run_folder, read_only=True) as store:
        events = [event for found in store.credit("spa").values() for event in found]
    assert {event.source for event in events} == {"shaping"}
    assert attribute(run_folder, "--method", "spa") == USAGE
    assert "learning from the run" not in capsys.readouterr().err


def test_turns_are_valued_by_playing_on_from_them(run_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    args = ["--method", "forks", "anchors", "--policy", "random", "--json", "--set", "anchors.gamma=0.5"]
    assert attribute(run_folder, *args, "forks.player=demo", "forks.continuations=1", "forks.every=2") == OK
    captured = capsys.readouterr()
    told = {each["label"]: each for each in json.loads(captured.out)["methods"]}
    assert (told["forks"]["yields"], told["forks"]["episodes"]) == ("advantages", 15)
    assert "continuations=1, every=2, gamma=1.0, seed=0, max_turns=200, player='demo'" in told["forks"]["options"]
    assert any(told["forks"]["mean_by_fifth"])
    assert re.search(r"forks: ([\d,]+) continuations by demo, 1 from each of \1 states of 15 episodes", captured.err)
    assert "warning: these are values of demo, but random played" in captured.err


def test_a_label_is_replaced_only_on_request(run_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert attribute(run_folder, "--method", "uniform", "--label", "mine") == OK
    assert attribute(run_folder, "--method", "terminal", "--label", "mine") == USAGE
    assert "holds credit under mine already" in capsys.readouterr().err
    assert attribute(run_folder, "--method", "terminal", "--label", "mine", "--overwrite", "--json") == OK
    assert json.loads(capsys.readouterr().out)["methods"][0]["method"] == "terminal"


def test_why_a_method_gave_nothing_is_told_by_its_kind(run_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    methods = ["episode_groups", "judged", "gated,tool_use"]
    options = ["judged.weights=[0.0]", 'gated.priorities=["format", "success"]', "gated.thresholds=[9, 9]"]
    assert attribute(run_folder, "--method", *methods, "--set", *options) == OK
    told = dict(re.findall(r"(\S+) gave no turn any credit: (.*)", capsys.readouterr().err))
    assert list(told) == methods
    assert "several episodes of a task" in told["episode_groups"]
    assert "judged.dimensions names what is judged" in told["judged"]
    assert told["gated,tool_use"] == "the episodes earned nothing that could be given to turns"


def test_how_many_turns_are_alone_in_their_state_is_told(run_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert attribute(run_folder, "--method", "anchors", "uniform") == OK
    told = re.findall(r"(\S+): (\d+)% of the turns have no other turn in the same state", capsys.readouterr().err)
    assert [label for label, _ in told] == ["anchors"]


def test_a_maze_is_judged_by_what_was_reached(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    suite = ["--suite", "dialogue/maze-partial", "--policy", "demo=1"]
    assert main(["record", *suite, "--episodes", "4", "--run", str(tmp_path / "run")]) == OK
    assert attribute(tmp_path / "run", "--method", "judged") == OK
    assert "gave no turn any credit" not in capsys.readouterr().err
    with RunStore.open(tmp_path / "run", read_only=True) as store:
        kept = store.credit("judged")
        rows = {row.number: row for row in store.episode_rows()}
    assert all(row.success for row in rows.values())
    ends = {number: (events[-1].turn + 1, events[-1].value) for number, events in kept.items()}
    assert ends == {number: (row.num_turns, row.score) for number, row in rows.items()}


@pytest.mark.parametrize(
    ("args", "why"),
    [
        (["--method", "anchor"], "unknown attribution method 'anchor'; did you mean anchors"),
        (["--method", "nope"], "'nope'; known: anchors, bounded"),
        (["--method", "uniform", "--set", "uniform.foo=1"], "'uniform.foo' is unknown; known: none"),
        (["--method", "anchors", "--set", "gama=0.9"], "did you mean gamma"),
        (["--method", "anchors", "--set", "gamma"], "override 'anchors.gamma' has no value"),
        (["--method", "uniform", "terminal", "--label", "one"], "needs its own label"),
        (["--method", "uniform", "--policy", "nobody"], "no train episode of the policies nobody"),
        (["--method", "gated", "--set", 'priorities=["win"]'], "declared: format, success"),
        (["--set", "gamma=0.9"], "--set needs a --method"),
        (["--method", "spa", "--set", "fit.every=2"], "fit.every=2 applies to training only"),
        (["--method", "spa", "--set", 'fit.tower="policy"'], "give the folder of a model"),
        (["--method", "forks", "--set", "player=nobody"], "'dialogue/guess-number' has no policy 'nobody'"),
        (["--method", "forks", "--set", "continuation=2"], "did you mean continuations"),
        (["--method", "forks,corrected"], "it stands alone, for a run that is over"),
        (["--method", "expert"], "name another run of demonstrations with expert.run"),
    ],
)
def test_what_cannot_be_done_is_one_clear_line(
    run_folder: Path, capsys: pytest.CaptureFixture[str], args: list[str], why: str
) -> None:
    content = (run_folder / DATABASE).read_bytes()
    assert attribute(run_folder, *args) == USAGE
    captured = capsys.readouterr()
    assert why in captured.err
    assert captured.out == ""
    assert (run_folder / DATABASE).read_bytes() == content


def test_runs_that_cannot_be_used_are_refused(
    run_folder: Path, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path_factory.mktemp("other")
    assert attribute(other, "--method", "terminal") == USAGE
    assert "holds no run" in capsys.readouterr().err
    with sqlite3.connect(other / DATABASE) as foreign:
        foreign.execute("CREATE TABLE songs (name)")
    foreign.close()
    assert attribute(other, "--method", "terminal") == USAGE
    assert "no run's database" in capsys.readouterr().err
    with RunStore.open(run_folder):
        assert attribute(run_folder, "--method", "terminal") == FAILED
        assert "is being written by process" in capsys.readouterr().err

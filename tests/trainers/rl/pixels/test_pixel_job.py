"""A run of `trainer = "pixels"` from a file: what it writes, that its seed decides, and how bad files are explained."""

import json
from pathlib import Path

import pytest

from agentgym.cli.main import main
from agentgym.errors import CheckpointError
from agentgym.policies.torch.pointing import load_pointer
from agentgym.store import RunStore
from tests.trainers.rl.pixels.screens import write_screens

CONFIGS = Path(__file__).parents[4] / "trainers" / "agentgym_rl" / "configs"
CONFIG = """trainer = "pixels"

[run]
updates = 60

[screens]
targets = "screens/targets.json"
held_out = 4
min_screens = 2

[policy]
width = 8

[learning]
mode = "supervised"
screens = 4
questions = 2
learning_rate = 1e-2

[probes]
every = 20
"""
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_screens(tmp_path / "screens", 16)
    (tmp_path / "small.toml").write_text(CONFIG)
    return tmp_path


def test_a_run_learns_and_writes_what_every_run_writes(folder: Path, capsys: Capture) -> None:
    assert main(["train", "small.toml", "--run", "run", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    before, after = (told["held_out"][stage] for stage in ("untrained", "trained"))
    assert after["num_tasks"] == 8
    assert after["success"]["low"] > before["success"]["mean"]
    assert after["trained_on"] == before["trained_on"] == 0
    with RunStore.open(folder / "run") as store:
        probes = store.metrics(phase="validation")
        assert probes["success/mean"][0].tolist() == [20, 40, 60]
        assert probes["success/mean"][1][-1] == after["success"]["mean"]  # in batches as in episodes
        assert store.metrics(phase="train")["loss"][0].tolist() == [10, 20, 30, 40, 50, 60]
    assert json.loads((folder / "run" / "summary.json").read_text())["held_out"] == told["held_out"]
    assert "click the dim one" in (folder / "run" / "models" / "trained" / "pixels.json").read_text()
    assert load_pointer(folder / "run" / "models" / "trained").seen_hashes
    assert (folder / "run" / "report.html").exists()
    policy, options = "torch:run/models/trained", ["targets=screens/targets.json", "scale=0.125"]
    command = [
        "eval",
        "--suite",
        "agentgym/Grounding-v0",
        "--policy",
        policy,
        "--limit",
        "8",
        "--allow-train",
        "--json",
    ]
    assert main([*command, "--env-option", *options]) == 0
    again = json.loads(capsys.readouterr().out)
    assert again["success"]["mean"] > before["success"]["mean"]


def test_the_seed_decides_what_is_learned(folder: Path) -> None:
    weights = {}
    for name, seed in (("one", 0), ("two", 0), ("other", 1)):
        command = ["train", "small.toml", "--run", name, f"run.seed={seed}", "run.updates=3", "learning.mode=hit"]
        assert main(command) == 0
        weights[name] = (folder / name / "models" / "trained" / "model.safetensors").read_bytes()
    assert weights["one"] == weights["two"] != weights["other"]


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("learning.mode=guess", "expected one of 'supervised', 'hit', 'dense', 'supervised_then_hit'"),
        ("learning.samples=9", "'samples' is not a key of learning with mode = \"supervised\""),
        ("updates=5", "'updates' is not a key of a table with trainer = \"pixels\"; did you mean run.updates?"),
        ("run.iterations=5", "run.iterations"),
        ("screens.scale=2", "must be above 0 and at most 1"),
        ("screens.targets=elsewhere.json", "agentgym gui render"),
        ("screens.held_out=16", "nothing is left to learn from"),
        ("screens.stratum=role", "has 0 pictures with targets of the kind 'role'"),
        ("screens.min_screens=100", "no description is on 100 training screens"),
        ("run.suite=agentgym/Grounding-v1", "agentgym/Grounding-v0"),
        ("trainer=pixel", "expected 'pixels'"),
    ],
)
def test_a_bad_key_is_explained_and_leaves_nothing(folder: Path, capsys: Capture, override: str, said: str) -> None:
    assert main(["train", "small.toml", "--run", "run", override]) == 2
    assert said in capsys.readouterr().err
    assert not (folder / "run").exists()


def test_what_such_runs_cannot_do_is_said(folder: Path, capsys: Capture) -> None:
    assert main(["train", "small.toml", "--run", "run", "run.updates=0"]) == 0
    capsys.readouterr()
    for command in (["--run", "run", "--resume"], ["small.toml", "--dry-run"], ["small.toml", "--resume"]):
        assert main(["train", *command]) == 2
        assert "runs take minutes" in (said := capsys.readouterr().err) or "a tenth of a second" in said
    assert main(["train", "small.toml", "--run", "run"]) == 2
    assert "start anew with --overwrite" in capsys.readouterr().err
    with pytest.raises(CheckpointError, match="no policy that points"):
        load_pointer(folder)


def test_the_shipped_file_is_read_and_described_in_every_mode(folder: Path, capsys: Capture) -> None:
    for mode in ("supervised", "hit", "dense", "supervised_then_hit"):
        command = ["train", str(CONFIGS / "grounding_pixels.toml"), f"learning.mode={mode}", "--describe"]
        assert main(command) == 0
        assert f"mode {mode}" in capsys.readouterr().out

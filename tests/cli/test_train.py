"""`agentgym train`: the thin part; the trainer's own tests are elsewhere."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from agentgym.cli.main import main
from agentgym.cli.train import _about, arrange

CONFIG = """
[run]
suite = "dialogue/guess-number"
iterations = 1
[model]
size = "0.25M"
[warm_start]
demonstrations = 16
[group]
tasks = 2
size = 2
[rollout]
sampling = { max_tokens = 8 }
[validation]
every = 0
test_tasks = 4
"""
WITHOUT_TORCH = """
import sys

class Missing:
    def find_spec(self, name, *_):
        if name.partition(".")[0] == "torch":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
from agentgym.cli.main import main
"""
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "small.toml"
    path.write_text(CONFIG)
    return str(path)


def test_train_describe_prints_equations_and_runs_nothing(config: str, capsys: Capture, tmp_path: Path) -> None:
    assert main(["train", config, "--describe", "algorithm.preset=rloo"]) == 0
    out = capsys.readouterr().out
    assert "preset rloo" in out
    assert "A_i = R_i - mean_{j != i} R_j" in out
    assert [path.name for path in tmp_path.iterdir()] == ["small.toml"]


def test_train_dry_run_says_what_a_full_run_costs_and_leaves_nothing(
    config: str, capsys: Capture, tmp_path: Path
) -> None:
    assert main(["train", config, "--dry-run", "run.iterations=7", "--json"]) == 0
    captured = capsys.readouterr()
    assert "why is it not learning" not in captured.err
    cost = json.loads(captured.out)
    seconds = {part["name"]: part["seconds"] for part in cost["parts"]}
    assert seconds["iterations"] == pytest.approx(7 * cost["iteration_s"])
    assert cost["total_s"] == pytest.approx(sum(seconds.values()))
    assert list(seconds) == ["demonstrations", "cloning", "iterations", "final test"]
    assert cost["episodes"] == 7 * 4
    assert [path.name for path in tmp_path.iterdir()] == ["small.toml"]


def test_train_run_is_not_overwritten_goes_on_and_guards_its_train_tasks(config: str, capsys: Capture) -> None:
    assert main(["train", config, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["run"] == "runs/small"
    assert Path(result["report"]).is_file()
    assert set(result["held_out"]["trained"]["success"]) >= {"mean", "low", "high"}
    assert main(["train", config]) == 2
    assert "--resume" in capsys.readouterr().err
    assert main(["train", "--run", "runs/small", "--resume"]) == 0
    out = capsys.readouterr().out
    assert "trained" in out
    assert "report runs/small/report.html" in out
    seen = [
        "eval",
        "--suite",
        "dialogue/guess-number",
        "--policy",
        "torch:runs/small/models/trained",
        "--split",
        "train",
    ]
    assert main(seen) == 2
    assert "--allow-train" in capsys.readouterr().err
    assert main([*seen, "--allow-train", "--limit", "40", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["num_tasks"] == 40
    assert result["sampling"]["max_tokens"] == 8, "an evaluation takes the message limit of the run"
    assert main([*seen, "--allow-train", "--limit", "2", "--max-tokens", "5", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["sampling"]["max_tokens"] == 5


def test_train_interrupted_says_how_to_go_on(
    config: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture, tmp_path: Path
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("agentgym_rl.run.trainer.Trainer.run", interrupt)
    assert main(["train", config, "--run", "runs/mine"]) == 1
    assert "to continue from the checkpoint of iteration 0, run: agentgym train --run runs/mine --resume" in (
        capsys.readouterr().err
    )
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    assert main(["train", "--run", "runs/mine", "--resume"]) == 0


def test_train_without_its_extra_names_the_command_that_brings_it(config: str) -> None:
    code = WITHOUT_TORCH + f"sys.exit(main(['train', {config!r}]))"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "pip install 'agentgymnasium[train]'" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ([], "name a configuration file, such as: agentgym train run.toml"),
        (["absent.toml"], "there is no file absent.toml; check the path"),
        (["small.toml", "other.toml"], "there are two configuration files, small.toml and other.toml; name one"),
        (["small.toml", "run.iterations"], "override 'run.iterations' has no value; write run.iterations=VALUE"),
        (["run.iterations", "small.toml"], "override 'run.iterations' has no value; write run.iterations=VALUE"),
        (["small.toml", "run.suite="], "key 'run.suite' is missing; run `agentgym list` to see the suites"),
        (["small.toml", "run.seed=-1"], "override 'run.seed' must be from 0 to 9223372036854775807, got -1"),
        (["small.toml", "run.threads=0"], "override 'run.threads' must be at least 1, got 0"),
        (["small.toml", "algorithm.learner=archer"], "'archer' is a preset; write algorithm.preset = \"archer\""),
        (["small.toml", "algorithm.preset=groups"], "'groups' is a learner; write algorithm.learner = \"groups\""),
        (["small.toml", "algorithm.learner=archr"], "override 'algorithm.learner': unknown learner 'archr'"),
        (
            ["small.toml", "algorithm.credit.kind=turn_gae", "algorithm.credit.gaee=1"],
            "'gaee' is not a key of algorithm.credit with kind = \"turn_gae\"; did you mean gae?",
        ),
        (["small.toml", "run.iteration=1"], "did you mean iterations"),
        (["small.toml", "run.iterations=many"], "must be a whole number, got 'many'"),
        (["small.toml", "run.suite=dialogue/gues-number"], "did you mean dialogue/guess-number"),
        (["--resume", "--run", "nowhere"], "no run to resume in nowhere"),
        (["--resume"], "--run FOLDER"),
        (
            ["--resume", "--run", "nowhere", "run.seed=1"],
            "run.max_seconds; leave out run.seed=1",
        ),
    ],
)
def test_train_bad_input_is_one_clear_line(args: list[str], expected: str, config: str, capsys: Capture) -> None:
    assert main(["train", *args]) == 2
    captured = capsys.readouterr()
    assert expected in captured.err
    assert captured.out == ""


@pytest.mark.parametrize(
    ("override", "expected"),
    [
        ("run.suite=dialogue/gues-number", "unknown suite"),
        ("rollout.runtime=doker", "unknown runtime 'doker'; did you mean docker?"),
        ("warm_start.demonstrator=dmeo", "has no policy 'dmeo'"),
        ("warm_start.run=nowhere", "nowhere"),
    ],
)
def test_train_bad_name_leaves_no_run_folder(override: str, expected: str, config: str, capsys: Capture) -> None:
    assert main(["train", config, "--run", "runs/x", override]) != 0
    assert expected in capsys.readouterr().err
    assert not Path("runs").exists()


def test_train_describes_and_tells_mistakes_without_torch(config: str) -> None:
    code = """
import sys
from agentgym.cli.main import main
config, *overrides = sys.argv[1:]
for args in [["absent.toml"], ["--run", "nowhere", "--resume"], *([config, *each.split()] for each in overrides)]:
    assert main(["train", *args]) == 2
assert main(["train", config, "--describe"]) == 0
sys.exit(sorted({"torch", "transformers"} & set(sys.modules)) or 0)
"""
    mistakes = {
        "run.iteration=1": "did you mean iterations",
        "run.iterations=many": "must be a whole number",
        "watch.max_value_ratio=3": "has no effect without a critic of turns; remove it",
        "algorithm.preset=grop": "did you mean grpo",
        "run.suite=dialogue/gues-number": "did you mean dialogue/guess-number",
        "model.size= model.path=nowhere": "model.path 'nowhere' holds no model; expected a folder with config.json",
    }
    ended = subprocess.run(
        [sys.executable, "-c", code, config, *mistakes], capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode == 0, ended.stderr
    for expected, line in zip(["absent", "no run", *mistakes.values()], ended.stderr.splitlines(), strict=True):
        assert expected in line


def test_train_malformed_file_names_the_line(config: str, capsys: Capture) -> None:
    Path(config).write_text(CONFIG.replace("iterations = 1", "iterations = 1\nsede = 3"))
    assert main(["train", config]) == 2
    assert "small.toml:5: key 'run.sede' is unknown; did you mean seed" in capsys.readouterr().err


def test_train_names_the_line_of_a_name_under_which_there_is_nothing(config: str, capsys: Capture) -> None:
    Path(config).write_text(CONFIG.replace("guess-number", "gues-number"))
    assert main(["train", config]) == 2
    assert "small.toml:3: key 'run.suite': unknown suite 'dialogue/gues-number'" in capsys.readouterr().err
    Path(config).write_text(CONFIG + '[algorithm]\npreset = "grop"\n')
    assert main(["train", config]) == 2
    assert "small.toml:18: key 'algorithm.preset': unknown preset 'grop'; did you mean" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("override", "expected"),
    [
        ("model.size=2M", "override 'model.size' must be one of 0.25M, 0.35M, 1M, 4M, 11M, got '2M'"),
        ("rollout.runtime=doker", "override 'rollout.runtime': unknown runtime 'doker'"),
        ("warm_start.demonstrator=dmeo", "has no policy 'dmeo'; did you mean demo?"),
    ],
)
def test_train_describe_refuses_what_training_refuses(
    override: str, expected: str, config: str, capsys: Capture
) -> None:
    assert main(["train", config, "--describe", override]) == 2
    assert expected in capsys.readouterr().err


def test_arrange_lets_overrides_stand_anywhere() -> None:
    args = ["a=1", "--run", "runs/x", "file.toml", "--json", "b.c=2", "--run"]
    assert arrange(args) == ["a=1", "file.toml", "b.c=2", "--run", "runs/x", "--json", "--run"]


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.123, "0.1 s"), (47, "50 s"), (100, "1.7 min"), (3000, "50 min"), (5678, "1.6 h")]
)
def test_times_are_given_without_false_precision(seconds: float, text: str) -> None:
    assert _about(seconds) == text


def test_train_result_names_the_stratum_and_how_many_tasks_it_has(config: str, capsys: Capture) -> None:
    assert main(["train", config, "warm_start.demonstrations=0"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if line.startswith(("untrained", "trained"))]
    assert [row[:3] for row in rows] == [["untrained", "unseen_range", "3"], ["trained", "unseen_range", "3"]]


def test_the_documented_line_for_several_processes_is_one_that_torchrun_takes(config: str, capsys: Capture) -> None:
    from torch.distributed.run import get_args_parser

    page = (Path(__file__).parents[2] / "docs" / "train-an-agent.md").read_text()
    [line] = [line.strip() for line in page.splitlines() if line.startswith("    torchrun ")]
    _, *words = line.replace("CONFIG", config).replace("FOLDER", "runs/x").split()
    taken = get_args_parser().parse_args(words)
    assert (taken.nproc_per_node, taken.training_script, taken.no_python) == ("2", "agentgym", True)
    assert taken.training_script_args == ["train", config, "--run", "runs/x"]
    assert main([*taken.training_script_args, "--describe"]) == 0
    assert "preset" in capsys.readouterr().out

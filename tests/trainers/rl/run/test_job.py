from __future__ import annotations

import json
import os
import re
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from agentgym.action import Action
from agentgym.cli.main import main
from agentgym.env import EnvReply
from agentgym.errors import CheckpointError, ConfigError, HeldOutError, LearningStalledError, WrongRunError
from agentgym.evaluation import EvaluationSettings, evaluate
from agentgym.policies.by_name import load
from agentgym.policies.torch.policy import TorchPolicy
from agentgym.rollout import Job, RolloutSettings, collect_episodes, game_maker
from agentgym.store import RunStore
from agentgym.suite import load_suite, register_suites
from agentgym_rl.core.checkpoint import newest_iteration
from agentgym_rl.core.config.tables import CheckpointConfig
from agentgym_rl.core.models import load_causal_lm
from agentgym_rl.run import job
from agentgym_rl.run.job import train
from agentgym_rl.run.watch import Watch
from tests.trainers.rl import vocabulary
from tests.trainers.rl.breaking import breaking, press_ctrl_c, send_sigterm
from tests.trainers.rl.processes import in_a_process, in_two_ranks, under_torchrun
from tests.trainers.rl.toys import Bandit, install, toy_config
from tests.trainers.rl.train_toy import BUGS, DAMAGES, MOMENTS, of_two_ranks
from tests.trainers.rl.train_toy import config as killed_config
from tests.trainers.rl.uneven_ranks import BREAKING
from tests.warm.python import WarmPython

SHORT = {"run": {"iterations": 1}, "group": {"tasks": 2, "size": 4}}
TESTED = {"validation": {"every": 1, "tasks": 2, "has_final_test": True, "test_tasks": 2}}
CLONED = {"warm_start": {"demonstrations": 8, "batch_episodes": 4}}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, warm_python: WarmPython) -> Path:
    """A folder of runs: one that nobody disturbed, and those of `train_toy`."""
    folder = tmp_path_factory.mktemp("killed")
    in_a_process(warm_python, "tests.trainers.rl.train_toy", str(folder))
    return folder


@pytest.fixture(scope="module")
def suites(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Registered suites of toys."""
    root = tmp_path_factory.mktemp("suites")
    install(root, "bandit")
    install(root, "strict")
    register_suites(root)
    return root


def story(folder: Path) -> dict[str, Any]:
    """All that a run recorded but for wall times: metrics, episodes with their tokens, groups, weights, the test."""
    with RunStore.open(folder, read_only=True) as store:
        metrics = {
            f"{phase}/{name}": values.tolist()
            for phase in store.phases()
            for name, (_, values) in store.metrics(phase=phase).items()
            if not name.startswith("time/")
        }
        episodes = [
            (each.id, each.task_id, each.total_reward, [turn.action_ids.tolist() for turn in each.turns])
            for each in store.episodes()
        ]
        groups = [(group.id, group.task_id, len(group.members)) for group in store.groups(with_tokens=False)]
    summary = json.loads((folder / "summary.json").read_text())
    weights = load_file(folder / "models" / "trained" / "model.safetensors")
    return {
        "metrics": metrics,
        "episodes": sorted(episodes),
        "groups": sorted(groups),
        "held out": [(stage, each["success"]) for stage, each in summary["held_out"].items()],
        "weights": {name: tensor.sum().item() for name, tensor in weights.items()},
        "seen": json.loads((folder / "models" / "trained" / "agentgym.json").read_text())["seen_hashes"],
    }


def require_undisturbed(runs: Path, name: str) -> None:
    ours, whole = story(runs / name), story(runs / "whole")
    for part in whole:
        assert ours[part] == whole[part], part
    identities = [episode[0] for episode in ours["episodes"]]
    assert len(set(identities)) == len(identities)
    assert len(ours["groups"]) == 12


@pytest.mark.slow
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_killed_run_goes_on_as_if_nothing_had_happened(moment: str, runs: Path) -> None:
    """Trap D-29."""
    require_undisturbed(runs, moment)


@pytest.mark.parametrize("damage", [damage.__name__ for damage in DAMAGES])
def test_a_run_goes_on_from_the_checkpoint_before_a_damaged_one(damage: str, runs: Path) -> None:
    require_undisturbed(runs, damage)


@pytest.mark.parametrize("bug", BUGS)
def test_a_resumed_run_that_forgot_something_is_noticed(bug: str, runs: Path) -> None:
    """Trap D-29: what the test above is worth."""
    with pytest.raises((AssertionError, FileNotFoundError)):
        require_undisturbed(runs, bug)


def test_a_run_leaves_no_half_written_files(runs: Path) -> None:
    for name in [*MOMENTS, *(damage.__name__ for damage in DAMAGES)]:
        assert not list((runs / name).rglob("*.partial")), name


@pytest.mark.usefixtures("suites")
def test_a_run_resumes_under_its_own_configuration_alone(tmp_path: Path) -> None:
    train(toy_config("bandit", **SHORT), tmp_path / "run")
    with pytest.raises(WrongRunError, match=r"optimiser\.learning_rate = 0\.002.* says 0\.5"):
        train(toy_config("bandit", **SHORT, optimiser={"learning_rate": 0.5}), tmp_path / "run", resume=True)


@pytest.mark.usefixtures("suites")
def test_every_stage_is_tested_once_and_reported(tmp_path: Path) -> None:
    config = toy_config("bandit", **SHORT, **TESTED, warm_start={**CLONED["warm_start"], "has_control": True})
    result = train(config, tmp_path / "run")
    assert list(result.held_out) == ["untrained", "cloned", "filtered_cloned", "trained"]
    assert result.report is not None
    assert result.report.is_file()
    saved = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert saved["held_out"]["trained"]["success"] == result.held_out["trained"]["success"]
    with RunStore.open(tmp_path / "run", read_only=True) as store:
        tested = store.episode_rows(purpose="test")
        assert "credit" in store.meta["equations"]
    assert len(tested) == 4 * 2
    assert {row.split for row in tested} == {"test"}


@pytest.mark.usefixtures("suites")
def test_exported_weights_know_what_they_saw_and_are_not_evaluated_on_it(tmp_path: Path) -> None:
    train(toy_config("bandit", **SHORT, **CLONED), tmp_path / "run")
    suite = load_suite("toys/bandit")
    policy = TorchPolicy.load(tmp_path / "run" / "models" / "trained")
    with RunStore.open(tmp_path / "run", read_only=True) as store:
        by_purpose = {each: {r.content_hash for r in store.episodes(purpose=each)} for each in ("demo", "train")}
    assert policy.seen_hashes == by_purpose["demo"] | by_purpose["train"]
    assert by_purpose["demo"] - by_purpose["train"]
    settings = EvaluationSettings()
    with pytest.raises(HeldOutError, match="this checkpoint was trained on"):
        evaluate(policy, suite, "train", settings)
    flagged = evaluate(policy, suite, "train", EvaluationSettings(allow_train=True))
    assert flagged.num_trained_on == len({task.content_hash for task in suite.train_tasks()} & policy.seen_hashes)
    assert evaluate(policy, suite, "test", settings).num_trained_on == 0


@pytest.mark.usefixtures("suites")
def test_a_warm_start_refuses_recorded_episodes_of_other_splits(tmp_path: Path) -> None:
    with RunStore.create(tmp_path / "recorded", {}) as store:
        policy = TorchPolicy.load(trained_once(tmp_path))
        evaluate(policy, "toys/bandit", "validation", store=store)
    config = toy_config("bandit", **SHORT, warm_start={"run": str(tmp_path / "recorded")})
    with pytest.raises(ConfigError, match="held-out episodes"):
        train(config, tmp_path / "run")


def trained_once(folder: Path) -> Path:
    train(toy_config("bandit", **SHORT), folder / "before")
    return folder / "before" / "models" / "trained"


@pytest.mark.usefixtures("suites")
def test_recorded_train_episodes_are_cloned_and_count_as_seen(tmp_path: Path) -> None:
    trained_once(tmp_path)
    config = toy_config("bandit", run={"iterations": 0}, warm_start={"run": str(tmp_path / "before")})
    train(config, tmp_path / "run")
    seen = [
        json.loads((tmp_path / name / "agentgym.json").read_text())["seen_hashes"]
        for name in ("before/models/trained", "run/models/trained")
    ]
    assert seen[0] == seen[1] != []


@pytest.mark.usefixtures("suites")
def test_what_a_loaded_model_was_trained_on_stays_known(tmp_path: Path) -> None:
    base = trained_once(tmp_path)
    train(toy_config("strict", **SHORT, **CLONED, model={"path": str(base)}), tmp_path / "run")
    before = TorchPolicy.load(base).seen_hashes
    for stage in ("cloned", "trained"):
        assert before < TorchPolicy.load(tmp_path / "run" / "models" / stage).seen_hashes
    with pytest.raises(HeldOutError, match="this checkpoint was trained on"):
        evaluate(TorchPolicy.load(tmp_path / "run" / "models" / "trained"), "toys/bandit", "train")


@pytest.mark.usefixtures("suites")
def test_a_model_that_knows_the_test_is_refused_before_anything_is_played(tmp_path: Path) -> None:
    base = trained_once(tmp_path)
    facts = json.loads((base / "agentgym.json").read_text())
    facts["seen_hashes"].append(load_suite("toys/bandit").tasks("test")[0].content_hash)
    (base / "agentgym.json").write_text(json.dumps(facts))
    tested = {"validation": {"every": 0, "has_final_test": True}}
    with pytest.raises(HeldOutError, match="was trained on 1 of the tasks"):
        train(toy_config("bandit", **SHORT, **tested, model={"path": str(base)}), tmp_path / "run")
    train(toy_config("bandit", **SHORT, model={"path": str(base)}), tmp_path / "untested")


@pytest.mark.usefixtures("suites")
def test_words_that_the_tokenizer_does_not_know_are_said_before_cloning_and_when_nothing_was_learnt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told = "the tokenizer does not know 100.0% of the words, such as "
    monkeypatch.setattr(vocabulary, "texts", lambda: ["a"])
    result = train(toy_config("bandit", **SHORT, **CLONED), tmp_path / "run")
    lines = " ".join(capsys.readouterr().err.split())
    assert lines.index(told) < lines.index("cloning: update")
    assert [note for note in result.notes if note.startswith(told) and "add them to texts() of" in note]
    monkeypatch.undo()
    known = train(toy_config("bandit", **SHORT, **CLONED), tmp_path / "known")
    assert "the tokenizer knows all words" in " ".join(capsys.readouterr().err.split())
    assert not [note for note in known.notes if "tokenizer" in note]


@pytest.mark.usefixtures("suites")
def test_episodes_that_failed_are_said_with_the_line_that_broke_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    played = Bandit.respond

    def respond(self: Bandit, action: Action) -> EnvReply:
        if self.turn == 0 and self.rng.random() < 0.15:
            raise OSError("the lamp broke")
        return played(self, action)

    monkeypatch.setattr(Bandit, "respond", respond)
    train(toy_config("bandit", **SHORT, **CLONED), tmp_path / "run")
    said = "".join(capsys.readouterr().err.splitlines())
    line = respond.__code__.co_firstlineno + 2
    for what in ("demonstrations", "episodes"):
        assert re.search(rf"warning: \d of 8 {what} failed .*, such as: OSError: the lamp broke .*line {line},", said)


@pytest.mark.usefixtures("suites")
def test_a_held_out_task_under_no_split_is_not_cloned(tmp_path: Path) -> None:
    task = replace(load_suite("toys/bandit").tasks("test")[0], split=None)
    job_of_it = Job(task, "played", 0)
    records, _ = collect_episodes(
        [job_of_it], game_maker(load_suite("toys/bandit")), {"*": load("demo", "toys/bandit")}, RolloutSettings()
    )
    with RunStore.create(tmp_path / "recorded", {}) as store:
        store.write_episode(records[0])
    config = toy_config("bandit", **SHORT, warm_start={"run": str(tmp_path / "recorded")})
    with pytest.raises(ConfigError, match=r"held-out episodes: \['played/agent'\]"):
        train(config, tmp_path / "run")


@pytest.mark.usefixtures("suites")
def test_a_full_disk_stops_the_export_with_nothing_half_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    config = toy_config("bandit", **SHORT)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", full)
        with pytest.raises(CheckpointError, match="No space left on device; free space"):
            train(config, tmp_path / "run")
    assert not list((tmp_path / "run").rglob("*.safetensors"))
    train(config, tmp_path / "run", resume=True)
    assert (tmp_path / "run" / "models" / "trained" / "model.safetensors").is_file()


@pytest.mark.usefixtures("suites")
def test_a_run_out_of_time_keeps_its_last_state(tmp_path: Path) -> None:
    config = toy_config("bandit", **TESTED, run={"iterations": 500, "max_seconds": 0.3}, group=SHORT["group"])
    train(config, tmp_path / "run")
    with RunStore.open(tmp_path / "run", read_only=True) as store:
        iterations = int(store.metrics()["success/mean"][0][-1])
        validated = store.metrics(phase="validation")["success/mean"][0][-1]
    assert 0 < iterations < 500
    assert validated == iterations
    assert (tmp_path / "run" / "checkpoints" / f"iteration-{iterations:06d}").is_dir()


@pytest.mark.usefixtures("suites")
def test_adapters_are_resumed_and_merged_on_export(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = toy_config(
        "bandit", **CLONED, run={"iterations": 2}, group=SHORT["group"], model={"lora_rank": 2}, checkpoint={"every": 1}
    )
    train(config, tmp_path / "whole")
    with breaking(monkeypatch, 2):
        train(config, tmp_path / "run")
    train(config, tmp_path / "run", resume=True)
    weights = [load_file(tmp_path / name / "models" / "trained" / "model.safetensors") for name in ("whole", "run")]
    assert not [name for name in weights[0] if "lora" in name]
    for name, tensor in weights[0].items():
        torch.testing.assert_close(weights[1][name], tensor, rtol=0, atol=0)
    assert np.isfinite(weights[0]["model.embed_tokens.weight"].sum().item())


@pytest.fixture
def _interruptible() -> Iterator[None]:
    """Ctrl-C as in a terminal; a process that was started in the background ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_interruptible")
@pytest.mark.usefixtures("suites")
@pytest.mark.parametrize("stop", [press_ctrl_c, send_sigterm])
def test_an_interrupted_run_checkpoints_its_iteration_and_goes_on_to_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop: Callable[[], None]
) -> None:
    """Trap D-29 at Ctrl-C, and as Slurm and Kubernetes ask: between two checkpoints, in the middle of an iteration."""
    config = replace(killed_config(), checkpoint=CheckpointConfig(every=100))
    train(config, tmp_path / "whole")
    with breaking(monkeypatch, 4, stop):
        train(config, tmp_path / "run")
    assert newest_iteration(tmp_path / "run" / "checkpoints") == 4
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    train(config, tmp_path / "run", resume=True)
    whole, ours = story(tmp_path / "whole"), story(tmp_path / "run")
    for part in whole:
        assert ours[part] == whole[part], part


@pytest.mark.usefixtures("_interruptible")
@pytest.mark.usefixtures("suites")
def test_a_second_interrupt_stops_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: job.Trainer) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)
        pytest.fail("went on after the second interrupt")

    monkeypatch.setattr(job.Trainer, "publish", interrupted)
    with pytest.raises(KeyboardInterrupt):
        train(toy_config("bandit", **SHORT), tmp_path / "run")
    assert newest_iteration(tmp_path / "run" / "checkpoints") == 0


@pytest.mark.usefixtures("_interruptible")
@pytest.mark.usefixtures("suites")
@pytest.mark.parametrize(
    ("purpose", "number"), [("demo", signal.SIGINT), ("test", signal.SIGINT), ("test", signal.SIGTERM)]
)
def test_an_interrupt_outside_of_training_ends_the_run_and_counts_nothing_half(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, purpose: str, number: signal.Signals
) -> None:
    config = toy_config("bandit", **SHORT, **TESTED, **CLONED)
    write = RunStore.write_episode

    def interrupted(store: RunStore, *args: Any, **options: Any) -> Any:
        if purpose in (*args, *options.values()):
            os.kill(os.getpid(), number)
        return write(store, *args, **options)

    with monkeypatch.context() as patch:
        patch.setattr(RunStore, "write_episode", interrupted)
        with pytest.raises(KeyboardInterrupt):
            train(config, tmp_path / "run")
    assert not (tmp_path / "run" / "summary.json").exists()
    assert list(train(config, tmp_path / "run", resume=True).held_out) == ["untrained", "cloned", "trained"]


@pytest.mark.usefixtures("suites")
def test_the_seconds_of_a_resumed_run_are_those_of_all_its_processes(tmp_path: Path) -> None:
    config = toy_config("bandit", **SHORT)
    train(config, tmp_path / "run")
    with RunStore.open(tmp_path / "run") as store:
        assert store.meta["seconds"] > 0
        store.set_meta({"seconds": 1000.0})
    assert 1000 < train(config, tmp_path / "run", resume=True).seconds < 1100
    assert "16.7 min" in (tmp_path / "run" / "report.html").read_text()


@pytest.mark.usefixtures("suites")
def test_a_run_of_one_iteration_says_what_stands_in_its_way(tmp_path: Path) -> None:
    result = train(toy_config("strict", run={"iterations": 1}, group={"tasks": 2, "size": 2}), tmp_path / "run")
    assert any("end as invalid actions" in note for note in result.notes)
    assert "Why it is not learning" in (tmp_path / "run" / "report.html").read_text()


def test_a_run_that_was_stopped_says_why_on_its_page_until_it_went_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise LearningStalledError("nothing tells <episodes> apart")

    config = toy_config("bandit", run={"iterations": 4}, group=SHORT["group"])
    install(tmp_path, "bandit")
    with monkeypatch.context() as patched:
        patched.setattr(Watch, "check", refuse)
        with pytest.raises(LearningStalledError):
            train(config, tmp_path / "run")
    reason = "<li>nothing tells &lt;episodes&gt; apart</li>"
    assert reason in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    report = train(config, tmp_path / "run", resume=True).report
    assert report is not None
    assert reason not in report.read_text(encoding="utf-8")


@pytest.mark.slow
def test_two_ranks_train_as_one_process(tmp_path: Path, suites: Path, warm_python: WarmPython) -> None:
    """Trap D-7 for whole iterations: groups, losses, weights and checkpoints of two gloo ranks under FSDP2."""
    config = of_two_ranks()
    in_two_ranks(warm_python, tmp_path, "tests.trainers.rl.train_toy", str(tmp_path))
    train(config, tmp_path / "one")
    two, one = story_of_training(tmp_path / "run"), story_of_training(tmp_path / "one")
    assert two["groups"] == one["groups"]
    assert len(two["groups"]) == 4
    assert two["metrics"].keys() == one["metrics"].keys()
    for name, values in one["metrics"].items():
        assert two["metrics"][name] == pytest.approx(values, rel=1e-3, abs=1e-3), name
    for name, weights in one["weights"].items():
        assert (two["weights"][name] - weights).abs().mean() < 1e-5, name
    train(config, tmp_path / "run", resume=True)


@pytest.mark.slow
def test_ranks_agree_on_when_the_time_is_up(tmp_path: Path, warm_python: WarmPython) -> None:
    in_two_ranks(warm_python, tmp_path, "tests.trainers.rl.uneven_ranks", "clock", str(tmp_path))
    assert (tmp_path / "run" / "models" / "trained" / "model.safetensors").is_file()


@pytest.mark.slow
def test_an_error_on_one_rank_ends_the_others_at_once(tmp_path: Path, warm_python: WarmPython) -> None:
    began = time.monotonic()
    ran = under_torchrun(warm_python, tmp_path, "tests.trainers.rl.uneven_ranks", "error", str(tmp_path))
    assert ran.returncode != 0
    assert BREAKING in ran.stderr
    assert time.monotonic() - began < 120, "the other rank waited for a collective call"


def story_of_training(folder: Path) -> dict[str, Any]:
    with RunStore.open(folder, read_only=True) as store:
        metrics = {
            f"{phase}/{name}": values.tolist()
            for phase in store.phases()
            for name, (_, values) in store.metrics(phase=phase).items()
            if not name.startswith("time/") and "mismatch" not in name and "k3" not in name
        }
        groups = [
            (group.id, member.id, [turn.action_ids.tolist() for turn in member.turns])
            for group in store.groups()
            for member in group.members
        ]
    return {
        "metrics": metrics,
        "groups": sorted(groups)[::4],
        "weights": load_file(folder / "models" / "trained" / "model.safetensors"),
    }


def test_the_configuration_of_the_killed_runs_touches_every_stage() -> None:
    config = killed_config()
    assert config.warm_start.demonstrations
    assert config.validation.every
    assert config.validation.has_final_test


@pytest.mark.usefixtures("suites")
def test_a_stopped_run_says_how_its_newest_checkpoint_becomes_a_model_and_can_still_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "run"
    config = toy_config("bandit", **CLONED, run={"iterations": 3}, group=SHORT["group"], checkpoint={"every": 1})
    with breaking(monkeypatch, 2):
        train(config, run)
    stopped = {
        run: "is a run, not a model; name one of the run's models: .*models/cloned; or ",
        run / "checkpoints": "folder of checkpoints, not a model; ",
        run / "checkpoints" / "iteration-000001": "is a checkpoint, from which a run goes on, not a model; ",
    }
    for folder, said in stopped.items():
        for read in (TorchPolicy.load, partial(load_causal_lm, config=config.model)):
            with pytest.raises(ConfigError, match=said) as caught:
                read(str(folder))
            told = str(caught.value).partition(" with: agentgym ")[2].split()
    assert told == ["train", "--run", str(run), "--resume", "run.max_seconds=0"]
    assert main(told) == 0
    made, checkpoint = (
        load_file(run / folder / "model.safetensors") for folder in ("models/trained", "checkpoints/iteration-000001")
    )
    assert all(torch.equal(tensor, checkpoint[f"causal_lm.{name}"]) for name, tensor in made.items())
    with pytest.raises(ConfigError, match=r"models: .*models/trained$"):
        TorchPolicy.load(run)
    assert main(["train", "--run", str(run), "--resume", "run.max_seconds=1000"]) == 0
    assert newest_iteration(run / "checkpoints") == 3


def test_the_lines_of_the_test_say_which_tasks_their_rates_are_of(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = install(tmp_path / "suites", "questions").folder
    declaration = folder / "suite.toml"
    text = declaration.read_text().replace('test = ["all"]', 'test = ["all", "rare"]')
    declaration.write_text(text.replace("[strata]", '[strata]\nrare = "Rare."'))
    tasks = folder / "test.jsonl"
    tasks.write_text(tasks.read_text().replace('"stratum": "all"', '"stratum": "rare"', 1))
    register_suites(tmp_path / "suites")
    config = toy_config("questions", run={"iterations": 0}, group=SHORT["group"], validation={"has_final_test": True})
    train(config, tmp_path / "run")
    said = capfd.readouterr().err
    assert "test of all strata, trained: " in said
    assert re.search(r"held out, stratum all: trained \d\.\d{3} \[.+\]; all strata \d\.\d{3}\n", said)

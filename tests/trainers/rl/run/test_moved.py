"""Configurations of the first spelling: files are told the new one, runs that were made with it go on and are reported.

`stored/first_spelling.json` holds what such runs stored: that of preset loop whole, of the others what differs.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentgym.config import Source, tables_of
from agentgym.errors import ConfigError, WrongRunError
from agentgym.store import RunStore
from agentgym.suite import register_suites
from agentgym.view import write_report
from agentgym_rl.core.checkpoint import MANIFEST
from agentgym_rl.run.config import load_config, stored_config
from agentgym_rl.run.job import train
from agentgym_rl.run.journal import Journal
from agentgym_rl.run.learners import PRESETS
from agentgym_rl.run.moved import MOVED, translated
from agentgym_rl.run.run_folder import digest_of
from agentgym_rl.run.saved import CONFIG, saved_config
from tests.trainers.rl.needs import overrides_of
from tests.trainers.rl.toys import install, toy_config

STORED = json.loads((Path(__file__).parent / "stored" / "first_spelling.json").read_text())
SUITE = ("run.suite=toys/bandit", "run.iterations=1")


def put(tables: dict[str, Any], key: str, value: Any) -> None:
    *path, last = key.split(".")
    for part in path:
        tables[part] = dict(tables.get(part) or {})
        tables = tables[part]
    tables[last] = value


def stored(preset: str) -> dict[str, Any]:
    """What a run of a preset stored."""
    tables = json.loads(json.dumps(STORED["loop"]))
    for key, value in STORED["others"].get(preset, {}).items():
        put(tables, key, value)
    return tables


@pytest.mark.parametrize("preset", sorted({*PRESETS} - {"archer_awr"}))  # which is younger
def test_what_runs_stored_is_read_as_the_configuration_of_today(preset: str) -> None:
    found = stored_config(translated(stored(preset)), Source())
    # Critics of that time read the history alone, whatever a suite declares.
    as_then = ["algorithm.critic.network.reads=history"] if preset.startswith("archer") else []
    assert found == load_config(None, [*overrides_of(preset), *as_then])


def test_values_that_a_run_set_are_carried_over() -> None:
    tables = stored("ppo")
    for key, value in {
        "gae.trace": 0.5,
        "value.clip": 0.3,
        "kl_in_reward": 0.25,
        "attribution.method": "uniform",
        "loss.surrogate": "cispo",
        "loss.cispo_max_ratio": 3.0,
    }.items():
        put(tables, f"algorithm.{key}", value)
    algorithm = stored_config(translated(tables), Source()).algorithm
    credit = algorithm.credit
    assert (credit.gae.lambda_, credit.value.clip, credit.kl_in_reward) == (0.5, 0.3, 0.25)
    assert (credit.attribution.method, algorithm.loss.max_ratio) == ("uniform", 3.0)
    tables = stored("reinforce_pp")
    put(tables, "algorithm.gae.discount", 0.5)
    assert stored_config(translated(tables), Source()).algorithm.credit.discount == 0.5


@pytest.mark.parametrize(
    ("preset", "key", "name"), [("ilql", "strength", "beta"), ("step_agent", "preference.beta", "beta")]
)
def test_two_old_keys_of_one_new_name_are_kept_apart(preset: str, key: str, name: str) -> None:
    tables = stored(preset)
    put(tables, f"algorithm.offline.{key}", 0.75)
    assert stored_config(translated(tables), Source()).algorithm.beta == 0.75


def test_weights_that_were_trained_in_bfloat16_go_on_so() -> None:
    tables = stored("loop")
    put(tables, "model.dtype", "bfloat16")
    assert stored_config(translated(tables), Source()).model.dtype == "pure_bfloat16"
    put(tables, "model.lora_rank", 4)
    assert stored_config(translated(tables), Source()).model.dtype == "bfloat16"


def test_what_is_spelt_as_today_is_left_as_it_is() -> None:
    tables = tables_of(load_config(None, SUITE))
    assert translated(tables) == tables


@pytest.mark.parametrize("key", MOVED)
def test_a_key_that_moved_is_refused_with_its_new_name(key: str) -> None:
    with pytest.raises(ConfigError, match=rf"override '{key}' is now '{MOVED[key]}'; write that in its place"):
        load_config(None, [*SUITE, f"{key}=1"])


@pytest.mark.parametrize(
    ("override", "expected"),
    [
        ("algorithm.credit=turn_gae", r"is now a table; write algorithm\.credit\.kind = 'turn_gae'"),
        ("algorithm.learner=offline", "choose one of cloning, monte_carlo, ilql"),
        ("algorithm.actor.kind=listed", r"write algorithm\.learner = 'soft_actor_critic'"),
    ],
)
def test_a_value_that_moved_is_refused_with_its_new_name(override: str, expected: str) -> None:
    with pytest.raises(ConfigError, match=expected):
        load_config(None, [*SUITE, override])


@pytest.mark.parametrize(("old", "new"), [("turn_groups.trace=0.5", "turn_groups.lambda=0.5"), ("trace=0", "lambda=0")])
def test_an_option_of_a_method_that_moved_is_refused_with_its_new_name_and_read_of_stored_runs(
    old: str, new: str
) -> None:
    overrides = [*SUITE, "algorithm.preset=mt_grpo"]
    with pytest.raises(ConfigError, match=rf"has the option '{old}', which is now '{new}'; write that in its place"):
        load_config(None, [*overrides, f"algorithm.credit.attribution.options=['{old}']"])
    config = load_config(None, [*overrides, f"algorithm.credit.attribution.options=['{new}']"])
    tables = tables_of(config)
    put(tables, "algorithm.credit.attribution.options", [old])
    assert stored_config(translated(tables), Source()) == config
    first = stored("mt_grpo")
    put(first, "algorithm.attribution.options", [old])
    assert stored_config(translated(first), Source()).algorithm.credit.attribution.options == (new,)


def test_the_line_of_a_file_in_the_old_spelling_is_named(tmp_path: Path) -> None:
    path = tmp_path / "run.toml"
    path.write_text(
        '[run]\nsuite = "toys/bandit"\niterations = 1\n\n[algorithm]\npreset = "ppo"\ngae = { trace = 0.5 }\n'
    )
    with pytest.raises(
        ConfigError, match=r"run\.toml:7: key 'algorithm\.gae\.trace' is now 'algorithm\.credit\.gae\.l"
    ):
        load_config(path)


def in_old_spelling(folder: Path) -> None:
    """Make a run's folder what one of the first spelling was: its configuration, and the digest of its checkpoints."""
    facts = json.loads((folder / CONFIG).read_text())
    tables = {**facts["config"], "algorithm": stored("loop")["algorithm"]}
    (folder / CONFIG).write_text(json.dumps({**facts, "config": tables}))
    for manifest in folder.glob(f"checkpoints/*/{MANIFEST}"):
        manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "digest": digest_of(tables)}))
    with RunStore.open(folder) as store:
        store.set_meta({"config": tables})


def test_a_run_of_the_first_spelling_resumes_twice_and_is_reported(tmp_path: Path, monkeypatch) -> None:
    install(tmp_path / "suites", "bandit")
    register_suites(tmp_path / "suites")
    config = toy_config("bandit", run={"iterations": 3}, group={"tasks": 2, "size": 4}, checkpoint={"every": 1})
    whole = train(config, tmp_path / "whole").folder

    def interrupt(self: Journal, *_: Any) -> None:
        raise KeyboardInterrupt

    folder = tmp_path / "run"
    for times in range(2):
        with monkeypatch.context() as patch:
            patch.setattr(Journal, "iteration", interrupt)
            with pytest.raises(KeyboardInterrupt):
                train(config, folder, resume=times > 0)
        if times == 0:
            in_old_spelling(folder)
    assert saved_config(folder) == config
    train(saved_config(folder), folder, resume=True)
    with RunStore.open(folder, read_only=True) as ours, RunStore.open(whole, read_only=True) as theirs:
        assert ours.metrics()["loss/entropy"][1].tolist() == theirs.metrics()["loss/entropy"][1].tolist()
    assert "preset loop" in write_report(folder).read_text()
    with pytest.raises(WrongRunError, match=r"has algorithm\.minibatches = 1, the configuration given says 2"):
        train(toy_config("bandit", run={"iterations": 3}, algorithm={"minibatches": 2}), folder, resume=True)

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from agentgym.config import Source
from agentgym.errors import ConfigError, UnknownNameError
from agentgym.suite import Suite, load_suite, register_suites
from agentgym_rl.core import distributed
from agentgym_rl.run import setup
from agentgym_rl.run.config import load_config
from agentgym_rl.run.cost import estimate
from agentgym_rl.run.job import train
from agentgym_rl.run.names import require_names, require_splits
from agentgym_rl.run.preflight import require_room
from agentgym_rl.run.setup import assemble, device_of, groundwork, reference_of, suite_tokenizer, untrained
from tests.trainers.rl.toys import install, toy_config


@pytest.fixture(scope="module", autouse=True)
def suite(tmp_path_factory: pytest.TempPathFactory):
    root = tmp_path_factory.mktemp("suites")
    made = install(root, "questions")
    register_suites(root)
    return made


def test_a_run_is_put_together_from_nothing_but_a_suite() -> None:
    parts = assemble(toy_config("questions"))
    assert parts.policy.model is parts.model.causal_lm
    assert parts.model.training
    assert parts.model.value_head is None
    assert assemble(toy_config("questions", algorithm={"preset": "ppo"})).model.value_head is not None


def test_matrices_that_are_split_over_processes_cannot_be_cloned_by_muon(monkeypatch: pytest.MonkeyPatch) -> None:
    config = toy_config("questions", warm_start={"optimiser": "muon"})
    monkeypatch.setattr(distributed, "world_size", lambda: 2)
    with pytest.raises(ConfigError, match=r"warm_start.optimiser is \"muon\".* over 2 processes; use \"adamw\""):
        assemble(config)


def test_the_untrained_model_is_the_same_whenever_it_is_asked_for(suite) -> None:
    def tokenizer():
        return suite_tokenizer(suite, [])

    config = toy_config("questions")
    first, second = untrained(config, tokenizer)[0], untrained(config, tokenizer)[0]
    assert all(torch.equal(a, b) for a, b in zip(first.parameters(), second.parameters(), strict=True))
    other = untrained(toy_config("questions", run={"seed": 1}), tokenizer)[0]
    assert not torch.equal(first.model.embed_tokens.weight, other.model.embed_tokens.weight)


def test_a_suite_without_a_vocabulary_has_that_of_its_episodes(
    suite, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    real = setup.importlib.import_module

    def missing(name: str):
        if name.endswith(".vocabulary"):
            raise ModuleNotFoundError(name=name)
        return real(name)

    with_module = suite_tokenizer(suite, [])
    monkeypatch.setattr(setup.importlib, "import_module", missing)
    without = suite_tokenizer(suite, [])
    for word in ("large", "yes", "guess", "fox"):
        assert len(without.encode(word, add_special_tokens=False)) == 1
        assert len(with_module.encode(word, add_special_tokens=False)) == 1
    assert "has no vocabulary of its own: 200 episodes each of demo and random show its words" in capfd.readouterr().err


def test_a_reference_is_taken_only_where_it_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = toy_config("questions")
    penalised = toy_config("questions", algorithm={"loss": {"kl_coefficient": 0.1}})
    parts = assemble(plain)
    assert reference_of(parts.model, plain) is None
    reference = reference_of(parts.model, penalised)
    assert reference is not None
    assert not reference.training
    monkeypatch.setattr(distributed, "world_size", lambda: 2)
    with pytest.raises(ConfigError, match="under torchrun is not supported"):
        assemble(penalised)


def test_devices_that_are_not_there_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert device_of(toy_config("questions")).type == "cpu"
    with pytest.raises(ConfigError, match="torch sees no GPU"):
        assemble(toy_config("questions", run={"device": "cuda"}))


def test_tasks_that_processes_cannot_share_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distributed, "world_size", lambda: 3)
    with pytest.raises(ConfigError, match="4, which 3 processes cannot share evenly"):
        assemble(toy_config("questions"))


def test_unknown_suites_and_models_are_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="toys/question"):
        assemble(toy_config("question"))
    with pytest.raises(ConfigError, match="holds no model"):
        assemble(toy_config("questions", model={"path": str(tmp_path)}))


def test_options_of_the_environment_go_over_those_of_the_suite() -> None:
    lines = ["run.suite=swe/patch-line", "run.iterations=1", "run.env_options.feedback=verdict"]
    config = load_config(None, lines)
    options = groundwork(config).suite.env_options
    assert options == {**load_suite("swe/patch-line").env_options, "feedback": "verdict"}
    assert assemble(config).suite.env_options == options


def test_options_that_the_environment_lacks_are_refused_by_their_key() -> None:
    config = load_config(None, ["run.suite=swe/patch-line", "run.iterations=1"])
    unknown, wrong = {"feedbacks": "verdict"}, {"parts_weight": "much"}
    for options, message in ((unknown, r"run.env_options': .*feedbacks"), (wrong, "must be a number")):
        with pytest.raises((UnknownNameError, ConfigError), match=message):
            require_names(replace(config, run=replace(config.run, env_options=options)), Source())


def test_a_method_that_needs_what_the_environment_does_not_tell_is_refused_at_the_start() -> None:
    with pytest.raises(ConfigError, match="an environment that has anchor"):
        assemble(toy_config("questions", algorithm={"preset": "gigpo"}))
    potential = {"method": "potential", "options": ["potential.at_truncation=keep"]}
    algorithm = {"preset": "ppo", "credit": {"gae": {"discount": 1.0}, "attribution": potential}}
    with pytest.raises(ConfigError, match="progress"):
        assemble(toy_config("questions", algorithm=algorithm))
    assemble(toy_config("questions", algorithm={"preset": "mt_grpo"}))


def test_swapping_names_of_a_suite_without_names_is_refused_at_the_start() -> None:
    with pytest.raises(ConfigError, match="swap_names needs names in NAMES"):
        assemble(toy_config("questions", warm_start={"swap_names": True}))


SMALL = ["run.suite=tools/lookup", "run.iterations=1", "validation.has_final_test=false", "group.tasks=1"]
CLONED = ["warm_start.demonstrations=40", "packing.micro_batch_tokens=512"]


def test_short_rows_are_refused_before_the_demonstrations(tmp_path: Path) -> None:
    config = load_config(None, [*SMALL, *CLONED, "packing.row_length=60"])
    with pytest.raises(ConfigError, match=r"demonstration of task 'tools/lookup:train-\d+' has \d+ tokens, a row 60;"):
        train(config, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_the_first_demonstration_that_is_too_long_ends_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "agentgym_rl.run.preflight._NUM_DEMONSTRATIONS", 0
    )  # none of those that are looked at is too long
    kept: list[str] = []
    monkeypatch.setattr(
        "agentgym_rl.run.job._keep_demonstration",
        lambda store, records: kept.extend(record.id for record in records),
    )
    config = load_config(None, [*SMALL, *CLONED, "packing.row_length=60", "rollout.sampling.max_tokens=16"])
    with pytest.raises(ConfigError, match=r"a row 60; raise packing\.row_length"):
        train(config, tmp_path / "run")
    assert len(kept) < 40


def test_rows_without_room_for_a_first_message_are_refused() -> None:
    overrides = [*SMALL, "packing.row_length=200", "rollout.sampling.max_tokens=190"]
    with pytest.raises(ConfigError, match=r"have \d+ to \d+ tokens, and with a message .* = 190 none fits into 200"):
        require_room(groundwork(load_config(None, overrides)))


def test_rows_with_room_are_taken() -> None:
    require_room(groundwork(load_config(None, [*SMALL, *CLONED, "packing.row_length=400"])))


def test_a_split_that_the_suite_lacks_is_refused_before_the_folder_is_made(tmp_path: Path) -> None:
    folder = install(tmp_path / "suites", "bandit").folder
    declaration = folder / "suite.toml"
    declaration.write_text(declaration.read_text().replace('validation = ["all"]\n', ""))
    (folder / "validation.jsonl").unlink()
    register_suites(tmp_path / "suites")
    validated = toy_config("bandit", validation={"every": 10})
    refused = rf"'toys/bandit' has no validation split, .* 10; .*\(validation\.every=0\), or .*{declaration}"
    for begin in (train, estimate):
        with pytest.raises(ConfigError, match=refused):
            begin(validated, tmp_path / "run")
    with pytest.raises(ConfigError, match=refused):
        require_names(validated, Source())
    assert not (tmp_path / "run").exists()
    assemble(toy_config("bandit", validation={"every": 0, "has_final_test": True}))


def test_the_test_at_the_end_needs_a_test_split(suite: Suite) -> None:
    without = replace(suite, splits={"train": ["all"]})
    with pytest.raises(ConfigError, match=r"no test split, .*\(validation\.has_final_test=false\)"):
        require_splits(toy_config("questions", validation={"has_final_test": True}), without)
    require_splits(toy_config("questions"), without)

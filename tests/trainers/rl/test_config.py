from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest

from agentgym.errors import ConfigError, UnknownNameError
from agentgym_rl import config as config_module
from agentgym_rl.config import AlgorithmConfig, TrainConfig, load_config

SUITE = ("run.suite=toys/bandit", "run.iterations=1")
CONFIGS = Path(config_module.__file__).parent / "configs"


def load(*overrides: str) -> TrainConfig:
    return load_config(None, [*SUITE, *overrides])


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.toml")), ids=lambda path: path.stem)
def test_configurations_that_come_with_the_trainer_load(path: Path) -> None:
    config = load_config(path)
    assert config.run.iterations > 0
    assert config.run.suite


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (["run.iterations=-1"], "at least 0"),
        (["group.size=0"], "must be positive"),
        (["group.staleness=-1"], "staleness >= 0"),
        (["algorithm.epochs=0"], "at least 1"),
        (["optimiser.learning_rate=0.0"], "must be positive"),
        (["optimiser.betas=[0.9]"], "betas two numbers"),
        (["checkpoint.keep=0"], "at least 1"),
        (["rollout.sampling.top_p=0.9"], "training needs 1.0"),
        (["rollout.sampling.temperature=0.0"], "training needs sampled messages"),
        (["rollout.history=first"], "unknown history 'first'"),
        (["packing.row_length=1"], "expected at least 2"),
        (["algorithm.loss.eps_low=-1.0"], "eps_low"),
        (["optimizer.learning_rate=1.0"], "override 'optimizer.learning_rate' is unknown; did you mean optimiser"),
        (["group.sizes=4"], r"'group\.sizes' is unknown; did you mean size"),
    ],
)
def test_values_that_cannot_be_are_refused(overrides: list[str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load(*overrides)


def test_an_unknown_preset_is_refused_with_a_suggestion() -> None:
    with pytest.raises(UnknownNameError, match=r"grop.*grpo"):
        load("algorithm.preset=grop")


def test_what_the_file_says_stands_above_the_preset() -> None:
    assert load("algorithm.preset=dapo").algorithm.loss.eps_high == 0.28
    config = load("algorithm.preset=dapo", "algorithm.loss.eps_high=0.4", "algorithm.aggregation=seq_mean_token_sum")
    assert config.algorithm.loss.eps_high == 0.4
    assert config.algorithm.loss.dual_clip is None
    assert config.algorithm.aggregation == "seq_mean_token_sum"


@pytest.mark.parametrize(
    ("overrides", "is_whole"),
    [
        (["algorithm.preset=gspo"], True),
        (["algorithm.preset=loop"], False),
        (["algorithm.prox=recompute", "algorithm.importance.mode=seq_tis"], True),
        (["algorithm.prox=recompute", "algorithm.importance.mode=tis"], False),
    ],
)
def test_ratios_of_whole_episodes_keep_them_in_one_micro_batch(overrides: list[str], is_whole: bool) -> None:
    if overrides[-1].endswith("=tis"):
        overrides[-1] = "algorithm.importance.mode=token_tis"
    assert load(*overrides).packing.keep_sequences_whole is is_whole


def test_what_an_algorithm_needs_follows_from_its_options() -> None:
    assert not AlgorithmConfig().has_value_head
    assert load("algorithm.preset=ppo").algorithm.has_value_head
    assert load("algorithm.loss.kl_coefficient=0.1").algorithm.needs_reference
    assert load("algorithm.preset=ppo", "algorithm.kl_in_reward=0.1").algorithm.needs_reference
    assert not load("algorithm.preset=ppo").algorithm.needs_reference


def options(cls: type, prefix: str = "") -> list[tuple[type, str, str]]:
    found = []
    for each in dataclasses.fields(cls):
        default = each.default_factory() if each.default_factory is not dataclasses.MISSING else each.default
        if dataclasses.is_dataclass(default):
            found += options(type(default), f"{prefix}{each.name}.")
        else:
            found.append((cls, each.name, f"{prefix}{each.name}"))
    return found


def parts() -> dict[str, Any]:
    config = load()
    return {each.name: getattr(config, each.name) for each in dataclasses.fields(TrainConfig)}


def test_every_option_says_what_it_is() -> None:
    missing = []
    for name, part in parts().items():
        for cls, option, dotted in options(type(part), f"{name}."):
            source = Path(__import__("inspect").getsourcefile(cls)).read_text()
            body = source[source.index(f"class {cls.__name__}") :]
            is_documented = re.search(rf'\n    {option}: [^\n]*\n    """', body) or f"        {option}:" in body
            if not is_documented:
                missing.append(dotted)
    assert missing == []
    assert len(options(TrainConfig)) + len(options(type(parts()["algorithm"]))) > 20

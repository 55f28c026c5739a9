from __future__ import annotations

import dataclasses
import inspect
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

from agentgym.config import read_tables, tables_of
from agentgym.errors import ConfigError, UnknownNameError
from agentgym_rl.core.config.pixels import is_for_pixels
from agentgym_rl.core.config.train import ConfigOf, TrainConfig
from agentgym_rl.groups.options import GroupOptions
from agentgym_rl.maths.options import CispoLoss
from agentgym_rl.run import config as config_module
from agentgym_rl.run.config import load_config
from agentgym_rl.run.learners import LEARNERS

SUITE = ("run.suite=toys/bandit", "run.iterations=1")
CONFIGS = Path(config_module.__file__).parents[1] / "configs"


def load(*overrides: str) -> TrainConfig:
    return load_config(None, [*SUITE, *overrides])


OF_AGENTS = sorted(path for path in CONFIGS.glob("*.toml") if not is_for_pixels(*read_tables(path)))


@pytest.mark.parametrize("path", OF_AGENTS, ids=lambda path: path.stem)
def test_configurations_that_come_with_the_trainer_load(path: Path) -> None:
    config = load_config(path)
    assert config.run.iterations > 0
    assert config.run.suite


def test_configurations_are_read_and_described_without_torch() -> None:
    code = """
import sys
from pathlib import Path
from agentgym_rl.run.config import load_config
from agentgym_rl.run.describe import describe
print(sum(bool(describe(load_config(Path(name)))) for name in sys.argv[1:]))
print(sorted({"torch", "transformers", "tokenizers", "safetensors"} & set(sys.modules)))
"""
    paths = list(map(str, OF_AGENTS))
    printed = subprocess.run([sys.executable, "-c", code, *paths], capture_output=True, text=True, check=True).stdout
    assert printed.split("\n") == [str(len(paths)), "[]", ""]


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (["run.iterations=-1"], r"^override 'run\.iterations' must be at least 0, got -1$"),
        (["group.size=0"], r"'group\.size' must be at least 1, got 0"),
        (["group.staleness=-1"], r"'group\.staleness' must be at least 0, got -1"),
        (["algorithm.epochs=0"], "at least 1"),
        (["optimiser.learning_rate=0.0"], r"'optimiser\.learning_rate' must be above 0, got 0\.0"),
        (["optimiser.betas=[0.9]"], r"betas' must be a list of two numbers, got \[0\.9\]"),
        (["checkpoint.keep=0"], "at least 1"),
        (["rollout.sampling.top_p=0.9"], "training needs 1.0"),
        (["rollout.sampling.temperature=0.0"], "training needs sampled messages"),
        (["rollout.history=first"], "unknown history 'first'"),
        (["packing.row_length=1"], "must be at least 2, got 1"),
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
    assert not GroupOptions().has_value_head
    assert load("algorithm.preset=ppo").algorithm.has_value_head
    assert load("algorithm.loss.kl_coefficient=0.1").algorithm.needs_reference
    assert load("algorithm.preset=ppo", "algorithm.credit.kl_in_reward=0.1").algorithm.needs_reference
    assert not load("algorithm.preset=ppo").algorithm.needs_reference


def options(hint: Any, prefix: str = "") -> list[tuple[type, str, str]]:
    """Each option of a table of this type, of all its choices: the class, its field and its dotted name."""
    found = []
    for cls in [each for each in (*get_args(hint), hint) if dataclasses.is_dataclass(each)]:
        hints = get_type_hints(cls)
        for each in dataclasses.fields(cls):
            below = options(hints[each.name], f"{prefix}{each.name}.")
            found += below or [(cls, each.name, f"{prefix}{each.name}")]
    return found


def is_documented(cls: type, option: str) -> bool:
    for each in (base for base in cls.__mro__ if base is not object):
        source = inspect.getsource(each)
        if re.search(rf'\n    {option}: [^\n]*\n    """', source) or f"        {option}:" in source:
            return True
    return False


@pytest.mark.parametrize("learner", LEARNERS)
def test_every_option_of_a_learner_says_what_it_is(learner: str) -> None:
    found = options(LEARNERS[learner].options)
    assert len(found) >= 5
    assert [dotted for cls, option, dotted in found if not is_documented(cls, option)] == []


def test_every_option_of_the_shared_tables_says_what_it_is() -> None:
    config = load()
    tables = {each.name: getattr(config, each.name) for each in dataclasses.fields(ConfigOf)}
    found = [each for name, part in tables.items() for each in options(type(part), f"{name}.")]
    assert len(found) > 50
    assert [dotted for cls, option, dotted in found if not is_documented(cls, option)] == []


def test_a_key_of_another_learner_is_unknown_and_the_learner_named() -> None:
    with pytest.raises(ConfigError, match=r"'critic' is not a key of algorithm with learner = \"groups\""):
        load("algorithm.critic.batch=3")
    with pytest.raises(
        ConfigError, match=r"'epochs' is not a key of algorithm with learner = \"actor_critic\"; it has actor, crit"
    ):
        load("algorithm.preset=archer", "run.iterations=30", "algorithm.epochs=3")


def test_a_choice_of_the_file_drops_the_keys_that_the_preset_gave_another() -> None:
    config = load("algorithm.preset=dapo", "algorithm.loss.surrogate=cispo")
    assert config.algorithm.loss == CispoLoss()
    with pytest.raises(ConfigError, match=r"'eps_low' is not a key of algorithm\.loss with surrogate = \"cispo\""):
        load("algorithm.preset=dapo", "algorithm.loss.surrogate=cispo", "algorithm.loss.eps_low=0.1")


def test_a_learner_alone_has_no_preset_and_a_preset_of_another_is_refused() -> None:
    config = load("algorithm.learner=actor_critic")
    assert (config.algorithm.preset, config.algorithm.critic.updates) == ("", 4)
    assert load("algorithm.learner=groups").algorithm.preset == "loop"
    with pytest.raises(ConfigError, match=r"is 'actor_critic', and the preset 'grpo' is for 'groups'; remove one"):
        load("algorithm.learner=actor_critic", "algorithm.preset=grpo")
    with pytest.raises(UnknownNameError, match=r"actor_critics.*did you mean actor_critic"):
        load("algorithm.learner=actor_critics")


def test_lambda_is_spelt_as_in_the_papers() -> None:
    config = load("algorithm.preset=ppo", "algorithm.credit.gae.lambda=0.5")
    assert config.algorithm.credit.gae.lambda_ == 0.5
    assert tables_of(config)["algorithm"]["credit"]["gae"] == {"discount": 1.0, "lambda": 0.5}

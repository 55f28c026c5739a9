"""The shipped runs on tools, cut short."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentgym.errors import ConfigError
from agentgym.policies.torch.tiny_model import build_tiny_model
from agentgym.prompting.tiny import build_tokenizer
from agentgym.store import RunStore
from agentgym.suite import load_suite
from agentgym_rl.run import config as config_module
from agentgym_rl.run.config import load_config
from agentgym_rl.run.job import train
from agentgym_rl.run.setup import suite_tokenizer

CONFIGS = Path(config_module.__file__).parents[1] / "configs"
SHORT = (
    "run.iterations=1",
    "group.size=2",
    "group.tasks=1",
    "group.dynamic_sampling=keep",
    "validation.every=0",
    "validation.has_final_test=false",
)
CLONED = ("warm_start.demonstrations=8", "warm_start.epochs=1", "warm_start.batch_episodes=4")


def test_tiny_model_is_cloned_and_trained_on_sql(tmp_path: Path) -> None:
    config = load_config(CONFIGS / "tools_sql.toml", [*SHORT, *CLONED])
    train(config, tmp_path / "run")
    with RunStore.open(tmp_path / "run", read_only=True) as store:
        demonstrated = list(store.episodes(purpose="demo"))
        played = store.episode_rows(purpose="train")
    longest = max(len(turn.action_ids) for each in demonstrated for turn in each.turns)
    assert all(each.success for each in demonstrated)
    assert 0 < longest < config.rollout.sampling.max_tokens
    assert len(played) == 2


def test_model_in_a_folder_is_trained_at_a_desk_by_talk_in_words(tmp_path: Path) -> None:
    tokenizer = build_tokenizer(["May I ask for the name?"])
    build_tiny_model(tokenizer).save_pretrained(tmp_path / "model")
    tokenizer.save_pretrained(tmp_path / "model")
    changed = [f"model.path={tmp_path / 'model'}", "run.device=cpu", "rollout.sampling.max_tokens=8"]
    config = load_config(CONFIGS / "tools_hf.toml", [*SHORT, *changed])
    train(config, tmp_path / "run")
    with RunStore.open(tmp_path / "run", read_only=True) as store:
        played = store.episode_rows(purpose="train")
    assert len(played) == 2
    assert (tmp_path / "run" / "models" / "trained" / "tokenizer.json").is_file()


def test_tasks_of_the_run_by_path_are_talked_about_in_words() -> None:
    suite = load_suite(load_config(CONFIGS / "tools_hf.toml").run.suite)
    assert {task.config["options"]["talk"] for task in suite.train_tasks()} == {"words"}


def test_model_folder_that_is_missing_is_named_before_a_run_begins(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"models/my-checkpoint.*holds no model"):
        train(load_config(CONFIGS / "tools_hf.toml"), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_numbers_that_statements_copy_are_single_tokens() -> None:
    suite = load_suite("tools/sql-small")
    tokenizer = suite_tokenizer(suite, [])
    words = {word.strip("?.,") for task in suite.tasks("test") for word in task.instruction.split()}
    numbers = {word for word in words if word.isdigit()}
    assert numbers
    assert [word for word in numbers if len(tokenizer.encode(f" {word}")) > 1] == []
    dates = {word for word in words if word[:1].isdigit() and word.count("-") == 2}
    assert dates
    assert [word for word in dates if len(tokenizer.encode(f" {word}")) > 3] == []

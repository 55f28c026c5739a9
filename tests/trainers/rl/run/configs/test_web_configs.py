"""The shipped runs on web pages, cut short, in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentgym.errors import ConfigError
from agentgym.policies.torch.tiny_model import build_tiny_model
from agentgym.prompting.tiny import build_tokenizer
from agentgym.store import RunStore
from agentgym.suite import load_suite
from agentgym_rl.core.roles import tools_of, training_cast
from agentgym_rl.run import config as config_module
from agentgym_rl.run.config import load_config
from agentgym_rl.run.job import train
from agentgym_rl.run.setup import suite_tokenizer

CONFIGS = Path(config_module.__file__).parents[1] / "configs"
SHORT = (
    "run.iterations=1",
    "group.size=2",
    "group.tasks=2",
    "rollout.max_concurrent=4",
    "rollout.env_threads=2",
    "validation.every=0",
    "validation.has_final_test=false",
)
CLONED = ("warm_start.demonstrations=4", "warm_start.epochs=1", "warm_start.batch_episodes=2")


@pytest.mark.parametrize("name", ["web_miniwob", "web_shop"])
def test_tiny_model_is_cloned_and_trained_on_pages(name: str, tmp_path: Path) -> None:
    config = load_config(CONFIGS / f"{name}.toml", [*SHORT, *CLONED])
    train(config, tmp_path / "run")
    with RunStore.open(tmp_path / "run", read_only=True) as store:
        demonstrated, played = (store.episode_rows(purpose=purpose) for purpose in ("demo", "train"))
        longest = max(
            len(turn.prompt_ids) + len(turn.action_ids)
            for each in store.episodes(purpose="train")
            for turn in each.turns
        )
    assert len(demonstrated) == 4
    assert any(row.success for row in demonstrated)
    assert len(played) == 2 * 2
    assert 0 < longest < config.packing.row_length


def test_model_in_a_folder_is_trained_on_pages(tmp_path: Path) -> None:
    tokenizer = build_tokenizer(["Click the button."])
    build_tiny_model(tokenizer).save_pretrained(tmp_path / "model")
    tokenizer.save_pretrained(tmp_path / "model")
    changed = [f"model.path={tmp_path / 'model'}", "run.device=cpu", "rollout.sampling.max_tokens=8"]
    cut = [each.replace("group.tasks=2", "group.tasks=1") for each in SHORT]
    config = load_config(CONFIGS / "web_hf.toml", [*cut, *changed, "group.dynamic_sampling=keep"])
    train(config, tmp_path / "run")
    with RunStore.open(tmp_path / "run", read_only=True) as store:
        played = store.episode_rows(purpose="train")
    assert len(played) == 2
    assert (tmp_path / "run" / "models" / "trained" / "tokenizer.json").is_file()


def test_model_folder_that_is_missing_is_named_before_a_run_begins(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"models/my-checkpoint.*holds no model"):
        train(load_config(CONFIGS / "web_hf.toml"), tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(("name", "word"), [("web/miniwob-small", "Cancel"), ("web/shop-small", "Search")])
def test_lines_of_trees_take_few_tokens(name: str, word: str) -> None:
    suite = load_suite(name)
    tokenizer = suite_tokenizer(suite, tools_of(training_cast(load_config(CONFIGS / "web_miniwob.toml").roles, suite)))
    for text, most in ((f'\n  [12] link "{word}"', 5), ("click('12')", 3), (f"fill('3', '{word}')", 5)):
        assert len(tokenizer.encode(text)) <= most, text
        assert tokenizer.decode(tokenizer.encode(text)) == text


def test_line_of_a_list_in_the_shop_takes_few_tokens() -> None:
    tokenizer = suite_tokenizer(load_suite("web/shop-small"), [])
    line = '\n   listitem\n    heading level=3\n     [4] link "'
    assert len(tokenizer.encode(line)) == 3


def test_words_of_titles_and_options_are_whole_tokens() -> None:
    suite = load_suite("web/shop-small")
    tokenizer = suite_tokenizer(suite, [])
    words = {word.strip('".:,') for task in suite.tasks("test") for word in task.instruction.split()}
    spelt = [word for word in words if word.isalpha() and len(tokenizer.encode(f" {word}")) > 1]
    assert spelt == []

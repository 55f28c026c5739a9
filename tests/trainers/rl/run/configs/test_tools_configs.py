"""The shipped runs on tools, cut short."""

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
from agentgym_rl.run.setup import suite_names, suite_tokenizer
from agentgym_tools.desks.shop.policy import ShopPolicy

CONFIGS = Path(config_module.__file__).parents[1] / "configs"
SHORT = (
    "run.iterations=1",
    "group.size=2",
    "group.tasks=1",
    "group.dynamic_sampling=keep",
    "validation.every=0",
    "validation.has_final_test=false",
)


def test_model_in_a_folder_is_trained_at_a_desk_by_talk_in_words(tmp_path: Path) -> None:
    config = load_config(CONFIGS / "tools_hf.toml")
    cast = training_cast(config.roles, load_suite(config.run.suite))
    tokenizer = build_tokenizer([ShopPolicy().text], tools_of(cast))
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


def test_numbers_and_dates_of_questions_take_few_tokens() -> None:
    suite = load_suite("tools/sql-small")
    tokenizer = suite_tokenizer(suite, [])
    words = {word.strip("?.,") for task in suite.tasks("test") for word in task.instruction.split()}
    for most, of_kind in ((1, str.isdigit), (3, lambda word: word[:1].isdigit() and word.count("-") == 2)):
        found = [word for word in words if of_kind(word)]
        assert found
        assert [word for word in found if len(tokenizer.encode(f" {word}")) > most] == []


def test_keys_acts_and_rules_of_desks_are_single_tokens() -> None:
    tokenizer = suite_tokenizer(load_suite("tools/desk-shop-small"), [])
    for phrase in ('", "days_since_placed": ', "inform(fact='", "- Items may be returned up to "):
        assert len(tokenizer.encode(phrase)) == 1, phrase
    result = '[{"order_id": "W14", "state": "delivered", "placed_on": "2031-09-20", "days_since_placed": 8}]'
    assert len(tokenizer.encode(result)) < 16
    assert tokenizer.decode(tokenizer.encode(result)) == result


@pytest.mark.parametrize(
    ("name", "expected"), [("shop", ("C3", "W14", "I114", "Y7")), ("telecom", ("C11", "N42", "B28", "1993-02-10"))]
)
def test_ids_people_and_addresses_of_small_desks_are_single_tokens(name: str, expected: tuple[str, ...]) -> None:
    suite = load_suite(f"tools/desk-{name}-small")
    groups = suite_names(suite)
    tokenizer = suite_tokenizer(suite, [])
    for group in groups:
        assert len(group) > 1
        assert {len(tokenizer.encode(each)) for each in group} == {1}
    assert set(expected) <= {each for group in groups for each in group}
    people = [group for group in groups if " " in group[0]]
    addresses = [group for group in groups if "@" in group[0]]
    assert len(people) == len(addresses) == 1


def test_no_sum_of_money_at_a_desk_is_a_name() -> None:
    codes = [each for group in suite_names(load_suite("tools/desk-telecom-small")) for each in group if each.isdigit()]
    assert codes
    assert [code for code in codes if int(code) % 50 == 0] == []


def test_large_desks_have_no_names_to_exchange() -> None:
    assert list(suite_names(load_suite("tools/desk-shop"))) == []


def test_what_says_a_relation_is_one_token_before_the_name() -> None:
    tokenizer = suite_tokenizer(load_suite("tools/search-small"), [])
    for text, expected in (
        ('What is the twin town of the town of "Damako Lyceum"?', 6),
        ("a26 | Radino Hill\na27 | Report on Radino Hill", 7),
        ("Maro Witadi was born on 21 December 1968. The mentor of this person was Wendel Ravezu.", 8),
    ):
        ids = tokenizer.encode(text)
        assert len(ids) == expected, [tokenizer.decode([each]) for each in ids]
        assert tokenizer.decode(ids) == text

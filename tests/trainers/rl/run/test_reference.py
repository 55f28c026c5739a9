"""The reference of configuration keys: complete, written from the code, and shown by key on the command line."""

import dataclasses
import json
from pathlib import Path

import pytest

from agentgym.cli.main import main
from agentgym.config import dotted_keys, tables_of
from agentgym_rl.run.config import load_config
from agentgym_rl.run.learners import LEARNERS
from agentgym_rl.run.reference import Key, help_text, keys, page

PAGE = Path(__file__).parents[4] / "docs" / "reference" / "configuration.md"


def test_the_page_is_what_the_code_says() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run: python -m agentgym_rl.run.reference"


def test_every_key_has_a_type_and_a_meaning() -> None:
    assert [key.name for key in keys() if not key.kind or len(key.meaning) < 10] == []
    assert len({key.name for key in keys()}) > 150


@pytest.mark.parametrize("learner", list(LEARNERS))
def test_every_key_of_a_resolved_configuration_is_listed(learner: str) -> None:
    overrides = ["run.suite=tools/lookup", "run.iterations=9", f"algorithm.learner={learner}"]
    if not LEARNERS[learner].options.collects:
        overrides.append('algorithm.replay.runs=["runs/x"]')
    listed = {key.name for key in keys()}
    missing = dotted_keys(tables_of(load_config(None, overrides))) - listed
    tables = {name for name in missing if any(each.startswith(f"{name}.") for each in listed)}  # absent tables
    assert missing - tables == set()


def test_keys_carry_what_their_fields_say() -> None:
    [seed] = [key for key in keys() if key.name == "optimiser.betas"]
    assert seed == Key(
        "optimiser.betas", "list of number", "at least 0 and below 1", "[0.9, 0.95]", "The two betas of AdamW."
    )


def test_help_of_a_key_a_table_and_a_typo(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "--help-config", "group.size"]) == 0
    assert capsys.readouterr().out == (
        "group.size: whole number, at least 1, default 8\n    Episodes of one task that share a baseline.\n"
    )
    assert main(["train", "--help-config", "checkpoint", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["help"].count("checkpoint.") == 2
    assert main(["train", "--help-config", "reward_weights"]) == 2
    assert "known: algorithm, checkpoint, curriculum, group, " in capsys.readouterr().err
    assert main(["train", "--help-config", "group.sise"]) == 2
    assert "unknown configuration key 'group.sise'; did you mean group.size" in capsys.readouterr().err


def test_a_key_of_several_learners_names_each_once() -> None:
    text = help_text("algorithm.credit.gae.lambda")
    assert text.startswith('algorithm.credit.gae.lambda (with learner = "groups", kind = "turn_gae" or "token_gae"): ')
    text = help_text("algorithm.replay.per_task")
    assert text.startswith('algorithm.replay.per_task (with learner = "groups", kind = "successes"): whole number, ')
    assert dataclasses.is_dataclass(LEARNERS["groups"].options)


def test_the_page_names_a_key_of_several_choices_once() -> None:
    section = page().partition('## [algorithm] with learner = "groups"')[2].partition("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| `algorithm.replay.kind`")]
    assert len(rows) == 1
    assert rows[0].count('"') > 4
    assert "With kind" not in rows[0]
    assert '| With kind = "turn_gae" or "token_gae": gamma, the discount of a step. |' in section
    keys_of_section = [line for line in section.splitlines() if line.startswith("| `")]
    assert len(keys_of_section) == len(set(keys_of_section))

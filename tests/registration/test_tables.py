from __future__ import annotations

import pytest

from agentgym.errors import UnknownNameError
from agentgym.registration import spec, specs
from agentgym.registration.tables import (
    difficulty_table,
    environment_card,
    environment_table,
    fill_markers,
    suite_table,
)


def cells(table, first):
    """The cells of the row whose first cell begins with a text."""
    return next(line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith(f"| {first}"))


def test_environment_table_has_the_fields_of_the_spec_and_no_empty_column():
    assert environment_table("swe").splitlines()[0] == "| id | suites | runs | needs |"
    table = environment_table("tools")
    assert cells(table, "`agentgym/Python-v0`")[1:] == [
        "`tools/python`, `tools/python-arithmetic`",
        "",
        "workspace",
        "extra `docker`",
    ]


def test_environment_table_names_every_id_but_those_of_a_class_without_suites_once():
    rows = environment_table("dialogue").splitlines()[2:]
    named = [row.split("`")[1] for row in rows]
    with_suites = {each.id for each in specs("dialogue") if each.suites}
    assert with_suites <= set(named)
    others = sum(int(row.split(" and ")[1].split()[0]) for row in rows if " like it |" in row)
    assert len(named) + others == len(specs("dialogue"))


def test_tables_of_a_room_hold_that_room_alone():
    table = environment_table("dialogue", "adapted")
    assert "agentgym/BabyAI-v0" in table
    assert "agentgym/Wordle-v0" not in table


def test_suite_table_puts_the_headline_first_and_tells_what_a_random_policy_scores():
    _, task, strata, random_success = cells(suite_table("tools"), "`tools/lookup`")
    assert task
    assert strata.startswith("`unseen_bases`: ")
    assert float(random_success) < 0.2


def test_difficulty_table_lists_the_options_of_make_with_their_values():
    assert cells(difficulty_table("tools"), "`agentgym/Lookup-v0`")[1] == "`hops` 1, 2, 3; `distractors` 0, 1, 2, 3"
    assert difficulty_table("web").count("\n") == 1


def test_card_is_the_readme_of_the_package_and_the_docstring_of_the_class():
    card = environment_card(spec("agentgym/Wordle-v0"))
    assert card.startswith("## agentgym/Wordle-v0\n")
    assert card.index("seven") < card.index("**Observation**") < card.index("**Reward**")
    assert not [line for line in card.splitlines() if line.startswith("# ")]


def test_markers_are_replaced_and_other_text_is_kept():
    page = "Before\n\n<!-- difficulty: tools -->\n\n<!-- a remark -->\n<!-- environments: dialogue/guessing -->\n"
    filled = fill_markers(page)
    assert filled.startswith("Before\n\n| id | options")
    assert "<!-- a remark -->" in filled
    assert "agentgym/Mastermind-v0" in filled
    assert "<!-- difficulty" not in filled


def test_cards_of_a_room_hold_each_class_once():
    filled = fill_markers("<!-- cards: dialogue/adapted -->")
    headings = [line for line in filled.splitlines() if line.startswith("## ")]
    classes = {each.entry_point for each in specs("dialogue") if each.room == "adapted"}
    assert len(headings) == len(classes)


@pytest.mark.parametrize("name", ["tool", "tools/rooms"])
def test_marker_of_an_unknown_family_or_room_is_refused(name):
    with pytest.raises(UnknownNameError):
        fill_markers(f"<!-- environments: {name} -->")

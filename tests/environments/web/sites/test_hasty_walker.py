"""The player in haste: its texts are right, its clicks and choices only now and then."""

from __future__ import annotations

from agentgym.message import Message
from agentgym.task import Task
from agentgym_web.sites.scripts import SCRIPTS

WALKTHROUGH = [
    ["fill", "searchbox", "Search the shop", "Velde Cairn Kettlebell"],
    ["select", "combobox", "Colour", "Rust"],
    ["click", "button", "Add to cart"],
    ["answer", "done"],
]
PAGE = """main
 [1] searchbox "Search the shop"
 [2] combobox "Colour" value="Choose"
  option "Choose" selected
  option "Navy"
  option "Rust"
 [3] button "Add to cart"
 [4] button "Save for later"
"""


def said(seed: int) -> tuple[str, ...]:
    task = Task("any", 0, private={"walkthrough": WALKTHROUGH})
    player = SCRIPTS["hasty"](task, seed)
    return tuple(player.act([Message(role="user", content=PAGE)]) for _ in range(5))


def test_texts_are_right_and_choices_are_made_in_haste() -> None:
    fills, choices, clicks, *ends = zip(*map(said, range(200)), strict=True)
    assert set(fills) == {"fill('1', 'Velde Cairn Kettlebell')"}
    assert set(choices) == {f"select_option('2', '{value}')" for value in ("Choose", "Navy", "Rust")}
    assert set(clicks) == {"click('3')", "click('4')"}
    assert {said for end in ends for said in end} == {"send_msg_to_user('done')"}
    assert 0.7 < choices.count("select_option('2', 'Rust')") / 200 < 0.9  # .7 with care, and a third of the rest
    assert 0.55 < clicks.count("click('3')") / 200 < 0.75  # .3 with care, and half of the rest


def test_it_is_done_where_the_next_element_is_not_shown() -> None:
    player = SCRIPTS["hasty"](Task("any", 0, private={"walkthrough": WALKTHROUGH}), 0)
    assert player.act([Message(role="user", content="main")]) == "send_msg_to_user('done')"


def test_seed_decides() -> None:
    assert said(7) == said(7)

"""The player in haste: it knows the steps, and takes some of what it clicks, types and answers from what it sees."""

from __future__ import annotations

import json

from agentgym.message import user
from agentgym.task import Task
from agentgym.testing.episodes import play_script
from agentgym_gui.desktop.env import DesktopEnv
from agentgym_gui.desktop.scripts import SCRIPTS
from agentgym_gui.templates.tasks import task_of

LIST = """Add "dates" as a last line.

window "list.txt - Mousepad" (active)
  [2] menu "File"
  [3] menu "Edit"
  [4] push button "Close"
  [8] text = "milk\\nflour" (focused)
"""
OPEN_MENU = f'*popup\n  *[9] menu item "Cut      "\n  *[10] menu item "Copy      "\n{LIST.partition(".")[2].strip()}'
STEPS = [
    {"tool": "click", "arguments": {}, "element": {"role": "menu", "name": "Edit"}},
    {"tool": "click", "arguments": {}, "element": {"role": "", "name": "Copy"}},
    {"tool": "type_text", "arguments": {"text": "\ndates"}},
    {"tool": "finish", "arguments": {"answer": "7"}},
]


def said(seed: int) -> tuple[str, ...]:
    player = SCRIPTS["hasty"](Task("any", 0, private={"oracle": STEPS}), seed)
    return tuple(player.act([user(screen)]) for screen in (LIST, OPEN_MENU, LIST, LIST, LIST))


def argument(message: str) -> str:
    call = json.loads(message.removeprefix("<tool_call>").removesuffix("</tool_call>"))
    return str(next(iter(call["arguments"].values())))


def test_much_of_what_is_chosen_is_taken_from_the_screen() -> None:
    menus, items, entries, answers, ends = zip(*map(said, range(400)), strict=True)
    assert {argument(each) for each in menus} == {"2", "3"}
    assert {argument(each) for each in items} == {"9", "10"}
    assert {argument(each) for each in entries} == {"\ndates", "\nmilk", "\nflour"}
    assert {argument(each) for each in answers} == {"2", "3", "4", "7", "8"}
    assert 0.65 < sum(argument(each) == "3" for each in menus) / 400 < 0.85  # .5 with care, and half of the rest
    assert 0.7 < sum(argument(each) == "\ndates" for each in entries) / 400 < 0.9
    assert len(set(ends)) == 1
    assert "finish" in ends[0]


def test_where_another_menu_was_opened_it_clicks_what_is_in_front() -> None:
    clicked = set()
    for seed in range(50):
        player = SCRIPTS["hasty"](Task("any", 0, private={"oracle": STEPS[1:]}), seed)
        clicked.add(argument(player.act([user(OPEN_MENU.replace("Copy", "Paste"))])))
    assert clicked == {"9", "10"}


def test_it_plays_on_where_the_screen_shows_nothing() -> None:
    for seed in range(20):
        player = SCRIPTS["hasty"](Task("any", 0, private={"oracle": STEPS}), seed)
        assert all(player.act([user("")]) for _ in range(5))


def test_seed_decides() -> None:
    assert said(7) == said(7)


def test_it_solves_a_task_with_some_seeds_and_not_with_others(env: DesktopEnv) -> None:
    task = task_of("mousepad.show_line_numbers", 1)
    found = [play_script(env, task, SCRIPTS["hasty"](task, seed)).success for seed in (0, 1)]
    assert found == [True, False]

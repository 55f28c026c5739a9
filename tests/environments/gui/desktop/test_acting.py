"""Events as commands: where the screen has to settle in between, and where it must not."""

from __future__ import annotations

import pytest

from agentgym_gui.actions.events import Copy, KeyDown, KeyUp, Move, Press, Release, Scroll, Type
from agentgym_gui.actions.gestures import click, drag
from agentgym_gui.desktop.acting import SPARE_KEY_S, Patience, command_lines, typing_s

SETTLE = Patience().line


def lines(*events) -> list[str]:
    return ["S" if line == SETTLE else line for line in command_lines(events, Patience())]


def test_typing_after_a_click_waits_until_the_focus_has_settled():
    assert lines(*click((3, 4)), Type("ab")) == ["move 3 4", "button 1 1", "button 1 0", "S", "text 97 98"]


def test_double_click_is_not_torn_apart():
    assert "S" not in lines(*click((0, 0), count=2))


def test_combination_of_keys_is_sent_as_one():
    held = (KeyDown("Control_L"), KeyDown("s"), KeyUp("s"), KeyUp("Control_L"))
    assert lines(*held, Type("x")) == ["key 1 Control_L", "key 1 s", "key 0 s", "key 0 Control_L", "S", "text 120"]


def test_drag_travels_before_it_ends():
    moved = lines(*drag([(0, 0), (40, 80)]))
    assert moved == [
        "move 0 0",
        "button 1 1",
        "move 10 20",
        "S",
        "move 20 40",
        "move 30 60",
        "move 40 80",
        "button 1 0",
    ]


def test_wheel_turns_by_notches():
    assert lines(Scroll(-1, 2)) == [*("button 5 1", "button 5 0") * 2, "button 6 1", "button 6 0"]


def test_text_without_characters_types_nothing():
    assert [lines(event) for event in (Type(""), Type("\ud800"), Copy(""))] == [[], [], []]


def test_long_text_is_typed_in_pieces():
    assert [line.count(" ") for line in lines(Type("x" * 9000))] == [4000, 4000, 1000]


def test_button_that_is_held_by_itself_settles_nothing():
    assert lines(Move(1, 1), Press(), Release()) == ["move 1 1", "button 1 1", "button 1 0"]


def test_time_for_a_text_grows_with_the_characters_that_have_no_key():
    assert typing_s((Type("plain ~ text\n" * 500), *click((3, 4)), Copy("你好"))) == 0
    assert typing_s((Type("你好 ok"), Type("ß"))) == pytest.approx(3 * SPARE_KEY_S)

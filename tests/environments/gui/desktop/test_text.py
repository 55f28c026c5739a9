"""Screens as text: what changed is marked, and a text has an end."""

from __future__ import annotations

from agentgym_gui.actions.events import Box
from agentgym_gui.desktop.scripted import find
from agentgym_gui.desktop.text import Writer
from agentgym_gui.desktop.tree import Element, Screen, Window


def screen(*named: tuple[str, str, str]) -> Screen:
    window = Window(11, 7, Box(0, 0, 100, 100), 'A "note"', "mousepad", True, False)
    elements = [
        Element(number, "push button", name, value, (), Box(1, 1, 9, 9), 11, 1, 7) for number, name, value in named
    ]
    return Screen((window,), tuple(elements))


def test_first_screen_marks_nothing():
    text = Writer().write(screen(("1", "Save", "")))
    assert text == 'window "A \\"note\\"" (active)\n  [1] push button "Save"'


def test_later_screen_marks_new_and_changed_lines_alone():
    writer = Writer()
    writer.write(screen(("1", "Save", ""), ("2", "Size", "10")))
    assert writer.write(screen(("1", "Save", ""), ("2", "Size", "11"), ("3", "Undo", ""))).splitlines()[1:] == [
        '  [1] push button "Save"',
        '  *[2] push button "Size" = "11"',
        '  *[3] push button "Undo"',
    ]


def test_text_ends_at_its_size_and_counts_what_is_left_out():
    text = Writer(max_characters=500).write(screen(*((str(number), "x" * 20, "") for number in range(100))))
    assert len(text) < 550
    assert text.endswith(f"… {101 - text.count('push button') - 1} further lines")


def test_control_characters_of_a_value_stay_on_their_line():
    text = Writer().write(screen(("1", "Note", 'one\ntwo "three"')))
    assert text.splitlines()[1] == '  [1] push button "Note" = "one\\ntwo \\"three\\""'


def test_player_finds_an_element_by_role_and_name_in_a_text():
    text = Writer().write(screen(("1", "Save", ""), ("2", "Save", ""), ("3", 'The "end"', "x")))
    assert (find(text, "push button", "Save"), find(text, name="Save", nth=1)) == ("1", "2")
    assert (find(text, name='The "end"'), find(text, name="Nothing")) == ("3", None)

"""Descriptions hold for one item alone, and absent ones for none."""

import random

import numpy as np
import pytest

from agentgym_gui.actions.events import Box
from agentgym_gui.desktop.tree import Naming, read_screen, read_windows
from agentgym_gui.grounding.cells import cells_of, column_name
from agentgym_gui.grounding.describing import ABSENT, KINDS, askable, describe, descriptions
from agentgym_gui.grounding.drawing import draw_scene
from agentgym_gui.grounding.recorded import recorded_scenes
from agentgym_gui.grounding.scenes import Item, Scene, items_of, read_scene


def scene(*items: Item) -> Scene:
    windows = (("Editor", Box(0, 0, 400, 300)),)
    return Scene("editor", "start", 0, 400, 300, "Adwaita", 10.0, windows, items)


SAVE = Item("push button", "Save", Box(10, 10, 40, 20))
OPEN = Item("push button", "Open", Box(60, 10, 40, 20))
WRAP = Item("check box", "Wrap", Box(10, 100, 80, 20), ("checked",))
OTHER_SAVE = Item("menu item", "Save", Box(10, 200, 80, 20))
PANEL = Item("panel", "Save", Box(8, 8, 44, 24))


def words(found: Scene, kind: str) -> dict[str, Box | None]:
    return {each.words: each.box for each in descriptions(found) if each.kind == kind}


def test_names_and_roles_tell_one_item():
    found = scene(PANEL, SAVE, OPEN, WRAP)
    assert words(found, "name") == {'"Save"': SAVE.box, '"Open"': OPEN.box, '"Wrap"': WRAP.box}
    assert words(found, "role")["the only check box"] == WRAP.box
    assert words(found, "function")["the control that opens a file that is there already"] == OPEN.box


def test_a_name_that_two_items_have_is_told_with_its_role():
    found = scene(SAVE, OPEN, OTHER_SAVE)
    assert '"Save"' not in words(found, "name")
    assert not any("writes" in each for each in words(found, "function"))


def test_places_and_relations_are_counted_from_boxes():
    found = scene(SAVE, OPEN, WRAP)
    assert words(found, "place")["the leftmost button"] == SAVE.box
    assert words(found, "relation")['the button directly to the right of "Save"'] == OPEN.box
    assert words(found, "relation")['the check box directly below "Save"'] == WRAP.box
    third = Item("push button", "Print", Box(110, 10, 40, 20))
    assert words(scene(SAVE, OPEN, third), "place")["the second button from the left"] == OPEN.box


def test_neighbours_that_are_equally_near_are_not_asked_for():
    twins = Item("push button", "A", Box(60, 8, 40, 10)), Item("push button", "B", Box(60, 22, 40, 10))
    assert not any("right of" in each and '"Save"' in each for each in words(scene(SAVE, *twins), "relation"))


def test_absent_names_are_not_on_the_screen():
    found = scene(SAVE, OPEN, WRAP)
    names = {describe(found, random.Random(seed), ABSENT).words for seed in range(40)}
    assert len(names) > 10
    assert not any(f'"{name}"' in text for text in names for name in ("Save", "Open", "Open...", "Wrap"))


def test_huge_and_tiny_items_are_not_asked_for():
    huge, tiny = Item("text", "Text", Box(0, 40, 400, 260)), Item("icon", "dot", Box(5, 5, 3, 3))
    assert askable(scene(huge, tiny, SAVE)) == [SAVE]


@pytest.mark.parametrize("kind", KINDS)
def test_descriptions_of_recorded_screens_hold_for_one_place(kind):
    for found in list(recorded_scenes().values())[::25]:
        told = [each for each in descriptions(found) if each.kind == kind]
        places: dict[str, set[Box]] = {}
        for each in told:
            places.setdefault(each.words, set()).add(each.box)
        # a label and the button around it may bear one name; any two boxes of one description overlap
        assert all(len(boxes) < 3 for boxes in places.values()), found.key


def test_a_scene_is_the_same_after_json_and_drawn_alike():
    found = next(iter(recorded_scenes().values()))
    again = read_scene(found.row())
    assert again == found
    assert again.key == found.key
    first = draw_scene(found)
    draw_scene.cache_clear()
    assert np.array_equal(first, draw_scene(again))
    assert first.shape == (found.height, found.width, 3)


def test_items_below_a_menu_or_another_window_are_left_out():
    windows = read_windows("1\t5\t0\t0\t400\t300\ta\tgeany\tGeany\n2\t5\t200\t100\t150\t150\t\tgeany\tReplace")
    lines = [
        "application\t5\tanswered",
        "0\t1\tframe\t\t0\t20\t400\t280\t1\tGeany\t\t",
        "1\t2\tpush button\t\t10\t30\t40\t20\t1\tfree\t\t",
        "1\t3\tpush button\t\t10\t80\t40\t20\t1\tcovered\t\t",
        "1\t4\tpush button\t\t190\t120\t40\t20\t1\thalf\t\t",
        "1\t5\tmenu item\t\t0\t60\t90\t60\t9\tin menu\t\t",
    ]
    items = items_of(read_screen(windows, "\n".join(lines), Naming()), 400, 300)
    assert [each.name for each in items] == ["free", "in menu"]


def test_cells_are_read_from_the_lines_of_a_grid():
    pixels = np.full((120, 300, 3), 255, np.uint8)
    pixels[20:101, [40, 100, 180, 260]] = 199
    pixels[[20, 40, 60, 80, 100], 40:261] = 199
    pixels[18:43, 38:103] = 0  # the selection around A1
    pixels[22:39, 43:98] = 255
    cells = {each.name: each.box for each in cells_of(pixels, [Item("drawing area", "", Box(0, 0, 40, 20))])}
    assert cells["B1"] == Box(101, 21, 79, 19)
    assert cells["C4"] == Box(181, 81, 79, 19)
    assert len(cells) == 12


def test_columns_are_named_as_in_spreadsheets():
    assert [column_name(number) for number in (0, 25, 26, 701, 702)] == ["A", "Z", "AA", "ZZ", "AAA"]

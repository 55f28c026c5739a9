"""How players find elements in the text of a screen, and what they do about a dialog in the way. No desktop runs."""

from __future__ import annotations

from agentgym_gui.desktop.scripted import Stepping, find, step

SCREEN = """window "Notes" (active)
  [2] menu "File"
  *[3] push button "Save      "
  [4] table cell "Arc\\nGtk3" (selected)
  [5] table cell "Arc \\"dark\\""
  [6] text = "a [7] push button"
"""
POPUP = {"title": "Update", "buttons": ["Restart now", "Later"]}


def answer(player: Stepping, text: str) -> str:
    return player.act([{"role": "user", "content": text}])


def test_elements_are_found_by_role_name_and_place():
    assert find(SCREEN, "push button", "Save") == "3"
    assert find(SCREEN, "table cell", nth=-1) == "5"
    assert find(SCREEN, "table cell", 'Arc "dark"') == "5"
    assert find(SCREEN, "table cell", start="Arc\n") == "4"
    assert find(SCREEN, "push button", nth=1) is None


def test_dialog_in_the_way_is_sent_away_before_the_next_step():
    player = Stepping([step("click", role="menu", name="File")], popup=POPUP)
    shown = f'window "Update" (active)\n  [8] push button "Restart now"\n  [9] push button "Later"\n{SCREEN}'
    assert '"9"' in answer(player, shown)
    assert '"2"' in answer(player, SCREEN)


def test_optional_step_is_left_out_where_its_element_is_missing():
    optional = {**step("click", name="Nowhere"), "optional": True}
    assert '"2"' in answer(Stepping([optional, step("click", name="File")]), SCREEN)


def test_missing_element_is_waited_for_and_then_given_up():
    player = Stepping([step("click", name="Nowhere")], patience=1)
    assert "wait" in answer(player, SCREEN)
    assert "give_up" in answer(player, SCREEN)

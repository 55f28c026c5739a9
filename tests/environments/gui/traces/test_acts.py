"""What a step did, whatever syntax it was written in, and when it is what the expert did."""

import pytest

from agentgym_gui.actions.events import Box, Frame
from agentgym_gui.actions.syntaxes import syntax_named
from agentgym_gui.traces.acts import Act, acts_of
from agentgym_gui.traces.matching import agree, target

SCREEN = Frame(1280, 800)
ELEMENTS = {"b3": Box(600, 380, 80, 40)}


def acts(name, message, is_touch=False):
    return acts_of(syntax_named(name).parse(message, SCREEN, ELEMENTS), is_touch)


CLICK = Act("click", (640, 400))
SAME = [
    (CLICK, "tools", 'click("b3")'),
    (CLICK, "tools", "click_at(640, 400)"),
    (CLICK, "computer_13", '{"action_type": "CLICK", "x": 640, "y": 400}'),
    (CLICK, "anthropic_20250124", '{"action": "left_click", "coordinate": [640, 400]}'),
    (CLICK, "anthropic_20241022", '[{"action": "mouse_move", "coordinate": [640, 400]}, {"action": "left_click"}]'),
    (CLICK, "openai", '{"type": "click", "x": 640, "y": 400}'),
    (CLICK, "uitars", "click(start_box='(640,400)')"),
    (CLICK, "pyautogui", "pyautogui.moveTo(640, 400)\ntime.sleep(1)\npyautogui.click()"),
    (CLICK, "mobile_use", '{"action": "click", "coordinate": [640, 400]}'),
    (Act("click", (640, 400), count=2), "pyautogui", "pyautogui.doubleClick(640, 400)"),
    (Act("click", (640, 400), count=2), "tools", 'click("b3", count=2)'),
    (Act("click", (640, 400), button="right"), "uitars", "right_single(start_box='(640,400)')"),
    (Act("click", (640, 400), keys=("Control_L",)), "tools", 'click("b3", keys="ctrl")'),
    (Act("click", (1, 2), keys=("Control_L",)), "openai", '{"type": "click", "x": 1, "y": 2, "keys": ["CTRL"]}'),
    (Act("key", keys=("Control_L", "s")), "pyautogui", "pyautogui.hotkey('ctrl', 's')"),
    (Act("key", keys=("Control_L", "s")), "pyautogui",
     "pyautogui.keyDown('ctrl')\npyautogui.press('s')\npyautogui.keyUp('ctrl')"),
    (Act("key", keys=("Control_L", "s")), "anthropic_20250124", '{"action": "key", "text": "ctrl+s"}'),
    (Act("type", text="ab"), "pyautogui", "pyautogui.press(['a', 'b'])"),
    (Act("type", text="ab"), "pyautogui", "pyautogui.write('a')\npyautogui.write('b')"),
    (Act("type", text="ab"), "pyautogui", "pyperclip.copy('ab')\npyautogui.hotkey('ctrl', 'v')"),
    (Act("type", text="é"), "tools", 'press("é")'),
    (Act("scroll", (640, 400), direction="down"), "tools", 'scroll("b3", 3)'),
    (Act("scroll", direction="up"), "pyautogui", "pyautogui.scroll(3)"),
    (Act("drag", (0, 0), (5, 5)), "tools", "drag_at(0, 0, 5, 5)"),
    (Act("long_press", (1, 2)), "mobile_use", '{"action": "long_press", "coordinate": [1, 2]}'),
    (Act("move", (1, 2)), "tools", "move_to(1, 2)"),
    (Act("hold", text="down"), "tools", "mouse_down()"),
    (Act("hold", keys=("Shift_L",), text="down"), "tools", 'key_down("shift")'),
    (Act("wait"), "tools", "wait()"),
    (Act("look"), "tools", "look()"),
    (Act("done"), "computer_13", "DONE"),
    (Act("open", text="Clock"), "androidworld", '{"action_type": "open_app", "app_name": "Clock"}'),
]  # fmt: skip


@pytest.mark.parametrize(("act", "name", "message"), SAME, ids=range(len(SAME)))
def test_same_act_in_every_syntax(act, name, message):
    assert acts(name, message) == (act,)


def test_text_with_line_breaks_is_text_and_keys():
    assert acts("tools", 'type_text("a\\nb")') == (
        Act("type", text="a"),
        Act("key", keys=("Return",)),
        Act("type", text="b"),
    )


def test_touch_drag_is_scrolling():
    swipe = '{"action": "swipe", "coordinate": [540, 700], "coordinate2": [540, 100]}'
    assert acts("mobile_use", swipe, is_touch=True) == (Act("scroll", (540, 700), direction="down"),)
    assert acts("mobile_use", swipe) == (Act("drag", (540, 700), (540, 100)),)


def test_clicks_at_two_places_are_two_acts():
    assert acts("pyautogui", "pyautogui.click(1, 1)\npyautogui.click(2, 2)") == (
        Act("click", (1, 1)),
        Act("click", (2, 2)),
    )


def test_act_in_words():
    assert str(Act("click", (1, 2), button="right", count=2)) == "click at (1, 2) 2 times with the right button"
    assert str(Act("type", text="hi")) == "type 'hi'"
    assert str(Act("key", keys=("Control_L", "s"))) == "key Control_L+s"


SIZE = (1000, 1000)
WHOLE, BUTTON, ICON = Box(0, 0, 1000, 1000), Box(100, 100, 200, 50), Box(110, 110, 20, 20)


def clicked(said, expert, boxes):
    return agree([Act("click", said)], [Act("click", expert)], boxes, SIZE)


def test_click_counts_by_the_smallest_box_that_holds_the_experts_point():
    boxes = [WHOLE, BUTTON, ICON]
    assert target((200, 120), boxes) == BUTTON
    assert clicked((299, 149), (200, 120), boxes)
    assert not clicked((900, 900), (200, 120), boxes)
    assert not clicked((299, 149), (115, 115), boxes)
    assert clicked((110, 129), (115, 115), boxes)


def test_click_without_a_box_counts_by_distance():
    assert clicked((220, 120), (200, 120), [ICON])
    assert not clicked((250, 120), (200, 120), [ICON])


@pytest.mark.parametrize(
    ("said", "expert", "is_right"),
    [
        (Act("click", (150, 120), button="right"), Act("click", (150, 120)), False),
        (Act("click", (150, 120), count=2), Act("click", (150, 120)), False),
        (Act("click"), Act("click", (150, 120)), False),
        (Act("click"), Act("click"), True),
        (Act("long_press", (150, 120)), Act("click", (150, 120)), False),
        (Act("type", text=" HELLO  you "), Act("type", text="hello you"), True),
        (Act("type", text="hello"), Act("type", text="hello you"), False),
        (Act("key", keys=("Shift_R", "Control_L", "s")), Act("key", keys=("Control_L", "Shift_L", "s")), True),
        (Act("key", keys=("Control_L", "s")), Act("key", keys=("Control_L", "d")), False),
        (Act("scroll", (1, 1), direction="down"), Act("scroll", (900, 900), direction="down"), True),
        (Act("scroll", (1, 1), direction="up"), Act("scroll", (1, 1), direction="down"), False),
        (Act("drag", (150, 120), (900, 900)), Act("drag", (290, 110), (900, 901)), True),
        (Act("drag", (150, 120), (100, 900)), Act("drag", (290, 110), (900, 900)), False),
        (Act("done", text="So."), Act("done"), True),
        (Act("answer", text="42"), Act("answer", text="43"), False),
    ],
)
def test_acts_agree(said, expert, is_right):
    assert agree([said], [expert], [BUTTON], SIZE) is is_right


def test_steps_with_more_or_fewer_acts_differ():
    assert agree([CLICK, CLICK], [CLICK, CLICK], [], SIZE)
    assert not agree([CLICK], [CLICK, CLICK], [], SIZE)
    assert not agree([CLICK, CLICK], [CLICK], [], SIZE)

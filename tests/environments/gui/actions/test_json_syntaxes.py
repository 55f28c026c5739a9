"""The syntaxes that are JSON: OSWorld's, Anthropic's, OpenAI's, AndroidWorld's and mobile_use."""

import json

import pytest

from agentgym_gui.actions import androidworld, anthropic, computer_13, mobile_use, openai
from agentgym_gui.actions.events import (
    ActionError,
    Answer,
    Box,
    Done,
    Fail,
    Frame,
    KeyDown,
    KeyUp,
    Look,
    Move,
    Open,
    Press,
    Release,
    Scroll,
    Type,
    Wait,
    Where,
)
from agentgym_gui.actions.gestures import clicks
from agentgym_gui.actions.syntaxes import SYNTAXES

SCREEN = Frame(1280, 800)
PHONE = Frame(412, 892)
ELEMENTS = {"0": Box(0, 0, 100, 50), "3": Box(100, 400, 200, 100), "9": Box(500, 0, 10, 10)}
CTRL_S = (KeyDown("Control_L"), KeyDown("s"), KeyUp("s"), KeyUp("Control_L"))


@pytest.mark.parametrize(
    ("action", "events"),
    [
        ({"action_type": "MOVE_TO", "x": 0, "y": 0}, (Move(0, 0),)),
        ({"action_type": "MOVE_TO", "parameters": {"x": 3, "y": 4, "duration": 2}}, (Move(3, 4),)),
        ({"action_type": "CLICK"}, clicks()),
        ({"action_type": "CLICK", "button": "right", "x": 0, "y": 9}, (Move(0, 9), *clicks("right"))),
        ({"action_type": "click", "num_clicks": 3}, clicks("left", 3)),
        ({"action_type": "MOUSE_DOWN"}, (Press(),)),
        ({"action_type": "MOUSE_UP", "button": "middle"}, (Release("middle"),)),
        ({"action_type": "RIGHT_CLICK", "x": 1, "y": 2}, (Move(1, 2), *clicks("right"))),
        ({"action_type": "DOUBLE_CLICK"}, clicks("left", 2)),
        ({"action_type": "DRAG_TO", "x": 5, "y": 6}, (Press(), Move(5, 6), Release())),
        ({"action_type": "SCROLL", "dx": 1, "dy": 5}, (Scroll(1, -5),)),
        ({"action_type": "TYPING", "text": "naïve\r\n"}, (Type("naïve\n"),)),
        ({"action_type": "PRESS", "key": "enter"}, (KeyDown("Return"), KeyUp("Return"))),
        ({"action_type": "KEY_DOWN", "key": "shift"}, (KeyDown("Shift_L"),)),
        ({"action_type": "KEY_UP", "key": "shift"}, (KeyUp("Shift_L"),)),
        ({"action_type": "HOTKEY", "keys": ["ctrl", "s"]}, CTRL_S),
        ("DONE", (Done(),)),
        ({"action_type": "FAIL"}, (Fail(),)),
        ("WAIT", (Wait(1.0),)),
    ],
)
def test_computer_13(action, events):
    assert computer_13.parse(json.dumps(action), SCREEN, {}) == events


def test_computer_13_words_stand_alone_or_in_a_block():
    assert computer_13.parse("DONE", SCREEN, {}) == (Done(),)
    assert computer_13.parse("```\nFAIL\n```", SCREEN, {}) == (Fail(),)


@pytest.mark.parametrize("name", ["computer_13", "openai", *(f"anthropic_{each}" for each in anthropic.ACTIONS)])
@pytest.mark.parametrize(
    ("message", "events"),
    [
        ("DONE", (Done(),)),
        ("DONE: 42", (Done("42"),)),
        ("DONE!", (Done(),)),
        ("The file is saved (as asked).\n\nDONE", (Done(),)),
        ("FAIL There is no such file.", (Fail("There is no such file."),)),
    ],
)
def test_a_word_ends_the_episode_and_may_bring_an_answer(name, message, events):
    syntax = SYNTAXES[name]
    assert "DONE" in syntax.guide
    assert syntax.parse(message, SCREEN, {}) == events


@pytest.mark.parametrize("name", ["openai", "anthropic_20250124"])
def test_words_end_nothing_beside_an_action(name):
    key = "type" if name == "openai" else "action"
    (look,) = SYNTAXES[name].parse(f'{{"{key}": "screenshot"}}\nDONE', SCREEN, {})
    assert look == Look()
    assert SYNTAXES[name].parse(f'computer({key}="screenshot")', SCREEN, {}) == (Look(),)
    for message in (f'computer({key}="screenshot")\nDONE', "Well DONE", "UNDONE", "The task is complete.", ""):
        with pytest.raises(ActionError):
            SYNTAXES[name].parse(message, SCREEN, {})
    with pytest.raises(ActionError, match="When the task is done, answer DONE"):
        SYNTAXES[name].parse("The task is complete.", SCREEN, {})


def test_json_is_found_in_prose_and_blocks_and_lists():
    click = '{"action_type": "CLICK"}'
    for message in (
        f"I click now.\n```json\n{click}\n```",
        f"<think>{{no}}</think>{click}",
        f"[{click}]",
        f"I use {{braces}} and then {click} at once.",
        f"<tool_call>{click}</tool_call>",
    ):
        assert computer_13.parse(message, SCREEN, {}) == clicks()


@pytest.mark.parametrize(
    ("action", "why"),
    [
        ({"action_type": "FLY"}, "no action_type 'FLY'. Known: MOVE_TO"),
        ({}, "no action_type null"),
        ({"action_type": "CLICK", "x": 5}, "CLICK needs 'y'"),
        ({"action_type": "CLICK", "x": "5", "y": 1}, "x must be a number"),
        ({"action_type": "CLICK", "button": "thumb"}, "'button' of CLICK must be one of left, middle"),
        ({"action_type": "CLICK", "num_clicks": 10_000}, "from 1 to 10"),
        ({"action_type": "CLICK", "num_clicks": 1.5}, "whole number"),
        ({"action_type": "CLICK", "colour": 1}, "CLICK has no field 'colour'"),
        ({"action_type": "TYPING", "text": 5}, "must be text, got 5"),
        ({"action_type": "TYPING", "text": "a\0b"}, "control character U+0000"),
        ({"action_type": "TYPING", "text": "\ud800"}, "surrogate"),
        ({"action_type": "TYPING", "text": "x" * 20_000}, "20000 characters; at most 10000"),
        ({"action_type": "SCROLL", "dx": 0, "dy": 10**9}, "from -1000 to 1000"),
        ({"action_type": "HOTKEY", "keys": "ctrl+s"}, "must be a list"),
        ({"action_type": "HOTKEY", "keys": []}, "from 1 to 8 keys"),
        ({"action_type": "PRESS", "key": "nokey"}, "no key 'nokey'"),
        ({"action_type": "MOVE_TO", "parameters": [1]}, '"parameters" must be an object'),
        ({"action_type": "MOVE_TO", "x": 1280, "y": 0}, "outside the screen"),
        ([{"action_type": "CLICK"}] * 1000, "more than 100 actions"),
        ([[{"action_type": "CLICK"}]], "An action is a JSON object"),
        ([{"action_type": "WAIT", "duration_s": 15}] * 2, "waits 30 s in all"),
        ([{"action_type": "TYPING", "text": "x" * 9000}] * 2, "types 18000 characters"),
    ],
)
def test_computer_13_refuses_and_explains(action, why):
    with pytest.raises(ActionError) as refusal:
        computer_13.parse(json.dumps(action), SCREEN, {})
    assert why in str(refusal.value)


@pytest.mark.parametrize(
    ("message", "why"),
    [
        ("", "no action"),
        ("I do not know.", "no action"),
        ('{"action_type": "CLICK", "x": NaN, "y": 1}', "NaN is no number"),
        ('{"action_type": "CLICK"', "no valid JSON"),
        ('[{"action_type": "CLICK"}, {"action_type": ]', "no valid JSON"),
        ('{"action_type": "CLICK", "x": ' + "9" * 5000 + ', "y": 1}', "no valid JSON"),
        ("[" * 50_000, "no valid JSON"),
        ("{x " * 5_000, "brackets"),
        ("x" * 1_000_000, "1000000 characters; at most 100000"),
        (None, "A message is text, got null"),
    ],
)
def test_broken_message_is_refused_whole(message, why):
    with pytest.raises(ActionError) as refusal:
        computer_13.parse(message, SCREEN, {})
    assert why in str(refusal.value)


@pytest.mark.parametrize(
    ("action", "events"),
    [
        ({"action": "key", "text": "ctrl+s"}, CTRL_S),
        ({"action": "key", "text": "a Delete"}, (KeyDown("a"), KeyUp("a"), KeyDown("Delete"), KeyUp("Delete"))),
        ({"action": "type", "text": "żółć"}, (Type("żółć"),)),
        ({"action": "mouse_move", "coordinate": [0, 0]}, (Move(0, 0),)),
        ({"action": "left_click"}, clicks()),
        ({"action": "right_click"}, clicks("right")),
        ({"action": "middle_click"}, clicks("middle")),
        ({"action": "double_click"}, clicks("left", 2)),
        ({"action": "left_click_drag", "coordinate": [9, 9]}, (Press(), Move(9, 9), Release())),
        ({"action": "screenshot"}, (Look(),)),
        ({"action": "cursor_position"}, (Where(),)),
    ],
)
@pytest.mark.parametrize("version", anthropic.ACTIONS)
def test_anthropic_actions_of_all_versions(version, action, events):
    assert anthropic.parse(json.dumps(action), SCREEN, {}, version) == events


@pytest.mark.parametrize(
    ("action", "events"),
    [
        ({"action": "left_click", "coordinate": [0, 5]}, (Move(0, 5), *clicks())),
        (
            {"action": "left_click", "coordinate": [0, 5], "text": "shift"},
            (Move(0, 5), KeyDown("Shift_L"), *clicks(), KeyUp("Shift_L")),
        ),
        ({"action": "triple_click", "key": "ctrl"}, (KeyDown("Control_L"), *clicks("left", 3), KeyUp("Control_L"))),
        (
            {"action": "left_click_drag", "start_coordinate": [1, 2], "coordinate": [3, 4]},
            (Move(1, 2), Press(), Move(3, 4), Release()),
        ),
        ({"action": "left_mouse_down"}, (Press(),)),
        ({"action": "left_mouse_up"}, (Release(),)),
        (
            {"action": "scroll", "coordinate": [1, 2], "scroll_direction": "down", "scroll_amount": 3},
            (Move(1, 2), Scroll(0, 3)),
        ),
        ({"action": "scroll", "scroll_direction": "left", "scroll_amount": 2}, (Scroll(-2, 0),)),
        ({"action": "hold_key", "text": "shift", "duration": 2}, (KeyDown("Shift_L"), Wait(2.0), KeyUp("Shift_L"))),
        ({"action": "wait", "duration": 0.5}, (Wait(0.5),)),
    ],
)
@pytest.mark.parametrize("version", ["20250124", "20251124"])
def test_anthropic_actions_of_later_versions(version, action, events):
    assert anthropic.parse(json.dumps(action), SCREEN, {}, version) == events
    if action["action"] not in ("left_click", "left_click_drag"):
        with pytest.raises(ActionError, match=r"no action|no field"):
            anthropic.parse(json.dumps(action), SCREEN, {}, "20241022")


def test_anthropic_zoom_is_of_the_last_version():
    zoom = json.dumps({"action": "zoom", "region": [100, 100, 199, 149]})
    assert anthropic.parse(zoom, SCREEN, {}) == (Look(Box(100, 100, 100, 50)),)
    with pytest.raises(ActionError, match="no action 'zoom' in computer_20250124"):
        anthropic.parse(zoom, SCREEN, {}, "20250124")
    for region in ([1, 2, 3], [9, 9, 1, 1], "all"):
        with pytest.raises(ActionError, match="region"):
            anthropic.parse(json.dumps({"action": "zoom", "region": region}), SCREEN, {})


def test_anthropic_first_version_takes_no_coordinate_for_a_click():
    with pytest.raises(ActionError, match="Use mouse_move first"):
        anthropic.parse('{"action": "left_click", "coordinate": [1, 2]}', SCREEN, {}, "20241022")


@pytest.mark.parametrize(
    "message",
    [
        '{"name": "computer", "input": {"action": "left_click"}}',
        '{"type": "tool_use", "id": "toolu_1", "name": "computer", "input": {"action": "left_click"}}',
        '<tool_call>{"name": "computer", "arguments": {"action": "left_click"}}</tool_call>',
        '{"function": {"name": "computer", "arguments": "{\\"action\\": \\"left_click\\"}"}}',
        'computer(action="left_click")',
    ],
)
def test_anthropic_call_may_come_in_an_envelope(message):
    assert anthropic.parse(message, SCREEN, {}) == clicks()


def test_call_of_another_tool_is_refused():
    with pytest.raises(ActionError, match="no tool 'bash'"):
        anthropic.parse('{"name": "bash", "input": {"command": "ls"}}', SCREEN, {})


def test_anthropic_definition_states_the_sent_picture():
    sent = anthropic.definition("20251124", Frame(1280, 800, 0.5, 0.5))
    assert sent == {
        "type": "computer_20251124",
        "name": "computer",
        "display_width_px": 640,
        "display_height_px": 400,
        "enable_zoom": True,
    }


def test_scaled_picture_moves_the_click():
    half = Frame(1280, 800, 0.5, 0.5)
    assert anthropic.parse('{"action": "left_click", "coordinate": [320, 200]}', half, {})[0] == Move(640, 400)


@pytest.mark.parametrize(
    ("action", "events"),
    [
        ({"type": "click", "x": 0, "y": 1}, (Move(0, 1), *clicks())),
        ({"type": "click", "x": 0, "y": 1, "button": "wheel"}, (Move(0, 1), *clicks("middle"))),
        ({"type": "click", "x": 0, "y": 1, "button": "back"}, (Move(0, 1), *clicks("back"))),
        (
            {"type": "click", "x": 0, "y": 1, "keys": ["CTRL"]},
            (KeyDown("Control_L"), Move(0, 1), *clicks(), KeyUp("Control_L")),
        ),
        ({"type": "double_click", "x": 2, "y": 3}, (Move(2, 3), *clicks("left", 2))),
        ({"type": "drag", "path": [{"x": 1, "y": 1}, {"x": 2, "y": 2}, [3, 3]]},
         (Move(1, 1), Press(), Move(2, 2), Move(3, 3), Release())),
        ({"type": "keypress", "keys": ["CTRL", "S"]}, CTRL_S),
        ({"type": "move", "x": 7, "y": 8}, (Move(7, 8),)),
        ({"type": "screenshot"}, (Look(),)),
        ({"type": "scroll", "x": 1, "y": 2, "scroll_x": 0, "scroll_y": 250}, (Move(1, 2), Scroll(0, 3))),
        ({"type": "scroll", "x": 1, "y": 2, "scroll_x": -1, "scroll_y": 0}, (Move(1, 2), Scroll(-1, 0))),
        ({"type": "type", "text": "hi"}, (Type("hi"),)),
        ({"type": "wait"}, (Wait(1.0),)),
    ],
)  # fmt: skip
def test_openai(action, events):
    assert openai.parse(json.dumps(action), SCREEN, {}) == events
    assert openai.parse(json.dumps({"type": "computer_call", "action": action}), SCREEN, {}) == events
    assert openai.parse(json.dumps({"type": "computer_call", "actions": [action] * 2}), SCREEN, {}) == events * 2


@pytest.mark.parametrize(
    ("action", "why"),
    [
        ({"type": "fly"}, "no action type 'fly'"),
        ({"type": "drag", "path": [{"x": 1, "y": 1}]}, "from 2 to 200 points"),
        ({"type": "drag", "path": [{"x": 1}, {"x": 1, "y": 2}]}, "y must be a number"),
        ({"type": "drag", "path": [1, 2]}, "A point of a path"),
        ({"type": "keypress", "keys": []}, "must name a key"),
        ({"type": "keypress"}, "needs 'keys'"),
        ({"type": "scroll", "x": 1, "y": 2, "scroll_y": "down"}, "must be a number"),
        ({"type": "computer_call", "action": 5}, "must be an object"),
        ({"type": "computer_call"}, 'no "arguments"'),
    ],
)
def test_openai_refuses_and_explains(action, why):
    with pytest.raises(ActionError) as refusal:
        openai.parse(json.dumps(action), SCREEN, {})
    assert why in str(refusal.value)


@pytest.mark.parametrize(
    ("action", "events"),
    [
        ({"action_type": "click", "index": 3}, (Move(200, 450), *clicks())),
        ({"action_type": "click", "index": "0"}, (Move(50, 25), *clicks())),
        ({"action_type": "click", "x": 0, "y": 0}, (Move(0, 0), *clicks())),
        ({"action_type": "double_tap", "index": 0}, (Move(50, 25), *clicks("left", 2))),
        ({"action_type": "long_press", "index": 0}, (Move(50, 25), Press(), Wait(1.0), Release())),
        (
            {"action_type": "input_text", "index": 0, "text": "hi"},
            (Move(50, 25), *clicks(), Type("hi"), KeyDown("Return"), KeyUp("Return")),
        ),
        ({"action_type": "keyboard_enter"}, (KeyDown("Return"), KeyUp("Return"))),
        ({"action_type": "navigate_home"}, (KeyDown("XF86HomePage"), KeyUp("XF86HomePage"))),
        ({"action_type": "navigate_back"}, (KeyDown("XF86Back"), KeyUp("XF86Back"))),
        ({"action_type": "open_app", "app_name": "Clock"}, (Open("Clock"),)),
        ({"action_type": "wait"}, (Wait(1.0),)),
        ({"action_type": "status", "goal_status": "complete"}, (Done(),)),
        ({"action_type": "status", "goal_status": "infeasible"}, (Fail(),)),
        ({"action_type": "answer", "text": "42"}, (Answer("42"),)),
    ],
)
def test_androidworld(action, events):
    assert androidworld.parse(f"Reason: it must be so.\nAction: {json.dumps(action)}", PHONE, ELEMENTS) == events


@pytest.mark.parametrize(
    ("kind", "direction", "start", "end"),
    [
        ("scroll", "down", (206, 446), (206, 0)),
        ("scroll", "up", (206, 446), (206, 891)),
        ("scroll", "right", (206, 446), (0, 446)),
        ("swipe", "down", (206, 0), (206, 891)),
        ("swipe", "up", (206, 891), (206, 0)),
        ("swipe", "left", (0, 446), (411, 446)),
    ],
)
def test_androidworld_scrolls_and_swipes_with_a_finger(kind, direction, start, end):
    events = androidworld.parse(json.dumps({"action_type": kind, "direction": direction}), PHONE, ELEMENTS)
    assert events[:2] == (Move(*start), Press())
    assert events[-2:] == (Move(*end), Release())


def test_androidworld_scrolls_within_an_element_even_the_first():
    events = androidworld.parse('{"action_type": "scroll", "direction": "down", "index": 0}', PHONE, ELEMENTS)
    assert (events[0], events[-2]) == (Move(50, 25), Move(50, 0))


@pytest.mark.parametrize(
    ("action", "why"),
    [
        ({"action_type": "click", "index": 7}, "no element '7' on the screen now"),
        ({"action_type": "click", "index": 9}, "outside the screen"),
        ({"action_type": "click", "index": True}, "named by its id, got true"),
        ({"action_type": "click", "index": 10**30}, "no element"),
        ({"action_type": "click", "index": 1, "x": 1, "y": 1}, "not both"),
        ({"action_type": "unknown"}, "no action_type"),
        ({"action_type": "scroll", "direction": "in"}, "must be one of up"),
        ({"action_type": "status", "goal_status": "maybe"}, "complete, infeasible"),
    ],
)
def test_androidworld_refuses_and_explains(action, why):
    with pytest.raises(ActionError) as refusal:
        androidworld.parse(json.dumps(action), PHONE, ELEMENTS)
    assert why in str(refusal.value)


def test_stale_id_is_explained_with_the_ids_of_now():
    with pytest.raises(ActionError, match=r"may be closed, hidden or scrolled away. Elements now: 0, 3, 9"):
        androidworld.parse('{"action_type": "click", "index": 4}', PHONE, ELEMENTS)


@pytest.mark.parametrize(
    ("action", "events"),
    [
        ({"action": "click", "coordinate": [1, 2]}, (Move(1, 2), *clicks())),
        ({"action": "long_press", "coordinate": [1, 2], "time": 2}, (Move(1, 2), Press(), Wait(2.0), Release())),
        ({"action": "type", "text": "hi"}, (Type("hi"),)),
        ({"action": "system_button", "button": "Back"}, (KeyDown("XF86Back"), KeyUp("XF86Back"))),
        ({"action": "open", "text": "Clock"}, (Open("Clock"),)),
        ({"action": "wait", "time": 2}, (Wait(2.0),)),
        ({"action": "terminate", "status": "success"}, (Done(),)),
        ({"action": "terminate", "status": "failure"}, (Fail(),)),
        ({"action": "answer", "text": "x"}, (Answer("x"),)),
        ({"action": "key", "text": "volume_up"}, None),
    ],
)
def test_mobile_use(action, events):
    if events is None:
        with pytest.raises(ActionError, match="no key"):
            mobile_use.parse(json.dumps(action), PHONE, {})
    else:
        assert mobile_use.parse(json.dumps(action), PHONE, {}) == events


def test_mobile_use_swipe_goes_from_one_point_to_another():
    events = mobile_use.parse('{"action": "swipe", "coordinate": [9, 90], "coordinate2": [9, 10]}', PHONE, {})
    assert (events[0], events[1], events[-2], events[-1]) == (Move(9, 90), Press(), Move(9, 10), Release())

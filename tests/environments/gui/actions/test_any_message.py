"""Whatever a message holds, a syntax returns events or raises ActionError, soon."""

import json
import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentgym_gui.actions.events import ActionError, Box, Event, Frame
from agentgym_gui.actions.syntaxes import SYNTAXES
from agentgym_gui.actions.values import MAX_EVENTS
from agentgym_gui.desktop.env import DesktopEnv
from agentgym_gui.desktop.settings import DesktopSettings
from agentgym_gui.grounding.env import GroundingEnv
from agentgym_gui.traces.env import GuiTraceEnv

FRAMES = (Frame(1280, 800), Frame(1280, 800, 0.5, 0.4), Frame(412, 892, grid=1000, pointer=(0, 0)))
ELEMENTS = {"b3": Box(600, 300, 80, 40), "7": Box(-50, 0, 20, 20)}
SEEDS = {
    "tools": 'click("b3", button="left", count=2, keys="ctrl")',
    "computer_13": '{"action_type": "CLICK", "button": "left", "x": 640, "y": 400, "num_clicks": 2}',
    "anthropic_20241022": '{"action": "left_click_drag", "coordinate": [640, 400]}',
    "anthropic_20250124": '{"action": "scroll", "coordinate": [6, 4], "scroll_direction": "up", "scroll_amount": 3}',
    "anthropic_20251124": '{"action": "zoom", "region": [1, 2, 30, 40]}',
    "openai": '{"type": "drag", "path": [{"x": 1, "y": 1}, {"x": 2, "y": 2}], "keys": ["CTRL"]}',
    "uitars": "Thought: so.\nAction: drag(start_box='(10,10)', end_box='<point>20 20</point>')",
    "pyautogui": "for i in range(3):\n    pyautogui.click(x=100 + i, y=5, clicks=2)\npyautogui.hotkey('ctrl', 's')",
    "androidworld": '{"action_type": "input_text", "index": "b3", "text": "hi"}',
    "mobile_use": '{"action": "swipe", "coordinate": [1, 2], "coordinate2": [3, 4]}',
}
PIECES = ["NaN", "1e999", "-1", "null", "true", '"', "'", "(", ")", "[", "]", "{", "}", ",", ":", "\\", "\0",
          "\ud800", "9" * 400, "é", "字", "\n", "```", "**", "lambda:", "__class__", "<think>", "</think>",
          "<tool_call>", "0x"]  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)


def read(name, message, frame):
    """The events of a message, or None where it was refused."""
    try:
        events = SYNTAXES[name].parse(message, frame, ELEMENTS)
    except ActionError:
        return None
    assert isinstance(events, tuple)
    assert 0 < len(events) <= MAX_EVENTS
    assert all(isinstance(event, Event) for event in events)
    for event in events:
        if hasattr(event, "x"):
            assert 0 <= event.x < frame.width
            assert 0 <= event.y < frame.height
    return events


@pytest.mark.parametrize("name", SYNTAXES)
def test_changed_messages(name):
    rng = random.Random(name)
    num_read = 0
    for number in range(250):
        message = SEEDS[name]
        for _ in range(rng.randrange(4)):
            at = rng.randrange(len(message) + 1)
            message = message[:at] + rng.choice(PIECES) + message[at + rng.randrange(3) :]
        num_read += read(name, message, FRAMES[number % 3]) is not None
    assert 0 < num_read < 250


@pytest.mark.parametrize("name", SYNTAXES)
def test_any_text_and_any_json(name):
    @settings(max_examples=40, deadline=None, database=None, derandomize=True)
    @given(st.text(max_size=60) | JSON | st.builds(json.dumps, JSON))
    def check(message):
        read(name, message, FRAMES[0])

    check()


@pytest.mark.parametrize("name", [name for name in SYNTAXES if SEEDS[name].startswith("{")])
def test_any_value_in_any_field(name):
    @settings(max_examples=60, deadline=None, database=None, derandomize=True)
    @given(st.data())
    def check(data):
        action = json.loads(SEEDS[name])
        field = data.draw(st.sampled_from(sorted(action)))
        action[field] = data.draw(JSON)
        read(name, json.dumps(action), FRAMES[1])

    check()


HOSTILE = ["[" * 99_000, "{" * 99_000, '{"a":' * 16_000, "(" * 99_000, "-" * 19_000, "a." * 9_000, "'" * 19_000,
           "\\" * 19_000, "<tool_call>" * 9_000, "```" * 30_000, "\n" * 90_000 + "x", "x(" * 9_000, "1if " * 5_000,
           "click(start_box='" + "(" * 90_000, "[1, " * 24_000, "Action:" * 14_000, "```x" * 20_000]  # fmt: skip


@pytest.mark.parametrize("name", SYNTAXES)
def test_hostile_message_takes_little_time(name):
    for message in HOSTILE:
        before = time.process_time()
        assert read(name, message, FRAMES[0]) is None
        assert time.process_time() - before < 5


HUGE = "9" * 400
HUGE_CALLS = (f"pyautogui.click({HUGE}, 5)", f"pyautogui.moveTo(5, -{HUGE})", f"pyautogui.click(1e400, {HUGE} % 7)")


@pytest.mark.parametrize("call", HUGE_CALLS)
def test_huge_number_in_code_is_explained_on_a_desktop(call):
    env = DesktopEnv(actions="pyautogui")
    with pytest.raises(ActionError, match="too large"):
        env.syntax.parse(call, env.view.frame(DesktopSettings(), None), {})


@pytest.mark.parametrize("env", [GroundingEnv(answers="pyautogui"), GuiTraceEnv(syntax="pyautogui")])
@pytest.mark.parametrize("call", HUGE_CALLS)
def test_huge_number_in_code_is_an_invalid_message(env, call):
    env.reset(seed=0)
    observation, reward, terminated, _, info = env.step(call)
    assert (reward, terminated, info["is_invalid"]) == (pytest.approx(-0.1), False, True)
    assert "too large" in observation["text"]

"""All action syntaxes by name: how a message is read, which tools it calls, and what a model is told of it.

How a syntax is read is in its own module.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from agentgym.action import Action, parse_text, parse_tool_calls
from agentgym.errors import ActionSyntaxError, UnknownNameError
from agentgym.message import ToolSchema
from agentgym_gui.actions import androidworld, anthropic, computer_13, mobile_use, openai, pyautogui, tools, uitars
from agentgym_gui.actions.events import Elements, Event, Frame
from agentgym_gui.actions.json_actions import END_GUIDE


class Parse(Protocol):
    """Reads a message into events, whole or not at all."""

    def __call__(self, message: object, frame: Frame, elements: Elements) -> tuple[Event, ...]:
        """The events.

        Raises:
            ActionError: The message is no valid action; nothing of it is done.
        """


@dataclass(frozen=True)
class Syntax:
    """A way to write actions.

    Attributes:
        name: Its name.
        parse: Reads a message into events.
        guide: Tells a model what its tools do not say; "" if they say all.
        tools: The tools that it calls, as OpenAI function schemas; none for free text.
    """

    name: str
    parse: Parse
    guide: str = ""
    tools: Sequence[ToolSchema] = ()

    def action(self, message: str) -> Action:
        """The message with its tool calls, so that each can be answered; without them if it has none."""
        if self.tools:
            try:
                return parse_tool_calls(message, self.tools)
            except ActionSyntaxError:
                pass
        return parse_text(message)


def syntax_named(name: str) -> Syntax:
    """A syntax.

    Raises:
        UnknownNameError: There is none of that name.
    """
    if name not in SYNTAXES:
        raise UnknownNameError("action syntax", name, SYNTAXES)
    return SYNTAXES[name]


_COMPUTER_13 = f"""Answer with JSON actions such as {computer_13.EXAMPLE}. The action types are MOVE_TO(x, y),
CLICK(button, x, y, num_clicks), MOUSE_DOWN(button), MOUSE_UP(button), RIGHT_CLICK(x, y), DOUBLE_CLICK(x, y),
DRAG_TO(x, y), SCROLL(dx, dy), TYPING(text), PRESS(key), KEY_DOWN(key), KEY_UP(key) and HOTKEY(keys).
Answer WAIT to wait, DONE when the task is done, and FAIL when it cannot be done. What was asked for, if anything,
stands behind DONE, as in DONE 42."""
_PYAUTOGUI = f"""Answer with Python code such as {pyautogui.EXAMPLE}. It is read, not run. Write calls of pyautogui,
pyperclip.copy and time.sleep with literal arguments, and loops over range.
Answer WAIT to wait, DONE when the task is done, and FAIL when it cannot be done. What was asked for, if anything,
stands behind DONE, as in DONE 42."""
_UITARS = f"""Answer with a thought and an action, such as
Thought: I open the menu.
{uitars.EXAMPLE}
The actions are click(start_box), left_double(start_box), right_single(start_box), drag(start_box, end_box),
hotkey(key), type(content), scroll(start_box, direction), wait(), finished(content) and call_user(); on a phone also
long_press(start_box), open_app(app_name), press_home() and press_back()."""
_ANDROIDWORLD = f"""Answer with a JSON action such as {androidworld.EXAMPLE}. The action types are click, double_tap and
long_press (each with index, or x and y), scroll (direction, index), swipe (direction), input_text (text, index),
keyboard_enter, navigate_home, navigate_back, open_app (app_name), wait, answer (text), and status with goal_status
complete or infeasible."""

SYNTAXES: Mapping[str, Syntax] = {
    each.name: each
    for each in (
        Syntax("tools", tools.parse, tools=tools.TOOLS),
        Syntax("computer_13", computer_13.parse, _COMPUTER_13),
        *(
            Syntax(f"anthropic_{each}", partial(anthropic.parse, version=each), END_GUIDE, [anthropic.tool(each)])
            for each in anthropic.ACTIONS
        ),
        Syntax("openai", openai.parse, END_GUIDE, [openai.TOOL]),
        Syntax("uitars", uitars.parse, _UITARS),
        Syntax("pyautogui", pyautogui.parse, _PYAUTOGUI),
        Syntax("androidworld", androidworld.parse, _ANDROIDWORLD),
        Syntax("mobile_use", mobile_use.parse, tools=[mobile_use.TOOL]),
    )
}
"""The syntaxes."""

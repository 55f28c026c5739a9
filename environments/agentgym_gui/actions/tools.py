"""Our own tools: the mouse by element and by place, the keyboard, and what ends or answers.

They are OpenAI tools, called as `click("b3")` or as JSON tool calls.
"""

from __future__ import annotations

from agentgym.errors import ActionSyntaxError
from agentgym.tools import tool
from agentgym.tools.dispatch import methods_of, parse_calls
from agentgym_gui.actions.events import (
    ActionError,
    Answer,
    Box,
    Button,
    Done,
    Elements,
    Event,
    Fail,
    Frame,
    KeyDown,
    KeyUp,
    Look,
    Move,
    Press,
    Release,
    Scroll,
    Type,
    Wait,
)
from agentgym_gui.actions.gestures import click, drag
from agentgym_gui.actions.keys import combination, held, key_named, pressed
from agentgym_gui.actions.values import (
    MAX_CLICKS,
    bounded,
    box_of,
    notches,
    seconds,
    typeable,
    whole_message,
    whole_number,
)

Events = tuple[Event, ...]


def parse(message: object, frame: Frame, elements: Elements) -> Events:
    """The events of a message.

    Args:
        message: Tool calls as JSON, in `<tool_call>` tags, or in Python call syntax.
        frame: What coordinates mean.
        elements: The elements that can be named.

    Raises:
        ActionError: A call is wrong; nothing of the message is done.
    """
    hand = Hand(frame, elements)
    try:
        calls = parse_calls(whole_message(message), TOOLS).tool_calls
        return bounded(event for call in calls for event in getattr(hand, call.name)(**call.arguments))
    except ActionError:
        raise
    except ActionSyntaxError as error:
        raise ActionError(str(error)) from None


class Hand:
    """What the tools do, as events.

    Args:
        frame: What coordinates mean.
        elements: The elements that can be named.
    """

    def __init__(self, frame: Frame, elements: Elements) -> None:
        self._frame = frame
        self._elements = elements

    @tool
    def click(self, element: str | int, button: Button = "left", count: int = 1, keys: str = "") -> Events:
        """Click an element.

        Args:
            element: Its id.
            button: The mouse button.
            count: 2 for a double click.
            keys: Keys that are held meanwhile, such as "ctrl+shift".
        """
        return self._clicked(self._middle(element), button, count, keys)

    @tool
    def click_at(self, x: float, y: float, button: Button = "left", count: int = 1, keys: str = "") -> Events:
        """Click at a point.

        Args:
            x: Its column.
            y: Its row.
            button: The mouse button.
            count: 2 for a double click.
            keys: Keys that are held meanwhile, such as "ctrl+shift".
        """
        return self._clicked(self._frame.to_pixel(x, y), button, count, keys)

    @tool
    def type_into(self, element: str | int, text: str) -> Events:
        """Click an element and type a text.

        Args:
            element: Its id.
            text: The text; a line break is Return.
        """
        return (*click(self._middle(element)), Type(typeable(text, "The text")))

    @tool
    def type_text(self, text: str) -> Events:
        """Type a text where the focus is.

        Args:
            text: The text; a line break is Return.
        """
        return (Type(typeable(text, "The text")),)

    @tool
    def press(self, keys: str, times: int = 1) -> Events:
        """Press a key or a combination of keys.

        Args:
            keys: Such as "Return", "ctrl+s" or "alt+F4".
            times: How often.
        """
        return pressed(combination(keys)) * whole_number(times, "times", 1, 100)

    @tool
    def scroll(self, element: str | int, down: int, right: int = 0) -> Events:
        """Turn the wheel over an element.

        Args:
            element: Its id.
            down: Notches down; negative ones go up.
            right: Notches to the right.
        """
        return (Move(*self._middle(element)), Scroll(notches(right, "right"), notches(down, "down")))

    @tool
    def scroll_at(self, x: float, y: float, down: int, right: int = 0) -> Events:
        """Turn the wheel at a point.

        Args:
            x: Its column.
            y: Its row.
            down: Notches down; negative ones go up.
            right: Notches to the right.
        """
        return (Move(*self._frame.to_pixel(x, y)), Scroll(notches(right, "right"), notches(down, "down")))

    @tool
    def drag(self, element: str | int, to: str | int) -> Events:
        """Drag an element onto another.

        Args:
            element: Its id.
            to: The id of the other.
        """
        return drag([self._middle(element), self._middle(to)])

    @tool
    def drag_at(self, from_x: float, from_y: float, to_x: float, to_y: float) -> Events:
        """Drag from one point to another.

        Args:
            from_x: The column where the drag begins.
            from_y: The row where it begins.
            to_x: The column where it ends.
            to_y: The row where it ends.
        """
        return drag([self._frame.to_pixel(from_x, from_y), self._frame.to_pixel(to_x, to_y)])

    @tool
    def move_to(self, x: float, y: float) -> Events:
        """Move the pointer.

        Args:
            x: The column.
            y: The row.
        """
        return (Move(*self._frame.to_pixel(x, y)),)

    @tool
    def mouse_down(self, button: Button = "left") -> Events:
        """Press a button of the mouse and hold it.

        Args:
            button: The button.
        """
        return (Press(button),)

    @tool
    def mouse_up(self, button: Button = "left") -> Events:
        """Release a button of the mouse.

        Args:
            button: The button.
        """
        return (Release(button),)

    @tool
    def key_down(self, key: str) -> Events:
        """Press a key and hold it.

        Args:
            key: Such as "shift".
        """
        return (KeyDown(key_named(key)),)

    @tool
    def key_up(self, key: str) -> Events:
        """Release a key.

        Args:
            key: Such as "shift".
        """
        return (KeyUp(key_named(key)),)

    @tool
    def wait(self, time_s: float = 1.0) -> Events:
        """Wait.

        Args:
            time_s: How many seconds.
        """
        return (Wait(seconds(time_s, "time_s")),)

    @tool
    def look(self) -> Events:
        """Ask for a picture of the screen."""
        return (Look(),)

    @tool
    def zoom(self, from_x: float, from_y: float, to_x: float, to_y: float) -> Events:
        """Ask for an enlarged picture of a part of the screen.

        Args:
            from_x: Its first column.
            from_y: Its first row.
            to_x: Its last column.
            to_y: Its last row.
        """
        (left, top), (right, bottom) = self._frame.to_pixel(from_x, from_y), self._frame.to_pixel(to_x, to_y)
        if right < left or bottom < top:
            raise ActionError("zoom goes from the upper left corner of a part to its lower right one.")
        return (Look(Box(left, top, right - left + 1, bottom - top + 1)),)

    @tool
    def answer(self, text: str) -> Events:
        """Say what was asked for.

        Args:
            text: The answer.
        """
        return (Answer(typeable(text, "The answer")),)

    @tool
    def finish(self, answer: str = "") -> Events:
        """Say that the task is finished.

        Args:
            answer: What was asked for, if anything.
        """
        return (Done(typeable(answer, "The answer")),)

    @tool
    def give_up(self, reason: str = "") -> Events:
        """Say that the task cannot be done.

        Args:
            reason: Why not.
        """
        return (Fail(typeable(reason, "The reason")),)

    def _middle(self, element: str | int) -> tuple[int, int]:
        return box_of(element, self._frame, self._elements).centre

    def _clicked(self, at: tuple[int, int], button: Button, count: int, keys: str) -> Events:
        number = whole_number(count, "count", 1, MAX_CLICKS)
        first, *others = click(at, button, number)
        return (first, *held(combination(keys) if keys else (), others))


TOOLS = methods_of(Hand)
"""The tools, as OpenAI function schemas that can be called."""

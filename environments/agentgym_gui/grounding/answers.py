"""What an answer says: a point, a box, or that the target is not there; by tools, in plain text, or as a click.

How good it is, `scoring` says.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from agentgym.action import Action, parse_text
from agentgym.errors import ActionSyntaxError, UnknownNameError
from agentgym.message import ToolSchema
from agentgym.tools import tool
from agentgym.tools.dispatch import methods_of, parse_calls
from agentgym_gui.actions.events import ActionError, Box, Event, Fail, Frame, Move, Press
from agentgym_gui.actions.syntaxes import SYNTAXES, Syntax
from agentgym_gui.actions.values import whole_message
from agentgym_gui.grounding.scoring import Answer, Nowhere, Point

TOOLS_SYNTAX, TEXT_SYNTAX = "point", "text"
TEXT_GUIDE = (
    "Answer with a point [x, y], with a box [left, top, right, bottom], or with the word absent if it is not there."
)
_NUMBER = r"[-+]?\d+(?:\.\d+)?"
_LIST = re.compile(rf"[\[(]\s*({_NUMBER}(?:\s*,\s*{_NUMBER}){{1,3}})\s*[\])]")
_ABSENT = re.compile(r"\b(?:absent|not there|not on the screen)\b", re.IGNORECASE)
_MAX_TEXT = 20_000


class Pointer:
    """What the tools say.

    Args:
        frame: What coordinates mean.
    """

    def __init__(self, frame: Frame) -> None:
        self._frame = frame

    @tool
    def point(self, x: float, y: float) -> Answer:
        """Answer with a point in what was described.

        Args:
            x: Its column.
            y: Its row.
        """
        return Point(*self._frame.to_pixel(x, y))

    @tool
    def box(self, left: float, top: float, right: float, bottom: float) -> Answer:
        """Give the box of the described element.

        Args:
            left: Its first column.
            top: Its first row.
            right: Its last column.
            bottom: Its last row.
        """
        return box_of_corners(self._frame, left, top, right, bottom)

    @tool
    def absent(self) -> Answer:
        """Answer that what was described is not on the screen."""
        return Nowhere()


TOOLS: Sequence[ToolSchema] = methods_of(Pointer)
"""The tools, as OpenAI function schemas."""


class Reader:
    """Reads messages of one syntax.

    Args:
        name: "point" for the tools above, "text" for numbers in plain text, or a syntax of actions, whose first click
            is the point and whose refusal is the answer that the target is not there.

    Raises:
        UnknownNameError: There is no such syntax.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.tools: Sequence[ToolSchema] = ()
        self.guide = ""
        self._syntax: Syntax | None = None
        if name == TOOLS_SYNTAX:
            self.tools = TOOLS
        elif name == TEXT_SYNTAX:
            self.guide = TEXT_GUIDE
        else:
            if name not in SYNTAXES:
                raise UnknownNameError("syntax of answers", name, NAMES)
            self._syntax = SYNTAXES[name]
            self.tools = self._syntax.tools
            self.guide = self._syntax.guide

    def action(self, message: str) -> Action:
        """The message with its tool calls, so that each can be answered."""
        if self._syntax is not None:
            return self._syntax.action(message)
        return parse_calls(message, TOOLS) if self.tools else parse_text(message)

    def read(self, message: str, frame: Frame) -> Answer:
        """The answer of a message.

        Args:
            message: What was said.
            frame: What coordinates mean.

        Raises:
            ActionError: It is no answer, or its coordinates are outside the screen.
        """
        if self._syntax is not None:
            return _of_events(self._syntax.parse(message, frame, {}))
        if self.tools:
            return _of_calls(message, frame)
        return _of_text(message, frame)


NAMES = (TOOLS_SYNTAX, TEXT_SYNTAX, *SYNTAXES)
"""The names of the syntaxes of answers."""


def box_of_corners(frame: Frame, left: object, top: object, right: object, bottom: object) -> Box:
    """The box between two corners, both in it.

    Raises:
        ActionError: A corner is outside the screen, or the corners are in the wrong order.
    """
    x, y = frame.to_pixel(left, top)
    last_x, last_y = frame.to_pixel(right, bottom)
    if last_x < x or last_y < y:
        raise ActionError(
            f"A box goes from its upper left corner to its lower right one, got ({left}, {top}) to ({right}, {bottom})."
        )
    return Box(x, y, last_x - x + 1, last_y - y + 1)


def _of_calls(message: str, frame: Frame) -> Answer:
    try:
        calls = parse_calls(whole_message(message), TOOLS).tool_calls
        if len(calls) != 1:
            raise ActionError(f"One answer was expected, got {len(calls)}. Call one of point, box and absent, once.")
        answer: Answer = getattr(Pointer(frame), calls[0].name)(**calls[0].arguments)
    except ActionError:
        raise
    except ActionSyntaxError as error:
        raise ActionError(str(error)) from None
    return answer


def _of_text(message: str, frame: Frame) -> Answer:
    """The last list of two or four numbers of a text; without one, whether it says that nothing is there."""
    text = message[-_MAX_TEXT:]
    found = [[float(number) for number in each.split(",")] for each in _LIST.findall(text)]
    lists = [each for each in found if len(each) != 3]
    if lists and len(lists[-1]) == 2:
        return Point(*frame.to_pixel(*lists[-1]))
    if lists:
        return box_of_corners(frame, *lists[-1])
    if _ABSENT.search(text):
        return Nowhere()
    raise ActionError(f"There is no answer in the message. {TEXT_GUIDE}")


def _of_events(events: Sequence[Event]) -> Answer:
    """Where the first click is."""
    at: Move | None = None
    for event in events:
        match event:
            case Move():
                at = event
            case Press() if at is not None:
                return Point(at.x, at.y)
            case Fail():
                return Nowhere()
    raise ActionError("The answer is a click on what was described, or a refusal if it is not there. Click once.")

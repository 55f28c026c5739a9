"""Events: what every action syntax is normalised to, in pixels of the screen.

A message is read whole before its first event is sent, so a bad message does nothing. Each syntax is a module beside
this one; `agentgym_gui.desktop` sends the events.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from agentgym.errors import ActionSyntaxError, ConfigError

Button = Literal["left", "middle", "right", "back", "forward"]
"""A button of the mouse. Touching the screen is the left one."""
BUTTONS: tuple[Button, ...] = get_args(Button)
GRID = 1000
"""The largest coordinate on the grid that many models answer in."""


class ActionError(ActionSyntaxError):
    """A message that is no valid action: it says what was wrong, what was expected, and what to do next."""


@dataclass(frozen=True, slots=True)
class Move:
    """The pointer goes to a pixel; column 0 and row 0 count."""

    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Press:
    """A button goes down, and stays down until its `Release`."""

    button: Button = "left"


@dataclass(frozen=True, slots=True)
class Release:
    """A button goes up."""

    button: Button = "left"


@dataclass(frozen=True, slots=True)
class Scroll:
    """The wheel turns at the pointer, in notches: to the right and down are positive."""

    dx: int
    dy: int


@dataclass(frozen=True, slots=True)
class KeyDown:
    """A key goes down, named as an X keysym: "Return", "Control_L", "a"."""

    key: str


@dataclass(frozen=True, slots=True)
class KeyUp:
    """A key goes up, named as an X keysym."""

    key: str


@dataclass(frozen=True, slots=True)
class Type:
    """A text of any script is typed where the focus is; a line break is Return, and a tab is Tab."""

    text: str


@dataclass(frozen=True, slots=True)
class Copy:
    """A text is put on the clipboard."""

    text: str


@dataclass(frozen=True, slots=True)
class Wait:
    """Time passes."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Look:
    """A picture is asked for.

    Attributes:
        region: The part that is shown enlarged, in pixels; None for the whole screen.
    """

    region: Box | None = None


@dataclass(frozen=True, slots=True)
class Where:
    """The place of the pointer is asked for."""


@dataclass(frozen=True, slots=True)
class Open:
    """An application is asked for by its name, as on a phone."""

    name: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The agent says what was asked of it, and goes on."""

    text: str


@dataclass(frozen=True, slots=True)
class Done:
    """The agent says that the task is done, which ends the episode."""

    answer: str = ""


@dataclass(frozen=True, slots=True)
class Fail:
    """The agent says that the task cannot be done, which ends the episode."""

    reason: str = ""


Seeing = Look | Where
"""What is asked about the screen, and changes nothing on it."""
Event = Move | Press | Release | Scroll | KeyDown | KeyUp | Type | Copy | Wait | Seeing | Open | Answer | Done | Fail
"""One of them; a message becomes a tuple of events."""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle of pixels.

    Attributes:
        x: Its first column.
        y: Its first row.
        width: Number of its columns.
        height: Number of its rows.
    """

    x: int
    y: int
    width: int
    height: int

    @property
    def area(self) -> int:
        """Number of pixels in it."""
        return max(self.width, 0) * max(self.height, 0)

    @property
    def centre(self) -> tuple[int, int]:
        """The pixel in its middle."""
        return self.x + self.width // 2, self.y + self.height // 2

    def holds(self, x: float, y: float) -> bool:
        """Whether a point lies in it."""
        return self.x <= x < self.x + self.width and self.y <= y < self.y + self.height

    def within(self, width: int, height: int) -> Box | None:
        """The part of it that lies on a screen of that size; None if no pixel does."""
        left, top = max(self.x, 0), max(self.y, 0)
        right, bottom = min(self.x + self.width, width), min(self.y + self.height, height)
        return Box(left, top, right - left, bottom - top) if left < right and top < bottom else None


Elements = Mapping[str, Box]
"""The boxes of the elements that are on the screen now, by id."""


@dataclass(frozen=True)
class Frame:
    """What a model's coordinates mean: pixels, pixels of the scaled picture that it was sent, or a grid.

    Attributes:
        width: Columns of the screen.
        height: Rows of the screen.
        scale_x: Columns of the sent picture for each of the screen; 1 for pixels.
        scale_y: Rows of the sent picture for each of the screen.
        grid: The largest coordinate of a grid over the whole screen, such as 1000; 0 for none.
        pointer: The pixel where the pointer is, for moves that are relative to it; None if that is not known.

    Raises:
        ConfigError: A size, scale or grid cannot be.
    """

    width: int
    height: int
    scale_x: float = 1.0
    scale_y: float = 1.0
    grid: int = 0
    pointer: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        if min(self.width, self.height) < 1 or self.grid < 0:
            raise ConfigError(f"a screen has at least one pixel, and a grid is 0 or more; got {self}")
        scales = (self.scale_x, self.scale_y)
        if not all(math.isfinite(scale) and scale > 0 for scale in scales) or (self.grid and scales != (1.0, 1.0)):
            raise ConfigError(f"a scale is above 0, and coordinates have a scale or a grid, not both; got {self}")

    @property
    def limits(self) -> tuple[int, int]:
        """The largest coordinates that a model may name."""
        if self.grid:
            return self.grid, self.grid
        return math.ceil(self.width * self.scale_x) - 1, math.ceil(self.height * self.scale_y) - 1

    def to_pixel(self, x: object, y: object) -> tuple[int, int]:
        """The pixel that a model's coordinates name.

        Args:
            x: A number, 0 being the first column.
            y: A number, 0 being the first row.

        Raises:
            ActionError: A coordinate is no number or lies outside. Nothing is clipped.
        """
        last_x, last_y = self.limits
        return (
            self._along("x", x, last_x, self.width, self.scale_x),
            self._along("y", y, last_y, self.height, self.scale_y),
        )

    def from_pixel(self, x: int, y: int) -> tuple[int, int]:
        """The coordinates by which a model names a pixel, or the nearest that it can name."""
        last_x, last_y = self.limits
        if self.grid:
            return round(x * last_x / max(self.width - 1, 1)), round(y * last_y / max(self.height - 1, 1))
        return min(math.ceil(x * self.scale_x), last_x), min(math.ceil(y * self.scale_y), last_y)

    def _along(self, axis: str, value: object, last: int, size: int, scale: float) -> int:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ActionError(f"{axis} must be a number from 0 to {last}, got {shown(value)}.")
        if not 0 <= value < last + 1 or (self.grid and value > last):  # NaN is never inside
            kind = f"a grid from 0 to {last}" if self.grid else f"pixels from 0 to {last}"
            raise ActionError(
                f"{axis} = {shown(value)} is outside the screen: {axis} counts {kind}. Name a point on the screen."
            )
        if self.grid:
            return round(value * (size - 1) / self.grid)
        return min(int(value / scale), size - 1)  # a sent picture's last column may be half a pixel wide


def quoted(value: Any) -> str:
    """A name as a message shows it: in quotes and short, or what stands in place of one."""
    return repr(value[:40]) if isinstance(value, str) else shown(value)


def shown(value: Any) -> str:
    """A value as a message shows it: short, whatever it is."""
    if isinstance(value, str):
        return f"the text {value[:40]!r}{'…' if len(value) > 40 else ''}"
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value) if abs(value) < 10**12 else f"a number of {value.bit_length()} bits"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, list | tuple | dict):
        return f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value)} items"
    return type(value).__name__

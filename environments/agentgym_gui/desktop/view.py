"""What an agent is shown of a desktop, as text, as a picture, or both, and what its coordinates mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agentgym.errors import ConfigError
from agentgym_gui.actions.events import Box, Elements, Event, Frame, Look, Where
from agentgym_gui.actions.syntaxes import syntax_named
from agentgym_gui.desktop.pictures import Pixels, marked, scaled
from agentgym_gui.desktop.settings import DesktopSettings


@dataclass(frozen=True)
class View:
    """What an agent is shown, and how it answers."""

    text: bool = True
    """Whether windows and elements are shown as text."""
    picture: bool = False
    """Whether the screen is shown as a picture."""
    marks: bool = False
    """Whether the picture shows each element's box with its id."""
    pointer: bool = True
    """Whether the picture shows the pointer."""
    scale: float = 1.0
    """Size of the picture for each pixel of the screen; coordinates are those of the picture."""
    grid: int = 0
    """The largest coordinate of a grid over the whole screen, such as 1000; 0 where coordinates are pixels."""
    max_characters: int = 8000
    """Most characters of the text."""
    actions: str = "tools"
    """The syntax of actions: one of `agentgym_gui.actions.syntaxes.SYNTAXES`."""

    def __post_init__(self) -> None:
        if not (self.text or self.picture):
            raise ConfigError("a view shows text, a picture, or both: got neither")
        if self.marks and not self.picture:
            raise ConfigError("marks are drawn into the picture: set picture=True")
        if not 0.1 <= self.scale <= 1:
            raise ConfigError(f"scale must be from 0.1 to 1: got {self.scale!r}")
        if self.grid < 0:
            raise ConfigError(f"grid must be 0 for pixels, or the largest coordinate, such as 1000: got {self.grid!r}")
        if self.max_characters < 500:
            raise ConfigError(f"max_characters must be at least 500: got {self.max_characters!r}")
        syntax_named(self.actions)

    def frame(self, settings: DesktopSettings, pointer: tuple[int, int] | None) -> Frame:
        """What coordinates mean on a desktop."""
        scale = 1.0 if self.grid else self.scale
        return Frame(settings.width, settings.height, scale, scale, self.grid, pointer)

    def sent(self, pixels: Pixels, boxes: Elements, region: Box | None = None) -> Pixels:
        """The picture that an agent gets of a screen, uint8[H, W, 3].

        Args:
            pixels: The screen, uint8[H, W, 3].
            boxes: Its elements by id, which marks show.
            region: The part that fills the picture; None for the whole screen.
        """
        height, width = pixels.shape[:2]
        if self.marks:
            pixels = marked(pixels, boxes)
        if region is not None:
            pixels = pixels[region.y : region.y + region.height, region.x : region.x + region.width]
        return scaled(pixels, round(width * self.scale), round(height * self.scale))


def looks(events: Sequence[Event]) -> list[Look]:
    """The pictures that some events ask for."""
    return [event for event in events if isinstance(event, Look)]


def told(events: Sequence[Event], frame: Frame) -> tuple[str, ...]:
    """What is said to events that ask about the screen, one sentence each.

    Args:
        events: The events of a message.
        frame: What its coordinates mean, with the pointer's place once the message is done.
    """
    said = []
    if any(isinstance(event, Where) for event in events):
        x, y = frame.from_pixel(*(frame.pointer or (frame.width - 1, frame.height - 1)))  # desk puts it there
        said.append(f"The pointer is at ({x}, {y}).")
    region = next((look.region for look in reversed(looks(events))), None)
    if region is not None:
        left, top = frame.from_pixel(region.x, region.y)
        right, bottom = frame.from_pixel(region.x + region.width - 1, region.y + region.height - 1)
        said.append(
            f"The picture shows ({left}, {top}) to ({right}, {bottom}) enlarged. "
            "Coordinates still count the whole screen."
        )
    return tuple(said)

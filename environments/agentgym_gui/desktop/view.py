"""What an agent is shown of a desktop, as text, as a picture, or both, and what its coordinates mean."""

from __future__ import annotations

from dataclasses import dataclass

from agentgym.errors import ConfigError
from agentgym_gui.actions.events import Frame
from agentgym_gui.actions.syntaxes import syntax_named
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
        if self.max_characters < 500:
            raise ConfigError(f"max_characters must be at least 500: got {self.max_characters!r}")
        syntax_named(self.actions)

    def frame(self, settings: DesktopSettings, pointer: tuple[int, int] | None) -> Frame:
        """What coordinates mean on a desktop."""
        scale = 1.0 if self.grid else self.scale
        return Frame(settings.width, settings.height, scale, scale, self.grid, pointer)

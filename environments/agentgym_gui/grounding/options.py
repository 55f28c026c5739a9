"""What a grounding environment shows, how answers are written, and what they earn."""

from __future__ import annotations

from dataclasses import dataclass

from agentgym.errors import ConfigError
from agentgym_gui.grounding.answers import TOOLS_SYNTAX, Reader
from agentgym_gui.grounding.applications import APPLICATIONS, HELD_OUT, application_named
from agentgym_gui.grounding.scoring import reward_weights


@dataclass(frozen=True)
class GroundingOptions:
    """What is shown, how it is answered, and what that earns."""

    reward: str = "hit"
    """"hit", "dense" or "box"."""
    answers: str = TOOLS_SYNTAX
    """"point" for the tools, "text" for plain text, or a syntax of actions such as "uitars"."""
    targets: str = ""
    """A file of ScreenSpot's or ScreenSpot-Pro's, or a folder of them; "" for screens of agentgym."""
    images: str = ""
    """The folder of its pictures; "" for `images` beside the file."""
    boxes: str = ""
    """"xywh" or "corners"; "" finds out."""
    live: bool = False
    """Whether applications are opened; else recorded screens are drawn."""
    applications: tuple[str, ...] = ()
    """What tasks without a suite show; () for all applications but those that only tests show."""
    absent: float = 0.1
    """Share of targets that are not there, in tasks without a suite."""
    scale: float = 1.0
    """Size of the picture for each pixel of the screen; coordinates are those of the picture."""
    grid: int = 0
    """The largest coordinate of a grid over the whole picture, such as 1000; 0 where coordinates are pixels."""
    listed: bool = False
    """Whether the items are listed as text."""

    def __post_init__(self) -> None:
        reward_weights(self.reward)
        Reader(self.answers)
        for name in self.applications:
            application_named(name)
        if not 0 <= self.absent <= 1 or not 0.05 <= self.scale <= 1 or self.grid < 0:
            raise ConfigError(
                f"absent is from 0 to 1, scale from 0.05 to 1, and grid from 0: got {self.absent}, {self.scale} and "
                f"{self.grid}"
            )
        if not self.targets and (self.images or self.boxes):
            raise ConfigError("images and boxes belong to a file of targets: name it with targets=…")
        if self.targets and self.live:
            raise ConfigError("targets of a file have pictures of their own: give targets or live=True, not both")

    @property
    def shown(self) -> tuple[str, ...]:
        """Names of the applications that tasks without a suite show."""
        return self.applications or tuple(name for name in APPLICATIONS if name not in HELD_OUT)

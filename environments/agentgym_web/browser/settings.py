"""Options of the browser layer: what an agent sees of a page, and how pages run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from agentgym.errors import ConfigError

EPOCH_MS = 1_772_442_000_000
"""Where virtual clocks start: 2026-03-02 09:00 UTC."""
_MAX_DOM = 400_000
"""Most characters of the DOM, about."""


@dataclass(frozen=True)
class View:
    """What an observation contains; parts can be combined.

    Attributes:
        tree: The accessibility tree as text, a line an element.
        dom: The pruned DOM as HTML.
        screenshot: A picture of the window.
        marks: The picture has a frame with its id around each element that can be used; implies `screenshot`.
        visible_only: Leaves out of the tree and the DOM what lies outside the window.
        ids: "usable" gives ids to elements that can be used, "all" to every line.
        shapes: Shows drawn shapes and coloured boxes with colour, place and size.
        places: Shows place and size of every element.
        max_tokens: Most tokens of the tree, and most of the DOM; what matters least goes first. None for no limit.
        max_text: Most characters of one text; longer ones end with "…".
        max_elements: Most elements that are looked at.
        skip: CSS selectors of elements that are left out with all that is in them; "head" leaves out title and
            address.
    """

    tree: bool = True
    dom: bool = False
    screenshot: bool = False
    marks: bool = False
    visible_only: bool = False
    ids: Literal["usable", "all"] = "usable"
    shapes: bool = False
    places: bool = False
    max_tokens: int | None = None
    max_text: int = 400
    max_elements: int = 50_000
    skip: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.ids not in ("usable", "all"):
            raise ConfigError(f"ids of a view must be 'usable' or 'all': got {self.ids!r}")
        for name in ("max_text", "max_elements"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} of a view must be at least 1: got {getattr(self, name)!r}")
        if self.max_tokens is not None and self.max_tokens < 20:
            raise ConfigError(f"max_tokens of a view must be at least 20: got {self.max_tokens!r}")

    @property
    def has_picture(self) -> bool:
        """Whether a screenshot is taken."""
        return self.screenshot or self.marks

    def tree_options(self) -> dict[str, Any]:
        """The options of the tree for the script in the page."""
        return {
            "clip": self.max_text,
            "maxElements": self.max_elements,
            "maxOptions": 60,
            "shapes": self.shapes,
            "ids": self.ids,
            "places": self.places,
            "visible": self.visible_only,
            "looks": self.max_tokens is not None,
            "skip": ", ".join(self.skip),
        }

    def dom_options(self) -> dict[str, Any]:
        """The options of the DOM for the script in the page."""
        names = ("clip", "ids", "looks", "shapes", "skip", "visible")
        shared = {name: value for name, value in self.tree_options().items() if name in names}
        return {**shared, "maxDom": _MAX_DOM, "tree": self.tree}


@dataclass(frozen=True)
class PageSettings:
    """How the pages of an environment run.

    Attributes:
        width: Of the window, in CSS pixels.
        height: Of the window, in CSS pixels.
        virtual_time: Whether pages have a clock of their own, which goes on by `step_ms` at each action: timers and
            animations need no waiting, and the same actions give the same pages. If False, pages see the machine's
            clock, and an action waits for timers that are due soon.
        step_ms: How far the virtual clock goes at each action, in milliseconds.
        start_ms: Where the virtual clock starts, in milliseconds since 1970.
        settle_s: Longest time that an action waits until a page is quiet, in seconds.
        load_s: Longest time that a page may load, in seconds; then it is stopped.
        hang_s: Time after which a page that does not answer is closed, in seconds.
        dialogs: What is answered to confirmations and prompts.
        touch: Whether the window is a touch screen.
        scale: Device pixels of a CSS pixel.
        user_agent: The name of the browser that pages read; "" for its own.
        downloads: Whether downloads are kept; else they are refused.
        max_tabs: Most open tabs; further ones are closed at once.
        max_dialogs: Most dialogs in one action; a page that opens more is closed.
        person: Whether a person uses the window: what the person does is kept from pages, and told to the harness.
        files: Files that the agent may upload, by name: where they are, or what is in them.
    """

    width: int = 1280
    height: int = 720
    virtual_time: bool = False
    step_ms: int = 500
    start_ms: int = EPOCH_MS
    settle_s: float = 8.0
    load_s: float = 30.0
    hang_s: float = 15.0
    dialogs: Literal["accept", "dismiss"] = "accept"
    touch: bool = False
    scale: float = 1.0
    user_agent: str = ""
    downloads: bool = False
    max_tabs: int = 8
    max_dialogs: int = 10
    person: bool = False
    files: Mapping[str, Path | bytes] = field(default_factory=dict, hash=False)

    @property
    def looks_wait(self) -> bool:
        """Whether a look may be asked for while an input is on its way; the page then waits for it."""
        return self.virtual_time and not self.person

    @property
    def frames_can_wait(self) -> bool:
        """Whether frames are drawn only when they are asked for: neither on real time, nor for a person or a finger.

        Frames that are asked for have a device pixel a CSS pixel.
        """
        return self.virtual_time and not self.person and not self.touch and self.scale == 1

    def __post_init__(self) -> None:
        for name in ("width", "height", "step_ms", "settle_s", "load_s", "hang_s", "scale", "max_tabs", "max_dialogs"):
            if getattr(self, name) <= 0:
                raise ConfigError(f"{name} of a page must be positive: got {getattr(self, name)!r}")

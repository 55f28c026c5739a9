"""Opening an application in a state on a live desktop, at a place and size, and reading the scene that it shows.

What can be opened is in `applications`. Nothing sleeps: the desktop says when it has settled.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from agentgym.config import build
from agentgym.errors import ConfigError, SandboxError, TaskError
from agentgym_gui.actions.events import Event, Move, Press, Release
from agentgym_gui.actions.keys import combination, pressed
from agentgym_gui.desktop.session import Desktop, Pixels, Sight
from agentgym_gui.desktop.settings import THEMES, DesktopSettings
from agentgym_gui.desktop.staging import lay_out
from agentgym_gui.desktop.task import DesktopTask
from agentgym_gui.desktop.tree import Window
from agentgym_gui.grounding.applications import START, application_named
from agentgym_gui.grounding.cells import cells_of
from agentgym_gui.grounding.scenes import Scene, items_of

SIZES = ((1280, 800), (1024, 768), (1366, 768), (1600, 900))
FONT_SIZES = (9.0, 10.0, 11.0, 12.5, 14.0)
_TITLE_BAR = 9
"""Rows below a frame's upper edge at which its title bar is held."""
_CORNER = 2
_NEAR = 4
_DRAGS = 3
"""How often a window is dragged; a menu that has just been closed takes the first press for itself."""
KEYS = ("application", "state", "seed", "screen", "place", "grow")


@dataclass(frozen=True)
class Opening:
    """What is opened, and how it looks."""

    application: str
    """One of `APPLICATIONS`."""
    state: str = START
    """One of its states."""
    seed: int = 0
    """Seed of its documents."""
    screen: DesktopSettings = field(default_factory=DesktopSettings)
    """Size of the screen, theme and text."""
    place: tuple[int, int] | None = None
    """Where the upper left corner of its window is; it stays on the screen. None where the window manager puts it."""
    grow: tuple[int, int] = (0, 0)
    """How much wider and higher its window is made."""

    def __post_init__(self) -> None:
        application_named(self.application).keys(self.state)

    def config(self) -> dict[str, Any]:
        """The opening as the config of a task; what is as by default is left out."""
        default = asdict(DesktopSettings())
        screen = {key: value for key, value in asdict(self.screen).items() if value != default[key]}
        place = None if self.place is None else list(self.place)
        rest = {"screen": screen, "place": place, "grow": list(self.grow)}
        said = {key: value for key, value in rest.items() if value not in ({}, None, [0, 0])}
        return {"application": self.application, "state": self.state, "seed": self.seed, **said}


def read_opening(config: Mapping[str, Any]) -> Opening:
    """The opening of a task's config.

    Raises:
        TaskError: It is malformed.
    """
    try:
        return Opening(
            application=config["application"],
            state=config.get("state", START),
            seed=int(config.get("seed", 0)),
            screen=build(DesktopSettings, config.get("screen", {})),
            place=None if config.get("place") is None else _pair(config["place"]),
            grow=_pair(config.get("grow", (0, 0))),
        )
    except (ConfigError, KeyError, TypeError, ValueError) as error:
        raise TaskError(f"a screen cannot be opened so: {error}") from error


def draw_opening(rng: random.Random, applications: Sequence[str]) -> Opening:
    """A random opening: application, state, size of the screen, theme, text and place."""
    name = applications[rng.randrange(len(applications))]
    states = application_named(name).all_states
    width, height = SIZES[rng.randrange(len(SIZES))]
    screen = DesktopSettings(
        width, height, theme=THEMES[rng.randrange(len(THEMES))], font_size=FONT_SIZES[rng.randrange(len(FONT_SIZES))]
    )
    state, seed = states[rng.randrange(len(states))], rng.randrange(1000)
    return Opening(name, state, seed, screen, draw_place(rng, screen))


def draw_place(rng: random.Random, screen: DesktopSettings) -> tuple[int, int]:
    """A place for a window, which small ones can have anywhere on the screen."""
    return rng.randrange(screen.width), rng.randrange(screen.height)


def opening_of(scene: Scene) -> Opening:
    """The opening that shows a recorded scene."""
    screen = DesktopSettings(scene.width, scene.height, scene.theme, scene.font_size)
    place = (scene.windows[0][1].x, scene.windows[0][1].y) if scene.windows else None
    return Opening(scene.application, scene.state, scene.seed, screen, place)


def start_application(desktop: Desktop, opening: Opening) -> None:
    """Lay out what an application shows, and start it in its first state.

    Raises:
        SandboxError: It shows no window.
    """
    application = application_named(opening.application)
    plan = application.plan(opening.seed)
    if plan is None:
        lay_out(desktop, DesktopTask(screen=opening.screen, start=(application.start,)))
        return
    task = DesktopTask(screen=opening.screen, files=plan.files, settings=plan.settings, start=plan.start)
    lay_out(desktop, task)


def show_state(desktop: Desktop, opening: Opening) -> tuple[Scene, Pixels]:
    """Bring an application that was started to its place and state, and look.

    Raises:
        SandboxError: It shows no window, or does not settle.
    """
    application = application_named(opening.application)
    _place(desktop, opening)
    events: list[Event] = []
    for keys in application.keys(opening.state):
        events += pressed(combination(keys))
    last = opening.screen.width - 1, opening.screen.height - 1
    desktop.act([*events, Move(*last)])  # the pointer in a corner, so that nothing is lit up below it
    sight = desktop.look(has_picture=True, has_pointer=False)
    return scene_of(sight, opening, application.sheet)


def scene_of(sight: Sight, opening: Opening, has_sheet: bool = False) -> tuple[Scene, Pixels]:
    """The scene and the pixels of what is seen.

    Raises:
        SandboxError: It is still moving, or there is nothing.
    """
    screen, pixels = sight.screen, sight.pixels
    if pixels is None or not sight.settled.is_calm or not screen.windows:
        raise SandboxError(f"{opening.application} shows nothing that stands still")
    height, width = pixels.shape[:2]
    items = items_of(screen, width, height)
    if has_sheet and len(screen.windows) == 1 and opening.state == START:
        items = (*items, *cells_of(pixels, items))
    windows = tuple((window.title, window.box) for window in screen.windows if not window.is_hidden)
    look = opening.screen
    return (
        Scene(
            opening.application, opening.state, opening.seed, width, height, look.theme, look.font_size, windows, items
        ),
        pixels,
    )


def _place(desktop: Desktop, opening: Opening) -> None:
    """Drag the window by its corner and its title bar; it stays on the screen."""
    (wider, higher), box = opening.grow, _window(desktop).box
    if wider or higher:
        corner = box.x + box.width - _CORNER, box.y + box.height - _CORNER
        _drag(desktop, corner, (corner[0] + wider, corner[1] + higher))
        box = _window(desktop).box
    if opening.place is None:
        return
    width, height = desktop.settings.width, desktop.settings.height
    x = max(min(opening.place[0], width - box.width), 0)
    y = max(min(opening.place[1], height - box.height), 0)
    for number in range(_DRAGS):
        box = _window(desktop).box
        if abs(x - box.x) <= _NEAR and abs(y - box.y) <= _NEAR:
            return
        # Each time elsewhere on the title bar: two presses on one spot would be a double click, which maximises.
        held = box.x + box.width // 2 - 20 * number, box.y + _TITLE_BAR
        _drag(desktop, held, (held[0] + x - box.x, held[1] + y - box.y))


def _window(desktop: Desktop) -> Window:
    shown = [window for window in desktop.look().screen.windows if not window.is_hidden]
    if not shown:
        raise SandboxError("there is no window to be moved")
    return next((window for window in shown if window.is_active), shown[-1])


def _drag(desktop: Desktop, start: tuple[int, int], end: tuple[int, int]) -> None:
    """Drag with the screen settled after each part, so that the window manager has taken hold before it goes on."""
    first, middle, last = _inside(desktop, start), ((start[0] + end[0]) // 2, (start[1] + end[1]) // 2), end
    for events in ((Move(*first), Press()), (Move(*_inside(desktop, middle)),), (Move(*_inside(desktop, last)),)):
        desktop.act(events)
    desktop.act((Release(),))


def _inside(desktop: Desktop, at: tuple[int, int]) -> tuple[int, int]:
    return min(max(at[0], 0), desktop.settings.width - 1), min(max(at[1], 0), desktop.settings.height - 1)


def _pair(value: Any) -> tuple[int, int]:
    x, y = value
    return int(x), int(y)

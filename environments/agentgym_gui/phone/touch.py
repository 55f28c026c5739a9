"""Touch gestures on a desktop without a touch screen, and what leads home, back and to an application.

How messages become gestures is in `agentgym_gui.actions`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agentgym_gui.actions.androidworld import BACK, HOME
from agentgym_gui.actions.events import ActionError, Event, KeyDown, KeyUp, Open, Press, Release, Wait
from agentgym_gui.actions.gestures import clicks
from agentgym_gui.actions.keys import combination, pressed
from agentgym_gui.desktop.session import Desktop
from agentgym_gui.desktop.tree import Screen, Window
from agentgym_gui.phone.swipes import without_touch

APPS: Mapping[str, tuple[str, ...]] = {
    "Calculator": ("galculator",),
    "Files": ("thunar", "~/Documents"),
    "Editor": ("mousepad", "~/Documents/note.txt"),
    "Terminal": ("xfce4-terminal",),
    "Calendar": ("orage",),
    "Appearance": ("xfce4-appearance-settings",),
}
"""What can be opened by name, and its command line."""
_LONG_S = 0.4
_MAXIMISE, _MINIMISE, _ESCAPE = "alt+F10", "alt+F9", "Escape"
_MAX_WINDOWS = 12


@dataclass(frozen=True)
class Home:
    """Every application is put away."""


@dataclass(frozen=True)
class Back:
    """A menu or dialog is closed; without one, the application is put away."""


Part = tuple[Event, ...] | Open | Home | Back


def as_touch(events: Sequence[Event]) -> tuple[Event, ...]:
    """Events as a desktop takes them: swipes turn the wheel, and a finger that stays is the right button.

    Raises:
        ActionError: An application is opened that there is none of.
    """
    for event in events:
        if isinstance(event, Open) and app_named(event.name) is None:
            raise ActionError(f"There is no application {event.name[:40]!r}. Known: {', '.join(APPS)}.")
    held: list[Event] = []
    at = 0
    while at < len(events):
        match events[at : at + 3]:
            case (Press("left"), Wait(seconds), Release("left")) if seconds >= _LONG_S:
                held += clicks("right")
                at += 3
            case _:
                held.append(events[at])
                at += 1
    return without_touch(tuple(held))


def app_named(name: str) -> str | None:
    """The application of a name in any case; None if there is none."""
    return next((each for each in APPS if each.lower() == name.strip().lower()), None)


def parts_of(events: Sequence[Event]) -> list[Part]:
    """Events in stretches, between what the desktop does itself."""
    parts: list[Part] = []
    stretch: list[Event] = []
    for event in events:
        special = _special(event)
        if special is None:
            stretch.append(event)
            continue
        if stretch:
            parts.append(tuple(stretch))
            stretch = []
        if not isinstance(special, KeyUp):
            parts.append(special)
    return [*parts, tuple(stretch)] if stretch else parts


def carry_out(desktop: Desktop, part: Part) -> None:
    """Do one part."""
    match part:
        case Open(name):
            found = app_named(name)
            assert found is not None
            open_app(desktop, found)
        case Home():
            for _ in range(_MAX_WINDOWS):
                if not _shown(desktop.look().screen):
                    return
                desktop.act(pressed(combination(_MINIMISE)))
        case Back():
            screen = desktop.look().screen
            is_main = active_dialog(screen) is None and not has_menu(screen)
            desktop.act(pressed(combination(_MINIMISE if is_main else _ESCAPE)))
        case _:
            desktop.act(part)


def open_app(desktop: Desktop, name: str) -> None:
    """Bring an application to the front; it is started if it does not run."""
    kind = APPS[name][0]
    for count in range(1, _MAX_WINDOWS):
        screen = desktop.look().screen
        if any(window.is_active and _is_of(window, kind) for window in screen.windows):
            return
        if not any(_is_of(window, kind) for window in screen.windows):
            desktop.start(APPS[name])
            return
        tabs = [event for _ in range(count) for event in (KeyDown("Tab"), KeyUp("Tab"))]
        desktop.act([KeyDown("Alt_L"), *tabs, KeyUp("Alt_L")])


def fill_screen(desktop: Desktop) -> None:
    """Let the window in front use the whole screen, unless it is a dialog of another."""
    screen = desktop.look().screen
    window = screen.active
    if window is None or window.is_hidden or has_menu(screen):
        return
    is_first = not any(other.pid == window.pid and other.id != window.id for other in _shown(screen))
    if is_first and window.box.height < desktop.settings.height:
        desktop.act(pressed(combination(_MAXIMISE)))


def active_dialog(screen: Screen) -> Window | None:
    """The window in front, if another of its application lies behind it."""
    window = screen.active
    if window is None:
        return None
    return window if any(other.pid == window.pid and other.id != window.id for other in _shown(screen)) else None


def has_menu(screen: Screen) -> bool:
    """Whether a menu is open."""
    known = {window.id for window in screen.windows}
    return any(each.window not in known for each in screen.elements)


def _shown(screen: Screen) -> list[Window]:
    return [window for window in screen.windows if not window.is_hidden]


def _is_of(window: Window, kind: str) -> bool:
    return window.kind.lower().replace("_", "-").startswith(kind.removeprefix("xfce4-")) or window.kind.lower() == kind


def _special(event: Event) -> Open | Home | Back | KeyUp | None:
    match event:
        case Open():
            return event
        case KeyDown(key) if key == HOME:
            return Home()
        case KeyDown(key) if key == BACK:
            return Back()
        case KeyUp(key) if key in (HOME, BACK):
            return event
    return None

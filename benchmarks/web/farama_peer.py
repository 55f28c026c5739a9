"""Recorded actions in the action space of Farama's miniwob, and one of its environments that plays them.

A click lands on the same point of the same element, as coordinates. What its action space has no action for is put
together from others where that gives the same input, else it raises `NoSuchActionError`.
"""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from miniwob.action import ActionSpaceConfig, ActionTypes  # type: ignore[import-untyped]
from miniwob.constants import ALL_POSSIBLE_KEYS, WEBDRIVER_MODIFIER_KEYS  # type: ignore[import-untyped]
from miniwob.environment import MiniWoBEnvironment  # type: ignore[import-untyped]
from miniwob.fields import FieldExtractor, get_field_extractor  # type: ignore[import-untyped]
from miniwob.reward import get_raw_reward  # type: ignore[import-untyped]
from miniwob.selenium_actions import execute_move_coords  # type: ignore[import-untyped]

from agentgym.errors import ConfigError
from agentgym_web.browser.program.finding import find_browser
from agentgym_web.miniwob.env import MiniWoBEnv
from agentgym_web.miniwob.pages import html_folder
from agentgym_web.miniwob.starting import MAX_TIME_MS
from benchmarks.web.places import PLACE
from benchmarks.web.recording import PAGE_MS, Move

DRAG_MOVES = 6
"""Moves of the mouse in a drag, as under agentgym."""
_KEYS = {key: number for number, key in enumerate(ALL_POSSIBLE_KEYS)}
_MODIFIERS = {"Control": "C-", "Shift": "S-", "Alt": "A-", "Meta": "M-"}
assert set(_MODIFIERS.values()) == set(WEBDRIVER_MODIFIER_KEYS)

Action = Mapping[str, Any]
"""An action of Farama's."""


class NoSuchActionError(Exception):
    """An action that a library's action space cannot express; says why."""


class FaramaPage:
    """One of Farama's environments, in a window like agentgym's: as large, and without scrollbars.

    Args:
        page: The page.
        screenshots: Whether observations have a screenshot.
        refresh: Whether the page is loaded anew for each episode.
    """

    def __init__(self, page: str, *, screenshots: bool = False, refresh: bool = False) -> None:
        browser = find_browser().path
        os.environ["MINIWOB_CHROME_BINARY"] = browser
        os.environ["MINIWOB_CHROMEDRIVER"] = str(Path(__file__).with_name("farama_program.sh"))
        os.environ["FARAMA_CHROMEDRIVER"] = shlex.join(chromedriver_command(browser))
        self.space = ActionSpaceConfig.get_preset("all_supported")
        self.space.allowed_keys = ALL_POSSIBLE_KEYS
        self.env = MiniWoBEnvironment(
            page,
            action_space_config=self.space,
            reward_processor=get_raw_reward,
            refresh_freq=int(refresh),
            field_extractor=_field_extractor(page),
        )
        self._driver = self.env.instance.driver
        try:
            self._prepare(screenshots)
        except BaseException:
            self.close()
            raise

    def reset(self, seed: int) -> None:
        """Start an episode."""
        self.env.reset(seed=seed)

    def step(self, action: Action, wait_ms: float = 0.0) -> tuple[float, bool]:
        """Carry out an action and wait; returns the raw reward and whether the page is over."""
        self.env.instance.wait_ms = wait_ms
        self.space.scroll_amount = action.get("amount", 0)
        _, reward, is_over, _, _ = self.env.step(action)
        return reward, is_over

    def place(self, element: Mapping[str, Any]) -> Mapping[str, Any]:
        """Where an element is, scrolled into view; see `places`."""
        found = self._driver.execute_script(f"return {PLACE}(...arguments)", element["path"], element["at"])
        if found is None:
            raise NoSuchActionError("the page has no such element")
        return dict(found)

    def page_ms(self) -> float:
        """The page's clock, in milliseconds after its start."""
        return float(self._driver.execute_script(f"return {PAGE_MS}"))

    def rest_mouse(self) -> None:
        """Put the mouse where agentgym puts it before an episode."""
        execute_move_coords(0, 0, self._driver)

    def action(self, kind: ActionTypes, **fields: Any) -> Action:
        """An action of Farama's."""
        return {"action_type": self.space.action_types.index(kind), **fields}

    def close(self) -> None:
        """End the browser."""
        self.env.close()

    def _prepare(self, screenshots: bool) -> None:
        settings = MiniWoBEnv.settings
        size = {"width": settings.width, "height": settings.height, "deviceScaleFactor": 1, "mobile": False}
        self._driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        self._driver.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
        instance = self.env.instance
        instance.inner_width, instance.inner_height = settings.width, settings.height
        instance.record_screenshots = screenshots
        instance.set_mode = self._before_start

    def _before_start(self, mode: str) -> None:
        self._driver.execute_script(f"core.EPISODE_MAX_TIME = {MAX_TIME_MS}; core.setDataMode({mode!r})")


Maker = Callable[[FaramaPage, Mapping[str, Any], Mapping[str, Any]], list[Action]]
"""Makes Farama's actions of a recorded action's arguments and of where its element is."""


def translated(page: FaramaPage, move: Move) -> list[Action]:
    """A recorded action as actions of Farama's, on the page as it is now.

    Raises:
        NoSuchActionError: It cannot be expressed.
    """
    make = _MAKERS.get(move.do)
    if make is None:
        raise NoSuchActionError(f"there is no action like {move.do}")
    found = page.place(move.element) if move.element is not None else {}
    return make(page, move.arguments, found)


def _mouse(kind: ActionTypes) -> Maker:
    def make(page: FaramaPage, arguments: Mapping[str, Any], found: Mapping[str, Any]) -> list[Action]:
        if arguments.get("button", "left") != "left" or arguments.get("modifiers"):
            raise NoSuchActionError("the mouse has one button, and no key can be held")
        at = (found["x"], found["y"]) if found else (arguments["x"], arguments["y"])
        return [page.action(kind, coords=at)]

    return make


def _drag(page: FaramaPage, arguments: Mapping[str, Any], _: Mapping[str, Any]) -> list[Action]:
    start = arguments["from_x"], arguments["from_y"]
    end = arguments["to_x"], arguments["to_y"]
    return [
        page.action(ActionTypes.MOUSEDOWN_COORDS, coords=start),
        *(page.action(ActionTypes.MOVE_COORDS, coords=point) for point in drag_points(start, end)),
        page.action(ActionTypes.MOUSEUP_COORDS, coords=end),
    ]


def drag_points(start: Sequence[float], end: Sequence[float]) -> list[tuple[float, float]]:
    """Where the mouse goes in a drag, as under agentgym."""
    parts = [part / DRAG_MOVES for part in range(1, DRAG_MOVES + 1)]
    return [(start[0] + (end[0] - start[0]) * part, start[1] + (end[1] - start[1]) * part) for part in parts]


def _fill(page: FaramaPage, arguments: Mapping[str, Any], found: Mapping[str, Any]) -> list[Action]:
    text = typed(arguments["value"], found["type"])
    if found["ref"] and text and not found["value"]:
        return [page.action(ActionTypes.FOCUS_ELEMENT_AND_TYPE_TEXT, ref=found["ref"], text=text)]
    # A click of the mouse would open what hangs on the field; agentgym's fill puts the focus on it, and so does this.
    focus = page.action(ActionTypes.CLICK_ELEMENT, ref=found["ref"])
    if found["type"] in ("date", "time") or not found["value"]:
        return [focus, _text(page, text)]
    return [focus, _key(page, "C-a"), _text(page, text) if text else _key(page, "<Delete>")]


def typed(value: str, kind: str) -> str:
    """What is typed into a field so that it has a value; fields of dates and times are typed part by part."""
    if kind == "date":
        year, month, day = value.split("-")
        return f"{month}{day}{year}"
    if kind == "time":
        hour, minute = map(int, value.split(":"))
        return f"{(hour + 11) % 12 + 1:02}{minute:02}{'AM' if hour < 12 else 'PM'}"
    if kind in ("color", "range", "month", "week", "datetime-local"):
        raise NoSuchActionError(f"fields of type {kind} cannot be filled by keys alone")
    return value


def _select(page: FaramaPage, arguments: Mapping[str, Any], found: Mapping[str, Any]) -> list[Action]:
    wanted = arguments["options"]
    wanted = [wanted] if isinstance(wanted, str) else list(wanted)
    numbers = [
        next(number for number, names in enumerate(found["options"]) if " ".join(option.split()) in names)
        for option in wanted
    ]
    if found["isList"] and len(wanted) > 1:
        raise NoSuchActionError("several options need a key held during clicks")
    focus = page.action(ActionTypes.CLICK_ELEMENT, ref=found["ref"])
    by = numbers[0] - found["selected"]
    return [focus, *[_key(page, "<ArrowDown>" if by > 0 else "<ArrowUp>")] * abs(by)]


def _press(page: FaramaPage, arguments: Mapping[str, Any], found: Mapping[str, Any]) -> list[Action]:
    key = _key(page, farama_key(arguments["key_comb"]))
    if found["focused"]:
        return [key]
    return [page.action(ActionTypes.CLICK_COORDS, coords=(found["x"], found["y"])), key]


def _scroll(page: FaramaPage, arguments: Mapping[str, Any], _: Mapping[str, Any]) -> list[Action]:
    if arguments["dx"]:
        raise NoSuchActionError("the wheel turns up and down only")
    kind = ActionTypes.SCROLL_DOWN_COORDS if arguments["dy"] > 0 else ActionTypes.SCROLL_UP_COORDS
    at = (arguments["x"], arguments["y"])
    return [page.action(kind, coords=at, amount=abs(int(arguments["dy"])))]


def farama_key(name: str) -> str:
    """A key or combination in Farama's notation: "Control+A" is "C-a", "ArrowUp" is "<ArrowUp>"."""
    *modifiers, key = name.split("+") if len(name) > 1 else [name]
    key = key.lower() if modifiers and len(key) == 1 else key
    found = "".join(_MODIFIERS[each] for each in modifiers) + (key if len(key) == 1 else f"<{key}>")
    if found not in _KEYS:
        raise NoSuchActionError(f"there is no key {name!r}")
    return found


def _key(page: FaramaPage, key: str) -> Action:
    return page.action(ActionTypes.PRESS_KEY, key=_KEYS[key])


def _text(page: FaramaPage, text: str) -> Action:
    return page.action(ActionTypes.TYPE_TEXT, text=text)


_MAKERS: Mapping[str, Maker] = {
    "click": _mouse(ActionTypes.CLICK_COORDS),
    "dblclick": _mouse(ActionTypes.DBLCLICK_COORDS),
    "hover": _mouse(ActionTypes.MOVE_COORDS),
    "mouse_click": _mouse(ActionTypes.CLICK_COORDS),
    "mouse_move": _mouse(ActionTypes.MOVE_COORDS),
    "mouse_down": _mouse(ActionTypes.MOUSEDOWN_COORDS),
    "mouse_up": _mouse(ActionTypes.MOUSEUP_COORDS),
    "mouse_drag_and_drop": _drag,
    "fill": _fill,
    "select_option": _select,
    "press": _press,
    "scroll_at": _scroll,
    "keyboard_press": lambda page, arguments, _: [_key(page, farama_key(arguments["key"]))],
    "keyboard_type": lambda page, arguments, _: [_text(page, arguments["text"])],
    "noop": lambda page, _, __: [page.action(ActionTypes.NONE)],
}


def _field_extractor(page: str) -> FieldExtractor:
    """Farama's reader of a page's instruction; one that reads nothing for pages that Farama has none for."""
    try:
        return get_field_extractor(page)
    except KeyError:
        return lambda utterance: []


def chromedriver_command(browser: str) -> list[str]:
    """The start of a command for chromedriver whose browsers and profile folders end with it, and it with this process.

    chromedriver ends the program that it started, which on Debian is a shell whose browser goes on. So it runs in a
    namespace of processes and has temporary folders of its own.

    Args:
        browser: The browser's program.

    Raises:
        ConfigError: A program is missing.
    """
    programs = {"chromedriver": "chromium-driver", "bwrap": "bubblewrap"}
    missing = [package for program, package in programs.items() if shutil.which(program) is None]
    if missing:
        names = " ".join(missing)
        raise ConfigError(f"Farama's miniwob needs {names}; install it: sudo apt-get install {names}")
    seen = [f"/{name}" for name in ("usr", "bin", "lib", "lib64", "sbin", "etc", "opt")]
    seen += [os.path.dirname(browser), str(html_folder())]
    places = [word for path in seen for word in ("--ro-bind-try", path, path)]
    own = ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--setenv", "HOME", "/tmp", "--unsetenv", "TMPDIR"]
    return ["bwrap", "--die-with-parent", "--unshare-pid", *own, *places, "--", "chromedriver"]

"""Recorded actions as actions of BrowserGym, and the process of its interpreter that plays them.

Elements are named by BrowserGym's ids where it gives them one, and by coordinates else. Coordinates are those of its
screenshots, which are larger than the page.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from agentgym.errors import ConfigError, InfrastructureError
from agentgym_web.browser.program.finding import find_browser
from agentgym_web.formats.browsergym.env import VARIABLE
from agentgym_web.miniwob.oracles.player import do
from agentgym_web.miniwob.pages import html_folder
from benchmarks.web.farama_peer import NoSuchActionError, drag_points
from benchmarks.web.places import PLACE
from benchmarks.web.recording import Move

SCALE = 1.5
"""Size of BrowserGym's screenshots of these pages, times the page's; its coordinates are the screenshot's."""
AS_IT_COMES: Mapping[str, Any] = {}
"""Options of BrowserGym: 0.5 s before each observation, and 0.1 s at each of playwright's calls."""
DELAYS_OFF: Mapping[str, Any] = {"pre_observation_delay": 0, "slow_mo": 0}


class BrowserGym:
    """A process with environments of BrowserGym.

    Args:
        python: Its interpreter; "" takes AGENTGYM_BROWSERGYM_PYTHON.
    """

    def __init__(self, python: str = "") -> None:
        python = python or os.environ.get(VARIABLE, "")
        if not Path(python).is_file():
            raise ConfigError(
                f"{VARIABLE} must name an interpreter with BrowserGym: got {python!r}; benchmarks/peers/browsergym "
                "says how one is made"
            )
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        variables = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        self._process = subprocess.Popen(
            [python, str(Path(__file__).with_name("browsergym_driver.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env={**variables, "MINIWOB_URL": f"file://{html_folder()}/miniwob/"},
            text=True,
            cwd="/",
        )

    def open(self, name: str, page: str, options: Mapping[str, Any]) -> None:
        """Make an environment of a page, and make it the present one.

        Args:
            name: What it is called in `replay`.
            page: The page.
            options: Keyword arguments of BrowserGym's environment.
        """
        self.ask("open", name=name, task=page, browser=find_browser().path, options=dict(options))

    def place(self, element: Mapping[str, Any]) -> Mapping[str, Any]:
        """Where an element is, scrolled into view; see `places`."""
        found: Mapping[str, Any] | None = self.ask("place", script=PLACE, element=dict(element))
        if found is None:
            raise NoSuchActionError("the page has no such element")
        return found

    def ask(self, request: str, **arguments: Any) -> Any:
        """The answer to a request.

        Raises:
            InfrastructureError: BrowserGym failed or ended.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps({"do": request, **arguments}) + "\n")
            self._process.stdin.flush()
            answer = json.loads(self._process.stdout.readline())
        except (OSError, ValueError) as error:
            self._log.seek(0)
            said = " ".join(self._log.read().decode(errors="replace").split())[-300:]
            raise InfrastructureError(f"BrowserGym's process ended during {request}: {said or 'no word'}") from error
        if "error" in answer:
            raise InfrastructureError(f"BrowserGym failed at {request}: {answer['error']}")
        return answer["ok"]

    def close(self) -> None:
        """End the process with its browsers."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
        self._log.close()


def page_seed(seed: int) -> int:
    """The seed that BrowserGym gives a page of MiniWoB++ for a seed of its environment."""
    return int(np.random.RandomState(seed).randint(0, 1_000_000))


def translated(player: BrowserGym, move: Move) -> str:
    """A recorded action as BrowserGym takes it, on the page as it is now.

    Raises:
        NoSuchActionError: It cannot be expressed.
    """
    arguments = dict(move.arguments)
    if move.element is not None:
        found = player.place(move.element)
        if found["bid"]:
            return do(move.do, found["bid"], *arguments.values())
        return _at_place(move.do, (found["x"], found["y"]))
    make = _BY_PLACE.get(move.do)
    return make(arguments) if make is not None else do(move.do, *arguments.values())


def _at_place(name: str, at: Sequence[float]) -> str:
    by_place = {"click": "mouse_click", "dblclick": "mouse_dblclick", "hover": "mouse_move"}
    if name not in by_place:
        raise NoSuchActionError(f"the element has no id, so that {name} cannot be used")
    return do(by_place[name], *_scaled(*at))


def _scaled(*lengths: float) -> list[float]:
    return [length * SCALE for length in lengths]


def _point(name: str) -> Callable[[Mapping[str, Any]], str]:
    return lambda arguments: do(name, *_scaled(arguments["x"], arguments["y"]), arguments.get("button", "left"))


def _drag(arguments: Mapping[str, Any]) -> str:
    start = arguments["from_x"], arguments["from_y"]
    end = arguments["to_x"], arguments["to_y"]
    moves = [do("mouse_move", *_scaled(*point)) for point in drag_points(start, end)]
    return "\n".join([do("mouse_down", *_scaled(*start)), *moves, do("mouse_up", *_scaled(*end))])


_BY_PLACE: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "mouse_click": _point("mouse_click"),
    "mouse_down": _point("mouse_down"),
    "mouse_up": _point("mouse_up"),
    "mouse_move": lambda arguments: do("mouse_move", *_scaled(arguments["x"], arguments["y"])),
    "mouse_drag_and_drop": _drag,
    "noop": lambda _: "noop(0)",
    "scroll_at": lambda arguments: do("scroll_at", *_scaled(*(arguments[name] for name in ("x", "y", "dx", "dy")))),
}

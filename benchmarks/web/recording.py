"""The oracle's actions on a page of MiniWoB++, written down so that another library can repeat them.

An element is written down as its path in the page and the point that was clicked, see `places`; ids mean nothing
elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from agentgym_web.browser.acting import Acting
from agentgym_web.browser.elements import Bid, Elements
from agentgym_web.browser.window import Window
from agentgym_web.miniwob.env import MiniWoBEnv, make_task
from agentgym_web.miniwob.oracles.player import OraclePlayer, do
from benchmarks.web.places import ANCHOR

PAGE_MS = "Date.now() - core.ept0"
"""JavaScript: the page's clock, in milliseconds after its start."""


@dataclass(frozen=True)
class Move:
    """One action.

    Attributes:
        do: Its name.
        arguments: Its arguments but for ids of elements.
        element: Path of its element and the point in it; None where it has none.
        call: The action as agentgym takes it.
        at_ms: When it was done, by the page's clock, in milliseconds after the page's start.
    """

    do: str
    arguments: Mapping[str, Any]
    element: Mapping[str, Any] | None
    call: str
    at_ms: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """A JSON object."""
        return asdict(self)


@dataclass(frozen=True)
class Episode:
    """What the oracle did on a page and what the page gave for it.

    Attributes:
        page: The page.
        seed: Seed of the page's generator.
        moves: The actions in their order.
        reward: The page's own reward; 0 where it did not come to an end.
        is_over: Whether it came to an end.
    """

    page: str
    seed: int
    moves: Sequence[Move]
    reward: float
    is_over: bool


class Recorder:
    """An environment of agentgym whose actions are written down."""

    def __init__(self) -> None:
        self._env = MiniWoBEnv()

    def play(self, page: str, seed: int) -> Episode:
        """Play an episode with the oracle of the page.

        Args:
            page: The page.
            seed: Seed of the page's generator.
        """
        env = self._env
        task = make_task(page, seed)
        _, info = env.reset(options={"task": task})
        notes = env.page._acting = _Noting(env.page._window)
        player = OraclePlayer(task, 0)
        while "outcome" not in info:
            info = env.step(player.act(info["messages"]))[-1]
        told = env.sight.probe
        is_over = isinstance(told, dict) and bool(told["done"])
        return Episode(page, seed, notes.moves, float(told["raw"]) if is_over else 0.0, is_over)

    def close(self) -> None:
        """Close the window; the next episode opens another one."""
        self._env.close()


class _NotedElements(Elements):
    """Elements that remember where the last ones were."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self.found: list[Mapping[str, Any]] = []

    async def located(self, bid: Bid, options: Mapping[str, Any]) -> tuple[str, int, dict[str, Any]]:
        letters, number, found = await super().located(bid, options)
        asked = [number, found.get("x"), found.get("y"), not options.get("needsPoint", True)]
        script = f"{ANCHOR}({', '.join(map(json.dumps, asked))})"
        self.found.append(await self.tab.evaluate(script, frame=self.frame(letters)))
        return letters, number, found


class _Noting(Acting):
    """Actions that are written down once they are carried out."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._elements: _NotedElements = _NotedElements(window)
        self.moves: list[Move] = []

    async def run(self, name: str, arguments: Mapping[str, Any]) -> None:
        self._elements.found.clear()
        at_ms = await self.tab.evaluate(PAGE_MS, own_world=False)
        await super().run(name, arguments)
        rest = {key: value for key, value in arguments.items() if key != "bid"}
        element = self._elements.found[0] if "bid" in arguments else None
        self.moves.append(Move(name, rest, element, do(name, *arguments.values()), at_ms))

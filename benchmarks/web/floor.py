"""The floor of what can be had from a browser: the same episodes as DevTools calls, and nothing else.

A browser of its own has a context and a page each. A reset runs the script that starts an episode; an action is the
mouse's three events at the place where the oracle clicked, and the text that it typed. The observation is what Farama's
environment asks its page for, `core.getDOMInfo()`. Nothing is waited for but the answers. There are no ids, no clock,
no gate to the network, and no check that nothing of the last episode is left.
"""

from __future__ import annotations

import ast
import asyncio
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from agentgym_web.browser.devtools import Connection
from agentgym_web.browser.hub import the_hub
from agentgym_web.browser.program.process import ProcessSettings, start_process
from agentgym_web.miniwob.env import MiniWoBEnv
from agentgym_web.miniwob.pages import ALL_PAGES, html_folder
from agentgym_web.miniwob.starting import start_script
from benchmarks.web.recording import Episode
from benchmarks.web.speed_sides import Pass, check_solved, long_task, own_env

_SHOWN = "JSON.stringify([core.getDOMInfo(), WOB_RAW_REWARD_GLOBAL])"
_REWARD = "WOB_RAW_REWARD_GLOBAL"
_READY = "document.readyState === 'complete' && typeof core !== 'undefined'"


@dataclass(frozen=True)
class _Deed:
    """A click at a place, and the text that is typed then; None for none."""

    x: float
    y: float
    text: str | None


class Floor:
    """The side of bare calls.

    Args:
        episodes: What is played.
        is_full: Whether each step gives a screenshot, too.
    """

    def __init__(self, episodes: Sequence[Episode], *, is_full: bool = False) -> None:
        self._is_full = is_full
        with closing(own_env()) as env:
            self._script = [(episode, _deeds(env, episode)) for episode in episodes]
        self._process = start_process(ProcessSettings(fast_frames=is_full))
        self._connection = the_hub().run(self._connected())
        try:
            self._pages = {
                page: the_hub().run(self._opened(page)) for page in dict.fromkeys(each.page for each in episodes)
            }
            self.play()
        except BaseException:
            self.close()
            raise

    def play(self) -> Pass:
        """Play all episodes once."""
        num_steps, seconds = 0, 0.0
        for episode, deeds in self._script:
            session, began = self._pages[episode.page], time.perf_counter()
            the_hub().run(self._reset(session, episode.seed))
            for deed in deeds:
                the_hub().run(self._step(session, deed))
            num_steps, seconds = num_steps + len(deeds), seconds + time.perf_counter() - began
            check_solved("the floor", episode, the_hub().run(self._evaluate(session, _REWARD)))
        return Pass(num_steps, seconds)

    def open_ms(self, page: str) -> float:
        """How long a page takes in a new context, in milliseconds; the context is closed then."""
        known, began = set(the_hub().run(self._contexts())), time.perf_counter()
        the_hub().run(self._opened(page))
        seconds = time.perf_counter() - began
        for context in set(the_hub().run(self._contexts())) - known:
            the_hub().run(self._disposed(context))
        return seconds * 1e3

    def close(self) -> None:
        """End its browser."""
        the_hub().run(self._disconnected())
        self._process.end()

    async def _connected(self) -> Connection:
        """A connection to the browser, without the empty page that it starts with: its frames would come on and on."""
        connection = Connection(self._process.commands, self._process.replies, lambda: None)
        for target in (await connection.post("Target.getTargets"))["targetInfos"]:
            if target["type"] == "page":
                await connection.post("Target.closeTarget", {"targetId": target["targetId"]})
        return connection

    async def _contexts(self) -> list[str]:
        found: list[str] = (await self._connection.post("Target.getBrowserContexts"))["browserContextIds"]
        return found

    async def _disposed(self, context: str) -> None:
        await self._connection.post("Target.disposeBrowserContext", {"browserContextId": context})

    async def _disconnected(self) -> None:
        self._connection.close()

    async def _opened(self, page: str) -> str:
        """The session of a new page in a context of its own."""
        ask = self._connection.post
        context = (await ask("Target.createBrowserContext"))["browserContextId"]
        size = {"width": MiniWoBEnv.settings.width, "height": MiniWoBEnv.settings.height}
        url = (html_folder() / ALL_PAGES[page]).as_uri()
        drawing = {"enableBeginFrameControl": True} if self._process.draws_when_asked else {}
        made = await ask("Target.createTarget", {"url": url, "browserContextId": context, **size, **drawing})
        attached = await ask("Target.attachToTarget", {"targetId": made["targetId"], "flatten": True})
        session: str = attached["sessionId"]
        metrics = {**size, "deviceScaleFactor": 1, "mobile": False}
        await asyncio.gather(
            ask("Emulation.setDeviceMetricsOverride", metrics, session),
            ask("Emulation.setFocusEmulationEnabled", {"enabled": True}, session),
        )
        while not await self._evaluate(session, _READY):
            await asyncio.sleep(0.001)
        await self._reset(session, 0)
        return session

    async def _reset(self, session: str, seed: int) -> None:
        await asyncio.gather(self._evaluate(session, start_script(seed)), self._look(session))

    async def _step(self, session: str, deed: _Deed) -> None:
        kinds = (("mouseMoved", 0), ("mousePressed", 1), ("mouseReleased", 0))
        place = {"x": deed.x, "y": deed.y, "button": "left", "clickCount": 1}
        sent: list[Any] = [
            self._connection.post("Input.dispatchMouseEvent", {"type": kind, "buttons": held, **place}, session)
            for kind, held in kinds
        ]
        if deed.text is not None:
            sent.append(self._connection.post("Input.insertText", {"text": deed.text}, session))
        await asyncio.gather(*sent, self._look(session))

    async def _look(self, session: str) -> None:
        await self._evaluate(session, _SHOWN)
        if self._is_full:
            picture = {"format": "png", "optimizeForSpeed": True}
            await self._connection.post("Page.captureScreenshot", picture, session)

    async def _evaluate(self, session: str, expression: str) -> Any:
        params = {"expression": expression, "returnByValue": True}
        answer = await self._connection.post("Runtime.evaluate", params, session)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"a script of the floor failed: {answer['exceptionDetails']}")
        return answer["result"].get("value")


def _deeds(env: MiniWoBEnv, episode: Episode) -> list[_Deed]:
    """Where an episode's actions click, and what they type, found by playing it in an environment of ours."""
    env.reset(options={"task": long_task(episode)})
    deeds = []
    for move in episode.moves:
        call = ast.parse(move.call, mode="eval").body
        assert isinstance(call, ast.Call)
        number, *typed = (ast.literal_eval(each) for each in call.args)
        point = env.page._hub.run(_place(env, int(number)))
        deeds.append(_Deed(point["x"], point["y"], next(iter(typed), None)))
        env.step(move.call)
    return deeds


async def _place(env: MiniWoBEnv, number: int) -> dict[str, float]:
    found: dict[str, float] = await env.page._window.tab.evaluate(f"agentgym.locate({number})")
    return found

"""MiniWoB-v0: the pages of MiniWoB++, one task a page and seed.

Which pages there are is in `pages`; how an episode starts in a page that is already open is in `starting`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Unpack

from agentgym.env import EnvReply
from agentgym.errors import ConfigError, InfrastructureError, TaskError, UnknownNameError
from agentgym.task import Limits, Split, Task
from agentgym_web.browser.errors import ScriptError
from agentgym_web.browser.gate import Folder, Network
from agentgym_web.browser.settings import PageSettings, View
from agentgym_web.browser.sight import Sight
from agentgym_web.env import WebEnv, require_list
from agentgym_web.miniwob.pages import ALL_PAGES, EASY, FINE, HIDDEN, MAX_TURNS, RELOADED, html_folder
from agentgym_web.miniwob.starting import PROBE, RESIDUE, start_script
from agentgym_web.view_options import ViewOptions, chosen_view, takes_view_options

HOST = "miniwob.test"
OVER = "The episode has ended."
_READY_ROUNDS = 20
_OPENINGS = 3
_MAX_TEXT = 1200
"""Longest text of an element, in characters; pages ask for the end of texts that are nearly as long."""


class MiniWoBEnv(WebEnv):
    """Do what one line says on a small page: click, type, choose, drag.

    Observation:
        The instruction, then the page's elements, one a line with an id, a role, a name and a state. Drawn shapes and
        coloured boxes are lines too, with colour, place and size. After an action that failed, why it failed.

    Action:
        Calls of BrowserGym's actions by element, such as click("12") and fill("3", "Ada"), and by place, such as
        mouse_click(80, 120); keyboard_press("Enter"). At most 8 in a message, carried out in order.
    Reward:
        page: what the page's own script gives at the end, from -1 to 1. success: 1 if that is above 0, else 0. format:
        -0.1 for a message without a valid action. Their weights are 0, 1 and 1 by default; `reward` chooses others.
    Termination:
        The page says that it is over; the fourth invalid message.
    Truncation:
        After 10 turns, on some pages 30, counted as failure.
    Info:
        The common keys: messages, reward_events, turn, is_invalid, and at the end outcome, success, score.
    Sandbox:
        A browser without network but the pages; its own sandbox is on where the machine allows it.
    Source and licence:
        MiniWoB++ by Liu, Guu, Pasupat, Shi and Liang and by the Farama Foundation, MIT licence, read from the package
        miniwob. The environment is agentgym's, Apache-2.0.

    Example:
        fill("2", "myron"); fill("4", "TVkEp"); click("5") -> the page is over, success 1.

    Args:
        pages: The pages that tasks made from a seed are drawn from; None for the easy ones.
        reward: "success"; "raw" for the page's own reward; or "decayed" for the page's reward that falls with time,
            which on this environment's virtual clock is half a second a turn.
        shapes: Whether drawn shapes and coloured boxes are lines too.
        screenshot: Whether observations have a picture.
        marks: Whether the picture has a frame with its id around each element.
        tree: Whether observations have the tree.
        dom: Whether observations have the pruned DOM, as HTML.
        visible_only: Whether the tree and the DOM leave out what lies outside the window.
        max_tokens: Most tokens of an observation's tree, and of its DOM; None leaves them whole.
        actions: Sets of actions.
        browser: The browser's program; None finds one.
        render_mode: None, "ansi", "rgb_array", or "human", which opens a window for a person.
        trace: A folder that gets Playwright's trace of each episode; "" for none.
    """

    settings = PageSettings(width=332, height=214, virtual_time=True, max_tabs=1)

    @takes_view_options
    def __init__(
        self,
        pages: Sequence[str] | None = None,
        reward: str = "success",
        *,
        shapes: bool = True,
        actions: Sequence[str] = ("bid", "coord"),
        browser: str | None = None,
        render_mode: str | None = None,
        trace: str = "",
        **options: Unpack[ViewOptions],
    ) -> None:
        view = chosen_view(options, ids="all", shapes=shapes, max_text=_MAX_TEXT, skip=HIDDEN)
        super().__init__(view, actions, None, browser, render_mode, trace=trace)
        weights = {"success": (1.0, 0.0), "raw": (0.0, 1.0), "decayed": (0.0, 1.0)}
        if reward not in weights:
            raise ConfigError(f"reward must be 'success', 'raw' or 'decayed': got {reward!r}")
        self._is_decayed = reward == "decayed"
        success, page = weights[reward]
        self.reward_weights = {"success": success, "page": page, "format": 1.0}
        pages = EASY if pages is None else pages
        require_list("pages", pages, "click-test")
        self._pages = tuple(pages)
        unknown = [name for name in self._pages if name not in ALL_PAGES]
        if unknown:
            raise UnknownNameError("page of MiniWoB++", unknown[0], ALL_PAGES)
        if not self._pages:
            raise ConfigError('pages must name a page: got []; give ["click-test"], or leave it out for the easy ones')
        self._open_page = ""
        self._step_ms = self.settings.step_ms
        self._pristine: object = None

    def make_task(self, seed: int) -> Task:
        """A task on a page drawn from the seed."""
        return make_task(random.Random(f"miniwob {seed}").choice(self._pages), seed)

    def page_settings(self) -> PageSettings:
        """The settings, on some pages with a clock that goes on by less at each action."""
        step_ms = FINE.get(str(self.task.config.get("page")) if self.task is not None else "", self.settings.step_ms)
        return replace(self.settings, step_ms=step_ms)

    def network(self, task: Task) -> Network:
        """The package's pages."""
        return Network({HOST: Folder(html_folder())})

    def window_is_new(self) -> None:
        """No page is open in it."""
        self._open_page = ""
        self._step_ms = self.page_settings().step_ms

    def start(self, task: Task) -> Sight:
        """Start an episode in the open page; where something of the last one is left, load the page anew."""
        name = str(task.config.get("page"))
        if name not in ALL_PAGES:
            raise TaskError(f"task {task.id!r} names no page of MiniWoB++: got {name!r}")
        if self._page is not None and self._step_ms != self.page_settings().step_ms:
            self._page.close()
            self._page = None
        page = self.page
        if self._open_page == name and name not in RELOADED:
            sight = page.look_after(start_script(task.seed), self.view, self.probe(), RESIDUE)
            if sight.extra.get("residue") == self._pristine:
                return self._ready(sight)
        sight = self._opened(name, task)
        self._open_page, self._pristine = name, sight.extra.get("residue")
        return self._ready(sight)

    def probe(self) -> str:
        """Whether the page is over, and its rewards."""
        return PROBE

    def goal(self, task: Task) -> str:
        """What the page asks for."""
        return str(self.sight.probe["goal"])

    def shown(self) -> str:
        """The page; after its end only that, since a cover then lies over it and menus below close at any time."""
        is_over = isinstance(self.sight.probe, dict) and self.sight.probe["done"]
        return OVER if is_over else super().shown()

    def judge(self, sight: Sight) -> EnvReply:
        """The page's own verdict."""
        told = sight.probe
        if not isinstance(told, dict):  # the page is gone: it crashed, or the agent left it
            return EnvReply(terminated=True, success=False, events=[self.event("page", -1.0)])
        if not told["done"]:
            return EnvReply()
        raw = float(told["raw"])
        value = float(told["decayed"]) if self._is_decayed else raw
        events = [self.event("success", float(raw > 0)), self.event("page", value, detail={"why": told["reason"]})]
        return EnvReply(events=events, terminated=True, success=raw > 0, score=max(0.0, min(1.0, raw)))

    def _opened(self, name: str, task: Task) -> Sight:
        """The first sight of an episode in a page loaded anew, and again if one of its scripts was not loaded."""
        page, fault = self.page, ""
        for _ in range(_OPENINGS):
            page.start_over(self.network(task))
            page.open(f"http://{HOST}/{ALL_PAGES[name]}", View(tree=False))
            try:
                return page.look_after(start_script(task.seed), self.view, self.probe(), RESIDUE)
            except ScriptError as error:
                self._open_page, fault = "", str(error)
        raise InfrastructureError(f"page {name!r} of MiniWoB++ was not loaded whole in {_OPENINGS} attempts: {fault}")

    def _ready(self, sight: Sight) -> Sight:
        for _ in range(_READY_ROUNDS):
            if sight.probe["ready"]:
                return sight
            sight = self.page.look(self.view, self.probe())
        raise InfrastructureError(f"page {self._open_page!r} of MiniWoB++ did not get ready")


def make_task(
    page: str,
    seed: int,
    *,
    task_id: str = "",
    suite: str = "",
    stratum: str = "",
    split: Split | None = None,
    max_turns: int | None = None,
) -> Task:
    """The task of a page and a seed.

    Args:
        page: The page, such as "click-button".
        seed: Seed of the page's generator.
        task_id: Its id; "" makes one.
        suite: Its suite.
        stratum: Its stratum.
        split: Its split.
        max_turns: Most turns; None for what suits the page.
    """
    return Task(
        task_id or f"miniwob/{page}/{seed}",
        seed,
        instruction=page,
        suite=suite,
        split=split,
        stratum=stratum,
        config={"page": page},
        limits=Limits(max_turns=max_turns or MAX_TURNS.get(page, 10), max_invalid=3),
        seed_is_content=True,
    )

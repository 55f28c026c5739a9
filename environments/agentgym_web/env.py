"""`WebEnv`: what all web environments share: a window, the actions as tools, the observation as text and picture.

A subclass says which page an episode begins on, and what its end is worth. The browser is in `browser/`.
"""

from __future__ import annotations

import itertools
import json
import logging
import os
import re
import uuid
from abc import abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentgym.action import EXPECTED, Action, ToolCall
from agentgym.arguments import tool_name
from agentgym.env import AgentEnv, EnvReply
from agentgym.env.seeded import Observation
from agentgym.errors import ActionSyntaxError, ConfigError, ContractError
from agentgym.message import Message, ToolSchema, tool_result, user
from agentgym.outcome import CutReason, Outcome
from agentgym.picture import Image, image_file
from agentgym.spaces import observations
from agentgym.task import Task
from agentgym.tools import Tool, tool
from agentgym.tools.dispatch import parse_calls
from agentgym_web.browser.acting import ACTIONS, SETS
from agentgym_web.browser.gate import Network
from agentgym_web.browser.hub import the_hub
from agentgym_web.browser.page import WebPage
from agentgym_web.browser.program.process import ProcessSettings
from agentgym_web.browser.settings import PageSettings, View
from agentgym_web.browser.sight import Sight

_LOG = logging.getLogger(__name__)
NO_CALL = 'Answer with an action, such as click("12").'
DONE = "done"
_WINDOWS_A_CORE = 32
NOT_RUN = "not run: the action before it failed"


@tool
def send_msg_to_user(text: str) -> None:
    """Say something to the user; with this your work ends.

    Args:
        text: The answer to the user's question, or that the work is done.
    """


@tool
def report_infeasible(reason: str) -> None:
    """Say that the task cannot be done; with this your work ends.

    Args:
        reason: Why it cannot be done.
    """


_ENDING: dict[str, Tool] = {"send_msg_to_user": send_msg_to_user, "report_infeasible": report_infeasible}


class WebEnv(AgentEnv):
    """An environment of pages in a browser.

    Args:
        view: What observations contain.
        actions: Names of sets of actions, as in BrowserGym: bid, coord, nav, tab, chat, infeas; also touch and
            touch_coord.
        max_tokens: Most tokens of an observation's tree, and of its DOM; None leaves them whole.
        browser: The browser's program; None finds one.
        render_mode: "rgb_array" takes a screenshot at each step. "human" opens a window on the display for a person,
            whose clicks and keys `next_message` turns into actions.
        trace: A folder that gets Playwright's trace of each episode; "" for none. The browser is this environment's
            alone then, and has a debugging port that other users of the machine reach.
    """

    metadata = {"render_modes": ["ansi", "rgb_array", "human"], "render_fps": 2}
    invalid_value = -0.1
    max_calls: int = 8
    """Actions of one message that are carried out."""
    settings: PageSettings = PageSettings()
    opens_display: bool = True
    """Whether the window of a person is on a display; else it is one that only programs reach."""

    def __init__(
        self,
        view: View,
        actions: Sequence[str],
        max_tokens: int | None = None,
        browser: str | None = None,
        render_mode: str | None = None,
        *,
        trace: str = "",
    ) -> None:
        super().__init__(render_mode)
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ConfigError(f"render_mode must be None, 'ansi', 'rgb_array' or 'human': got {render_mode!r}")
        if max_tokens is not None:
            view = replace(view, max_tokens=max_tokens)
        if render_mode == "rgb_array":
            view = replace(view, screenshot=True)
        self.view = view
        self.observation_space = observations(has_picture=view.has_picture)
        self.tools = action_tools(actions)
        self._names = frozenset(tool_name(each) for each in self.tools)
        self.sight = Sight()
        self._was_unanswered = False
        self._browser = browser
        self._page: WebPage | None = None
        self._trace = Path(trace) if trace else None
        self._has_person = render_mode == "human"
        self._owner = uuid.uuid4().hex if trace or self._has_person else ""

    # What a subclass writes.

    @abstractmethod
    def network(self, task: Task) -> Network:
        """What the pages of a task can reach."""

    @abstractmethod
    def start(self, task: Task) -> Sight:
        """Bring the window to where the episode begins."""

    @abstractmethod
    def judge(self, sight: Sight) -> EnvReply:
        """What the page's new state is worth: events, and whether the episode ends with it."""

    def judge_message(self, name: str, text: str) -> EnvReply:
        """What it is worth that the agent ended with a message.

        Args:
            name: "send_msg_to_user" or "report_infeasible".
            text: What it said.
        """
        return EnvReply(terminated=True, success=False)

    def probe(self) -> str:
        """What the harness asks each page for, as an expression of JavaScript; `Sight.probe` is its value.

        The value is None, a truth value, a number, a text, or lists and dicts of these. A promise is not waited for.
        Where the page raises an error, `Sight.probe` is None and `Sight.probe_error` says why.
        """
        return ""

    @property
    def capacity(self) -> int:
        """Windows that are open at once on this machine: more make all of them slower."""
        return _WINDOWS_A_CORE * len(os.sched_getaffinity(0))

    # The episode.

    def begin(self, task: Task) -> Sequence[Message]:
        """Open the page and show it below the task's instruction."""
        if self._page is not None and self._page.is_lost:
            self._page.close()
            self._page = None
        if self._trace is not None:
            _require_folder(self._trace)
            self.page.begin_trace(task.id)
        self._was_unanswered = False
        self.sight = self.start(task)
        self._require_first_page(task)
        if self._page is not None and self._page.person is not None:
            self._page.person.forget()
        return [user(f"{self.goal(task)}\n\n{self.shown()}")]

    def goal(self, task: Task) -> str:
        """The task in words."""
        return task.instruction

    def shown(self) -> str:
        """The present observation as text."""
        with_head = self.settings.max_tabs > 1 and "head" not in self.view.skip
        return self.sight.text(self.view, with_head=with_head)

    def parse(self, text: str) -> Action:
        """Actions in Python call syntax or as tool calls."""
        return parse_actions(text, self.tools)

    def respond(self, action: Action) -> EnvReply:
        """Carry out the actions of one message; the last one is answered with the page."""
        calls = action.tool_calls[: self.max_calls]
        ending = next((number for number, call in enumerate(calls) if call.name in _ENDING), None)
        acting = calls if ending is None else calls[:ending]
        reply = EnvReply()
        if acting or ending is None:
            self.sight = self.page.step(
                [(call.name, self._arguments(call)) for call in acting], self.view, self.probe()
            )
            self._say_why_unanswered()
            reply = self.judge(self.sight)
        if ending is not None and not reply.terminated:
            call = calls[ending]
            last = self.judge_message(call.name, str(next(iter(call.arguments.values()), "")))
            reply = last._replace(events=[*reply.events, *last.events])
        text = self.shown() if acting and not (reply.terminated and ending is not None) else "The episode has ended."
        messages = self._answers(action.tool_calls, text)
        return reply._replace(messages=[*messages, *reply.messages], image=self.sight.picture)

    def refuse(self, refusal: ActionSyntaxError) -> EnvReply:
        """Answer an invalid message with its explanation, and with the page as it was last seen."""
        self.sight = replace(self.sight, error="", notes=())
        reply = super().refuse(refusal)
        return reply._replace(messages=[user(f"{refusal}\n\n{self.shown()}")], image=self.sight.picture)

    def observe(self, messages: Sequence[Message], image: NDArray[np.uint8] | None) -> Observation:
        """The observation: the text, and the picture where there is one."""
        return super().observe(messages, self.sight.picture if image is None else image)

    def screenshot(self) -> Image | None:
        """The window, as a WebP file."""
        if self._page is None or self._page.is_lost:
            return None
        content = self._page.screenshot()
        return image_file("image/webp", content) if content else None

    def render(self) -> Any:
        """The last messages as text, or the window's picture, uint8[H, W, 3]."""
        return self.sight.picture if self.render_mode == "rgb_array" else super().render()

    def next_message(self, timeout_s: float) -> str | None:
        """The message that does what the person in the window did; None if nothing was done in time."""
        person = None if self._page is None else self._page.person
        return None if person is None else person.next_call(self._names, timeout_s)

    def outcome_after(self, reply: EnvReply, is_invalid: bool) -> Outcome | None:
        """How the episode ends with this reply; its trace is written then."""
        outcome = super().outcome_after(reply, is_invalid)
        if outcome is not None:
            self._end_trace()
        return outcome

    def finalize(self, reason: CutReason) -> tuple[float, dict[str, Any]]:
        """Close and grade a running episode that the harness cut; its trace is written."""
        self._end_trace()
        return super().finalize(reason)

    def interrupt(self) -> None:
        """Make a running step give up; may be called from another thread."""
        super().interrupt()
        page = self._page
        if page is not None:
            page.interrupt()

    def close(self) -> None:
        """Close the window, which ends a running episode ungraded; a second call does nothing."""
        if self.books.phase == "running":
            self.books.phase = "ended"
        page, self._page = self._page, None
        if page is not None:
            page.close()
        super().close()

    @property
    def page(self) -> WebPage:
        """The window; opened when it is first needed. One whose browser was lost is replaced by the next episode."""
        if self._page is None:
            settings = replace(self.page_settings(), person=self._has_person)
            process = ProcessSettings(
                browser=self._browser,
                fast_frames=self.view.has_picture and not settings.frames_can_wait,
                debug_port=self._trace is not None,
                owner=self._owner,
                headed=self._has_person and self.opens_display,
            )
            self._page = the_hub().open(settings, Network(), process)
            self.window_is_new()
        return self._page

    def page_settings(self) -> PageSettings:
        """How pages of the present task run."""
        return self.settings

    def window_is_new(self) -> None:
        """Called when a window was opened, for what a subclass remembers of it."""

    def _end_trace(self) -> None:
        if self._trace is not None and self._page is not None and self.task is not None:
            self._page.end_trace(_free_file(self._trace, self.task.id))

    def _require_first_page(self, task: Task) -> None:
        """Refuse to begin on a page that is most likely not the one that was meant."""
        first = f"the first page of task {task.id!r}, {self.sight.url},"
        if self.sight.status >= 400:
            raise ContractError(
                f"{first} came with status {self.sight.status}; check its address, its files, and that network() of "
                f"{type(self).__name__} lets its host through"
            )
        if self.sight.probe_error:
            raise ContractError(
                f"{first} does not answer probe() of {type(self).__name__}: {self.sight.probe_error}; check that it is "
                "the page that you mean, that the value is a number, a text or the like, and that probe() stands pages "
                "without what it asks for, such as `window.score ?? null`"
            )

    def _say_why_unanswered(self) -> None:
        """Tell an environment's author, once an episode, that a page failed the probe."""
        if self.sight.probe_error and not self._was_unanswered:
            self._was_unanswered = True
            name = type(self).__name__
            _LOG.warning("%s does not answer probe() of %s: %s", self.sight.url, name, self.sight.probe_error)

    def _arguments(self, call: ToolCall) -> dict[str, Any]:
        return ACTIONS[call.name].arguments(call.arguments)

    def _answers(self, calls: Sequence[ToolCall], text: str) -> list[Message]:
        """A tool message for each call; the last carries the observation."""
        messages = []
        for number, call in enumerate(calls):
            if number >= self.max_calls:
                said = f"not run: at most {self.max_calls} actions a message"
            else:
                said = text if number == min(len(calls), self.max_calls) - 1 else DONE
            messages.append(tool_result(call.id, call.name, said))
        return messages


def parse_actions(text: str, tools: Sequence[ToolSchema]) -> Action:
    """Actions in Python call syntax or as tool calls.

    Raises:
        ActionSyntaxError: There is no action; says how one is written.
    """
    if "(" not in text and "{" not in text:
        raise ActionSyntaxError(NO_CALL)
    try:
        return parse_calls(text, tools)
    except ActionSyntaxError as refusal:
        raise ActionSyntaxError(str(refusal).replace(EXPECTED, NO_CALL)) from None


def _require_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        said = error.strerror
        raise ConfigError(f"traces cannot be written into {folder}: {said}; name another folder with trace") from error


def _free_file(folder: Path, task_id: str) -> Path:
    """A new file in a folder, named after a task."""
    name = re.sub(r"[^\w.-]+", "-", task_id)
    for number in itertools.count(1):
        path = folder / f"{name}-{number}.zip"
        with suppress(FileExistsError):
            path.touch(exist_ok=False)
            return path
    raise AssertionError


def require_list(option: str, names: Sequence[str], example: str) -> None:
    """Refuse a text in place of a list, whose letters would count as names.

    Raises:
        ConfigError: `names` is a text; shows the list to give, with `example` for a text without a name.
    """
    if isinstance(names, str):
        given = json.dumps(re.findall(r"[\w.-]+", names) or [example])
        raise ConfigError(
            f"{option} must be a list of names: got {names!r}; give {given}, in a shell '{option}={given}'"
        )


def action_tools(names: Sequence[str]) -> list[ToolSchema]:
    """The tools of some sets of actions; `noop` is always there.

    Args:
        names: Names of sets, or of single actions.

    Raises:
        ConfigError: There is no such set, or `names` is a text.
    """
    require_list("actions", names, "bid")
    chosen: dict[str, ToolSchema] = {"noop": ACTIONS["noop"]}
    known = {**ACTIONS, **_ENDING}
    for name in names:
        members = SETS.get(name, (name,))
        for member in members:
            if member not in known:
                raise ConfigError(
                    f"there is no set of actions {name!r}; expected {', '.join(SETS)}, or names of actions"
                )
            chosen[member] = known[member]
    return list(chosen.values())

"""The environments of our own sites: a task on a shop, a forum, a wiki, a console, a mailbox, a phone, or across them.

The sites are in their folders; how a task is graded is in `core/verify`; their servers are in `serving`.
"""

from __future__ import annotations

import hashlib
import json
import random
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, ClassVar, Unpack

from agentgym.env import EnvReply
from agentgym.errors import ConfigError, TaskError
from agentgym.message import Message
from agentgym.reward import RewardEvent
from agentgym.task import Task
from agentgym_web.browser.errors import DevToolsError
from agentgym_web.browser.gate import Network
from agentgym_web.browser.settings import PageSettings
from agentgym_web.browser.sight import Sight
from agentgym_web.env import WebEnv, require_list
from agentgym_web.sites.core.all_sites import SITES, load_site
from agentgym_web.sites.core.verify import Ending, Part, Verdict, all_checks, grade, milestones
from agentgym_web.sites.drawing import ACROSS, draw_task
from agentgym_web.sites.serving import SiteError, the_server
from agentgym_web.view_options import ViewOptions, chosen_view, takes_view_options

DESK = PageSettings(width=1280, height=720, virtual_time=True)
PHONE = PageSettings(width=390, height=844, virtual_time=True, touch=True, scale=2.0)
ACTIONS = ("nav", "tab", "chat", "infeas")
BY_FINGER = ("touch_coord", "scroll_at", "keyboard_press", "keyboard_type")
ENDS: Mapping[str, str] = {
    "send_msg_to_user": "When you are done, say so with send_msg_to_user, with just the answer if there is a question.",
    "report_infeasible": "If it cannot be done, say why with report_infeasible.",
}
"""How a task ends, by the action that it is said with."""
HOW_IT_ENDS = " ".join(ENDS.values())
Parts = Mapping[str, Mapping[str, Any]]


class SiteEnv(WebEnv):
    """A task on a site of our own; subclasses name the site.

    Args:
        milestone_weight: Weight of the steps on the way that the task counts.
        screenshot: Whether observations have a picture.
        marks: Whether the picture has a frame with its id around each element.
        tree: Whether observations have the tree.
        dom: Whether observations have the pruned DOM, as HTML.
        visible_only: Whether the tree and the DOM leave out what lies outside the window.
        skip: CSS selectors of what the tree and the DOM leave out, with all that is in it; "head" leaves out the page's
            title and address too.
        max_tokens: Most tokens of an observation's tree, and of its DOM; None leaves them whole.
        actions: Sets of actions. None for those by element, addresses, tabs, `keyboard_press`, the two that end a task,
            and touches on a phone; where nothing shows ids, those by place come in for those by element.
        browser: The browser's program; None finds one.
        render_mode: None, "ansi", "rgb_array", or "human", which opens a window for a person.
        trace: A folder that gets Playwright's trace of each episode; "" for none.
    """

    site: ClassVar[str] = ""

    @takes_view_options
    def __init__(
        self,
        milestone_weight: float = 0.0,
        *,
        skip: Sequence[str] = (),
        actions: Sequence[str] | None = None,
        browser: str | None = None,
        render_mode: str | None = None,
        trace: str = "",
        **options: Unpack[ViewOptions],
    ) -> None:
        if milestone_weight < 0:
            raise ConfigError(f"milestone_weight must not be negative: got {milestone_weight!r}")
        require_list("skip", skip, "footer")
        view = chosen_view(options, skip=tuple(skip))
        is_phone = self.site == "phone"
        self.settings = PHONE if is_phone else DESK
        if actions is None:
            actions = default_actions(has_ids=view.tree or view.dom or view.marks, is_phone=is_phone)
        super().__init__(view, actions, None, browser, render_mode, trace=trace)
        self.reward_weights = {**self.reward_weights, "milestone": milestone_weight, "attack": 0.0}
        self._session = uuid.uuid4().hex
        self._used: set[str] = set()
        self._parts: Parts = {}
        self._held: set[tuple[str, int]] = set()
        self._num_requests = 0
        self._is_solved = False

    def make_task(self, seed: int) -> Task:
        """A task of a template drawn from the seed, among those that training has."""
        return draw_task(self.site, random.Random(f"{self.site} {seed}"), seed)

    def network(self, task: Task) -> Network:
        """The sites of the task, each with this environment's session."""
        return Network({f"{name}.test": the_server(name).behind_gate(self._session) for name in self._parts})

    def start(self, task: Task) -> Sight:
        """Reset the sites to their snapshots and open the first page, an empty one if there are several sites."""
        self._parts = parts_of(task)
        self._held, self._num_requests, self._is_solved = set(), 0, False
        users = users_of(task)
        for name, part in self._parts.items():
            the_server(name).reset(self._session, users[name], part["plants"])
            self._used.add(name)
        page = self.page
        files = {name: text.encode() for name, text in task.private["files"].items()}
        page.start_over(self.network(task), seed=task.seed, files=files)
        site = task.config["site"]
        address = "about:blank" if site == ACROSS else f"http://{site}.test{task.config.get('path', '/')}"
        return page.open(address, self.view)

    def window_is_new(self) -> None:
        """Check what only a page can: selectors of `skip`."""
        for selector in self.view.skip:
            try:
                self.page.run_script(f"document.querySelector({json.dumps(selector)}) && 0")
            except DevToolsError as error:
                self.close()
                raise ConfigError(f"skip must hold CSS selectors: got {selector!r}") from error

    def goal(self, task: Task) -> str:
        """The task, the files that come with it, and how it ends."""
        said = [task.instruction]
        if task.private["files"]:
            said.append(f"Files that you can upload: {', '.join(sorted(task.private['files']))}.")
        ends = " ".join(text for name, text in ENDS.items() if name in self._names)
        return "\n\n".join([*said, ends] if ends else said)

    def begin(self, task: Task) -> Sequence[Message]:
        """Open the first page and show it below the task's instruction."""
        if task.config.get("site") not in (*SITES, ACROSS) or not task.private:
            raise TaskError(f"task {task.id!r} is not a task on a site: its config names {task.config.get('site')!r}")
        named, parts = users_of(task), parts_of(task)
        if not set(parts) <= set(SITES) or set(named) != set(parts):
            raise TaskError(
                f"task {task.id!r} has parts on {sorted(parts)} and users of {sorted(named)}; expected a user or null "
                f"for each part, and parts among {', '.join(SITES)}"
            )
        return super().begin(task)

    def judge(self, sight: Sight) -> EnvReply:
        """Steps on the way that were reached for the first time; the end is the agent's to say."""
        return EnvReply(events=self._milestones())

    def judge_message(self, name: str, text: str) -> EnvReply:
        """The verdict on the sites' final state and on what was said."""
        ending = Ending("infeasible" if name == "report_infeasible" else "answer", text)
        return self._graded_by_sites(ending)._replace(terminated=True)

    def grade(self) -> EnvReply:
        """The verdict on the final state, where the agent said nothing."""
        return self._graded_by_sites(Ending())

    def progress(self) -> float | None:
        """Share of the task's milestones that were reached; 1 if it is solved."""
        wanted = [check for part in self._parts.values() for check in milestones(part)]
        if self._is_solved:
            return 1.0
        return len(self._held) / (len(wanted) + 1) if wanted else 0.0

    def anchor(self) -> str | None:
        """The databases, what the window shows, and the histories of its tabs."""
        if self.task is None:
            return None
        sight = self.sight
        changes = {name: the_server(name).changes(self._session) for name in self._parts}
        seen = [sight.lines, sight.url, sight.active_tab, sight.focused, sight.scroll]
        history = self.page.history() if self.books.phase == "running" else []
        num_writes = sum(not each.startswith(("GET ", "HEAD ")) for each in self.page.traffic.visited) if history else 0
        state = [self.task.content_hash, self.books.phase, self.num_invalid, num_writes, changes, seen, history]
        return hashlib.sha256(json.dumps(state, sort_keys=True).encode()).hexdigest()

    def close(self) -> None:
        """Close the window and forget the session."""
        used, self._used = self._used, set()
        super().close()
        for name in used:
            with suppress(SiteError):
                the_server(name).drop(self._session)

    def _milestones(self) -> list[RewardEvent]:
        """Asks the sites only after a request."""
        num_requests = len(self.page.traffic.visited)
        if num_requests == self._num_requests:
            return []
        self._num_requests = num_requests
        total = sum(len(milestones(part)) for part in self._parts.values())
        events = []
        for name, part in self._parts.items():
            checks = milestones(part)
            for number, holds in enumerate(the_server(name).check(self._session, checks)):
                if holds and (name, number) not in self._held:
                    self._held.add((name, number))
                    detail = {"site": name, "check": checks[number]["name"]}
                    events.append(self.event("milestone", 1 / total, source="verifier", detail=detail))
        return events

    def _graded_by_sites(self, ending: Ending) -> EnvReply:
        assert self.task is not None
        parts = {}
        for name, wanted in self._parts.items():
            server = the_server(name)
            results = server.check(self._session, all_checks(wanted))
            parts[name] = Part(wanted, server.changes(self._session), results, load_site(name).written_along)
        verdict = grade(self.task.private, parts, ending)
        self._is_solved = verdict.success
        events = [self.event("success", float(verdict.success), source="verifier", detail=describe(verdict))]
        if verdict.was_attacked is not None:
            events.append(self.event("attack", float(verdict.was_attacked), source="verifier"))
        return EnvReply(events=events, success=verdict.success, score=verdict.score)


def default_actions(*, has_ids: bool, is_phone: bool) -> tuple[str, ...]:
    """The sets of actions of a site's environment.

    Args:
        has_ids: Whether observations show ids of elements.
        is_phone: Whether the window is a phone's.
    """
    if has_ids:
        return ("bid", *ACTIONS, "keyboard_press", *(["touch"] if is_phone else []))
    return (*(BY_FINGER if is_phone else ("coord",)), *ACTIONS)


def parts_of(task: Task) -> Parts:
    """What a task says of each of its sites, by name; a task on one site says it without `parts`."""
    parts: Parts | None = task.private.get("parts")
    return parts if parts is not None else {str(task.config["site"]): task.private}


def users_of(task: Task) -> Mapping[str, str | None]:
    """Who is logged in on each site; a task across sites says it for each, a task on one site for that one."""
    users: Mapping[str, str | None] | None = task.config.get("users")
    return users if users is not None else {str(task.config["site"]): task.config.get("user")}


def describe(verdict: Verdict) -> dict[str, Any]:
    """A verdict as the details of a reward event."""
    return {
        "checks": dict(verdict.checks),
        "collateral": list(verdict.collateral),
        "answer_is_right": verdict.answer_is_right,
        "was_attacked": verdict.was_attacked,
    }

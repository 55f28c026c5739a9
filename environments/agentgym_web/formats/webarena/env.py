"""WebArena-v0: tasks of a file in WebArena's or VisualWebArena's format on the user's own sites.

The file is read by `tasks`; `matching` and `pictures` say what an end is worth.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from agentgym.env import EnvReply
from agentgym.errors import ConfigError, InfrastructureError, TaskError
from agentgym.message import Message, user
from agentgym.picture import png_of, with_picture
from agentgym.task import Task
from agentgym_web.archive.recording import network_to
from agentgym_web.browser.errors import DevToolsError, PageHangsError
from agentgym_web.browser.gate import Folder, Network
from agentgym_web.browser.settings import View
from agentgym_web.browser.sight import Sight
from agentgym_web.env import WebEnv
from agentgym_web.formats.webarena.calls import address_of, expression_of, selector_of
from agentgym_web.formats.webarena.logins import log_in, read_login
from agentgym_web.formats.webarena.matching import Judge, Matcher, url_fits
from agentgym_web.formats.webarena.pictures import Pixels, alike, fetched, read_picture
from agentgym_web.formats.webarena.tasks import EXACT, load_webarena

EXAMPLE = Path(__file__).parent.parent / "examples"
"""The folder of the tasks that are played where no file is named, and of their site."""
EXAMPLE_HOST = "orders.test"
_ALIKE = 0.8
"""From which similarity on two pictures count as one, where a task does not say."""
_VQA = "Question: {question} Answer in a few words."


class WebArenaEnv(WebEnv):
    """Do what a task of WebArena or VisualWebArena asks for, on sites of your own.

    Observation:
        The task with its pictures, then the page's address, title and elements, one a line with an id, a role, a name
        and a state. After an action that failed, why it failed.
    Action:
        Calls of BrowserGym's actions by element, such as click("12"), of goto, go_back, go_forward, of the tabs, and
        keyboard_press("PageDown"). At most 8 in a message. send_msg_to_user("…") answers or says that the work is done,
        and report_infeasible("…") says that it cannot be done.
    Reward:
        success: 1 if all evaluations of the task hold, else 0; its detail has each. format: 0 with weight 1, -0.1 for
        a message without a valid action.
    Termination:
        The answer; the third invalid message.
    Truncation:
        After 30 turns; what is on the sites then is judged, without an answer.
    Info:
        The common keys: messages, reward_events, turn, is_invalid, and at the end outcome, success, score.
    Sandbox:
        A browser whose only network is the sites of the tasks; its own sandbox is on where the machine allows it.
    Source and licence:
        The environment and its example are agentgym's, Apache-2.0 and CC0-1.0. The formats are those of WebArena
        (arXiv:2307.13854) and VisualWebArena (arXiv:2401.13649); their tasks and sites are not here.

    Example:
        click("5"); send_msg_to_user("18.50 EUR") -> success 1.

    Args:
        tasks: A file of tasks; "" for four tasks on a small site of files.
        sites: The address of each placeholder, such as {"__SHOPPING__": "http://localhost:7770"}.
        logins: For each placeholder a file of cookies, as Playwright writes it; loaded before a task that is logged in.
        judge: Decides what no rule does: fuzzy_match and questions about pictures. In `agentgym.make` it may be the
            name of a policy, such as `endpoint:URL#MODEL`. Without one, tasks that need it are refused.
        leave_out: Whether tasks that cannot be played are left out of the file instead of refused.
        screenshot: Whether observations have a picture.
        max_tokens: Most tokens of an observation's tree; None leaves it whole.
        browser: The browser's program; None finds one.
        render_mode: None, "ansi", "rgb_array", or "human", which opens a window for a person.
        trace: A folder that gets Playwright's trace of each episode; "" for none.
    """

    deterministic = False

    def __init__(
        self,
        tasks: str = "",
        sites: Mapping[str, str] | None = None,
        logins: Mapping[str, str] | None = None,
        judge: Judge | None = None,
        *,
        leave_out: bool = False,
        screenshot: bool = False,
        max_tokens: int | None = None,
        browser: str | None = None,
        render_mode: str | None = None,
        trace: str = "",
    ) -> None:
        actions = ("bid", "nav", "tab", "chat", "infeas", "keyboard_press")
        super().__init__(View(screenshot=screenshot), actions, max_tokens, browser, render_mode, trace=trace)
        for name, given in (("sites", sites), ("logins", logins)):
            if not isinstance(given or {}, Mapping):
                raise ConfigError(f'{name} must be a table such as {{"__SHOPPING__": "…"}}: got {given!r}')
        self._judge = judge
        self._pictures: list[Pixels] = []
        self._has_moved = False
        self._own: dict[str, Folder] = {}
        path = Path(tasks)
        if not tasks:
            path, sites = EXAMPLE / "webarena.json", {"__ORDERS__": f"http://{EXAMPLE_HOST}"}
            self._own = {EXAMPLE_HOST: Folder(EXAMPLE / "orders")}
        self._tasks = load_webarena(path, sites or {}, logins, has_judge=judge is not None, leave_out=leave_out)
        self.num_tasks = len(self._tasks)

    def make_task(self, seed: int) -> Task:
        """A task of the file, in turn."""
        return self._tasks[seed % len(self._tasks)]

    def network(self, task: Task) -> Network:
        """The user's sites, and those on which the task begins."""
        urls = [*task.config["sites"], *task.config["urls"]]
        real = [url for url in urls if url.removeprefix("http://").partition("/")[0] not in self._own]
        found = network_to(real) if real else Network()
        return Network({**found.sites, **self._own}, found.allow)

    def start(self, task: Task) -> Sight:
        """Open the first pages in a window of their own, logged in, each in a tab."""
        if "eval" not in task.private:
            raise TaskError(f"task {task.id!r} has no evaluation; expected a task of load_webarena")
        if self._page is not None:  # what sites stored in the window must not reach the next task
            self._page.close()
            self._page = None
        self.page.start_over(self.network(task))
        log_in(self.page, [read_login(Path(path)) for path in task.private["logins"]])
        self._pictures = [self._picture(task, name) for name in task.config["pictures"]]
        sight = self.page.open(task.config["urls"][0], self.view)
        for url in task.config["urls"][1:]:
            sight = self.page.step([("new_tab", {}), ("goto", {"url": url})], self.view)
        self._require_sites(task)
        self._require_selectors(task)
        return sight

    def begin(self, task: Task) -> Sequence[Message]:
        """Show the first page below the task, and the task's pictures before the page's."""
        [message] = super().begin(task)
        if not self._pictures:
            return [message]
        message = user(f"{message['content']}\n\nPictures of the task: {len(self._pictures)}, in order.")
        for pixels in [*self._pictures, *([] if self.sight.picture is None else [self.sight.picture])]:
            message = with_picture(message, pixels)
        return [message]

    def judge(self, sight: Sight) -> EnvReply:
        """Pages alone are worth nothing before the end."""
        return EnvReply()

    def judge_message(self, name: str, text: str) -> EnvReply:
        """The product of the task's evaluations."""
        return self._evaluated("N/A" if name == "report_infeasible" else text)._replace(terminated=True)

    def grade(self) -> EnvReply:
        """As at the end, without an answer."""
        return self._evaluated("")

    def _evaluated(self, answer: str) -> EnvReply:
        assert self.task is not None
        private, results = self.task.private, {}
        self._has_moved = False
        wanted, last = private["eval"], self.sight.url
        reason = str(wanted.get("string_note") or "")
        matcher = Matcher(self.task.instruction, self._judge, reason, private["is_visual"])
        for kind in wanted["eval_types"]:
            if kind == "string_match":
                results[kind] = matcher.fits(wanted["reference_answers"], answer)
            elif kind == "url_match":
                results[kind] = url_fits(wanted["reference_url"], last, is_exact=wanted["url_note"] == EXACT)
            elif kind == "program_html":
                results[kind] = all(self._has_content(each, last, matcher) for each in wanted[kind])
            else:
                results[kind] = all(self._shows(each, last) for each in wanted[kind])
        self._require_sites(self.task)
        success = all(results.values())
        event = self.event("success", float(success), source="verifier", detail=results)
        return EnvReply(events=[event], success=success)

    def _require_sites(self, task: Task) -> None:
        """Refuse to play or to judge where a site of the task is down: that is no failure of the agent's.

        Raises:
            InfrastructureError: One took no connection; names it.
        """
        down = self.page.traffic.silent & {_place(url) for url in (*task.config["sites"], *task.config["urls"])}
        if down:
            raise InfrastructureError(
                f"task {task.id!r} needs {', '.join(sorted(down))}, which does not answer; start that site, or correct "
                "its address in the option sites"
            )

    def _require_selectors(self, task: Task) -> None:
        """Refuse a task whose selectors no browser reads, before it is played.

        Raises:
            TaskError: Names the field.
        """
        wanted = task.private["eval"]
        queries = [each["eval_image_class"].strip() for each in wanted.get("page_image_query", ())]
        locators = [selector_of(str(each.get("locator") or "").strip()) for each in wanted.get("program_html", ())]
        for name, selectors in (("eval_image_class", queries), ("locator", locators)):
            for selector in filter(None, selectors):
                script = f"document.createDocumentFragment().querySelector({json.dumps(selector)}) && 0"
                try:
                    self.page.run_script(script)
                except PageHangsError:
                    continue
                except DevToolsError as error:
                    raise TaskError(f"task {task.id!r}: {name} has no CSS selector: got {selector[:80]!r}") from error

    def _has_content(self, target: Mapping[str, Any], last: str, matcher: Matcher) -> bool:
        """Whether what a locator finds in a page is as required; the locator runs in that page alone."""
        self._open(address_of(target["url"], last), last)
        locator = expression_of(str(target.get("locator") or "").strip()) or "document.documentElement.outerHTML"
        before = "; ".join(f"try {{ {each} }} catch {{}}" for each in target.get("prep_actions") or ())
        try:
            if before:
                self.page.run_script(f"(() => {{ {before} }})()")
            found = self.page.run_script(f"String(({locator}) ?? '')")
        except PageHangsError:
            found, self._has_moved = "", True
        except DevToolsError:
            found = ""
        return matcher.fits(target["required_contents"], str(found), is_answer=False)

    def _shows(self, query: Mapping[str, Any], last: str) -> bool:
        """Whether a page has pictures of which questions have the right answers, and one like a reference."""
        self._open(address_of(query["eval_image_url"], last), last)
        place = str(query["eval_image_class"]).strip() or "img"
        try:
            found = self.page.run_script(_pictures_in(place))
        except PageHangsError:
            found, self._has_moved = [], True
        except DevToolsError:
            found = []
        self._has_moved = self._has_moved or bool(found)
        pictures = [pixels for url in found if (pixels := fetched(url, self.page)) is not None]
        urls = [f"data:image/png;base64,{base64.b64encode(png_of(pixels)).decode()}" for pixels in pictures]
        for asked in query.get("eval_vqa") or ():
            assert self._judge is not None
            question, wanted = _VQA.format(question=asked["question"]), str(asked["answer"]).casefold()
            if not any(wanted in self._judge.ask(question, [url]).casefold() for url in urls):
                return False
        references = str(query.get("eval_fuzzy_image_match") or "")
        if not references:
            return bool(pictures)
        assert self.task is not None
        least = float(query.get("ssim_threshold", _ALIKE))
        likes = [self._picture(self.task, name) for name in references.split(" |OR| ")]
        return any(alike(pixels, like) > least for pixels in pictures for like in likes)

    def _open(self, url: str, last: str) -> None:
        """Bring a page to the front that is judged; the agent's own stays as it is until another was opened."""
        if url != "last" or self._has_moved:
            self._has_moved = True
            self.page.open(last if url == "last" else url, View(tree=False))

    def _picture(self, task: Task, name: str) -> Pixels:
        return read_picture(f"task {task.id!r}", name, Path(task.config["folder"]), self.page)


def _place(url: str) -> str:
    """The host and the port of an address, as "localhost:7770"."""
    parts = urlsplit(url)
    return f"{parts.hostname}:{parts.port or (443 if parts.scheme == 'https' else 80)}"


def _pictures_in(selector: str) -> str:
    """JavaScript: the addresses of the pictures that a selector finds, or that are in what it finds."""
    return (
        f"[...document.querySelectorAll({json.dumps(selector)})].flatMap((found) => found.tagName === 'IMG' ? [found] "
        ": [...found.querySelectorAll('img')]).map((image) => image.currentSrc || image.src).filter(Boolean)"
        ".slice(0, 50)"
    )

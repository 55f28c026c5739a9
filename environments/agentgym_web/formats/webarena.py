"""Task files of WebArena (arXiv:2307.13854) and VisualWebArena (arXiv:2401.13649), and how their answers are judged.

The sites are the user's: placeholders such as __SHOPPING__ are replaced by his addresses. Nothing of a task file runs
outside the page: locators that name a Python function are refused.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from agentgym.env import EnvReply
from agentgym.errors import ConfigError, TaskError, unreadable
from agentgym.task import Limits, Task
from agentgym_web.archive.recording import network_to
from agentgym_web.browser.errors import DevToolsError
from agentgym_web.browser.gate import Network
from agentgym_web.browser.settings import View
from agentgym_web.browser.sight import Sight
from agentgym_web.env import WebEnv

Judge = Callable[[str, str, str], bool]
"""Whether an answer means what a reference says: of question, reference and answer."""
MAX_BYTES = 256 << 20
_PLACEHOLDER = re.compile(r"__[A-Z_]+?__")
_TYPES = ("string_match", "url_match", "program_html")


def load_webarena(path: Path, sites: Mapping[str, str]) -> list[Task]:
    """The tasks of a file as tasks of `WebArenaEnv`.

    Args:
        path: A JSON file with one task or a list of them.
        sites: The address of each placeholder, such as {"__SHOPPING__": "http://localhost:7770"}.

    Raises:
        TaskError: The file cannot be read, is too large or malformed, or asks for an evaluation that is refused.
        ConfigError: A placeholder has no address.
    """
    try:
        if path.stat().st_size > MAX_BYTES:
            raise TaskError(f"{path} has more than {MAX_BYTES >> 20} MiB; split it into smaller files")
        loaded = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise TaskError(unreadable(path, error)) from error
    except (json.JSONDecodeError, RecursionError) as error:
        raise TaskError(f"{path} is no JSON: {error}; expected a list of tasks") from error
    tasks = loaded if isinstance(loaded, list) else [loaded]
    if not tasks:
        raise TaskError(f"{path} has no tasks; expected objects with intent, start_url and eval")
    return [_task(path, number, task, sites) for number, task in enumerate(tasks)]


def _task(path: Path, number: int, fields: Any, sites: Mapping[str, str]) -> Task:
    where = f"{path}: task {number}"
    if not isinstance(fields, dict) or {"intent", "start_url", "eval"} - fields.keys():
        raise TaskError(f"{where}: expected an object with intent, start_url and eval")
    fields = json.loads(_with_sites(where, json.dumps(fields), sites))
    wanted = fields["eval"]
    kinds = wanted.get("eval_types", ()) if isinstance(wanted, dict) else ()
    if not kinds or set(kinds) - set(_TYPES):
        raise TaskError(f"{where}: eval_types must be of {', '.join(_TYPES)}: got {kinds!r}")
    for target in wanted.get("program_html") or ():
        for key in ("url", "locator"):
            if str(target.get(key, "")).startswith("func:"):
                raise TaskError(
                    f"{where}: its {key} {target[key][:60]!r} is Python code, which is not run; leave it out"
                )
    return Task(
        f"webarena:{fields.get('task_id', number)}",
        number,
        instruction=str(fields["intent"]),
        config={"urls": str(fields["start_url"]).split(" |AND| "), "sites": list(sites.values())},
        limits=Limits(max_turns=30),
        private={"eval": wanted},
    )


def _with_sites(where: str, text: str, sites: Mapping[str, str]) -> str:
    for name, address in sites.items():
        text = text.replace(name, json.dumps(address.rstrip("/"))[1:-1])
    missing = sorted(set(_PLACEHOLDER.findall(text)))
    if missing:
        raise ConfigError(f"{where} needs the address of {missing[0]}; give it in sites, as {missing[0]}=http://…")
    return text


def string_match(references: Mapping[str, Any], question: str, answer: str, judge: Judge | None) -> bool:
    """Whether an answer fits exact_match, must_include and fuzzy_match.

    Raises:
        ConfigError: It has to be judged, and there is no judge.
    """
    said = _plain(answer)
    for kind, wanted in references.items():
        if kind == "exact_match":
            fits = said == _plain(wanted)
        elif kind == "must_include":
            fits = all(any(_plain(part) in said for part in str(each).split(" |OR| ")) for each in wanted)
        elif kind == "must_exclude":
            fits = not any(_plain(each) in said for each in wanted)
        elif kind == "fuzzy_match" and wanted == "N/A":
            fits = said in ("n/a", "na", "")
        elif kind == "fuzzy_match":
            if judge is None:
                raise ConfigError("this task has fuzzy_match, which needs a judge; make the environment with judge=…")
            fits = all(judge(question, str(each), answer) for each in ([wanted] if isinstance(wanted, str) else wanted))
        else:
            raise ConfigError(f"reference_answers has {kind!r}; expected exact_match, must_include or fuzzy_match")
        if not fits:
            return False
    return True


def url_match(reference: str, url: str) -> bool:
    """Whether the page in front is one of a reference, its query's parameters in any order."""
    return any(_has(url, wanted) for wanted in reference.split(" |OR| "))


def _has(url: str, wanted: str) -> bool:
    base, _, query = url.partition("#")[0].partition("?")
    wanted_base, _, wanted_query = wanted.partition("?")
    pairs = set(query.split("&"))
    return base.rstrip("/") == wanted_base.rstrip("/") and all(
        each in pairs for each in wanted_query.split("&") if each
    )


def _plain(text: Any) -> str:
    return " ".join(html.unescape(str(text)).strip().strip("'\"").casefold().split())


class WebArenaEnv(WebEnv):
    """A task of a WebArena file on the user's own sites; how its end is judged is in the module's functions.

    Args:
        tasks: The file.
        sites: The address of each placeholder.
        judge: Judges fuzzy_match; without one, tasks that need it are refused when they begin.
        screenshot: Whether observations have a picture.
        max_tokens: Most tokens of an observation's tree; None leaves it whole.
        browser: The browser's program; None finds one.
        render_mode: As in Gymnasium.
        trace: A folder that gets Playwright's trace of each episode; "" for none.
        window: Whether a person uses it in a window on the display.
    """

    deterministic = False

    def __init__(
        self,
        tasks: str = "",
        sites: Mapping[str, str] | None = None,
        judge: Judge | None = None,
        *,
        screenshot: bool = False,
        max_tokens: int | None = None,
        browser: str | None = None,
        render_mode: str | None = None,
        trace: str = "",
        window: bool = False,
    ) -> None:
        actions = ("bid", "nav", "tab", "chat", "infeas", "keyboard_press")
        super().__init__(
            View(screenshot=screenshot), actions, max_tokens, browser, render_mode, trace=trace, window=window
        )
        self._tasks = load_webarena(Path(tasks), sites or {}) if tasks else []
        self._judge = judge

    def make_task(self, seed: int) -> Task:
        """A task of the file, in turn."""
        if not self._tasks:
            raise ConfigError("there are no tasks; name a file of them with the option tasks=PATH")
        return self._tasks[seed % len(self._tasks)]

    def network(self, task: Task) -> Network:
        """The user's sites, and those on which the task begins."""
        return network_to([*task.config["sites"], *task.config["urls"]])

    def start(self, task: Task) -> Sight:
        """Open the first pages, each in a tab."""
        wanted = task.private["eval"]
        fuzzy = (wanted.get("reference_answers") or {}).get("fuzzy_match", "N/A")
        if fuzzy != "N/A" and self._judge is None:
            raise ConfigError(
                f"task {task.id!r} has fuzzy_match, which needs a judge; make the environment with judge=…"
            )
        self.page.start_over(self.network(task))
        sight = self.page.open(task.config["urls"][0], self.view)
        for url in task.config["urls"][1:]:
            sight = self.page.step([("new_tab", {}), ("goto", {"url": url})], self.view)
        return sight

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
        wanted, question = self.task.private["eval"], self.task.instruction
        results = {}
        for kind in wanted["eval_types"]:
            if kind == "string_match":
                results[kind] = string_match(wanted.get("reference_answers") or {}, question, answer, self._judge)
            elif kind == "url_match":
                results[kind] = url_match(str(wanted["reference_url"]), self.sight.url)
            else:
                results[kind] = self._program_html(wanted["program_html"])
        success = all(results.values())
        return EnvReply(
            events=[self.event("success", float(success), source="verifier", detail=results)], success=success
        )

    def _program_html(self, targets: Sequence[Mapping[str, Any]]) -> bool:
        """Whether what the locators find in the pages is as required; a locator runs in its page alone."""
        last = self.sight.url
        for target in targets:
            self.page.open(last if target["url"] == "last" else str(target["url"]), View(tree=False))
            locator = str(target.get("locator") or "").strip() or "document.documentElement.outerHTML"
            try:
                found = self.page.run_script(f"String(({locator}) ?? '')")
            except DevToolsError:
                found = ""
            required = {key: value for key, value in target["required_contents"].items() if key != "fuzzy_match"}
            if not string_match(required, "", str(found), None):
                return False
        return True

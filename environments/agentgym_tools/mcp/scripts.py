"""Players of McpTools written by hand: oracle, imperfect demonstrator, null, random, and cheaters.

They run on the harness's side and may read the private part of the task; the environment never does so for them.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from agentgym.authoring.cheats import claiming, forged_verdict
from agentgym.authoring.players import Saying, call_text
from agentgym.message import Message, content_text
from agentgym.policy import Script, ScriptFactory
from agentgym.task import Task
from agentgym.tools.finding import FIND_TOOLS
from agentgym_tools.mcp.drawing import calls_of
from agentgym_tools.mcp.env import FIND_FIRST, RIGHT
from agentgym_tools.mcp.injections import Planted
from agentgym_tools.mcp.kinds.draft import Call
from agentgym_tools.mcp.kinds.git_scene import SIDES, TOPICS
from agentgym_tools.mcp.kinds.time import ZONES, convert

DEMO_QUALITY = 0.75
"""Share of right decisions of the demonstrator."""
_READING = ("status", "diff", "log", "show", "git_branch", "list_tables", "describe", "read_query", "time__")


def answer_of(task: Task) -> str:
    """The right answer as it is submitted; "" for a change."""
    for rule in task.private["rules"]:
        if rule["rule"] == "answer":
            value = rule["value"]
            return ", ".join(value) if isinstance(value, list) else str(value)
    return ""


def is_reading(tool: str) -> bool:
    """Whether a call of a tool changes nothing."""
    return any(word in tool for word in _READING)


class Demonstrator:
    """Makes the calls of a right solution and submits; each decision is right with a probability.

    Wrong decisions are those a learner makes: a change left out, an answer that is next to the right one, a folder
    forgotten in a call, talk instead of a call. At quality 1 it never fails. Where tools have to be found, it looks for
    each by the words of its name before its first call.
    """

    def __init__(self, task: Task, seed: int, quality: float = DEMO_QUALITY) -> None:
        self._rng = random.Random(seed)
        self._quality = quality
        self._plan = self._planned(calls_of(task), answer_of(task))
        self._sought: set[str] = set()

    def act(self, messages: Sequence[Message]) -> str:
        """The next line of its plan, or the search for its tool."""
        tool, line = self._plan[0]
        if tool and tool not in self._sought and content_text(messages[0]).endswith(FIND_FIRST):
            self._sought.add(tool)
            return call_text(FIND_TOOLS, query=tool.replace("_", " "))
        if len(self._plan) > 1:
            self._plan.pop(0)
        return line

    def _planned(self, calls: Sequence[Call], answer: str) -> list[tuple[str, str]]:
        """Lines, each with the tool of a server that it calls; "" for none."""
        made = list(calls)
        if not self._is_right() and not answer:
            made.pop()
        if not self._is_right() and answer:
            answer = f"{answer[:-1]}{(int(answer[-1]) + 1) % 10}" if answer[-1].isdigit() else f"{answer}, none"
        lines = [(tool, call_text(tool, **arguments)) for tool, arguments in made]
        if not self._is_right():
            lines.insert(0, ("", "I look at it first."))
        if not self._is_right() and made and made[0][1]:
            lines.insert(0, (made[0][0], call_text(made[0][0])))
        return [*lines, ("", call_text("submit", answer=answer))]

    def _is_right(self) -> bool:
        return self._rng.random() < self._quality


class RandomPlayer:
    """Makes valid calls of the task's server at random, and submits a word of the request."""

    def __init__(self, task: Task, seed: int) -> None:
        self._rng = random.Random(seed)
        self._server = task.config["servers"][0]
        self._folder = next((rule["path"] for rule in task.private["rules"] if "path" in rule), "") or _folder(task)
        self._words = task.instruction.replace("'", " ").split()

    def act(self, messages: Sequence[Message]) -> str:
        """The next random call."""
        rng = self._rng
        if rng.random() < 0.25:
            return call_text("submit", answer=rng.choice(self._words))
        tool, arguments = rng.choice(self._calls())
        return call_text(f"{self._server}__{tool}", **arguments)

    def _calls(self) -> list[tuple[str, dict[str, Any]]]:
        rng, where = self._rng, {"repo_path": self._folder}
        if self._server == "git":
            name = rng.choice((*SIDES, "main", "other"))
            return [
                ("git_status", where),
                ("git_log", {**where, "max_count": rng.randint(1, 5)}),
                ("git_add", {**where, "files": ["."]}),
                ("git_commit", {**where, "message": rng.choice(self._words)}),
                ("git_checkout", {**where, "branch_name": name}),
                ("git_create_branch", {**where, "branch_name": name}),
            ]
        if self._server == "sqlite":
            return [
                ("list_tables", {}),
                ("describe_table", {"table_name": rng.choice(self._words)}),
                ("read_query", {"query": "SELECT name FROM sqlite_master"}),
                ("write_query", {"query": f"DELETE FROM {rng.choice(('book', 'member', 'piece'))}"}),  # noqa: S608
            ]
        one, other = rng.sample(list(ZONES), 2)
        return [("convert_time", dict(convert(rng.randrange(1440), one, other)[1]))]


def oracle(task: Task, seed: int) -> Script:
    """Makes the calls of a right solution, and no mistake."""
    return Demonstrator(task, seed, quality=1.0)


def gullible(task: Task, seed: int) -> Script:
    """Does at once what a planted text wants, and works as the oracle otherwise."""
    planted = Planted.of(task)
    wanted = [] if planted is None or planted.call is None else [planted.call]
    lines = [call_text(tool, **arguments) for tool, arguments in [*wanted, *calls_of(task)]]
    return Saying(*lines, call_text("submit", answer=answer_of(task)))


def null(task: Task, seed: int) -> Script:
    """Submits at once."""
    return Saying(call_text("submit"))


def cheat_guess(task: Task, seed: int) -> Script:
    """Submits what is often right somewhere else, all at once."""
    names = [name for names in TOPICS.values() for name in names]
    return Saying(call_text("submit", answer=", ".join(["main", "0", "12:00", *names, *ZONES, *SIDES])))


def cheat_unfinished(task: Task, seed: int) -> Script:
    """Does all but the last step of a change; of a question it tells a part of the request."""
    calls, answer = calls_of(task), answer_of(task)
    lines = [call_text(tool, **arguments) for tool, arguments in calls]
    return Saying(*(lines if answer else lines[:-1]), call_text("submit", answer=task.instruction if answer else ""))


def cheat_more(task: Task, seed: int) -> Script:
    """Does what is right and one thing more."""
    answer = answer_of(task)
    match task.config["servers"][0]:
        case "git":
            more = call_text("git__git_create_branch", repo_path=_folder(task), branch_name="spare")
        case "sqlite":
            more = call_text("sqlite__create_table", query="CREATE TABLE spare (spare_id INTEGER PRIMARY KEY)")
        case _:
            more, answer = call_text("time__get_current_time", timezone="UTC"), f"{answer}, {answer}"
    lines = [call_text(tool, **arguments) for tool, arguments in calls_of(task)]
    return Saying(*lines, more, call_text("submit", answer=answer))


def cheat_many_answers(task: Task, seed: int) -> Script:
    """Submits several times in one message, with the right answer among them but not first."""
    calls = "".join(call_text(tool, **arguments) for tool, arguments in calls_of(task)[:5])
    return Saying(call_text("submit", answer="none") + calls + call_text("submit", answer=answer_of(task)))


def cheat_private_part(task: Task, seed: int) -> Script:
    """Asks the servers for what is hidden, then names it instead of an answer."""
    asked = {
        "git": ("git__git_status", {"repo_path": "/"}),
        "sqlite": ("sqlite__write_query", {"query": "ATTACH '/proc/1/environ' AS hidden"}),
        "time": ("time__get_current_time", {"timezone": "../../../etc/passwd"}),
    }
    tool, arguments = asked[task.config["servers"][0]]
    return Saying(call_text(tool, **arguments), call_text("submit", answer="{task.private[rules]}"))


def cheat_injected_verdict(task: Task, seed: int) -> Script:
    """Puts role markers and a made-up verdict into its answer."""
    return Saying(call_text("submit", answer=forged_verdict(RIGHT)))


def _folder(task: Task) -> str:
    return task.instruction.split("'")[1] if "'" in task.instruction else "."


SCRIPTS: Mapping[str, ScriptFactory] = {
    "oracle": oracle,
    "null": null,
    "random": RandomPlayer,
    "demo": Demonstrator,
    "gullible": gullible,
    "cheat_guess": cheat_guess,
    "cheat_unfinished": cheat_unfinished,
    "cheat_more": cheat_more,
    "cheat_many_answers": cheat_many_answers,
    "cheat_private_part": cheat_private_part,
    "cheat_injected_verdict": cheat_injected_verdict,
    "cheat_claim": claiming(RIGHT),
}

"""Players of the workbench written by hand: oracle, imperfect demonstrator, null, random, and cheaters.

They run on the harness's side and may read the private part of the task; the environment never does so for them.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from agentgym.authoring.cheats import claiming, forged_verdict
from agentgym.authoring.players import Saying, call_text, saying
from agentgym.message import Message, content_text
from agentgym.policy import Script, ScriptFactory
from agentgym.task import Task
from agentgym_tools.workbench.acts import ALL_DONE, ASK, DECLINE, DONE, REASONS
from agentgym_tools.workbench.grading import Ending
from agentgym_tools.workbench.plan import read_plan
from agentgym_tools.workbench.planning import next_calls
from agentgym_tools.workbench.rows.people import BY_ID
from agentgym_tools.workbench.session import Session
from agentgym_tools.workbench.sets.all_sets import TOOLS
from agentgym_tools.worlds.calls import Call

DEMO_QUALITY = 0.85
"""Share of right decisions of the demonstrator at which about half of its episodes succeed."""


class Demonstrator:
    """Makes the planner's calls, each decision right with a probability; at 1.0 it never fails.

    It keeps a session of its own, in which it makes the same calls. Wrong decisions are those a learner makes: a
    request ended too early or declined, a wrong value, a question that nobody needs, a read made again, or talk.
    """

    def __init__(self, task: Task, seed: int, quality: float = DEMO_QUALITY) -> None:
        self._rng = random.Random(seed)
        self._quality = quality
        self._session = Session(read_plan(task))

    def act(self, messages: Sequence[Message]) -> str:
        """The next call."""
        calls = next_calls(self._session)
        move = calls[0] if calls else Call(DONE)
        if self._rng.random() >= self._quality:
            mistake = self._mistake(move)
            if mistake is None:
                return "Let me see what I can do about this first."
            move = mistake
        follow(self._session, move)
        return call_text(move.tool, **move.arguments)

    def _mistake(self, move: Call) -> Call | None:
        rng = self._rng
        kind = rng.choices(("early", "decline", "value", "ask", "again", "talk"), (3, 2, 3, 1, 3, 2))[0]
        if kind == "early":
            return Call(DONE)
        if kind == "decline":
            return Call(DECLINE, {"reason": rng.choice(list(REASONS))})
        if kind == "ask":
            return Call(ASK, {"parameter": rng.choice(("path", "symbol", "day", "text", "priority"))})
        numbers = [name for name, value in move.arguments.items() if type(value) is int]
        if kind == "value" and numbers:
            name = rng.choice(numbers)
            return Call(move.tool, {**move.arguments, name: move.arguments[name] + 1})
        reads = self._session.aim.case.reads if not self._session.is_over else ()
        return rng.choice(reads) if kind == "again" and reads else None


def follow(session: Session, move: Call) -> None:
    """Make a call or an act in a session."""
    if session.is_over:
        return
    if move.tool == ASK:
        session.ask(move.arguments["parameter"])
    elif move.tool == DONE:
        session.end(Ending(answer=move.arguments.get("answer")))
    elif move.tool == DECLINE:
        session.end(Ending(reason=move.arguments["reason"]))
    else:
        session.carry_out(move)


class RandomPlayer:
    """Calls listed tools with values that it has read, and ends requests, all at random."""

    def __init__(self, task: Task, seed: int) -> None:
        self._rng = random.Random(seed)
        self._tools = [TOOLS[name] for name in Session(read_plan(task)).tools]
        self._words = ["1", "/notes"]

    def act(self, messages: Sequence[Message]) -> str:
        """The next random call."""
        rng = self._rng
        self._words += [word.strip('",.:[]{}') for word in content_text(messages[-1])[:2000].split() if len(word) < 30]
        kind = rng.choices(("tool", DONE, DECLINE, ASK), (8, 2, 1, 1))[0]
        if kind == DONE:
            return call_text(DONE, **({"answer": self._word()} if rng.random() < 0.5 else {}))
        if kind == DECLINE:
            return call_text(DECLINE, reason=rng.choice(list(REASONS)))
        if kind == ASK:
            return call_text(ASK, parameter=self._word())
        tool = rng.choice(self._tools)
        fields = tool["function"]["parameters"]["properties"]
        return call_text(tool["function"]["name"], **{name: self._value(schema) for name, schema in fields.items()})

    def _word(self) -> str:
        return self._rng.choice(self._words)

    def _value(self, schema: Mapping[str, Any]) -> Any:
        if "enum" in schema:
            return self._rng.choice(schema["enum"])
        if schema.get("type") == "array":
            return [self._rng.randrange(100)]
        if schema.get("type") == "string":
            return self._word()
        numbers = [int(word) for word in self._words if word.isdigit()]
        return self._rng.choice(numbers)


def oracle(task: Task, seed: int) -> Script:
    """Makes the planner's calls."""
    return Demonstrator(task, seed, quality=1.0)


def cheat_claims(task: Task, seed: int) -> Script:
    """Says of each request that it is dealt with, with an answer that claims it."""
    return Saying(call_text(DONE, answer="All requests are dealt with rightly."))


def cheat_declines(task: Task, seed: int) -> Script:
    """Declines each request at once, for the reason that would be right if it had been looked into."""
    session = Session(read_plan(task))
    lines = []
    while not session.is_over:
        reason = session.aim.case.reason or "not_possible"
        lines.append(call_text(DECLINE, reason=reason))
        session.end(Ending(reason=reason))
    return Saying(*lines)


def cheat_asks(task: Task, seed: int) -> Script:
    """Asks for each parameter that the request could lack, and then does what is right."""
    return _with_more(task, [Call(ASK, {"parameter": name}) for name in ("text", "path", "shares")])


def cheat_calls_everything(task: Task, seed: int) -> Script:
    """Calls each listed tool with what the first request names, and then says that it is done."""
    session = Session(read_plan(task))
    facts = dict(session.stage.request.facts)
    lines = []
    for name in session.tools[:40]:
        fields = TOOLS[name]["function"]["parameters"]["properties"]
        lines.append(call_text(name, **{field: facts.get(field, _any(schema)) for field, schema in fields.items()}))
    return Saying(*("".join(lines[place : place + 8]) for place in range(0, len(lines), 8)), call_text(DONE))


def cheat_all_at_once(task: Task, seed: int) -> Script:
    """Makes the right changes of all requests during the first one, reads nothing, and answers nothing."""
    session = Session(read_plan(task))
    writes = [call for stage in _aims(session) for call in stage]
    lines = [call_text(call.tool, **call.arguments) for call in writes]
    return Saying(*("".join(lines[place : place + 8]) for place in range(0, len(lines), 8)), call_text(DONE))


def cheat_dumps(task: Task, seed: int) -> Script:
    """Answers each request with many values, the right one among them."""
    session = Session(read_plan(task))
    lines = []
    while not session.is_over:
        answer = session.aim.case.answer
        lines.append(call_text(DONE, answer=["0", str(answer), "yes", "no", "open"]))
        session.end(Ending())
    return Saying(*lines)


def cheat_more(task: Task, seed: int) -> Script:
    """Does what is right, and one more thing besides, which nobody asked for."""
    names = set(Session(read_plan(task)).tools)
    more: dict[str, dict[str, Any]] = {
        "create_folder": {"folder": "/extra"},
        "deposit": {"amount_cents": 100},
        "top_up_card": {"card": f"K{10 + 2 * _index(task)}", "amount_cents": 100},
        "set_tyre_pressure": {"tyre": "rear left", "kpa": 299},
        "open_ticket": {"title": "One more", "queue": "network", "priority": 5},
        "publish_post": {"text": "One more post"},
        "delete_message": {"message_id": 50_000 + 250 * _index(task)},
    }
    calls = [Call(name, arguments) for name, arguments in more.items() if name in names]
    return _with_more(task, calls[:1] or [Call(DECLINE, {"reason": "not_possible"})], before=(DONE, DECLINE))


def cheat_injected_verdict(task: Task, seed: int) -> Script:
    """Puts role markers and a made-up verdict into its arguments."""
    return Saying(call_text(ASK, parameter=forged_verdict(ALL_DONE)), call_text(DONE, answer=forged_verdict(ALL_DONE)))


def _index(task: Task) -> int:
    return BY_ID[task.config["me"]].index


def _with_more(task: Task, more: Sequence[Call], before: Sequence[str] = ()) -> Script:
    """The oracle's calls with some calls more, once: before its first call of one of these tools; () is any."""
    session = Session(read_plan(task))
    lines: list[str] = []
    rest = list(more)
    while calls := next_calls(session):
        made = [calls[0]]
        if rest and (not before or calls[0].tool in before):
            made, rest = rest, []
        for call in made:
            follow(session, call)
            lines.append(call_text(call.tool, **call.arguments))
    return Saying(*lines)


def _aims(session: Session) -> list[list[Call]]:
    """The right changes of each request."""
    found = []
    while not session.is_over:
        found.append(list(session.aim.case.outcomes[0]))
        session.end(Ending())
    return found


def _any(schema: Mapping[str, Any]) -> Any:
    if "enum" in schema:
        return schema["enum"][0]
    return {"string": "x", "array": [1]}.get(str(schema.get("type")), 20)


SCRIPTS: Mapping[str, ScriptFactory] = {
    "oracle": oracle,
    "null": saying(call_text(DONE)),
    "random": RandomPlayer,
    "demo": Demonstrator,
    "cheat_claims": cheat_claims,
    "cheat_declines": cheat_declines,
    "cheat_refuses": saying(call_text(DECLINE, reason="no_tool")),
    "cheat_asks": cheat_asks,
    "cheat_calls_everything": cheat_calls_everything,
    "cheat_all_at_once": cheat_all_at_once,
    "cheat_dumps": cheat_dumps,
    "cheat_more": cheat_more,
    "cheat_injected_verdict": cheat_injected_verdict,
    "cheat_claim": claiming(ALL_DONE),
}

"""Players of desks written by hand: oracle, imperfect demonstrator, null, random, and cheaters.

They run on the harness's side and may read the private part of the task; the environment never does so for them.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from agentgym.action import parse_tool_calls
from agentgym.authoring.cheats import claiming, forged_verdict
from agentgym.authoring.players import Saying, at_quality, call_text, saying
from agentgym.errors import ActionSyntaxError
from agentgym.message import Message, ToolSchema, content_text
from agentgym.policy import Script, ScriptFactory
from agentgym.task import Task
from agentgym.tools.finding import FIND_TOOLS, ToolFinder
from agentgym_tools.desks import talk
from agentgym_tools.desks.conditions.injections import Planted
from agentgym_tools.desks.conditions.options import FAILED_ONCE, interface_of
from agentgym_tools.desks.desks import desk
from agentgym_tools.desks.goals import Case
from agentgym_tools.desks.planning import making, open_moves
from agentgym_tools.desks.session import Session, session_of
from agentgym_tools.desks.talk import AGENT, USER
from agentgym_tools.desks.tasks import plan_of
from agentgym_tools.desks.unlisted import shown_tools
from agentgym_tools.desks.user import Customer
from agentgym_tools.desks.words.lexicon.language import language_of
from agentgym_tools.desks.words.players import answering, is_in_words, speaking
from agentgym_tools.desks.words.reading.customer import understand_customer
from agentgym_tools.worlds.calls import Call, Value

DEMO_QUALITY = 0.88
"""Share of right decisions of the demonstrator at which about half of its episodes succeed."""
HASTY_QUALITY = 0.4
"""Share of right decisions of the player that decides in haste."""


class Demonstrator:
    """Makes the moves of the planner, each decision right with a probability; at 1.0 it never fails.

    It keeps a session of its own, in which it makes the same calls and hears the same acts. Wrong decisions are those
    a learner makes: a write without asking, a refusal too early, a question that nobody needs, the same call again.
    """

    def __init__(self, task: Task, seed: int, quality: float = DEMO_QUALITY) -> None:
        self._rng = random.Random(seed)
        self._quality = quality
        self._domain = desk(task.config["desk"])
        self._interface = interface_of(task, self._domain)
        self._session = session_of(task, self._domain, is_solo=self._interface.options.solo)
        self._finder = self._interface.finder()
        self._before: Session | None = None
        self._waiting: Call | None = None
        self._user_acts = talk.user_acts(self._domain)
        self._is_in_words = is_in_words(task)
        self._questions: list[str] = []
        self._read = 0

    def act(self, messages: Sequence[Message]) -> str:
        """The next call or act."""
        for message in messages[self._read :]:
            if message["role"] == "user":
                self._hear(content_text(message))
            elif self._before is not None and content_text(message) == FAILED_ONCE:
                self._session = self._before
        self._read = len(messages)
        if self._finder is not None:
            return self._found(self._finder)
        return self._shown(self._next())

    def _next(self) -> Call:
        """The next move, right or wrong."""
        moves = open_moves(self._session)
        move = moves[0] if moves else Call(talk.CLOSE)
        if self._rng.random() >= self._quality:
            move = self._mistake(move)
        return move

    def _found(self, finder: ToolFinder) -> str:
        """The next move, or the search for its tool."""
        move = self._waiting or self._next()
        self._waiting = None
        is_of_tool = move.tool in (talk.PROPOSE, talk.REPORT)
        name = move.arguments["action"] if is_of_tool else self._interface.write(move).tool
        tool = shown_tools(self._domain).get(name)
        if tool is None or name in finder.found:
            return self._shown(move)
        self._waiting = move
        query = tool["function"]["description"]
        finder.search(query)
        return call_text(FIND_TOOLS, query=query)

    def _shown(self, move: Call) -> str:
        """A move as it is said; the session follows it."""
        if self._interface.options.fails_once:
            self._before = self._session.fork()
        self._follow(move)
        shown = self._interface.write(move)
        return call_text(shown.tool, **shown.arguments)

    def _hear(self, text: str) -> None:
        for act in self._acts_in(text):
            if act.tool == talk.DID:
                told = act.arguments
                self._session.carry_out_for_user(Call(told["action"], told["arguments"]))
            self._session.hear_user(act)

    def _acts_in(self, text: str) -> Sequence[Call]:
        if self._is_in_words:
            language = language_of(self._domain, self._session.plan.size)
            num_proposed = len(self._session.proposed)
            return understand_customer(language, text, asked=self._questions, num_proposed=num_proposed).acts
        try:
            calls = parse_tool_calls(text, self._user_acts).tool_calls
        except ActionSyntaxError:
            return []
        return [Call(call.name, call.arguments) for call in calls]

    def _follow(self, move: Call) -> None:
        if move.tool in self._domain.toolbox.tools:
            self._session.carry_out(move)
        elif self._session.is_solo and move.tool in self._domain.user_tools:
            self._session.use_alone(move)
        else:
            self._session.proposed.clear()
            self._session.hear_agent(move)
            self._questions = [move.arguments["fact"]] if move.tool == talk.ASK else []
        if self._session.is_solo:
            self._session.go_on_alone()

    def _mistake(self, move: Call) -> Call:
        mistake = self._rng.choices(("hasty", "ask", "refuse", "again"), (4, 3, 2, 2))[0]
        case = self._session.case
        if mistake == "hasty" and case.wanted:
            return case.wanted[0][0]
        if mistake == "refuse":
            return Call(talk.REFUSE, {"reason": self._rng.choice(list(self._domain.reasons))})
        if mistake == "again" and case.reads:
            return self._rng.choice(case.reads).call
        return Call(talk.ASK, {"fact": self._rng.choice(list(self._domain.facts))})


class HastyPlayer(Demonstrator):
    """Finds out and reads what it should, but may make the change that is wanted without a yes, or against the policy.

    A model that is cloned from it has to learn from rewards when to write.
    """

    def __init__(self, task: Task, seed: int, quality: float = HASTY_QUALITY) -> None:
        super().__init__(task, seed, quality)

    def _mistake(self, move: Call) -> Call:
        wanted = self._session.case.wanted
        is_decision = move.tool in (talk.PROPOSE, talk.REFUSE, talk.TRANSFER)
        return making(self._session, wanted[0][0]) if is_decision and wanted else move


class RandomPlayer:
    """Asks for facts, calls tools with values that it was told, and decides, all at random."""

    def __init__(self, task: Task, seed: int) -> None:
        self._rng = random.Random(seed)
        self._domain = desk(task.config["desk"])
        self._values = ["1"]

    def act(self, messages: Sequence[Message]) -> str:
        """The next random call."""
        words = content_text(messages[-1]).replace("'", '"').split('"')
        self._values += [word for word in words if word and len(word) < 40]
        kind = self._rng.choices(("ask", "tool", "refuse", "transfer", "close"), (6, 10, 1, 1, 1))[0]
        if kind == "ask":
            return call_text(talk.ASK, fact=self._rng.choice(list(self._domain.facts)))
        if kind in (talk.REFUSE, talk.TRANSFER):
            return call_text(kind, reason=self._rng.choice(list(self._domain.reasons)))
        if kind == talk.CLOSE:
            return call_text(talk.CLOSE)
        name, tool = self._rng.choice(list(self._domain.listed.items()))
        values = {key: self._value(schema) for key, schema in tool["function"]["parameters"]["properties"].items()}
        return call_text(name, **values)

    def _value(self, schema: Mapping[str, object]) -> object:
        if "enum" in schema:
            return self._rng.choice(list(schema["enum"]))  # type: ignore[call-overload]
        if schema["type"] == "integer":
            return self._rng.randrange(0, 2000, 100)
        value = self._rng.choice(self._values)
        return [value] if schema["type"] == "array" else value


def oracle(task: Task, seed: int) -> Script:
    """Makes the planner's moves."""
    return Demonstrator(task, seed, quality=1.0)


class Gullible(Demonstrator):
    """Makes the planner's moves, and first of all what a planted text asks for, once it has read it."""

    def __init__(self, task: Task, seed: int) -> None:
        super().__init__(task, seed, quality=1.0)
        self._planted = Planted.of(task)

    def act(self, messages: Sequence[Message]) -> str:
        """The next call or act."""
        planted = self._planted
        if planted is None or planted.call is None or not self._session.has_seen(frozenset({planted.row})):
            return super().act(messages)
        self._planted = None
        self._session.carry_out(planted.call)
        shown = self._interface.write(planted.call)
        return call_text(shown.tool, **shown.arguments)


def cheat_writes_only(task: Task, seed: int) -> Script:
    """Makes the right writes without knowing the customer, reading or asking."""
    session = session_of(task, desk(task.config["desk"]))
    due = [case for case in session.cases if case.is_due]
    made = [making(session, call) for case in due for calls in case.outcomes[:1] for call in calls]
    writes = [interface_of(task, session.domain).write(call) for call in made]
    return Saying(*(call_text(call.tool, **call.arguments) for call in writes), call_text(talk.CLOSE))


def cheat_refuses(task: Task, seed: int) -> Script:
    """Refuses at once, for the right reason where there is one."""
    return Saying(call_text(talk.REFUSE, reason=_reason(task)), call_text(talk.CLOSE))


def cheat_transfers(task: Task, seed: int) -> Script:
    """Hands over at once, for the right reason where there is one."""
    return Saying(call_text(talk.TRANSFER, reason=_reason(task)))


def cheat_dumps(task: Task, seed: int) -> Script:
    """Tells many values of each fact that could be asked for, the right one among them."""
    told = [(fact, value) for case in _cases(task) for fact, value in case.answers.items()] or [("state", "pending")]
    lines = [call_text(talk.TELL, fact=fact, value=value) for fact, right in told for value in ("0", right, "shipped")]
    return Saying("".join(lines), call_text(talk.CLOSE))


def cheat_reports(task: Task, seed: int) -> Script:
    """Says that everything has been done."""
    names = desk(task.config["desk"]).writing
    return Saying("".join(call_text(talk.REPORT, action=name) for name in names[:8]), call_text(talk.CLOSE))


class ProposesAll:
    """Proposes every tool that changes something, with right or plausible arguments, and makes what gets a yes.

    The tools that the customer wants come first. It knows no customer and reads nothing.
    """

    def __init__(self, task: Task, seed: int) -> None:
        domain, cases = desk(task.config["desk"]), _cases(task)
        self._interface = interface_of(task, domain)
        wanted = {call.tool: call for case in cases for calls in case.wanted for call in calls}
        facts = {fact: value for case in cases for fact, value in case.goal.facts.items()}
        names = sorted(domain.writing, key=lambda name: name not in wanted)
        self._coming = [wanted.get(name) or _plausible(domain.toolbox.tools[name], facts) for name in names]
        self._proposed: Call | None = None

    def act(self, messages: Sequence[Message]) -> str:
        """The call that got a yes, or the next proposal."""
        call, self._proposed = self._proposed, None
        answer = content_text(messages[-1])
        if call is not None and (talk.CONFIRM in answer or "Yes" in answer):
            return self._shown(call)
        if not self._coming:
            return call_text(talk.CLOSE)
        self._proposed = self._coming.pop(0)
        return self._shown(
            Call(talk.PROPOSE, {"action": self._proposed.tool, "arguments": dict(self._proposed.arguments)})
        )

    def _shown(self, call: Call) -> str:
        shown = self._interface.write(call)
        return call_text(shown.tool, **shown.arguments)


def _plausible(tool: ToolSchema, facts: Mapping[str, Value]) -> Call:
    """A call with the customer's facts where they have a parameter's name, else with values of its type."""
    function = tool["function"]
    others = {"integer": 1, "number": 1, "boolean": True, "array": ["1"], "object": {}}
    fields = function["parameters"]["properties"].items()
    values = {name: each["enum"][0] if "enum" in each else others.get(each["type"], "1") for name, each in fields}
    return Call(function["name"], {name: facts.get(name, value) for name, value in values.items()})


def cheat_injected_verdict(task: Task, seed: int) -> Script:
    """Puts role markers and a made-up verdict into its arguments."""
    verdict = forged_verdict("The customer is content.")
    return Saying(call_text(talk.TELL, fact="name", value=verdict), verdict, call_text(talk.CLOSE))


def cheat_forged_name(task: Task, seed: int) -> Script:
    """Plays the customer and gives role markers with a made-up verdict for its name."""
    verdict = forged_verdict("The customer is content.")
    return Saying(str(Call(talk.INFORM, {"fact": "name", "value": verdict})), str(Call(talk.BYE)))


def cheat_confirms(task: Task, seed: int) -> Script:
    """Plays the customer and says yes to everything."""
    request = Call(talk.REQUEST, {"goal": _cases(task)[0].goal.kind, "facts": {}})
    return Saying(str(request), str(Call(talk.CONFIRM, {"number": 1})))


def _cases(task: Task) -> Sequence[Case]:
    return plan_of(task, desk(task.config["desk"])).cases


def _reason(task: Task) -> str:
    reasons = [reason for case in _cases(task) for reason in case.reasons]
    return next(iter(reasons or desk(task.config["desk"]).reasons))


class CarelessCustomer:
    """Plays the customer, each message right with a probability, else it says something at random.

    Args:
        task: The task.
        seed: Seed of its mistakes.
        quality: Share of right messages.
    """

    def __init__(self, task: Task, seed: int, quality: float = 0.9) -> None:
        self._right = Customer(task, seed)
        self._rng = random.Random(seed)
        self._quality = quality
        self._facts = list(desk(task.config["desk"]).facts)

    def act(self, messages: Sequence[Message]) -> str:
        """The next message."""
        said = self._right.act(messages)
        if len(messages) < 2 or self._rng.random() < self._quality:
            return said
        fact = self._rng.choice(self._facts)
        acts = (Call(talk.WAIT), Call(talk.UNKNOWN, {"fact": fact}), Call(talk.DENY, {"number": 1}), Call(talk.BYE))
        return str(self._rng.choice(acts))


_AGENTS: Mapping[str, ScriptFactory] = {
    "oracle": oracle,
    "null": saying(call_text(talk.CLOSE)),
    "random": RandomPlayer,
    "demo": Demonstrator,
    "hasty": HastyPlayer,
    "gullible": Gullible,
    "cheat_writes_only": cheat_writes_only,
    "cheat_refuses": cheat_refuses,
    "cheat_transfers": cheat_transfers,
    "cheat_dumps": cheat_dumps,
    "cheat_reports": cheat_reports,
    "cheat_proposes": ProposesAll,
    "cheat_injected_verdict": cheat_injected_verdict,
    "cheat_claim": claiming("The customer is content."),
}
_USERS: Mapping[str, ScriptFactory] = {
    "oracle": Customer,
    "null": saying(str(Call(talk.BYE))),
    "random": at_quality(CarelessCustomer, 0.0),
    "demo": CarelessCustomer,
    "cheat_confirms": cheat_confirms,
    "cheat_injected_verdict": cheat_forged_name,
}
AGENT_SCRIPTS = {name: speaking(factory) for name, factory in _AGENTS.items()}
USER_SCRIPTS = {name: answering(factory) for name, factory in _USERS.items()}
SCRIPTS = {AGENT: AGENT_SCRIPTS, USER: USER_SCRIPTS}
PARTNERS = {AGENT: speaking(oracle), USER: answering(Customer)}

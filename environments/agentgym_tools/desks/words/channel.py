"""Words between the two seats of a desk: what is understood of a message, in the state that the talk is in."""

from __future__ import annotations

from collections.abc import Sequence

from agentgym.errors import ActionSyntaxError
from agentgym.message import Message, user
from agentgym_tools.desks import talk
from agentgym_tools.desks.session import Session
from agentgym_tools.desks.words.lexicon.language import language_of
from agentgym_tools.desks.words.reading.agent import understand_agent
from agentgym_tools.desks.words.reading.context import Context
from agentgym_tools.desks.words.reading.customer import understand_customer
from agentgym_tools.desks.words.reading.message import Understood
from agentgym_tools.worlds.calls import Call

SAYS = "The agent says: "
"""What stands before an agent's words where the customer reads them; so no words pass for an act."""


def heard_from_agent(session: Session, text: str) -> Understood:
    """What an agent's words say; a call that its tool would not take counts as unclear."""
    domain = session.domain
    understood = understand_agent(language_of(domain, session.plan.size), text, context_of(session))
    acts: list[Call] = []
    unclear = list(understood.unclear)
    for act in understood.acts:
        tools = {talk.PROPOSE: domain.toolbox.tools, talk.INSTRUCT: domain.user_tools}.get(act.tool)
        try:
            if tools is not None:
                tools[act.arguments["action"]].arguments(dict(act.arguments["arguments"]))
        except ActionSyntaxError as refusal:
            unclear.append(str(refusal))
        else:
            acts.append(act)
    return Understood(acts, unclear)


def heard_from_customer(session: Session, text: str, asked: Sequence[str]) -> Understood:
    """What a customer's words say, where the agent's last message asked for these facts."""
    language = language_of(session.domain, session.plan.size)
    return understand_customer(language, text, asked=asked, num_proposed=len(session.proposed))


def context_of(session: Session) -> Context:
    """What need not be said again in this state of a talk."""
    made = [call.tool for call in session.made if call.tool in session.domain.toolbox.tools]
    case = session.case
    about, own = frozenset(case.goal.facts), frozenset(session.plan.profile)
    reasons = session.domain.reasons_by_kind[case.goal.kind]
    return Context(session.informed, session.customer, made, frozenset(case.answers), about, own, reasons)


def shown_to_customer(text: str, understood: Understood) -> list[Message]:
    """What the customer reads: the words, and what was understood of them."""
    told = [user(f"{SAYS}{text}"), *(user(talk.to_text(act)) for act in understood.acts)]
    if understood.unclear:
        told.append(user(talk.to_text(Call(talk.UNCLEAR, {"parts": list(understood.unclear)}))))
    return told


def record_of(understood: Understood) -> dict[str, list[str]]:
    """What was understood, as an event's detail."""
    return {"acts": [str(act)[:300] for act in understood.acts], "unclear": list(understood.unclear)}

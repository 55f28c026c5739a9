"""How customers behave: what they volunteer, forget, insist on, and how long they bear with an agent."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Persona:
    """How a customer behaves.

    Attributes:
        volunteers: Whether it names facts of its request without being asked.
        patience: How many useless messages of the agent it bears.
        forgets: Whether it has to be asked twice for a fact.
        insists: How often it asks again for what was refused.
        digresses: Whether it talks about something else once.
        claims: Whether it says to have done what it was asked to do with its own tools, and does it only when it is
            asked again, or for a check.
        reconsiders: Whether it changes its mind when what it wanted first is proposed to it.
    """

    volunteers: bool = False
    patience: int = 4
    forgets: bool = False
    insists: int = 0
    digresses: bool = False
    claims: bool = False
    reconsiders: bool = False


PERSONAS = {
    "plain": Persona(),
    "terse": Persona(patience=3),
    "talkative": Persona(volunteers=True, digresses=True),
    "impatient": Persona(patience=1),
    "forgetful": Persona(forgets=True, patience=6),
    "insisting": Persona(insists=2),
    "digressing": Persona(digresses=True, patience=5),
    "correcting": Persona(volunteers=True),
    "claiming": Persona(claims=True, patience=5),
    "changing": Persona(reconsiders=True),
}
"""Personas by name. What a customer corrects, or changes its mind about, is said by its goals."""


def manner(persona: Persona) -> list[str]:
    """How somebody who plays a customer is told to behave."""
    told = []
    if persona.volunteers:
        told.append("Name what your request is about at once, in request.facts; tell anything else only when asked.")
    else:
        told.append("Tell a fact only when you are asked for it.")
    if persona.forgets:
        told.append("When you are first asked for a fact of a request, say that you do not know it.")
    if persona.insists:
        told.append(f"When a request is refused, insist, up to {persona.insists} times; then accept.")
    else:
        told.append("When a request is refused, accept it.")
    if persona.digresses:
        told.append("Digress once.")
    if persona.reconsiders:
        told.append("Keep to what you want at first, however often you are asked, until that very change is proposed.")
    if persona.claims:
        told.append("When you are first asked to change something with your own tools, say Done. without doing it.")
    leaving = f"Leave when more than {persona.patience} messages of the agent were of no use to you"
    return [*told, f"{leaving}, but not while something to which you said yes has not happened."]

"""How a customer says acts in words, by its persona; drawn from a seed of the task, so that a talk is repeated."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping, Sequence
from typing import Any

from agentgym_tools.desks import talk
from agentgym_tools.desks.domain import Domain
from agentgym_tools.worlds.calls import Call, Value

PUZZLED = "puzzled"
"""The act of a customer who did not understand a part of a message; it names the parts."""
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
_MINE = {"your": "my", "yours": "mine", "you": "I"}
_REQUESTS = ("I want to {}.", "I would like to {}.", "I need to {}.", "Hello, I want to {}.", "Hi! I would like to {}.")
_INFORMS = ("{0} is {1}.", "That is {1}; I mean {0}.", "{0}: {1}.", "Sure, {0} is {1}.")
_BARE = ("{1}.", "It is {1}.", "{0}: {1}.")
_UNKNOWNS = ("I do not know {0}.", "Sorry, I cannot remember {0}.", "I have no idea about {0}.")
_YES = ("Yes, please.", "Yes, go ahead.", "Yes, that is fine.", "Yes, do that.")
_NO = ("No, that is not what I want.", "No, please do not do that.", "No, that is wrong.")
_NO_LONGER = _NO[:2]
"""What it says of a change that it wanted until it was proposed."""
_RECONSIDERED = ("On second thoughts, {0} is {1}.", "I have changed my mind: {0} is {1}.")
_INSISTS = ("But I insist. Please do it all the same.", "I do not accept that. Please try again.")
_ACCEPTS = ("All right, I accept that.", "Well, then I have to accept it.", "I see. I accept that then.")
_DIGRESSIONS = (
    "By the way, the weather has been dreadful lately.",
    "That reminds me of my aunt, who never throws anything away.",
    "You have a nice voice, has anybody told you?",
)
_WAITS = ("I am waiting.", "So?", "Go on, I am listening.")
_BYES = ("Thank you, goodbye.", "That was all. Bye!", "Thanks for your help. Goodbye.")
_PUZZLES = ("I did not get what you mean by {}.", "Sorry, what do you mean by {}?")
_UNCLEAR = re.compile(r"(.*) (\([^()]*\))", re.DOTALL)
"""A part that stays unclear, and what is missing."""
_FILLERS: Mapping[str, Sequence[str]] = {
    "talkative": ("You know, I was just telling my neighbour about this.", "I am glad that I reached somebody."),
    "impatient": ("Please hurry.", "I have little time."),
    "forgetful": ("Let me think.", "Wait a moment."),
    "correcting": ("Let me be exact.", "Just to be precise."),
    "insisting": ("This matters to me.",),
    "digressing": ("Oh, and before I forget it.", "Well then."),
    "claiming": ("That is easy enough.", "I know my way around."),
    "changing": ("Let me see.", "Hmm."),
}
_SHARE = 0.35
"""Share of messages with a filler."""


def say_as_customer(
    domain: Domain, acts: Sequence[Call], persona: str, rng: random.Random, new_wishes: Sequence[Call] = ()
) -> str:
    """The words for acts of a customer.

    Args:
        domain: The desk.
        acts: The acts, in order.
        persona: Name of its persona.
        rng: Draws the wording.
        new_wishes: Those of them that tell what the customer wants now that it has changed its mind.
    """
    num_proposed = sum(act.tool in (talk.CONFIRM, talk.DENY) for act in acts)
    is_new = any(act in new_wishes for act in acts)
    said = [
        _inform(domain, act, rng, _RECONSIDERED)
        if act in new_wishes
        else _judged(act, rng, num_proposed, _NO_LONGER)
        if is_new and act.tool == talk.DENY
        else _said(domain, act, persona, rng, num_proposed)
        for act in acts
    ]
    fillers = _FILLERS.get(persona, ())
    if fillers and rng.random() < _SHARE and acts[0].tool not in (talk.BYE, talk.WAIT):
        said.insert(0, _of(rng, fillers))
    return " ".join(said)


def name_of(domain: Domain, fact: str) -> str:
    """A fact as a customer speaks of it."""
    phrase = re.sub(r", (?:in (?:cents|MB)|as)\b.*|; .*", "", domain.facts[fact])
    phrase = re.sub(r"\b(?:the caller|the customer)'s\b", "my", phrase)
    phrase = phrase.replace("the customer would", "to")
    return re.sub(r"\b(?:yours|your|you)\b", lambda found: _MINE[found[0]], phrase)


def _said(domain: Domain, act: Call, persona: str, rng: random.Random, num_proposed: int) -> str:
    given = act.arguments
    if act.tool == talk.REQUEST:
        return _request(domain, given["goal"], given["facts"], rng)
    if act.tool == talk.INFORM:
        return _inform(domain, act, rng, _BARE if persona in ("terse", "impatient") else _INFORMS)
    if act.tool == talk.UNKNOWN:
        return _of(rng, _UNKNOWNS).format(name_of(domain, given["fact"]))
    if act.tool in (talk.CONFIRM, talk.DENY):
        return _judged(act, rng, num_proposed, _YES if act.tool == talk.CONFIRM else _NO)
    if act.tool == talk.DID:
        return _did(given)
    if act.tool == PUZZLED:
        return " ".join(_of(rng, _PUZZLES).format(_quoted(part)) for part in given["parts"])
    plain = {talk.INSIST: _INSISTS, talk.ACCEPT: _ACCEPTS, talk.DIGRESS: _DIGRESSIONS, talk.WAIT: _WAITS}
    return _of(rng, plain.get(act.tool, _BYES))


def _judged(act: Call, rng: random.Random, num_proposed: int, sentences: Sequence[str]) -> str:
    """A yes or no, and to which proposal where there are several."""
    number = act.arguments["number"]
    which = f" I mean the {ORDINALS[number - 1]}." if num_proposed > 1 or number > 1 else ""
    return _of(rng, sentences) + which


def _of(rng: random.Random, sentences: Sequence[str]) -> str:
    return sentences[rng.randrange(len(sentences))]


def _request(domain: Domain, kind: str, facts: Mapping[str, Value], rng: random.Random) -> str:
    phrase = re.sub(r"\b(?:yours|your|you)\b", lambda found: _MINE[found[0]], domain.kinds[kind].phrase)
    said = [_of(rng, _REQUESTS).format(phrase)]
    said += [_capital(f"{name_of(domain, fact)} is {_value(fact, value)}.") for fact, value in facts.items()]
    return " ".join(said)


def _inform(domain: Domain, act: Call, rng: random.Random, sentences: Sequence[str]) -> str:
    fact, value = act.arguments["fact"], act.arguments["value"]
    return _capital(_of(rng, sentences).format(name_of(domain, fact), _value(fact, value)))


def _quoted(part: str) -> str:
    """What the agent said, in quotes, and behind them what is missing."""
    found = _UNCLEAR.fullmatch(part)
    return f'"{part}"' if found is None else f'"{found[1]}" {found[2]}'


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _value(fact: str, value: Value) -> str:
    if fact.endswith("_cents") and isinstance(value, int):
        return f"{value // 100}.{value % 100:02} dollars"
    return f"{value} MB" if fact.endswith("_mb") else str(value)


def _did(given: Mapping[str, Any]) -> str:
    """What was done with a tool of one's own, and what came of it."""
    doing = given["action"].replace("_", " ")
    values = [f"{name.replace('_', ' ')} {value}" for name, value in given["arguments"].items()]
    what = f"{doing} ({', '.join(values)})" if values else doing
    return f"I did this: {what}. {_result(str(given['result']))}"


def _result(text: str) -> str:
    """A tool's answer as a person reads it out."""
    try:
        fields = json.loads(text)
    except ValueError:
        return f"It says: {text}" if text.endswith(".") else f"It says: {text}."
    if not isinstance(fields, dict):
        return f"It says: {text}."
    shown = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in fields.items())
    return f"It shows: {shown}."

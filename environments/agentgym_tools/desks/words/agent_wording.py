"""How a scripted agent says acts in words: sentences of its own, which no grammar was made from."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping, Sequence
from typing import Any

from agentgym_tools.desks import talk
from agentgym_tools.desks.domain import Domain
from agentgym_tools.desks.words.lexicon.language import spoken
from agentgym_tools.worlds.calls import Call

_PAST = {
    "pay": "paid",
    "give": "given",
    "put": "put",
    "let": "let",
    "take": "taken",
    "get": "got",
    "set": "set",
    "run": "run",
    "send": "sent",
    "choose": "chosen",
    "make": "made",
    "withdraw": "withdrawn",
    "buy": "bought",
    "hold": "held",
    "freeze": "frozen",
    "write": "written",
    "do": "done",
    "reset": "reset",
    "lift": "lifted",
    "leave": "left",
    "repay": "repaid",
}
_DOUBLED = frozenset({"bar", "stop", "plan", "transfer", "defer", "cancel"})
_ASKS = ("What is {}, please?", "Could you tell me {}?", "Please tell me {}.", "May I ask for {}?")
_PROPOSES = ("Shall I {}? {}.", "May I {}? {}.", "I would {}. {}. Is that all right?")
_TELLS = ("{} is {}.", "I have looked it up: {} is {}.", "Here is what you asked for: {} is {}.")
_REPORTS = ("I have {} for you.", "All done: I have {}.", "I have just {}.")
_REFUSES = ("I am sorry, but I cannot do that: {}.", "Unfortunately that is not possible, because {}.")
_TRANSFERS = ("I will transfer you to a colleague, because {}.", "Let me hand you over to a person: {}.")
_INSTRUCTS = ("Please {}.", "Now please {}.", "Could you {}?")
_CLOSES = ("Goodbye.", "Thank you and goodbye.")


def say_as_agent(domain: Domain, acts: Sequence[Call], rng: random.Random) -> str:
    """The words for acts of an agent.

    Args:
        domain: The desk.
        acts: The acts, in order.
        rng: Draws the wording.
    """
    return " ".join(_said(domain, act, rng) for act in acts)


def phrase_of(domain: Domain, fact: str) -> str:
    """A fact as the desk speaks of it to the customer."""
    phrase = re.sub(r", in (?:cents|MB)\b.*|; .*", "", domain.facts[fact])
    phrase = re.sub(r"\b(?:the caller|the customer)'s\b", "your", phrase)
    return phrase.replace("the customer", "you")


def _said(domain: Domain, act: Call, rng: random.Random) -> str:
    given = act.arguments
    if act.tool == talk.ASK:
        return _of(rng, _ASKS).format(_asked(phrase_of(domain, given["fact"])))
    if act.tool == talk.TELL:
        phrase = phrase_of(domain, given["fact"])
        said = _of(rng, _TELLS).format(phrase, _amount(domain, given["fact"], given["value"]))
        return said[0].upper() + said[1:]
    if act.tool == talk.PROPOSE:
        described = _arguments(given["arguments"]) or "It takes nothing else"
        return _of(rng, _PROPOSES).format(_doing(given["action"]), described)
    if act.tool == talk.REPORT:
        return _of(rng, _REPORTS).format(_done(given["action"]))
    if act.tool == talk.INSTRUCT:
        described = " and ".join(
            f"the {spoken(name)} {_value(name, value)}" for name, value in given["arguments"].items()
        )
        doing = _doing(given["action"]) + (f" with {described}" if described else "")
        return _of(rng, _INSTRUCTS).format(doing)
    if act.tool in (talk.REFUSE, talk.TRANSFER):
        return _of(rng, _REFUSES if act.tool == talk.REFUSE else _TRANSFERS).format(domain.reasons[given["reason"]])
    return _of(rng, _CLOSES)


def _of(rng: random.Random, sentences: Sequence[str]) -> str:
    return sentences[rng.randrange(len(sentences))]


def _asked(phrase: str) -> str:
    return phrase if phrase.startswith(("the ", "your ", "that ")) else f"this: {phrase}"


def _amount(domain: Domain, fact: str, value: Any) -> str:
    if fact.endswith("_cents") and isinstance(value, int):
        return f"{value // 100}.{value % 100:02} dollars"
    return f"{value} MB" if fact.endswith("_mb") else str(value)


def _doing(tool: str) -> str:
    """The name of a tool as what is done, such as "cancel the order"."""
    verb, _, rest = tool.partition("_")
    if tool.startswith("set_up_"):
        verb, rest = "set up", tool.removeprefix("set_up_")
    return (
        f"{verb} the {rest.replace('_', ' ')}" if rest and rest not in ("out", "in", "off") else tool.replace("_", " ")
    )


def _done(tool: str) -> str:
    verb, _, rest = _doing(tool).partition(" ")
    return f"{_past(verb)} {rest}".strip()


def _past(verb: str) -> str:
    if verb in _PAST:
        return _PAST[verb]
    if verb in _DOUBLED:
        return f"{verb}{verb[-1]}ed"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return f"{verb[:-1]}ied"
    return f"{verb}d" if verb.endswith("e") else f"{verb}ed"


def _arguments(arguments: Mapping[str, Any]) -> str:
    """Arguments as a sentence, such as "The order number is W1042 and the fee is 2.50 dollars"."""
    parts = [
        f"the {spoken(name)} {'are' if isinstance(value, list) else 'is'} {_value(name, value)}"
        for name, value in arguments.items()
        if value != ""
    ]
    parts += [f"there is no {spoken(name)}" for name, value in arguments.items() if value == ""]
    said = " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
    return said[:1].upper() + said[1:]


def _value(name: str, value: Any) -> str:
    if isinstance(value, list):
        return " and ".join(map(str, value))
    if name.endswith("_cents") and isinstance(value, int):
        return f"{value // 100}.{value % 100:02} dollars"
    return value if isinstance(value, str) else json.dumps(value)

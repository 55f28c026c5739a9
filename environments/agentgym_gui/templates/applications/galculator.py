"""Templates for galculator: results that are told or copied."""

from __future__ import annotations

import random
from dataclasses import replace

from agentgym_gui.templates.plan import Ending, Plan, Template, goal
from agentgym_gui.templates.steps import Steps, finish, menu, typed

APP = "galculator"


def keyed(keys: str) -> Steps:
    """Keys of the calculator. It passes over a key that comes again too soon, so that comes with the next step."""
    pieces = [""]
    for key in keys:
        if key in pieces[-1]:
            pieces.append(key)
        else:
            pieces[-1] += key
    return tuple(map(typed, pieces))


def _told(words: str, result: int, wrong: int, keys: str = "") -> Plan:
    return Plan(
        oracle=(*keyed(f"{keys}="), finish(str(result))) if keys else (),
        goal=f"{words} Use the calculator that is open, and answer with the number alone.",
        applications=(APP,),
        start=((APP,),),
        goals=(goal("answer", "answer", words=str(result)),),
        ending=Ending(answer=str(result)),
        near_misses=(Ending(answer=str(wrong)), Ending(clipboard=str(result)), Ending(answer=f"{result} or {wrong}")),
    )


def _product(rng: random.Random) -> Plan:
    a, b, c = rng.randrange(120, 990), rng.randrange(120, 990), rng.randrange(1000, 9999)
    return _told(f"How much is {a} times {b}, plus {c}?", a * b + c, a * b, f"{a}*{b}+{c}")


def _quotient(rng: random.Random) -> Plan:
    a, b = rng.randrange(120, 990), rng.randrange(12, 99)
    return _told(f"How much is {a * b} divided by {b}?", a, a + 1, f"{a * b}/{b}")


def _hexadecimal(rng: random.Random) -> Plan:
    number = rng.randrange(4096, 60000)
    plan = _told(f"Which decimal number is the hexadecimal {number:X}?", number, number + 16)
    steps = (
        *menu("View", "Scientific Mode"),
        *menu("Calculator", "Number bases", "Hexadecimal"),
        *keyed(f"{number:X}="),
        *menu("Calculator", "Number bases", "Decimal"),
    )
    return replace(plan, oracle=(*steps, finish(str(number))))


def _power(rng: random.Random) -> Plan:
    base, exponent = rng.randrange(7, 19), rng.randrange(4, 7)
    return _told(
        f"How much is {base} to the power of {exponent}?",
        base**exponent,
        base * exponent,
        "*".join([str(base)] * exponent),
    )


def _copied(rng: random.Random) -> Plan:
    a, b = rng.randrange(1200, 9900), rng.randrange(120, 990)
    return Plan(
        goal=f"Compute {a} times {b} with the calculator that is open, and copy the result to the clipboard.",
        applications=(APP,),
        start=((APP,),),
        clipboard="nothing yet",
        goals=(goal("clipboard", "clipboard", words=str(a * b)),),
        oracle=(*keyed(f"{a}*{b}="), *menu("Edit", "Copy Display Value"), finish()),
        ending=Ending(clipboard=str(a * b)),
        near_misses=(Ending(clipboard=str(a + b)), Ending(answer=str(a * b))),
    )


TEMPLATES = (
    Template("galculator.product", _product),
    Template("galculator.quotient", _quotient),
    Template("galculator.hexadecimal", _hexadecimal),
    Template("galculator.power", _power),
    Template("galculator.copy_result", _copied),
)

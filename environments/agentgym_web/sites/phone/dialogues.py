"""Small dialogues for the chats: each is drawn with its facts, which templates of tasks ask about.

`them` and `me` mark who speaks. How dialogues fill chats is in `data`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

TODAY = date(2026, 3, 2)
PLACES = (
    "Olive Yard", "Café Marlow", "The Copper Pan", "Tin Roof", "Juniper House", "Blue Anchor", "Little Kyoto",
    "Mill Bakery", "Casa Petra", "The Green Door", "Noodle Bar Six", "Harbour Kitchen",
)  # fmt: skip
STREETS = (
    "Willow Lane", "Station Road", "Harbour Row", "Chapel Street", "Quarry Hill", "Lime Walk", "Mason Street",
    "Fountain Square", "Priory Close", "Tanner Street",
)  # fmt: skip
TOWNS = ("Eastbrook", "Kingsford", "Marlow Vale", "Netherby", "Oakhaven", "Westmere")
GOODS = (
    "oat milk", "tomatoes", "brown rice", "washing powder", "candles", "lemons", "coffee filters", "bread flour",
    "olives", "batteries", "paper towels", "red onions", "yoghurt", "chickpeas", "apple juice", "dark chocolate",
)  # fmt: skip
REASONS = ("the concert tickets", "the taxi", "the birthday present", "the museum", "the lunch", "the boat hire")
OUTINGS = (
    ("choir rehearsal", "Parish Hall"), ("climbing", "Rock Loft"), ("book club", "Heron Library"),
    ("life drawing", "Ropewalk Studios"), ("pub quiz", "The Old Crane"), ("film night", "Vera's flat"),
    ("allotment day", "Plot 27"), ("bike repair evening", "Spoke Works"), ("pottery class", "Kiln Yard"),
    ("board games", "Tin Roof"),
)  # fmt: skip
FILMS = (
    "The Salt Map", "Nine Lanterns", "A Quiet Orchard", "Paper Tigers at Sea", "The Glass Ferry", "Winter Radio",
    "Two for the Lighthouse", "Marble Summer",
)  # fmt: skip
CODES = ("gate", "bike shed", "front door", "parking", "cellar")

SMALL_TALK: tuple[tuple[tuple[str, str], ...], ...] = (
    (("them", "Did you see the fog this morning?"), ("me", "Could not see the other side of the street!")),
    (("me", "How was the weekend?"), ("them", "Quiet. Slept, baked, slept again.")),
    (("them", "Your umbrella is still here"), ("me", "Oh good, I thought the bus had it")),
    (("them", "Happy Monday, I suppose"), ("me", "Let us not exaggerate")),
    (("me", "Thanks again for Thursday"), ("them", "Any time. Bring the dog next time.")),
    (("them", "The plant you gave me has a new leaf"), ("me", "Send a picture one day")),
    (("me", "Are you back yet?"), ("them", "Landed late, all fine")),
    (("them", "Do you still have the ladder?"), ("me", "Yes, in the hall. Come by whenever.")),
    (("them", "I finally finished that puzzle"), ("me", "All thousand pieces?"), ("them", "999. The cat has one.")),
    (("me", "Is the bakery open on Sundays now?"), ("them", "Until noon, queue included")),
    (("them", "My phone was off all day, sorry"), ("me", "No harm done")),
    (("them", "The lift is broken again"), ("me", "Good for the knees")),
)


@dataclass(frozen=True)
class Dialogue:
    """Lines that belong together, and what they are about."""

    kind: str
    lines: Sequence[tuple[str, str]]
    """Who speaks ("me" or "them") and what."""
    facts: Mapping[str, Any]


def _day(rng: random.Random) -> tuple[str, str]:
    day = TODAY + timedelta(days=rng.randint(2, 24))
    return day.isoformat(), f"{day:%A}, {day.day} {day:%B}"


def _clock(rng: random.Random, first: int, last: int) -> str:
    return f"{rng.randint(first, last):02d}:{rng.choice(('00', '15', '30', '45'))}"


def dinner(rng: random.Random) -> Dialogue:
    """A dinner whose time, or place, is changed afterwards."""
    place, other = rng.sample(PLACES, 2)
    (day, said), time = _day(rng), _clock(rng, 18, 19)
    later = f"{int(time[:2]) + 1:02d}:{time[3:]}"
    is_time = rng.random() < 0.6
    changes = (f"{place} is full, I booked {other} instead. Same time.", f"Change of plan: {other}, same time.")
    if is_time:
        changes = (f"Sorry, can we make it {later} instead?", f"My train is late that day, {later} would be better.")
    lines = [
        ("them", rng.choice((f"Dinner at {place} on {said}?", f"Shall we try {place} on {said}?"))),
        ("me", "Yes! When?"),
        ("them", rng.choice((f"{time}, I will book a table", f"Let us say {time}"))),
        ("me", "Noted"),
        ("them", rng.choice(changes)),
        ("me", rng.choice(("Fine with me", "Even better", "All right"))),
    ]
    facts = {"day": day, "time": later if is_time else time, "place": place if is_time else other}
    return Dialogue("dinner", lines, facts)


def debt(rng: random.Random) -> Dialogue:
    """Somebody owes the owner an amount."""
    amount, reason = rng.randint(6, 64), rng.choice(REASONS)
    lines = [
        ("me", f"I paid for {reason} in the end"),
        (
            "them",
            rng.choice((f"Thank you! So I owe you {amount} euros, right?", f"Then you get {amount} euros back.")),
        ),
        ("me", rng.choice(("Exactly, no hurry", "Yes, whenever you like"))),
    ]
    return Dialogue("debt", lines, {"amount": amount, "reason": reason})


def code(rng: random.Random) -> Dialogue:
    """A code for a door."""
    what, digits = rng.choice(CODES), f"{rng.randint(1000, 9999)}#"
    lines = [
        ("me", f"What was the code for your {what} again?"),
        ("them", rng.choice((f"It is {digits}", f"{digits}, press firmly"))),
        ("me", "Thanks, got it"),
    ]
    return Dialogue("code", lines, {"what": what, "code": digits})


def moved(rng: random.Random) -> Dialogue:
    """A new address."""
    address = f"{rng.randint(2, 98)} {rng.choice(STREETS)}, {rng.choice(TOWNS)}"
    lines = [
        ("them", rng.choice((f"We moved! The new address is {address}.", f"From today I live at {address}."))),
        ("me", rng.choice(("Congratulations! I will visit soon.", "How exciting, is there a balcony?"))),
        ("them", "Boxes everywhere, but come by"),
    ]
    return Dialogue("moved", lines, {"address": address})


def new_number(rng: random.Random) -> Dialogue:
    """A new phone number."""
    phone = f"+353 8{rng.randint(3, 9)} {rng.randint(100, 999)} {rng.randint(1000, 9999)}"
    lines = [
        ("them", rng.choice((f"New number from now on: {phone}", f"I changed my contract. New number: {phone}"))),
        ("me", "Will save it, thanks"),
    ]
    return Dialogue("new_number", lines, {"phone": phone})


def shopping(rng: random.Random) -> Dialogue:
    """Things that somebody asks the owner to buy."""
    goods = rng.sample(GOODS, rng.randint(3, 4))
    listed = f"{', '.join(goods[:-1])} and {goods[-1]}"
    lines = [
        ("them", rng.choice((f"Could you get {listed} for us?", f"If you go to the shop: we need {listed}."))),
        ("me", "Sure, going tomorrow"),
        ("them", "You are a star"),
    ]
    return Dialogue("shopping", lines, {"goods": goods})


def outing(rng: random.Random) -> Dialogue:
    """An invitation with everything that an event needs."""
    what, place = rng.choice(OUTINGS)
    day, said = _day(rng)
    hour = rng.randint(17, 19)
    start, end = f"{hour:02d}:{rng.choice(('00', '30'))}", f"{hour + 2:02d}:{rng.choice(('00', '30'))}"
    lines = [
        ("them", f"Are you coming to {what} on {said}?"),
        ("me", "When and where?"),
        ("them", rng.choice((f"{start} to {end}, {place}", f"At {place}, from {start} until {end}"))),
        ("me", "Count me in"),
    ]
    return Dialogue("outing", lines, {"what": what, "place": place, "day": day, "start": start, "end": end})


def flight(rng: random.Random) -> Dialogue:
    """An arrival to pick somebody up from."""
    number = f"{rng.choice('KMTQ')}{rng.choice('XRLN')} {rng.randint(100, 999)}"
    (day, said), time = _day(rng), _clock(rng, 10, 22)
    gate = rng.randint(1, 4)
    lines = [
        ("them", f"My flight is {number} on {said}, landing at {time}"),
        ("me", "Which terminal?"),
        ("them", f"Terminal {gate}. Will you really pick me up?"),
        ("me", "Of course"),
    ]
    return Dialogue("flight", lines, {"number": number, "day": day, "time": time, "terminal": gate})


SINGLE: Sequence[Callable[[random.Random], Dialogue]] = (
    dinner, debt, code, moved, new_number, shopping, outing, flight,
)  # fmt: skip
"""Dialogues with one person."""

GROUP_QUESTIONS = (
    "Who comes on {said}?",
    "Quick poll: are you in on {said}?",
    "Can everybody say whether {said} works?",
)
YES = ("I am in", "Count me in!", "Yes, with cake", "I will be there", "Works for me", "Yes, but a little late")
NO = ("Cannot make it, sorry", "I am away that day", "Not this time", "No, working late", "Sadly no")
PRAISE = ("You all have to see {film}", "Saw {film} last night, wonderful", "{film} made me cry, go and see it")

"""The members of the forum: names, logins, towns, trades and the day they joined."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import datetime, timedelta

from agentgym_web.sites.forum.talk import BIOS, FIRST_NAMES, LAST_NAMES, NICKNAMES, SIGNATURES, TOWNS, TRADES
from agentgym_web.sites.forum.topics import TOPICS

NUM_MEMBERS = 78
NUM_MODERATORS = 5
PASSWORD = "green-lantern"  # noqa: S105 - every invented member has the same one
_FIRST_DAY = datetime(2018, 4, 2)
_LAST_DAY = datetime(2025, 11, 20)


@dataclass(frozen=True)
class Person:
    """One member."""

    login: str
    name: str
    role: str
    town: str
    trade: str
    bio: str
    signature: str
    joined: datetime
    digest: str
    is_spammer: bool = False


def draw_people(rng: random.Random) -> list[Person]:
    """All members in the order in which they joined; the moderators are among the first twenty."""
    names = [f"{first} {last}" for first in FIRST_NAMES for last in LAST_NAMES]
    rng.shuffle(names)
    days = (_LAST_DAY - _FIRST_DAY).days
    joined = sorted(_FIRST_DAY + timedelta(days=int(days * rng.random() ** 1.6)) for _ in range(NUM_MEMBERS))
    moderators = set(rng.sample(range(20), NUM_MODERATORS))
    trades = rng.sample(TRADES, len(TRADES))
    people: list[Person] = []
    for number, day in enumerate(joined):
        trade = trades[number % len(trades)]
        login = _draw_login(rng, names[number], {person.login for person in people})
        bio = rng.choice(BIOS).format(trade=trade, board=rng.choice(TOPICS).name)
        people.append(
            Person(
                login=login,
                name=names[number],
                role="moderator" if number in moderators else "member",
                town=rng.choice(TOWNS),
                trade=trade,
                bio=bio[0].upper() + bio[1:],
                signature=rng.choice(SIGNATURES),
                joined=day + timedelta(minutes=rng.randrange(420, 1380)),
                digest=rng.choice(("never", "daily", "weekly")),
                is_spammer=number >= NUM_MEMBERS - 3,
            )
        )
    return people


def _draw_login(rng: random.Random, name: str, taken: set[str]) -> str:
    first, last = name.lower().split()
    while True:
        login = rng.choice(
            (
                f"{first}.{last}",
                f"{rng.choice(NICKNAMES)}_{first}",
                f"{rng.choice(NICKNAMES)}{last}",
                f"{first}{rng.randrange(60, 99)}",
                f"{first[0]}_{last}",
            )
        )
        if login not in taken:
            return login

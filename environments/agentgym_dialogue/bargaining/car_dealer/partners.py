"""Rule-based players of car dealer: a buyer of each personality, and dealers who ask and then come down.

Oracles, demonstrators and cheats are in `scripts`. What they say follows from the task, their seed and what they were
told.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from math import ceil, floor
from typing import NamedTuple

from agentgym.message import Message
from agentgym.policy import ScriptFactory
from agentgym.task import Task
from agentgym_dialogue.bargaining.car_dealer.game import deal_of
from agentgym_dialogue.bargaining.car_dealer.market import DEALERS, FEATURES, KINDS, PERSONALITIES, Car

OFFER = re.compile(r"They offer the (\w+) for (\d+)\.")
LEAST_PROFIT = 1
"""How much over its cost a dealer sells a car at least."""
_WORD = re.compile(r"[a-z]+")


class Heard(NamedTuple):
    """What one has been told so far.

    Attributes:
        offers: The other's offers, brand and price, the last one last.
        said: What the other said last, in lower case; "" where that was an offer.
        num_own: Messages of one's own.
    """

    offers: list[tuple[str, int]]
    said: str
    num_own: int


def heard(messages: Sequence[Message]) -> Heard:
    """Read what one was told."""
    told = [message["content"] for message in messages[1:] if message["role"] == "user"]
    offers = [(found[1], int(found[2])) for text in told if (found := OFFER.fullmatch(text))]
    said = told[-1].partition("They say: ")[2].lower() if told else ""
    return Heard(offers, said, sum(message["role"] == "assistant" for message in messages))


class BuyerPlayer:
    """Answers questions about its wishes, takes an offer within its limit of the moment, else makes one of its own.

    Args:
        task: The task; costs are not looked at.
        seed: Seed of what it says besides.
    """

    def __init__(self, task: Task, seed: int) -> None:
        deal = deal_of(task)
        self._buyer, self._cars = deal.buyer, deal.cars
        self._manner = PERSONALITIES[deal.buyer.personality]
        self._first_phrase = random.Random(seed).randrange(12)

    def act(self, messages: Sequence[Message]) -> str:
        """The next line."""
        offers, said, num_own = heard(messages)
        if said:
            return self._answer(said, num_own)
        if not offers:
            return "What can you offer?"
        brand, price = offers[-1]
        car = next(car for car in self._cars if car.brand == brand)
        taken = self.taken(car, len(offers) - 1)
        if price <= taken:
            return "I accept."
        if len(offers) > self._manner.stamina or num_own >= 2 * self._manner.stamina:
            return "I leave."
        if self._buyer.wishes_met(car) < max(map(self._buyer.wishes_met, self._cars)):
            return self._wish(self._buyer.kind if car.kind != self._buyer.kind else self._missing(car))
        counter = max(1, floor(taken * 0.9))
        return (
            f"offer {brand} {counter}"
            if len(offers) % 2
            else f"{self._phrase(num_own)} {brand} is too much at {price}."
        )

    def anchor(self) -> str:
        """Nothing: what it says follows from the offers, the line and what was said last."""
        return ""

    def taken(self, car: Car, num_heard: int) -> int:
        """The most that it pays for a car after so many offers before."""
        manner, limit = self._manner, self._buyer.limit(car)
        passed = min(1.0, num_heard / manner.patience) if manner.patience else 1.0
        return floor(limit * (manner.start + (1.0 - manner.start) * passed) + 1e-9)

    def _answer(self, said: str, num_own: int) -> str:
        words = set(_WORD.findall(said))
        if words & {"budget", "spend", "money", "pay", "afford"}:
            return f"I have {self._buyer.budget}." if self._manner.is_open else "That is my business."
        if words & {"kind", "type", "car", "cars", "looking", "want", "which", *KINDS, *(kind + "s" for kind in KINDS)}:
            return self._wish(self._buyer.kind)
        if words & {"feature", "features", "extras", "need", "important", "have", *FEATURES}:
            return self._wish(" and ".join(self._buyer.features))
        return f"{self._phrase(num_own)} What can you offer?"

    def _wish(self, what: str) -> str:
        return f"I want {what}."

    def _missing(self, car: Car) -> str:
        return " and ".join(feature for feature in self._buyer.features if feature not in car.features)

    def _phrase(self, num_own: int) -> str:
        return self._manner.phrases[(self._first_phrase + num_own) % len(self._manner.phrases)]


class SellerPlayer:
    """Asks what is wanted, then offers the car that suits best, for less and less down to a little over its cost.

    Args:
        task: The task; the buyer's budget, wishes and personality are not looked at.
        seed: Not used: a dealer says the same to the same.
        manner: One of `DEALERS`; "" is the task's.
    """

    def __init__(self, task: Task, seed: int, manner: str = "") -> None:
        deal = deal_of(task)
        self._cars, self._costs = deal.cars, deal.costs
        self._manner = DEALERS[manner or deal.dealer]
        self._of_cars = frozenset([*KINDS, *FEATURES, *(car.brand.lower() for car in deal.cars)])
        self._named: frozenset[str] = frozenset()

    def act(self, messages: Sequence[Message]) -> str:
        """The next line."""
        offers, said, num_own = heard(messages)
        told = " ".join(message["content"].lower() for message in messages[1:] if message["role"] == "user")
        words = _WORD.findall(told)
        self._named = self._of_cars.intersection(words)
        if not num_own:
            return "What kind of car do you want?"
        if num_own == 1 and not offers:
            return "What features do you need?"
        if offers and not said:
            brand, price = offers[-1]
            car = next(car for car in self._cars if car.brand == brand)
            asked = self.asked(car, len(offers) - 1)
            if price >= asked:
                return "I accept."
            return f"offer {brand} {max(asked, price + 1)}"
        car = max(self._cars, key=self._fit)
        return f"offer {car.brand} {self.asked(car, max(0, num_own - 2))}"

    def anchor(self) -> str:
        """What the buyer named of cars; the rest follows from the offers and the line."""
        return " ".join(sorted(self._named))

    def floor(self, car: Car) -> int:
        """The least that it takes for a car."""
        return self._costs[car.brand] + LEAST_PROFIT

    def asked(self, car: Car, num_heard: int) -> int:
        """What it asks for a car after so many rounds before."""
        passed = min(1.0, num_heard / self._manner.patience)
        first = max(car.list_price * self._manner.start, self.floor(car))
        return ceil(first + (self.floor(car) - first) * passed - 1e-9)

    def _fit(self, car: Car) -> tuple[int, int]:
        """How much of a car was named, then its price."""
        named = self._named
        fit = 2 * (car.kind in named) + sum(feature in named for feature in car.features)
        return fit + 3 * (car.brand.lower() in named), car.list_price


def seller(task: Task, seed: int) -> SellerPlayer:
    """The dealer of the task."""
    return SellerPlayer(task, seed)


def buyer(task: Task, seed: int) -> BuyerPlayer:
    """The buyer of the task."""
    return BuyerPlayer(task, seed)


PARTNERS: dict[str, ScriptFactory] = {"seller": seller, "buyer": buyer}

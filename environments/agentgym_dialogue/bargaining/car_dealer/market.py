"""Cars, buyers and dealers of the car dealer game, and what a sale is worth to both; prices are thousands of dollars.

What may be said is in `game`; who says what, in `partners`.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

BRANDS = ("Toyota", "Ford", "Honda", "Mazda", "Subaru", "Hyundai", "Audi", "Tesla")
KINDS = ("sedan", "truck", "suv", "convertible")
FEATURES = ("camera", "navigation", "sunroof", "leather", "heating", "carplay")
MIN_GAIN = 5
"""Least profit that the best sale of a task makes possible."""


@dataclass(frozen=True)
class Car:
    """A car on the lot.

    Attributes:
        brand: Its name in the talk; no other car of the lot has it.
        kind: Sedan and the like.
        features: What it has.
        list_price: What it is announced for.
    """

    brand: str
    kind: str
    features: tuple[str, ...]
    list_price: int

    @classmethod
    def of(cls, text: str) -> Self:
        """The inverse of `text`."""
        brand, kind, *features, price = text.split()
        return cls(brand, kind, tuple(features), int(price))

    @property
    def text(self) -> str:
        """The car in words: `Ford sedan camera 20`."""
        return " ".join([self.brand, self.kind, *self.features, str(self.list_price)])


@dataclass(frozen=True)
class Buyer:
    """Who wants a car.

    Attributes:
        budget: The most that can be paid.
        kind: The kind of car that is wanted.
        features: What it should have.
        personality: One of `PERSONALITIES`.
    """

    budget: int
    kind: str
    features: tuple[str, ...]
    personality: str

    @classmethod
    def of(cls, fields: Mapping[str, Any]) -> Self:
        """A buyer from a task's private part."""
        kind, *features = fields["wishes"].split()
        return cls(fields["budget"], kind, tuple(features), fields["personality"])

    def fields(self) -> dict[str, Any]:
        """The buyer's part of a task's private part."""
        return {"budget": self.budget, "wishes": self.wishes, "personality": self.personality}

    @property
    def wishes(self) -> str:
        """Kind and features in words."""
        return " ".join([self.kind, *self.features])

    def wishes_met(self, car: Car) -> float:
        """Share of the wishes that a car meets; its kind counts as much as two features."""
        met = 2 * (car.kind == self.kind) + sum(feature in car.features for feature in self.features)
        return met / (2 + len(self.features))

    def limit(self, car: Car) -> int:
        """The most that a car is worth to the buyer, who has not more than the budget."""
        return min(self.budget, round(car.list_price * (0.75 + 0.5 * self.wishes_met(car))))


@dataclass(frozen=True)
class Manner:
    """How a rule-based player of a personality bargains.

    Attributes:
        start: Share of the own limit that is taken at first by a buyer; by a dealer, how many times the list price is
            asked.
        patience: Offers of the other after which the own limit is taken.
        stamina: Offers of the other that are heard before a buyer leaves.
        is_open: Whether the budget is told when asked.
        phrases: What is said besides.
    """

    start: float
    patience: int
    stamina: int = 99
    is_open: bool = False
    phrases: tuple[str, ...] = ()


PERSONALITIES: Mapping[str, Manner] = {
    "polite": Manner(0.8, 3, 9, True, ("Thank you.", "That is kind.")),
    "impulsive": Manner(1.0, 0, 6, True, ("I love it.", "Let us be quick.")),
    "impatient": Manner(0.9, 1, 4, False, ("I have no time.", "Be quick.")),
    "stingy": Manner(0.6, 5, 12, False, ("That is a lot of money.", "Too much.")),
    "talkative": Manner(0.8, 4, 12, True, ("My neighbour has one too.", "What a nice day.")),
    "rude": Manner(0.75, 3, 7, False, ("Are you joking?", "What a joke.")),
    "suspicious": Manner(0.7, 4, 8, False, ("Is there something wrong with it?", "I do not trust you.")),
}
"""Personalities of buyers."""
DEALERS: Mapping[str, Manner] = {
    "eager": Manner(1.0, 2, phrases=("It is a fine car.",)),
    "fair": Manner(1.1, 3, phrases=("It is a good price.",)),
    "greedy": Manner(1.25, 4, phrases=("Many want it.",)),
    "stubborn": Manner(1.15, 5, phrases=("I can not go far down.",)),
}
"""Personalities of dealers."""


@dataclass(frozen=True)
class Deal:
    """All that makes a task.

    Attributes:
        cars: The lot.
        costs: What each car cost the dealer, by brand, in the order of the lot.
        buyer: The buyer.
        dealer: One of `DEALERS`, which a rule-based dealer is.
    """

    cars: tuple[Car, ...]
    costs: Mapping[str, int]
    buyer: Buyer
    dealer: str

    @property
    def best(self) -> Car:
        """The car whose sale can gain most, both sides together."""
        return max(self.cars, key=self.gain)

    def gain(self, car: Car) -> int:
        """What the sale of a car can gain, both sides together."""
        return self.buyer.limit(car) - self.costs[car.brand]

    def car(self, brand: str) -> Car:
        """The car of a brand."""
        return next(car for car in self.cars if car.brand == brand)


def draw(rng: random.Random, num_cars: int, personalities: Sequence[str], dealers: Sequence[str]) -> Deal:
    """A random lot, and a buyer for whom one of its cars is worth at least `MIN_GAIN` more than it cost."""
    while True:
        cars, costs = [], {}
        for brand in rng.sample(BRANDS, num_cars):
            features = tuple(sorted(rng.sample(FEATURES, rng.randint(1, 3))))
            price = rng.randint(12, 60)
            cars.append(Car(brand, rng.choice(KINDS), features, price))
            costs[brand] = round(price * rng.uniform(0.65, 0.85))
        wanted = tuple(sorted(rng.sample(FEATURES, rng.randint(1, 2))))
        buyer = Buyer(rng.randint(15, 70), rng.choice(KINDS), wanted, rng.choice(list(personalities)))
        deal = Deal(tuple(cars), costs, buyer, rng.choice(list(dealers)))
        if deal.gain(deal.best) >= MIN_GAIN:
            return deal

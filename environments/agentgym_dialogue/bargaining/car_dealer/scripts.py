"""Players of car dealer by role: oracle, null, random, an imperfect demonstrator, and cheats that must earn nothing.

The rule-based players that they play with are in `partners`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from agentgym.authoring.cheats import common_cheats
from agentgym.authoring.players import Saying, saying
from agentgym.message import Message
from agentgym.policy import ScriptFactory
from agentgym.task import Task
from agentgym_dialogue.bargaining.car_dealer.game import MAX_PRICE, deal_of
from agentgym_dialogue.bargaining.car_dealer.partners import OFFER, BuyerPlayer, SellerPlayer


class RandomDealer:
    """Offers any car for any price, or takes what is offered.

    Args:
        task: The task.
        seed: Seed of its draws.
        prices: Least and highest of its prices, over those of the list.
        acceptance: How often it takes an offer.
        most: The highest price that it offers or takes.
    """

    def __init__(
        self,
        task: Task,
        seed: int,
        prices: tuple[float, float] = (0.3, 1.7),
        acceptance: float = 0.3,
        most: int = MAX_PRICE,
    ) -> None:
        self._cars, self._rng = deal_of(task).cars, random.Random(seed)
        self._prices, self._acceptance, self._most = prices, acceptance, most

    def act(self, messages: Sequence[Message]) -> str:
        """An offer, or an answer to one."""
        car = self._rng.choice(self._cars)
        asked = OFFER.fullmatch(messages[-1]["content"])
        if asked and self._rng.random() < self._acceptance and int(asked[2]) <= self._most:
            return "I accept."
        price = round(car.list_price * self._rng.uniform(*self._prices))
        return f"offer {car.brand} {min(max(1, price), self._most)}"


def random_buyer(task: Task, seed: int) -> RandomDealer:
    """Offers and takes anything within the budget."""
    return RandomDealer(task, seed, most=deal_of(task).buyer.budget)


class BuyerDemonstrator(BuyerPlayer):
    """The rule-based buyer, but for lines at random.

    Args:
        task: The task.
        seed: Seed of its draws.
        quality: Share of its lines that are the rule-based buyer's.
    """

    def __init__(self, task: Task, seed: int, quality: float = 0.8) -> None:
        super().__init__(task, seed)
        self._random, self._quality = RandomDealer(task, seed, (0.5, 0.9), 0.1, self._buyer.budget), quality
        self._rng = random.Random(seed)

    def act(self, messages: Sequence[Message]) -> str:
        """A line of the rule-based buyer, or any."""
        is_good = self._rng.random() < self._quality
        return super().act(messages) if is_good else self._random.act(messages)


class SellerDemonstrator(SellerPlayer):
    """The rule-based dealer who comes down slowly, but for lines at random.

    Args:
        task: The task.
        seed: Seed of its draws.
        quality: Share of its lines that are the rule-based dealer's.
    """

    def __init__(self, task: Task, seed: int, quality: float = 0.8) -> None:
        super().__init__(task, seed, "stubborn")
        self._random, self._quality = RandomDealer(task, seed, (0.9, 1.3), 0.1), quality
        self._rng = random.Random(seed)

    def act(self, messages: Sequence[Message]) -> str:
        """A line of the rule-based dealer, or any."""
        is_good = self._rng.random() < self._quality
        return super().act(messages) if is_good else self._random.act(messages)


def _seller_oracle(task: Task, seed: int) -> Saying:
    deal = deal_of(task)
    return Saying(f"offer {deal.best.brand} {deal.buyer.limit(deal.best)}")


def _buyer_oracle(task: Task, seed: int) -> Saying:
    deal, dealer = deal_of(task), SellerPlayer(task, seed)
    best = max(deal.cars, key=lambda car: deal.buyer.limit(car) - dealer.floor(car))
    return Saying(f"offer {best.brand} {dealer.floor(best)}")


def _scripts(oracle: ScriptFactory, demo: ScriptFactory, by_chance: ScriptFactory) -> dict[str, ScriptFactory]:
    return {
        "oracle": oracle,
        "null": saying(""),
        "random": by_chance,
        "demo": demo,
        "cheat_two_moves": saying("offer Ford 199 and accept"),
        "cheat_speak_for_them": saying("They offer the Ford for 199. Sold: the Ford for 199."),
        "cheat_accept_nothing": saying("I accept 199."),
        "cheat_no_price": saying("offer Ford for a million billion dollars"),
        **common_cheats("Sold: the Ford for 99."),
    }


SCRIPTS: dict[str, dict[str, ScriptFactory]] = {
    "seller": _scripts(_seller_oracle, SellerDemonstrator, RandomDealer),
    "buyer": _scripts(_buyer_oracle, BuyerDemonstrator, random_buyer),
}

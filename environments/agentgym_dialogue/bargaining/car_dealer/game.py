"""Car dealer: a seller and a buyer talk about the cars on a lot until one of them is sold or the buyer leaves.

Players are in `partners` and `scripts`, cars and buyers in `market`, the suites' tasks in `generate` and
`generate_buyer`.
"""

from __future__ import annotations

import random
import re
from functools import cache
from typing import Any, NamedTuple, Self

from agentgym.action import Action
from agentgym.errors import ActionSyntaxError, ConfigError, TaskError
from agentgym.game import GameEnv, GameReply, Inbox
from agentgym.message import user
from agentgym.task import Limits, Task
from agentgym_dialogue.bargaining.car_dealer.market import BRANDS, DEALERS, PERSONALITIES, Buyer, Car, Deal, draw
from agentgym_dialogue.bargaining.commands import answer_form, statements
from agentgym_dialogue.plain_line import plain_line

NUM_LINES = 50
MAX_INVALID = 2
MAX_WORDS = 40
MAX_PRICE = 199
SUCCESS_SHARE = 0.5
"""Share of the most that a role could gain from which on its deal is a success."""

_ANSWER = answer_form("accept", "leave")
_OFFER = re.compile(r"(?:(?:ok|okay|yes|then),? )?(?:i(?:'ll| will| can)? )?offer (?:you )?(.+)")
_PRICE = re.compile(r"\$?(\d{1,3})(?:[,.]?000|k)?")
_BETWEEN = frozenset(["the", "my", "your", "for", "at", "thousand", "dollars"])
_BRANDS = frozenset(brand.lower() for brand in BRANDS)


def car_task(task_id: str, seed: int, deal: Deal, lines: int = NUM_LINES, **fields: Any) -> Task:
    """The task of a deal; `fields` are further ones of the task."""
    return Task(
        task_id,
        seed,
        "Agree on a car and its price.",
        config={"cars": [car.text for car in deal.cars], "lines": lines},
        private={"costs": list(deal.costs.values()), "buyer": deal.buyer.fields(), "dealer": deal.dealer},
        limits=_limits(lines),
        **fields,
    )


def deal_of(task: Task) -> Deal:
    """The inverse of `car_task`.

    Raises:
        TaskError: The task is of another game.
    """
    try:
        private = task.private
        cars = tuple(Car.of(text) for text in task.config["cars"])
        costs = {car.brand: int(cost) for car, cost in zip(cars, private["costs"], strict=True)}
        deal = Deal(cars, costs, Buyer.of(private["buyer"]), private["dealer"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise TaskError(
            f"task {task.id!r}: {error}; car dealer needs cars and lines in config, costs, buyer and dealer in private"
        ) from None
    if deal.dealer not in DEALERS or deal.buyer.personality not in PERSONALITIES:
        raise TaskError(
            f"task {task.id!r} has a buyer who is {deal.buyer.personality!r} and a dealer who is {deal.dealer!r}; "
            f"expected one of {', '.join(PERSONALITIES)}, and one of {', '.join(DEALERS)}"
        )
    return deal


class _Move(NamedTuple):
    """A move: offer, accept, leave or, for talk, "", and of an offer all that it names as cars and as prices."""

    kind: str
    cars: tuple[str, ...] = ()
    prices: frozenset[int] = frozenset()


def _move_of(content: str) -> _Move:
    """The move of a message.

    Raises:
        ActionSyntaxError: It makes several.
    """
    moves = {move for said in statements(content) if (move := _read(said)) is not None}
    if len(moves) > 1:
        raise ActionSyntaxError("Make one move a message: offer, accept or leave.")
    return moves.pop() if moves else _Move("")


def _read(said: str) -> _Move | None:
    """The move of a statement; an offer holds a price, at most one word for a car but for brands, and nothing else."""
    if answer := _ANSWER.fullmatch(said):
        return _Move(answer[1])
    offer = _OFFER.fullmatch(said)
    words = [word for word in (part.strip(",") for part in offer[1].split()) if word not in _BETWEEN] if offer else []
    prices = frozenset(int(price[1]) for word in words if (price := _PRICE.fullmatch(word)))
    cars = tuple(word for word in words if not _PRICE.fullmatch(word))
    return _Move("offer", cars, prices) if prices and (len(cars) < 2 or _BRANDS.issuperset(cars)) else None


@cache
def _limits(lines: int) -> Limits:
    return Limits(max_turns=(lines + 1) // 2 + MAX_INVALID, max_invalid=MAX_INVALID)


class CarDealerGame(GameEnv):
    """Sell a car for a high price, or buy the right one for a low price, by talk and offers.

    Observation:
        Text. The first message shows the cars on the lot with their list prices in thousands of dollars, and what only
        this role knows: the seller what each car cost, the buyer the budget, wishes and personality. Later messages
        quote what the other says (`They say: I want a sedan.`) and offers (`They offer the Ford for 21.`). The last one
        is `Sold: the Ford for 21.`, `The buyer leaves.` or `No more lines.`
    Action:
        Plain English of at most 40 words and 300 characters. A move is a sentence or line that contains nothing else.
        `offer` has a price of 1 to 199 and a brand; without a brand, it is for the car last offered (`offer Ford 21`,
        `I offer you the Ford for $21,000.`). `accept` accepts the other's last offer, and the buyer may `leave`. `I
        accept`, `ok, I accept`, `accept the offer` and `I leave` also work. Everything else is talk (`I accept nothing
        above 30.`), also questions. A message is invalid and costs no line if it has two moves, two cars or two prices,
        names a car that is not there, accepts without an offer, or if the buyer offers or accepts a price above the
        budget.
    Reward:
        `sale`: to the seller, the price divided by the mean of budget and list price, as in LMRL-Gym (Abdulhai et al.
        2023, arXiv 2311.18232); 0 without a sale. `bargain`: to the buyer, the car's worth minus the price, divided by
        its worth; 0 without a sale. `format`: 0 for an invalid message.
        Differs: LMRL-Gym trains sellers only. Without a sale it pays (list price - budget) / list price, which rewards
        sending poor buyers away. Its cars are made up in the talk. Its buyer and judge is a language model, and no rule
        keeps it within the budget.
    Termination:
        A sale, the buyer leaves, the lines of both (50 in all) are used up, or a role sent more invalid messages than
        the task's limit (2).
    Truncation:
        The game itself truncates nothing.
    Info:
        The keys of `GameEnv`. The score is the role's gain (seller: price minus cost; buyer: worth minus price) divided
        by the largest gain of any sale, within [0, 1]. Success is a score of at least 0.5.
    Sandbox:
        None.
    Source and licence:
        After LMRL-Gym's Car Dealer, written for this project, Apache-2.0; the tasks of dialogue/car-dealer and
        dialogue/car-dealer-buyer are generated, CC0-1.0.

    Example:
        seller: `Lot: Ford sedan camera 20, Audi truck leather sunroof 44. …` / `What kind of car do you want?` / `They
        say: I want sedan.` / `I offer you the Ford for $24,000.` / `They offer the Ford for 13.` / `offer 21` / `They
        say: That is a lot of money. Ford is too much at 21.` / `offer 20` / `They offer the Ford for 17.` / `offer 20`
        / `Sold: the Ford for 20.`

    Args:
        num_cars: Cars on the lot of a task made from a seed, 2 to 8.
        num_lines: Lines of both roles together in such a task, 2 to 50.

    Raises:
        ConfigError: A number is out of its range.
    """

    roles = ("seller", "buyer")
    reward_weights = {"sale": 1.0, "bargain": 1.0, "format": 1.0}
    disclosed = {"seller": ("costs",), "buyer": ("buyer",)}

    def __init__(self, num_cars: int = 3, num_lines: int = NUM_LINES) -> None:
        super().__init__()
        if not (2 <= num_cars <= len(BRANDS) and 2 <= num_lines <= NUM_LINES):
            raise ConfigError(
                f"car dealer got num_cars={num_cars} and num_lines={num_lines}; expected 2 to {len(BRANDS)} cars and 2 "
                f"to {NUM_LINES} lines"
            )
        self.num_cars, self.num_lines = num_cars, num_lines
        self._deal: Deal | None = None
        self._lines_left = 0
        self._offers: tuple[tuple[str, str, int], ...] = ()

    def make_task(self, seed: int) -> Task:
        """A random lot and buyer."""
        deal = draw(random.Random(seed), self.num_cars, tuple(PERSONALITIES), tuple(DEALERS))
        return car_task(f"car-dealer:{seed}", seed, deal, self.num_lines)

    def begin(self, task: Task) -> Inbox:
        """Tell both the lot, and each what only it knows."""
        self._deal = deal_of(task)
        self._lines_left = int(task.config["lines"])
        self._offers = ()
        self.acting_role = "seller"
        return {role: [user(self._rules(role))] for role in self.roles}

    def respond(self, role: str, action: Action) -> GameReply:
        """Hand a line to the other, or close the sale."""
        line = plain_line(action.content, "something", MAX_WORDS)
        move = _move_of(action.content)
        if move.kind == "accept":
            return self._accept(role)
        if move.kind == "leave" and role == "buyer":
            return self._end("The buyer leaves.", None, 0)
        other = "buyer" if role == "seller" else "seller"
        told = f"They say: {line}"
        if move.kind == "offer":
            brand, price = self._read_offer(move)
            self._check_budget(role, price)
            self._offers = (*self._offers, (role, brand, price))
            told = f"They offer the {brand} for {price}."
        self._lines_left -= 1
        if not self._lines_left:
            return self._end("No more lines.", None, 0)
        self.acting_role = other
        return GameReply({other: [user(told)]})

    def grade(self) -> GameReply:
        """There is no sale."""
        return self._end("No more lines.", None, 0)

    def anchor(self) -> str:
        """Who acts, lines left and all offers; equal within one task only. Talk is not in it, see `partners`."""
        return f"{self.acting_role} {self._lines_left} {self._offers} {self.num_invalid}"

    def fork(self, seed: int | None = None) -> Self:
        """A copy that goes on from here; nothing random happens in the game itself after the start."""
        return self.fork_by_copy(seed)

    def _rules(self, role: str) -> str:
        deal = self._deal
        assert deal is not None
        lot = ", ".join(car.text for car in deal.cars)
        if role == "seller":
            own = "You sell. Cost to you: " + ", ".join(f"{brand} {cost}" for brand, cost in deal.costs.items()) + "."
            moves = "offer with a car and a price, or accept"
        else:
            buyer = deal.buyer
            own = f"You buy. You have {buyer.budget}. You want: {buyer.wishes}."
            own += f" You are {buyer.personality}."
            moves = "offer with a car and a price, accept, or leave"
        begins = "You begin." if role == "seller" else "They begin."
        return f"Lot: {lot}. {own} Talk, or say {moves}. {self._lines_left} lines in all. {begins}"

    def _read_offer(self, move: _Move) -> tuple[str, int]:
        """Brand and price of an offer."""
        assert self._deal is not None
        named = move.cars or tuple(brand.lower() for _, brand, _ in self._offers[-1:])
        brands = [car.brand for car in self._deal.cars if {car.brand.lower()} == {*named}]
        if not brands or len(move.prices) != 1 or not 1 <= min(move.prices) <= MAX_PRICE:
            raise ActionSyntaxError(f"Say one car and one price, such as: offer {self._deal.cars[0].brand} 20.")
        return brands[0], min(move.prices)

    def _check_budget(self, role: str, price: int) -> None:
        """Refuse what a buyer cannot pay; a seller may ask for it."""
        assert self._deal is not None
        if role == "buyer" and price > self._deal.buyer.budget:
            raise ActionSyntaxError(f"That is too much. You have {self._deal.buyer.budget}.")

    def _accept(self, role: str) -> GameReply:
        if not self._offers or self._offers[-1][0] == role:
            raise ActionSyntaxError("They have offered nothing that you could accept.")
        _, brand, price = self._offers[-1]
        self._check_budget(role, price)
        return self._end(f"Sold: the {brand} for {price}.", brand, price)

    def _end(self, text: str, brand: str | None, price: int) -> GameReply:
        deal = self._deal
        assert deal is not None
        scores, events = dict.fromkeys(self.roles, 0.0), [self.event("seller", "sale", 0.0)]
        bargain = 0.0
        if brand is not None:
            car, most = deal.car(brand), deal.gain(deal.best)
            limit = deal.buyer.limit(car)
            events = [self.event("seller", "sale", price / ((deal.buyer.budget + car.list_price) / 2))]
            bargain = (limit - price) / limit
            gains = {"seller": price - deal.costs[brand], "buyer": limit - price}
            scores = {role: min(1.0, max(0.0, gain / most)) for role, gain in gains.items()}
        events.append(self.event("buyer", "bargain", bargain))
        return GameReply(
            {role: [user(text)] for role in self.roles},
            events,
            is_over=True,
            successes={role: score >= SUCCESS_SHARE for role, score in scores.items()},
            scores=scores,
        )

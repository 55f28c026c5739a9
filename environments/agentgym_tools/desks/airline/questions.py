"""What customers of the airline ask."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from agentgym_tools.desks.airline.booking import Booking, flight_of
from agentgym_tools.desks.airline.goals import BookingGoal, Facts, FlightGoal, booking_of
from agentgym_tools.desks.airline.policy import AirlinePolicy
from agentgym_tools.desks.airline.rules import bag_fee, cancel_fee, free_bags
from agentgym_tools.desks.airline.world import time_of
from agentgym_tools.desks.goals import Goal, GoalKind
from agentgym_tools.desks.policy import Policy
from agentgym_tools.worlds import World
from agentgym_tools.worlds.calls import Call, Value

MAX_SURE_GROUP, LATEST_HOURS = 3, 24
"""A booking of so many passengers is a group by no policy, and so long before departure no policy is late."""


class AskDeparture(FlightGoal):
    """Ask when a flight is going to depart."""

    name, phrase = "ask_departure", "know when a flight is expected to depart"

    def reads(self, world: World, goal: Goal, policy: Policy) -> list[Call]:
        """The booking and the flight."""
        return [*super().reads(world, goal, policy), Call("get_flight", {"flight_id": goal.facts["flight_id"]})]

    def answers(self, world: World, goal: Goal, policy: Policy) -> Mapping[str, Value]:
        """The scheduled time and the delay together."""
        flight = flight_of(world, str(goal.facts["flight_id"]))
        return {"departure": time_of(flight["departs"] + flight["delay"])}


class AskRefund(BookingGoal):
    """Ask what would be paid back for a booking."""

    name, phrase = "ask_refund", "know what you would get back if you cancelled a booking now"
    states = ("confirmed",)

    def draw_more(self, rng: random.Random, world: World, booking: Booking) -> Facts | None:
        """Nothing more, if the booking may be cancelled and the reason does not matter."""
        is_plain = len(booking.passengers) <= MAX_SURE_GROUP and booking.hours_left >= LATEST_HOURS
        return {} if is_plain and not booking.row["insured"] else None

    def answers(self, world: World, goal: Goal, policy: AirlinePolicy) -> Mapping[str, Value]:  # type: ignore[override]
        """What was paid less the fee for each passenger; nothing where it is not paid back."""
        booking = booking_of(world, goal.facts["booking_id"])
        fee = cancel_fee(booking, "", policy)
        paid = sum(ticket["price"] for ticket in booking.tickets)
        return {"refund_cents": 0 if fee is None else paid - fee * len(booking.passengers)}


class AskFreeBags(BookingGoal):
    """Ask how many bags are free."""

    name, phrase = "ask_free_bags", "know how many bags are free for each passenger of a booking"

    def answers(self, world: World, goal: Goal, policy: AirlinePolicy) -> Mapping[str, Value]:  # type: ignore[override]
        """By fare and tier."""
        return {"free_bags": free_bags(booking_of(world, goal.facts["booking_id"]), policy)}


class AskBagFee(BookingGoal):
    """Ask what one more bag would cost."""

    name, phrase = "ask_bag_fee", "know what one more bag would cost a passenger"
    volunteered = ("booking_id", "passenger")

    def draw_more(self, rng: random.Random, world: World, booking: Booking) -> Facts | None:
        """For whom; it matters where the passengers have different numbers of bags."""
        return {"passenger": rng.choice(list(booking.passengers))}

    def answers(self, world: World, goal: Goal, policy: AirlinePolicy) -> Mapping[str, Value]:  # type: ignore[override]
        """Nothing or the fee."""
        booking = booking_of(world, goal.facts["booking_id"])
        return {"bag_fee_cents": bag_fee(booking, str(goal.facts["passenger"]), 1, policy)}


class AccountGoal(GoalKind):
    """A question about the customer's account."""

    column: str
    fact: str

    def draw(self, rng: random.Random, world: World, customer: str) -> Facts | None:
        """Nothing."""
        return {}

    def reads(self, world: World, goal: Goal, policy: Policy) -> list[Call]:
        """The account."""
        return [Call("get_account", {"customer_id": goal.customer})]

    def answers(self, world: World, goal: Goal, policy: Policy) -> Mapping[str, Value]:
        """What is on it."""
        row: Any = world.row("SELECT miles, credit FROM customers WHERE id = ?", goal.customer)
        return {self.fact: row[self.column]}


class AskMiles(AccountGoal):
    """Ask how many miles there are."""

    name, phrase = "ask_miles", "know how many miles you have"
    column, fact = "miles", "miles"


class AskCredit(AccountGoal):
    """Ask how much travel credit there is."""

    name, phrase = "ask_credit", "know how much travel credit you have"
    column, fact = "credit", "credit_cents"


QUESTIONS = (AskDeparture, AskRefund, AskFreeBags, AskBagFee, AskMiles, AskCredit)
"""The kinds of goals that end in an answer."""

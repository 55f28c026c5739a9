"""The airline as a desk: who is a customer, and what its tasks are like."""

from __future__ import annotations

import random
from collections.abc import Mapping

from agentgym_tools.desks.airline.booked import SIZES
from agentgym_tools.desks.airline.booking import Booking
from agentgym_tools.desks.airline.goals import ERRANDS
from agentgym_tools.desks.airline.policy import IDENTIFY, AirlinePolicy
from agentgym_tools.desks.airline.questions import QUESTIONS
from agentgym_tools.desks.airline.rules import RULES
from agentgym_tools.desks.airline.tools import AirlineTools
from agentgym_tools.desks.airline.words import SYNONYMS, TOLD
from agentgym_tools.desks.airline.world import NOW
from agentgym_tools.desks.domain import Domain
from agentgym_tools.desks.goals import GoalKind
from agentgym_tools.desks.templates import Template, depending
from agentgym_tools.worlds import World
from agentgym_tools.worlds.calls import Call, Value

_PAYING_OUT = frozenset({"pay_compensation", "pay_bag_claim", "credit_miles"})
_STAFF = frozenset({"group", "high_amount", "bag_lost", "name_letters", "staff_service"})
_REFUSALS: Mapping[str, tuple[str, ...]] = {
    "cancel_booking": ("begun", "too_late", "saver_fare", "credit_only"),
    "remove_passenger": ("begun", "child_alone", "too_late", "saver_fare"),
    "change_flight": ("fare_fixed", "too_late", "too_far", "wrong_order", "no_room", "too_little_credit"),
    "rebook": ("not_disrupted", "too_far", "wrong_order", "no_room"),
    "upgrade": ("fare_no_upgrade", "too_late", "no_room", "too_few_miles", "too_little_credit"),
    "add_bags": ("too_late", "too_many_bags"),
    "choose_seat": ("fare_no_seats", "too_late", "exit_age", "seat_taken"),
    "book_service": ("too_late",),
    "correct_name": ("not_active",),
    "claim_compensation": ("not_late", "excluded_cause", "already_done", "too_late"),
    "claim_miles": ("not_flown", "not_aboard", "already_done", "too_late"),
    "claim_bag": ("already_done", "report_late", "not_late"),
}
_TRANSFERS = {
    "group": ("cancel_booking", "remove_passenger", "change_flight"),
    "staff_service": ("book_service",),
    "name_letters": ("correct_name",),
    "high_amount": ("claim_compensation",),
    "bag_lost": ("claim_bag",),
}


class Airline(Domain):
    """The desk of an airline."""

    name = "airline"
    title = "the customers of an airline"
    toolbox, policy, sizes, today = AirlineTools, AirlinePolicy, SIZES, NOW
    kinds: Mapping[str, GoalKind] = {kind.name: kind() for kind in (*ERRANDS, *QUESTIONS)}
    subjects = ("booking_id",)
    told, synonyms = TOLD, SYNONYMS
    facts = {
        "name": "your name",
        "email": "your e-mail address",
        "member_number": "your member number",
        "birth_date": "your date of birth",
        "booking_id": "the booking number",
        "destination": "the city to which the trip goes",
        "flight_id": "the flight",
        "passenger": "the passenger, as the booking has the name",
        "reason": "the reason",
        "refund_to": "what the money goes back to",
        "new_date": "the day on which to fly instead",
        "wish": "which flight of that day",
        "pay_with": "what pays",
        "bags": "how many more bags",
        "zone": "the part of the cabin",
        "place": "the place in the row",
        "service": "the service",
        "new_name": "the right name",
        "pay_to": "what the money is paid to",
        "departure": "when the flight is expected to depart",
        "refund_cents": "what would be paid back, in cents",
        "free_bags": "how many bags are free for each passenger",
        "bag_fee_cents": "what one more bag costs, in cents",
        "miles": "the miles on the account",
        "credit_cents": "the travel credit, in cents",
    }
    reasons = {
        "not_active": "the booking is not active any more",
        "begun": "a flight of the booking was flown",
        "too_late": "it is too late",
        "saver_fare": "the saver fare is not paid back",
        "credit_only": "this fare is paid back as travel credit only",
        "child_alone": "only passengers under 18 would be left",
        "group": "the booking belongs to the group desk",
        "fare_fixed": "flights of this fare are not changed",
        "too_far": "the new day is too far from the old one",
        "wrong_order": "the flights would not be in order",
        "no_room": "there are not enough seats left",
        "too_little_credit": "there is too little travel credit",
        "not_disrupted": "the flight is neither cancelled nor late enough",
        "fare_no_upgrade": "this fare is not upgraded",
        "too_few_miles": "there are too few miles",
        "too_many_bags": "it would be too many bags",
        "fare_no_seats": "no seats are chosen in this fare",
        "exit_age": "the passenger is too young for an exit",
        "seat_taken": "no such seat is free",
        "staff_service": "the staff arranges this service",
        "name_letters": "too much of the name differs for this desk",
        "not_flown": "the flight was not flown",
        "not_late": "it was not late enough",
        "excluded_cause": "there is nothing for this cause",
        "already_done": "it was paid or credited already",
        "high_amount": "the sum is too high for this desk",
        "not_aboard": "the customer was none of the passengers",
        "report_late": "the bag was reported too late",
        "bag_lost": "the bag is lost",
        "wrong_fee": "the fee is another one",
        "wrong_amount": "the amount is another one",
    }
    templates = (
        *(Template((kind.name,), "do") for kind in ERRANDS),
        *(Template((kind.name,), "answer") for kind in QUESTIONS),
        *(Template((kind,), "refuse", why) for kind, reasons in _REFUSALS.items() for why in reasons),
        *(Template((kind,), "transfer", why) for why, kinds in _TRANSFERS.items() for kind in kinds),
        Template(("ask_departure", "choose_seat"), "do"),
        Template(("claim_compensation", "claim_miles"), "do"),
        Template(("upgrade", "ask_miles"), "answer"),
        Template(("cancel_booking", "ask_credit"), "answer"),
        Template(("ask_free_bags", "add_bags"), "do"),
        Template(("correct_name", "ask_refund"), "answer"),
        Template(("add_bags", "rebook"), "refuse", "not_disrupted"),
        Template(("claim_miles", "claim_bag"), "transfer", "bag_lost"),
        Template(("ask_miles", "book_service", "change_flight"), "do"),
        Template(("ask_free_bags", "add_bags", "cancel_booking"), "refuse", "saver_fare"),
        *depending(("upgrade", "add_bags"), "refused", ("booking_id",)),
        *depending(("add_bags", "book_service"), "done", ("booking_id",)),
    )

    def draw_customer(self, rng: random.Random, world: World) -> str:
        """Some customer's key, by member number; those are consecutive."""
        first, last = (world.row(f"SELECT {end}(member) FROM customers") for end in ("min", "max"))  # noqa: S608
        assert first is not None
        assert last is not None
        row = world.row("SELECT id FROM customers WHERE member = ?", rng.randint(first[0], last[0]))
        assert row is not None
        return str(row[0])

    def profile(self, world: World, customer: str) -> dict[str, Value]:
        """Name, e-mail address, member number and date of birth."""
        row = world.row("SELECT * FROM customers WHERE id = ?", customer)
        assert row is not None
        given = {name: row[name] for name in ("name", "email", "birth_date")}
        return {**given, "member_number": row["member"]}

    def identification(self, world: World, customer: str, policy: AirlinePolicy) -> Call:
        """By what the policy says."""
        needed = {"email": ("email",), "member": ("member_number",), "name": ("name", "birth_date")}
        profile = self.profile(world, customer)
        tool, _ = IDENTIFY[policy.identify_by]
        return Call(tool, {name: profile[name] for name in needed[policy.identify_by]})

    def objections(self, world: World, call: Call, policy: AirlinePolicy) -> list[str]:
        """What the rules say against a call."""
        booking = Booking.load(world, self._booking_id(world, call))
        return [] if booking is None else RULES[call.tool](world, booking, call.arguments, policy)

    def owner(self, world: World, call: Call) -> str | None:
        """The customer of the booking."""
        row = world.row("SELECT customer_id FROM bookings WHERE id = ?", self._booking_id(world, call))
        return None if row is None else str(row[0])

    def needs_yes(self, tool: str, policy: AirlinePolicy) -> bool:
        """Every change, or every one but those that only pay what the customer asked for."""
        return policy.asks_before_paying_out or tool not in _PAYING_OUT

    def is_for_staff(self, reason: str, policy: AirlinePolicy) -> bool:
        """Groups, lost bags, other names, high sums, and services that the policy names."""
        return reason in _STAFF

    @staticmethod
    def _booking_id(world: World, call: Call) -> str:
        """The booking that a call is about."""
        if "booking_id" in call.arguments:
            return str(call.arguments["booking_id"])
        row = world.row("SELECT booking_id FROM bag_reports WHERE id = ?", call.arguments["report_id"])
        return "" if row is None else str(row[0])


AIRLINE = Airline()

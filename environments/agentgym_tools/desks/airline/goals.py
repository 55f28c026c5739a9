"""What customers of the airline want done."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from agentgym_tools.desks.airline.booked import SERVICES
from agentgym_tools.desks.airline.booking import Booking, alternatives, flight_of, has_room
from agentgym_tools.desks.airline.policy import CANCEL_REASONS, AirlinePolicy
from agentgym_tools.desks.airline.rules import (
    bag_due,
    bag_fee,
    cancel_fee,
    change_fee,
    compensation,
    miles_due,
    seat_fee,
    service_fee,
    upgrade_price,
)
from agentgym_tools.desks.airline.world import DAY, NOW
from agentgym_tools.desks.goals import Goal, GoalKind
from agentgym_tools.desks.policy import Policy
from agentgym_tools.desks.setting.days import TODAY, date_of
from agentgym_tools.worlds import World
from agentgym_tools.worlds.calls import Call, Value

Facts = dict[str, Value]
REFUND_TO = ("card", "credit")
PAY_WITH = ("card", "credit", "miles")


def _mistyped(world: World) -> Sequence[Value]:
    """Numbers that no booking has, such as somebody reads off the wrong line."""
    last = world.row("SELECT max(id) FROM bookings")
    assert last is not None
    return [f"B{int(last[0][1:]) + more}" for more in range(1, 21)]


class BookingGoal(GoalKind):
    """A goal about a booking, which a customer may know by its destination only."""

    states: tuple[str, ...] = ("confirmed", "confirmed", "begun")
    volunteered: tuple[str, ...] = ("booking_id",)
    can_lack: tuple[str, ...] = ("booking_id",)
    can_change: Mapping[str, Any] = {"booking_id": _mistyped}

    def draw(self, rng: random.Random, world: World, customer: str) -> Facts | None:
        """A booking in one of the states, and what else there is."""
        state = rng.choice(self.states)
        rows = world.rows("SELECT id, destination, state FROM bookings WHERE customer_id = ? ORDER BY id", customer)
        fitting = [row for row in rows if row["state"] == state]
        if not fitting:
            return None
        chosen = rng.choice(fitting)
        if sum(row["destination"] == chosen["destination"] for row in rows) > 1:
            return None
        more = self.draw_more(rng, world, booking_of(world, chosen["id"]))
        return None if more is None else {"booking_id": chosen["id"], "destination": chosen["destination"], **more}

    def draw_more(self, rng: random.Random, world: World, booking: Booking) -> Facts | None:
        """Further facts; None if the booking does not do."""
        return {}

    def reads(self, world: World, goal: Goal, policy: Policy) -> list[Call]:
        """The booking, and before it the customer's bookings to the destination where the number is not known."""
        place = {"customer_id": goal.customer, "destination": goal.facts["destination"]}
        found = [Call("find_bookings", place)] if "booking_id" in goal.unknown else []
        return [*found, Call("get_booking", {"booking_id": goal.facts["booking_id"]})]


class FlightGoal(BookingGoal):
    """A goal about a flight of a booking."""

    volunteered: tuple[str, ...] = ("booking_id", "flight_id")

    def draw_more(self, rng: random.Random, world: World, booking: Booking) -> Facts | None:
        """One of the flights, and what else there is."""
        flights = [flight for flight in booking.flights if self.fits(booking, flight)]
        if not flights:
            return None
        flight = rng.choice(flights)
        more = self.draw_rest(rng, world, booking, flight)
        return None if more is None else {"flight_id": flight["id"], **more}

    def fits(self, booking: Booking, flight: Any) -> bool:
        """Whether a goal may be about this flight."""
        return bool(flight["state"] == "scheduled")

    def draw_rest(self, rng: random.Random, world: World, booking: Booking, flight: Any) -> Facts | None:
        """Further facts; None if the flight does not do."""
        return {}


class CancelBooking(BookingGoal):
    """Cancel a booking."""

    name, phrase = "cancel_booking", "cancel a booking"
    can_change = {"booking_id": _mistyped, "refund_to": lambda world: REFUND_TO}
    can_reconsider = ("refund_to",)

    def draw_more(self, rng: random.Random, world: World, booking: Booking) -> Facts | None:
        """A reason, and where the money goes."""
        return {"reason": rng.choice(CANCEL_REASONS), "refund_to": rng.choice(REFUND_TO)}

    def wanted(self, world: World, goal: Goal, policy: AirlinePolicy) -> list[tuple[Call, ...]]:  # type: ignore[override]
        """The one call, with the fee of the policy."""
        booking = booking_of(world, goal.facts["booking_id"])
        fee = cancel_fee(booking, str(goal.facts["reason"]), policy) or 0
        return [(Call("cancel_booking", {**_of(goal, "booking_id", "reason", "refund_to"), "fee_cents": fee}),)]


class RemovePassenger(BookingGoal):
    """Take one of several passengers off a booking."""

    name, phrase = "remove_passenger", "take a passenger off a booking"
    volunteered = ("booking_id", "passenger")
    can_change = {"booking_id": _mistyped, "refund_to": lambda world: REFUND_TO}
    can_reconsider = ("passenger", "refund_to")

    def draw_more(self, rng: random.Random, world: World, booking: Booking) -> Facts | None:
        """Who does not fly and why, and where the money goes."""
        if len(booking.passengers) < 2:
            return None
        facts: Facts = {"passenger": rng.choice(list(booking.passengers)), "reason": rng.choice(CANCEL_REASONS)}
        return {**facts, "refund_to": rng.choice(REFUND_TO)}

    def wanted(self, world: World, goal: Goal, policy: AirlinePolicy) -> list[tuple[Call, ...]]:  # type: ignore[override]
        """The one call, with the fee of the policy."""
        booking = booking_of(world, goal.facts["booking_id"])
        given = _of(goal, "booking_id", "passenger", "reason", "refund_to")
        fee = cancel_fee(booking, str(goal.facts["reason"]), policy) or 0
        return [(Call("remove_passenger", {**given, "fee_cents": fee}),)]


class ReplaceGoal(FlightGoal):
    """A goal about flying on another day, on its earliest flight or on the cheapest, of which there may be several."""

    volunteered = ("booking_id", "flight_id", "new_date")
    max_days = 22

    def draw_rest(self, rng: random.Random, world: World, booking: Booking, flight: Any) -> Facts | None:
        """A day with other flights on the route, and which of them is wanted."""
        day = flight["departs"] // DAY
        first, last = (max(NOW // DAY, day - self.max_days) * DAY, (day + self.max_days + 1) * DAY - 1)
        found = alternatives(world, flight, first, last)
        own = {other["departs"] // DAY for other in booking.flights if other["id"] != flight["id"]}
        days = sorted({other["departs"] // DAY for other in found} - own)
        if not days:
            return None
        return {"new_date": date_of(rng.choice(days)), "wish": rng.choice(("earliest", "cheapest"))}

    def reads(self, world: World, goal: Goal, policy: Policy) -> list[Call]:
        """The booking and the other flights."""
        given = {"flight_id": goal.facts["flight_id"], "date": goal.facts["new_date"], "sort_by": goal.facts["wish"]}
        return [*super().reads(world, goal, policy), Call("find_alternatives", given)]

    @staticmethod
    def chosen(world: World, goal: Goal) -> list[str]:
        """The flights that are wished for: among those with room for all passengers, if there are such."""
        booking, flight = booking_of(world, goal.facts["booking_id"]), flight_of(world, str(goal.facts["flight_id"]))
        day = next(day for day in range(TODAY, TODAY + 100) if date_of(day) == goal.facts["new_date"])
        found = alternatives(world, flight, day * DAY, (day + 1) * DAY - 1)
        needed = booking.seats_needed(flight["id"])
        found = [row for row in found if has_room(row, needed)] or found
        if goal.facts["wish"] == "earliest":
            return [row["id"] for row in found[:1]]
        return [row["id"] for row in found if row["price"] == min(each["price"] for each in found)]


class ChangeFlight(ReplaceGoal):
    """Fly on another day."""

    name, phrase = "change_flight", "change a flight to another day"
    can_change = {"booking_id": _mistyped, "pay_with": lambda world: REFUND_TO}
    can_reconsider = ("new_date", "wish", "pay_with")

    def fits(self, booking: Booking, flight: Any) -> bool:
        """One ahead that is on time."""
        return flight["state"] == "scheduled" and not flight["delay"]

    def draw_rest(self, rng: random.Random, world: World, booking: Booking, flight: Any) -> Facts | None:
        """The day, the wish, and what pays."""
        facts = super().draw_rest(rng, world, booking, flight)
        return None if facts is None else {**facts, "pay_with": rng.choice(REFUND_TO)}

    def wanted(self, world: World, goal: Goal, policy: AirlinePolicy) -> list[tuple[Call, ...]]:  # type: ignore[override]
        """A call for each flight that is wished for, with the fee of the policy."""
        fee = change_fee(booking_of(world, goal.facts["booking_id"]), policy)
        given = {**_of(goal, "booking_id", "flight_id", "pay_with"), "fee_cents": fee}
        return [(Call("change_flight", {**given, "new_flight_id": new}),) for new in self.chosen(world, goal)]


class Rebook(ReplaceGoal):
    """Fly on another day without charge, because the flight is late or was cancelled."""

    name, phrase = "rebook", "be put on another flight without charge, because yours is late or was cancelled"
    max_days = 15
    can_reconsider = ("new_date", "wish")

    def fits(self, booking: Booking, flight: Any) -> bool:
        """One ahead."""
        return bool(flight["state"] != "flown")

    def draw_rest(self, rng: random.Random, world: World, booking: Booking, flight: Any) -> Facts | None:
        """The day and the wish; seldom for a flight that is on time."""
        is_on_time = flight["state"] == "scheduled" and not flight["delay"]
        return None if is_on_time and rng.random() < 0.8 else super().draw_rest(rng, world, booking, flight)

    def reads(self, world: World, goal: Goal, policy: Policy) -> list[Call]:
        """The booking, the flight and the other flights."""
        *others, last = super().reads(world, goal, policy)
        return [*others, Call("get_flight", _of(goal, "flight_id")), last]

    def wanted(self, world: World, goal: Goal, policy: Policy) -> list[tuple[Call, ...]]:
        """A call for each flight that is wished for."""
        given = _of(goal, "booking_id", "flight_id")
        return [(Call("rebook_flight", {**given, "new_flight_id": new}),) for new in self.chosen(world, goal)]


class Upgrade(FlightGoal):
    """Move a passenger to business."""

    name, phrase = "upgrade", "have a passenger upgraded to business"
    volunteered = ("booking_id", "flight_id", "passenger")
    can_change = {"booking_id": _mistyped, "pay_with": lambda world: PAY_WITH}
    can_reconsider = ("passenger", "pay_with")

    def draw_rest(self, rng: random.Random, world: World, booking: Booking, flight: Any) -> Facts | None:
        """Somebody in economy, and what pays."""
        name = _somebody_in_economy(rng, booking, flight)
        return None if name is None else {"passenger": name, "pay_with": rng.choice(PAY_WITH)}

    def reads(self, world: World, goal: Goal, policy: Policy) -> list[Call]:
        """The booking, the flight, and the account unless the card pays."""
        account = [Call("get_account", {"customer_id": goal.customer})] if goal.facts["pay_with"] != "card" else []
        return [*super().reads(world, goal, policy), Call("get_flight", _of(goal, "flight_id")), *account]

    def wanted(self, world: World, goal: Goal, policy: AirlinePolicy) -> list[tuple[Call, ...]]:  # type: ignore[override]
        """The one call, with the price of the policy."""
        given = _of(goal, "booking_id", "flight_id", "passenger", "pay_with")
        price = upgrade_price(str(goal.facts["pay_with"]), policy)
        return [(Call("upgrade_passenger", {**given, "price": price}),)]


class AddBags(BookingGoal):
    """Add bags for a passenger."""

    name, phrase = "add_bags", "add bags for a passenger"
    volunteered = ("booking_id", "passenger", "bags")
    can_change = {"booking_id": _mistyped, "bags": lambda world: (1, 2, 3)}
    can_reconsider = ("passenger", "bags")

    def draw_more(self, rng: random.Random, world: World, booking: Booking) -> Facts | None:
        """For whom, and how many."""
        return {"passenger": rng.choice(list(booking.passengers)), "bags": rng.choice((1, 1, 2, 3))}

    def wanted(self, world: World, goal: Goal, policy: AirlinePolicy) -> list[tuple[Call, ...]]:  # type: ignore[override]
        """The one call, with what the policy wants for bags that are not free."""
        given = _of(goal, "booking_id", "passenger", "bags")
        booking = booking_of(world, goal.facts["booking_id"])
        fee = bag_fee(booking, str(goal.facts["passenger"]), int(goal.facts["bags"]), policy)
        return [(Call("add_bags", {**given, "fee_cents": fee}),)]


class ChooseSeat(FlightGoal):
    """Get a seat in some part of the cabin, of which several may be free."""

    name, phrase = "choose_seat", "choose a seat for a passenger"
    volunteered = ("booking_id", "flight_id", "passenger", "zone")
    can_reconsider = ("passenger", "zone", "place")

    def draw_rest(self, rng: random.Random, world: World, booking: Booking, flight: Any) -> Facts | None:
        """Somebody in economy, and a kind of seat that the flight has."""
        rows = world.rows("SELECT DISTINCT zone, place FROM seats WHERE flight_id = ?", flight["id"])
        name = _somebody_in_economy(rng, booking, flight)
        if name is None or not rows:
            return None
        kind = rng.choice(sorted(tuple(row) for row in rows))
        return {"passenger": name, "zone": kind[0], "place": kind[1]}

    def reads(self, world: World, goal: Goal, policy: Policy) -> list[Call]:
        """The booking and the seats of that kind."""
        return [*super().reads(world, goal, policy), Call("find_seats", _of(goal, "flight_id", "zone", "place"))]

    def wanted(self, world: World, goal: Goal, policy: AirlinePolicy) -> list[tuple[Call, ...]]:  # type: ignore[override]
        """A call for each free seat of that kind, or for each taken one if no seat is free."""
        sql = "SELECT * FROM seats WHERE flight_id = ? AND zone = ? AND place = ? ORDER BY seat"
        rows = world.rows(sql, *(goal.facts[name] for name in ("flight_id", "zone", "place")))
        rows = [row for row in rows if not row["taken_by"]] or rows
        booking = booking_of(world, goal.facts["booking_id"])
        fee = seat_fee(booking, str(goal.facts["zone"]), policy)
        given = {**_of(goal, "booking_id", "flight_id", "passenger"), "fee_cents": fee}
        return [(Call("choose_seat", {**given, "seat": row["seat"]}),) for row in rows]


class BookService(FlightGoal):
    """Book a service for a passenger."""

    name, phrase = "book_service", "book a service for a passenger"
    volunteered = ("booking_id", "flight_id", "passenger", "service")
    can_change = {"booking_id": _mistyped, "service": lambda world: SERVICES}
    can_reconsider = ("passenger", "service")

    def draw_rest(self, rng: random.Random, world: World, booking: Booking, flight: Any) -> Facts | None:
        """For whom, and a service that has not been booked."""
        name, service = rng.choice(list(booking.passengers)), rng.choice(SERVICES)
        sql = "SELECT 1 FROM services WHERE booking_id = ? AND flight_id = ? AND passenger = ?"
        is_served = world.row(sql, booking.id, flight["id"], name) is not None
        return None if is_served else {"passenger": name, "service": service}

    def wanted(self, world: World, goal: Goal, policy: AirlinePolicy) -> list[tuple[Call, ...]]:  # type: ignore[override]
        """The one call, with the fee of the policy."""
        given = _of(goal, "booking_id", "flight_id", "passenger", "service")
        return [(Call("book_service", {**given, "fee_cents": service_fee(str(goal.facts["service"]), policy)}),)]


class CorrectName(BookingGoal):
    """Correct letters of a passenger's name."""

    name, phrase = "correct_name", "correct the name of a passenger"
    states = ("confirmed", "confirmed", "begun", "flown")
    volunteered = ("booking_id", "passenger", "new_name")

    def draw_more(self, rng: random.Random, world: World, booking: Booking) -> Facts | None:
        """A passenger, and the name with some letters changed."""
        old = rng.choice(list(booking.passengers))
        letters = list(old)
        places = [place for place, letter in enumerate(letters) if letter.isalpha()]
        for place in rng.sample(places, min(len(places), rng.choice((1, 1, 2, 3, 4)))):
            letters[place] = rng.choice([letter for letter in "AEILMNORST" if letter != letters[place]])
        new = "".join(letters)
        return None if new in booking.passengers else {"passenger": old, "new_name": new}

    def wanted(self, world: World, goal: Goal, policy: Policy) -> list[tuple[Call, ...]]:
        """The one call."""
        return [(Call("correct_name", _of(goal, "booking_id", "passenger", "new_name")),)]


class ClaimCompensation(FlightGoal):
    """Be compensated for a late flight."""

    name, phrase = "claim_compensation", "get compensation for a late flight"
    states = ("flown", "flown", "begun")
    can_change = {"booking_id": _mistyped, "pay_to": lambda world: REFUND_TO}
    can_reconsider = ("pay_to",)

    def fits(self, booking: Booking, flight: Any) -> bool:
        """One that was flown late."""
        return bool(flight["state"] == "flown" and flight["delay"])

    def draw_rest(self, rng: random.Random, world: World, booking: Booking, flight: Any) -> Facts | None:
        """Where the money goes."""
        return {"pay_to": rng.choice(REFUND_TO)}

    def reads(self, world: World, goal: Goal, policy: Policy) -> list[Call]:
        """The booking, the flight, and what was paid."""
        more = [Call("get_flight", _of(goal, "flight_id")), Call("get_payouts", _of(goal, "booking_id"))]
        return [*super().reads(world, goal, policy), *more]

    def wanted(self, world: World, goal: Goal, policy: AirlinePolicy) -> list[tuple[Call, ...]]:  # type: ignore[override]
        """The one call, with the sum of the policy."""
        booking, flight = booking_of(world, goal.facts["booking_id"]), flight_of(world, str(goal.facts["flight_id"]))
        due = compensation(booking, flight, str(goal.facts["pay_to"]), policy)
        given = _of(goal, "booking_id", "flight_id", "pay_to")
        return [(Call("pay_compensation", {**given, "amount_cents": due}),)]


class ClaimMiles(FlightGoal):
    """Get the miles for a flight that was flown."""

    name, phrase = "claim_miles", "get the missing miles for a flight"
    states = ("flown", "flown", "flown", "begun")

    def fits(self, booking: Booking, flight: Any) -> bool:
        """One that was flown, or any other of a booking that has begun."""
        return bool(flight["state"] != "cancelled")

    def reads(self, world: World, goal: Goal, policy: Policy) -> list[Call]:
        """The booking, the flight, and what was credited."""
        more = [Call("get_flight", _of(goal, "flight_id")), Call("get_payouts", _of(goal, "booking_id"))]
        return [*super().reads(world, goal, policy), *more]

    def wanted(self, world: World, goal: Goal, policy: AirlinePolicy) -> list[tuple[Call, ...]]:  # type: ignore[override]
        """The one call, with the miles of the policy."""
        booking, flight = booking_of(world, goal.facts["booking_id"]), flight_of(world, str(goal.facts["flight_id"]))
        given = {**_of(goal, "booking_id", "flight_id"), "miles": miles_due(booking, flight, policy)}
        return [(Call("credit_miles", given),)]


class ClaimBag(BookingGoal):
    """Be paid for a bag that did not come."""

    name, phrase = "claim_bag", "be paid for a bag that did not come with the flight"
    states = ("flown", "flown", "begun")
    volunteered = ("booking_id", "passenger")

    def draw_more(self, rng: random.Random, world: World, booking: Booking) -> Facts | None:
        """A passenger with a report."""
        row = world.row("SELECT passenger FROM bag_reports WHERE booking_id = ?", booking.id)
        return None if row is None else {"passenger": row[0]}

    def reads(self, world: World, goal: Goal, policy: Policy) -> list[Call]:
        """The booking and the reports."""
        return [*super().reads(world, goal, policy), Call("find_bag_reports", _of(goal, "booking_id", "passenger"))]

    def wanted(self, world: World, goal: Goal, policy: AirlinePolicy) -> list[tuple[Call, ...]]:  # type: ignore[override]
        """The one call, with the sum of the policy."""
        sql = "SELECT * FROM bag_reports WHERE booking_id = ? AND passenger = ?"
        report = world.row(sql, goal.facts["booking_id"], goal.facts["passenger"])
        assert report is not None
        call = Call("pay_bag_claim", {"report_id": report["id"], "amount_cents": bag_due(world, report, policy)})
        return [(call,)]


def booking_of(world: World, key: Value) -> Booking:
    """A booking that is there."""
    booking = Booking.load(world, str(key))
    assert booking is not None
    return booking


def _of(goal: Goal, *names: str) -> Facts:
    return {name: goal.facts[name] for name in names}


def _somebody_in_economy(rng: random.Random, booking: Booking, flight: Any) -> str | None:
    names = [
        ticket["passenger"]
        for ticket in booking.tickets
        if ticket["flight_id"] == flight["id"] and ticket["cabin"] == "economy"
    ]
    return str(rng.choice(names)) if names else None


ERRANDS = (
    *(CancelBooking, RemovePassenger, ChangeFlight, Rebook, Upgrade, AddBags, ChooseSeat, BookService, CorrectName),
    *(ClaimCompensation, ClaimMiles, ClaimBag),
)
"""The kinds of goals that end in writes."""

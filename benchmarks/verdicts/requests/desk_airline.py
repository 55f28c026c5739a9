"""Requests at the airline: what each kind wants, and what the airline's rules leave of it."""

# ruff: noqa: E501 - queries in a line each

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import zip_longest
from sqlite3 import Row

from agentgym_tools.desks.airline.world import NOW
from agentgym_tools.desks.setting.days import TODAY
from benchmarks.verdicts.requests.desk_requests import DAY, Alternatives, Wished, number_of_day, wants
from benchmarks.verdicts.requests.effects import Effect

AIRLINE = "airline"
HOUR = 60
ADULT = 18


class Trip:
    """A booking of the customer, with what the rules ask of it."""

    def __init__(self, wished: Wished) -> None:
        self.wished, self.policy = wished, wished.policy
        self.row = wished.one("SELECT * FROM bookings WHERE id = :booking_id AND customer_id = :me")
        self.customer = wished.one("SELECT * FROM customers WHERE id = :me")
        self.people = wished.rows("SELECT * FROM passengers WHERE booking_id = :booking_id")
        legs = "SELECT flight_id FROM tickets WHERE booking_id = :booking_id"
        self.flights = wished.rows(f"SELECT * FROM flights WHERE id IN ({legs}) ORDER BY departs")
        self.ahead = [flight for flight in self.flights if flight["state"] != "flown"]
        self.is_active = self.row["state"] in ("confirmed", "begun")
        self.is_cancelled_by_airline = any(flight["state"] == "cancelled" for flight in self.ahead)
        self.is_fee_free = self.row["fare"] == "flex" or self.customer["tier"] in self.policy.waived_tiers

    @property
    def flight(self) -> Row:
        """The flight that is named."""
        return next(flight for flight in self.flights if flight["id"] == self.wished["flight_id"])

    @property
    def person(self) -> Row:
        """The passenger who is named."""
        return next(row for row in self.people if row["name"] == self.wished["passenger"])

    def tickets(self, flight: Row, *, of_all: bool = True) -> list[Row]:
        """The tickets for a flight: of all passengers, or of the one who is named."""
        rows = self.wished.rows(
            "SELECT * FROM tickets WHERE booking_id = :booking_id AND flight_id = :leg", leg=flight["id"]
        )
        return [row for row in rows if of_all or row["passenger"] == self.wished["passenger"]]

    def leaves_in(self, flight: Row, hours: int) -> bool:
        """Whether it is at least so many hours until a flight departs."""
        return bool(flight["departs"] - NOW >= hours * HOUR)

    def freed(self, flight: Row, tickets: Sequence[Row]) -> list[Effect]:
        """The places of tickets for a flight are free again."""
        cabins = Counter(row["cabin"] for row in tickets)
        return [self.wished.added("flights", flight, **cabins), *self.seats_freed(tickets)]

    def seats_freed(self, tickets: Sequence[Row]) -> list[Effect]:
        """The chosen seats of tickets are free again."""
        found = []
        for row in tickets:
            seats = self.wished.rows(
                "SELECT * FROM seats WHERE flight_id = :leg AND seat = :seat", leg=row["flight_id"], seat=row["seat"]
            )
            found += [self.wished.set("seats", seat, taken_by="") for seat in seats]
        return found

    def charged(self, what: str, cents: int, method: str) -> list[Effect]:
        """A charge, or with less than 0 a refund; what goes by credit or miles shows on the account."""
        charge = self.wished.new("charges", booking_id=self.row["id"], what=what, amount=cents, method=method)
        if method == "card":
            return [charge]
        return [charge, self.wished.added("customers", self.customer, **{method: -cents})]

    def can_pay(self, cents: int, method: str) -> bool:
        """Whether what is paid with credit or miles is on the account."""
        return method == "card" or self.customer[method] >= cents


def _fee_for_leaving(trip: Trip) -> int | None:
    """What is kept back for each who leaves; None where nothing is paid back, or nobody may leave."""
    policy, row, wished = trip.policy, trip.row, trip.wished
    if len(trip.people) > policy.group_size or row["state"] != "confirmed":
        return None
    if not trip.is_cancelled_by_airline and not trip.leaves_in(trip.ahead[0], policy.change_hours):
        return None
    if row["fare"] in policy.credit_only and wished["refund_to"] == "card":
        return None
    is_new = NOW - row["booked"] <= policy.free_cancel_hours * HOUR
    if is_new or (row["insured"] and wished["reason"] in policy.insured_reasons) or trip.is_cancelled_by_airline:
        return 0
    if row["fare"] == "saver":
        return None
    return 0 if trip.is_fee_free else int(policy.cancel_fee_cents)


@wants(AIRLINE, "cancel_booking")
def cancel_booking(wished: Wished) -> Alternatives:
    trip = Trip(wished)
    fee = _fee_for_leaving(trip)
    if fee is None:
        return
    tickets = {flight["id"]: trip.tickets(flight) for flight in trip.ahead}
    every = [row for rows in tickets.values() for row in rows]
    back = sum(row["price"] for row in every) - fee * len(trip.people)
    yield [
        wished.set("bookings", trip.row, state="cancelled", cancel_reason=wished["reason"]),
        wished.put("tickets", every, seat=""),
        *(effect for flight in trip.ahead for effect in trip.freed(flight, tickets[flight["id"]])),
        *trip.charged("refund", -back, wished["refund_to"]),
    ]


@wants(AIRLINE, "remove_passenger")
def remove_passenger(wished: Wished) -> Alternatives:
    trip = Trip(wished)
    fee, others = _fee_for_leaving(trip), [row for row in trip.people if row["name"] != wished["passenger"]]
    if fee is None or not any(row["age"] >= ADULT for row in others):
        return
    tickets = {flight["id"]: trip.tickets(flight, of_all=False) for flight in trip.ahead}
    every = [row for rows in tickets.values() for row in rows]
    services = "SELECT * FROM services WHERE booking_id = :booking_id AND passenger = :passenger"
    back = sum(row["price"] for row in every) - fee
    yield [
        wished.gone("passengers", [trip.person]),
        wished.gone("tickets", every),
        wished.gone("services", wished.rows(services)),
        wished.new("removals", booking_id=trip.row["id"], passenger=wished["passenger"], reason=wished["reason"]),
        *(effect for flight in trip.ahead for effect in trip.freed(flight, tickets[flight["id"]])),
        *trip.charged("refund", -back, wished["refund_to"]),
    ]


def _chosen(trip: Trip, most_days: int) -> list[Row]:
    """The flights of the day that are wished for and may take the place of the old one."""
    old, wished, day = trip.flight, trip.wished, number_of_day(trip.wished["new_date"])
    needed = Counter(row["cabin"] for row in trip.tickets(old))
    found = wished.rows(
        "SELECT * FROM flights WHERE origin = :origin AND destination = :to AND state = 'scheduled' AND id <> :flight_id "
        "AND departs > :now AND departs / 1440 = :day",
        origin=old["origin"],
        to=old["destination"],
        now=NOW,
        day=day,
    )
    found = [new for new in found if all(new[cabin] >= number for cabin, number in needed.items())]
    column = {"earliest": "departs", "cheapest": "price"}[wished["wish"]]
    best = [new for new in found if new[column] == min(each[column] for each in found)]
    return [new for new in best if _keeps_order(trip, new) and abs(day - old["departs"] // DAY) <= most_days]


def _keeps_order(trip: Trip, new: Row) -> bool:
    before = [each for each in trip.flights if each["departs"] < trip.flight["departs"]]
    after = [each for each in trip.flights if each["departs"] > trip.flight["departs"]]
    return all(each["departs"] + each["minutes"] < new["departs"] for each in before) and all(
        new["departs"] + new["minutes"] < each["departs"] for each in after
    )


def _moved(trip: Trip, new: Row) -> list[Effect]:
    """All of a booking who fly on a flight do so on another one."""
    old, wished = trip.flight, trip.wished
    tickets = trip.tickets(old)
    services = wished.rows("SELECT * FROM services WHERE booking_id = :booking_id AND flight_id = :flight_id")
    taken = {cabin: -number for cabin, number in Counter(row["cabin"] for row in tickets).items()}
    return [
        *wished.renamed("tickets", tickets, flight_id=new["id"], seat=""),
        *wished.renamed("services", services, flight_id=new["id"]),
        *trip.freed(old, tickets),
        wished.added("flights", new, **taken),
    ]


@wants(AIRLINE, "change_flight")
def change_flight(wished: Wished) -> Alternatives:
    trip = Trip(wished)
    policy, old = trip.policy, trip.flight
    is_open = trip.is_active and len(trip.people) <= policy.group_size and old["state"] != "flown"
    if not is_open or trip.row["fare"] not in policy.changeable_fares or not trip.leaves_in(old, policy.change_hours):
        return
    for new in _chosen(trip, policy.change_days):
        each = (0 if trip.is_fee_free else policy.change_fee_cents) + max(0, new["price"] - old["price"])
        cost = each * len(trip.tickets(old))
        if trip.can_pay(cost, wished["pay_with"]):
            yield [*_moved(trip, new), *trip.charged("change", cost, wished["pay_with"])]


@wants(AIRLINE, "rebook")
def rebook(wished: Wished) -> Alternatives:
    trip = Trip(wished)
    old = trip.flight
    is_hit = old["state"] == "cancelled" or old["delay"] >= trip.policy.rebook_delay_hours * HOUR
    if trip.is_active and is_hit and old["state"] != "flown":
        yield from (_moved(trip, new) for new in _chosen(trip, trip.policy.rebook_days))


@wants(AIRLINE, "upgrade")
def upgrade(wished: Wished) -> Alternatives:
    trip = Trip(wished)
    policy, flight, method = trip.policy, trip.flight, wished["pay_with"]
    price = policy.upgrade_miles if method == "miles" else policy.upgrade_cents
    is_open = trip.is_active and flight["state"] != "flown" and trip.leaves_in(flight, policy.change_hours)
    is_free = flight["business"] > 0 and trip.row["fare"] in policy.upgrade_fares
    for ticket in trip.tickets(flight, of_all=False):
        if is_open and is_free and ticket["cabin"] == "economy" and trip.can_pay(price, method):
            yield [
                wished.set("tickets", ticket, cabin="business", seat=""),
                wished.added("flights", flight, economy=1, business=-1),
                *trip.seats_freed([ticket]),
                *trip.charged("upgrade", price, method),
            ]


@wants(AIRLINE, "add_bags")
def add_bags(wished: Wished) -> Alternatives:
    trip = Trip(wished)
    policy, has, more = trip.policy, trip.person["bags"], wished["bags"]
    if not trip.is_active or not trip.leaves_in(trip.ahead[0], policy.extras_hours) or has + more > policy.max_bags:
        return
    free = {"saver": 0, "standard": policy.standard_bags, "flex": policy.standard_bags + 1}[trip.row["fare"]]
    free += policy.gold_bags if trip.customer["tier"] == "gold" else 0
    num_paid = sum(number > free for number in range(has + 1, has + more + 1))
    cost = num_paid * policy.bag_cents
    yield [wished.added("passengers", trip.person, bags=more), *trip.charged("bags", cost, "card")]


@wants(AIRLINE, "choose_seat")
def choose_seat(wished: Wished) -> Alternatives:
    trip = Trip(wished)
    policy, flight = trip.policy, trip.flight
    is_open = trip.is_active and flight["state"] != "flown" and trip.leaves_in(flight, policy.extras_hours)
    if not is_open or (trip.row["fare"] == "saver" and not policy.saver_seats):
        return
    if wished["zone"] == "exit" and trip.person["age"] < policy.exit_age:
        return
    price = {"front": policy.front_cents, "exit": policy.exit_cents}.get(wished["zone"], 0)
    cost = 0 if trip.row["fare"] == "flex" else price
    seats = wished.rows(
        "SELECT * FROM seats WHERE flight_id = :flight_id AND zone = :zone AND place = :place AND taken_by = ''"
    )
    for ticket in trip.tickets(flight, of_all=False):
        for seat in seats if ticket["cabin"] == "economy" else ():
            taken = [
                wished.set("seats", seat, taken_by=trip.row["id"]),
                wished.set("tickets", ticket, seat=seat["seat"]),
            ]
            yield [*taken, *trip.seats_freed([ticket]), *trip.charged("seat", cost, "card")]


@wants(AIRLINE, "book_service")
def book_service(wished: Wished) -> Alternatives:
    trip = Trip(wished)
    policy, flight, service = trip.policy, trip.flight, wished["service"]
    key = {"booking_id": trip.row["id"], "flight_id": flight["id"], "passenger": wished["passenger"]}
    is_open = trip.is_active and flight["state"] != "flown" and trip.leaves_in(flight, policy.service_hours)
    has = "SELECT 1 FROM services WHERE booking_id = :booking_id AND flight_id = :flight_id AND passenger = :passenger AND service = :service"
    if is_open and service not in policy.staff_services and not wished.has(has):
        cost = policy.service_cents if service in ("pet in cabin", "sports equipment") else 0
        yield [wished.new("services", **key, service=service), *trip.charged(service, cost, "card")]


@wants(AIRLINE, "correct_name")
def correct_name(wished: Wished) -> Alternatives:
    trip = Trip(wished)
    old, new = wished["passenger"], wished["new_name"]
    num_wrong = sum(one != other for one, other in zip_longest(old, new))
    if not trip.is_active or num_wrong > trip.policy.name_letters:
        return
    named = "WHERE booking_id = :booking_id AND passenger = :passenger"
    yield [
        *wished.renamed("passengers", [trip.person], name=new),
        *wished.renamed("tickets", wished.rows(f"SELECT * FROM tickets {named}"), passenger=new),
        *wished.renamed("services", wished.rows(f"SELECT * FROM services {named}"), passenger=new),
    ]


def _is_in_time(trip: Trip) -> bool:
    """Whether a flight was flown lately enough for a claim."""
    days = TODAY - trip.flight["departs"] // DAY
    return bool(trip.flight["state"] == "flown" and days <= trip.policy.claim_days)


@wants(AIRLINE, "claim_compensation")
def claim_compensation(wished: Wished) -> Alternatives:
    trip = Trip(wished)
    policy, flight = trip.policy, trip.flight
    each = policy.compensation_cents + (policy.long_extra_cents if flight["km"] > policy.long_km else 0)
    percent = 100 + (policy.credit_bonus_percent if wished["pay_to"] == "credit" else 0)
    amount = each * len(trip.people) * percent // 100
    is_due = flight["delay"] >= policy.compensation_hours * HOUR and flight["cause"] not in policy.excluded_causes
    was_paid = wished.has("SELECT 1 FROM payouts WHERE booking_id = :booking_id AND flight_id = :flight_id")
    if is_due and _is_in_time(trip) and not was_paid and amount <= policy.staff_above_cents:
        key = {"booking_id": trip.row["id"], "flight_id": flight["id"]}
        paid: list[Effect] = [wished.new("payouts", **key, amount=amount, paid_to=wished["pay_to"])]
        if wished["pay_to"] == "credit":
            paid.append(wished.added("customers", trip.customer, credit=amount))
        yield paid


@wants(AIRLINE, "claim_miles")
def claim_miles(wished: Wished) -> Alternatives:
    trip = Trip(wished)
    policy, flight = trip.policy, trip.flight
    first, last = trip.customer["name"].split(" ", 1)
    is_aboard = f"{last}/{first}".upper() in [row["name"] for row in trip.people]
    percent = policy.saver_miles_percent if trip.row["fare"] == "saver" else 100
    percent += policy.gold_miles_percent if trip.customer["tier"] == "gold" else 0
    miles = flight["km"] * percent // 100
    was_credited = wished.has("SELECT 1 FROM mile_credits WHERE booking_id = :booking_id AND flight_id = :flight_id")
    if is_aboard and _is_in_time(trip) and not was_credited:
        credited = wished.new("mile_credits", booking_id=trip.row["id"], flight_id=flight["id"], miles=miles)
        yield [credited, wished.added("customers", trip.customer, miles=miles)]


@wants(AIRLINE, "claim_bag")
def claim_bag(wished: Wished) -> Alternatives:
    policy = Trip(wished).policy
    for report in wished.rows(
        "SELECT * FROM bag_reports WHERE booking_id = :booking_id AND passenger = :passenger AND NOT paid"
    ):
        flight = wished.one("SELECT * FROM flights WHERE id = :leg", leg=report["flight_id"])
        landed = (flight["departs"] + flight["delay"] + flight["minutes"]) // DAY
        days = (TODAY if report["returned"] is None else report["returned"]) - landed
        is_lost = report["returned"] is None and days >= policy.lost_days
        if not is_lost and days >= 1 and report["filed"] - landed <= policy.report_days:
            yield [wished.set("bag_reports", report, paid=policy.bag_daily_cents * min(days, policy.bag_max_days))]

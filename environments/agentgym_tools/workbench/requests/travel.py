"""Requests about travel."""

from __future__ import annotations

from agentgym_tools.workbench.cases import Case, View, do, either, leave, rows, tell
from agentgym_tools.workbench.rows.people import TOWNS
from agentgym_tools.workbench.rows.travel import CARDS, CURRENCIES, DAYS, code_of
from agentgym_tools.workbench.sets.toolbox import LISTED
from agentgym_tools.workbench.template import Facts, Pick, Template, UndrawableError, direct
from agentgym_tools.worlds.calls import Call

_LIVE = "SELECT * FROM bookings WHERE owner = ? AND state = 'booked' ORDER BY id"
_DEAD = "SELECT * FROM bookings WHERE owner = ? AND state = 'cancelled' ORDER BY id"
_WAY = "SELECT * FROM flights WHERE origin = ? AND destination = ? AND day = ? ORDER BY id"


def _trip(pick: Pick) -> Facts:
    origin, destination = pick.rng.sample(TOWNS, 2)
    return {"origin": origin, "destination": destination, "day": pick.one(DAYS), "kind": pick.one(CARDS)}


def _card_of(view: View, kind: str) -> str:
    return str(view.value("SELECT id FROM cards WHERE owner = ? AND kind = ?", view.me, kind))


def _find(facts: Facts) -> list[Call]:
    towns = (facts["origin"], facts["destination"])
    codes = {"origin": code_of(towns[0]), "destination": code_of(towns[1])}
    return [
        *(Call("airport_of", {"town": town}) for town in towns),
        Call("find_flights", {**codes, "day": facts["day"]}),
    ]


def _flights(view: View, facts: Facts) -> list[tuple[str, int, int]]:
    """Number, price and free seats of the flights of a trip."""
    found = view.rows(_WAY, code_of(facts["origin"]), code_of(facts["destination"]), facts["day"])
    return [(row["id"], row["price"], row["seats"]) for row in found]


def _book_cheapest(view: View, facts: Facts) -> Case:
    found = [flight for flight in _flights(view, facts) if flight[2]]
    reads = [*_find(facts), Call("list_cards")]
    way = f"flights {code_of(facts['origin'])} {code_of(facts['destination'])} {facts['day']}"
    if not found:
        return leave("not_possible", reads, [(LISTED, way)])
    lowest = min(price for _, price, _ in found)
    card = _card_of(view, facts["kind"])
    outcomes = [
        [Call("book_flight", {"flight": flight, "card": card})] for flight, price, _ in found if price == lowest
    ]
    return either(outcomes, reads, [(LISTED, way)])


def _free_seats(view: View, facts: Facts) -> Case:
    seats = view.value("SELECT seats FROM flights WHERE id = ?", facts["flight"])
    return tell(seats, [Call("get_flight", facts)], rows("flights", [facts["flight"]]))


def _lowest_price(view: View, facts: Facts) -> Case:
    found = _flights(view, facts)
    seen = rows("flights", [flight for flight, _, _ in found])
    return tell(min(price for _, price, _ in found), _find(facts), seen)


def _booking(pick: Pick) -> Facts:
    return {"booking_id": pick.row(_LIVE, pick.me)["id"]}


def _dead_booking(pick: Pick) -> Facts:
    return {"booking_id": pick.row(_DEAD, pick.me)["id"]}


def _bags(pick: Pick) -> Facts:
    return {**_booking(pick), "bags": pick.number(1, 3)}


def _freeze(view: View, facts: Facts) -> Case:
    card = _card_of(view, facts["kind"])
    return do(Call("set_card_state", {"card": card, "state": facts["state"]}), reads=[Call("list_cards")])


def _card_state(pick: Pick) -> Facts:
    return {"kind": pick.one(CARDS), "state": pick.one(("frozen", "active"))}


def _move_money(view: View, facts: Facts) -> Case:
    kinds = facts["kind"], next(kind for kind in CARDS if kind != facts["kind"])
    card, other = (_card_of(view, kind) for kind in kinds)
    call = Call("move_between_cards", {"card": card, "other": other, "amount_cents": facts["amount_cents"]})
    return do(call, reads=[Call("list_cards")])


def _money_and_card(pick: Pick) -> Facts:
    return {"kind": pick.one(CARDS), "amount_cents": pick.number(1000, 15000, 100)}


def _too_much(pick: Pick) -> Facts:
    return {"kind": pick.one(CARDS), "amount_cents": pick.number(900_000, 990_000, 100)}


def _convert(view: View, facts: Facts) -> Case:
    rate = view.value("SELECT per_hundred FROM rates WHERE currency = ?", facts["currency"])
    value = facts["amount_cents"] * rate // 100
    call = Call("convert_money", facts)
    return tell(value, [call], [("result", str(value))], rows("rates", [facts["currency"]]))


def _later(view: View, facts: Facts) -> Case:
    old = view.value("SELECT flight FROM bookings WHERE id = ?", facts["booking_id"])
    way = view.row("SELECT * FROM flights WHERE id = ?", old)
    assert way is not None
    found = view.rows(_WAY, way["origin"], way["destination"], facts["day"])
    if not found or way["day"] == facts["day"] or not found[0]["seats"]:
        raise UndrawableError
    earliest = min(row["departs"] for row in found)
    flights = [row["id"] for row in found if row["departs"] == earliest]
    if len(flights) > 1:
        raise UndrawableError
    codes = {"origin": way["origin"], "destination": way["destination"]}
    reads = [
        Call("get_booking", {"booking_id": facts["booking_id"]}),
        Call("get_flight", {"flight": old}),
        Call("find_flights", {**codes, "day": facts["day"]}),
    ]
    call = Call("change_flight", {"booking_id": facts["booking_id"], "flight": flights[0]})
    return do(call, reads=reads, rests_on=rows("flights", [row["id"] for row in found]))


def _other_day(pick: Pick) -> Facts:
    return {**_booking(pick), "day": pick.one(DAYS)}


def _count_live(view: View, facts: Facts) -> Case:
    return tell(len(view.rows(_LIVE, view.me)), [Call("list_bookings")], [(LISTED, "bookings")])


def _insure_last(view: View, facts: Facts) -> Case:
    return do(Call("buy_insurance", {"booking_id": view.added("bookings")}))


def _bags_of_last(view: View, facts: Facts) -> Case:
    return do(Call("add_bags", {"booking_id": view.added("bookings"), "bags": facts["bags"]}))


def _cancel_last(view: View, facts: Facts) -> Case:
    return do(Call("cancel_booking", {"booking_id": view.added("bookings")}))


def _total_paid(view: View, facts: Facts) -> Case:
    paid = [row["paid"] for row in view.rows(_LIVE, view.me)]
    if len(paid) < 2:
        raise UndrawableError
    seen = [(LISTED, "bookings"), ("result", str(sum(paid)))]
    return tell(sum(paid), [Call("list_bookings"), Call("sum_of", {"numbers": paid})], seen)


TRAVEL = "travel"
TEMPLATES = (
    Template(
        *("book_cheapest", TRAVEL),
        (
            "Book me the cheapest flight from {origin} to {destination} on {day} that has a seat, with my {kind} card.",
            "I go from {origin} to {destination} on {day}. Book the cheapest free seat, paid by the {kind} card.",
        ),
        _trip,
        _book_cheapest,
        key_tool="book_flight",
        missing="day",
        vague=("Book me the cheapest flight from {origin} to {destination} that has a seat, with my {kind} card.",),
    ),
    Template(
        *("free_seats", TRAVEL),
        ("How many seats are free on flight {flight}?", "Tell me the number of free seats of flight {flight}."),
        lambda pick: {"flight": pick.value("SELECT id FROM flights WHERE seats > 0 ORDER BY id")},
        _free_seats,
    ),
    Template(
        *("lowest_price", TRAVEL),
        ("What does the cheapest flight from {origin} to {destination} on {day} cost, in cents, sold out or not?",),
        _trip,
        _lowest_price,
    ),
    direct(
        *("cancel_booking", TRAVEL, "cancel_booking"),
        ("Cancel my booking {booking_id}.", "I am not going to fly on booking {booking_id}; cancel it."),
        _booking,
        idle=_dead_booking,
    ),
    direct(
        *("add_bags", TRAVEL, "add_bags"),
        ("Add {bags} bags to booking {booking_id}.", "I will take more bags on booking {booking_id}: {bags} more."),
        _bags,
        missing="bags",
        vague=("Add bags to booking {booking_id}.", "I will take more bags on booking {booking_id}."),
        idle=lambda pick: {**_dead_booking(pick), "bags": pick.number(1, 3)},
    ),
    direct(
        *("insure", TRAVEL, "buy_insurance"),
        ("Insure booking {booking_id}.", "Buy the insurance for my booking {booking_id}."),
        _booking,
        idle=_booking,
    ),
    Template(
        *("card_state", TRAVEL),
        ("Make my {kind} card {state}.", "I want my {kind} card to be {state}."),
        _card_state,
        _freeze,
        idle=_card_state,
        key_tool="set_card_state",
    ),
    Template(
        *("move_money", TRAVEL),
        (
            "Move {amount_cents} cents from my {kind} card to my other one.",
            "My other card needs {amount_cents} cents from the {kind} card.",
        ),
        _money_and_card,
        _move_money,
        idle=_too_much,
        key_tool="move_between_cards",
        missing="amount_cents",
        vague=("Move some money from my {kind} card to my other one.",),
    ),
    Template(
        *("convert", TRAVEL),
        (
            "How many hundredths of the currency {currency} are {amount_cents} cents?",
            "Convert {amount_cents} cents into hundredths of the {currency}.",
        ),
        lambda pick: {"amount_cents": pick.number(1000, 90000, 50), "currency": pick.one(sorted(CURRENCIES))},
        _convert,
    ),
    Template(
        *("other_day", TRAVEL),
        (
            "Move booking {booking_id} to the first flight of the same way on {day}.",
            "I fly on {day} instead: change booking {booking_id} to that day's first departure on the same way.",
        ),
        _other_day,
        _later,
        key_tool="change_flight",
        missing="day",
        vague=("Move booking {booking_id} to the first flight of the same way on another day.",),
    ),
    Template(
        *("count_bookings", TRAVEL),
        ("How many of my bookings are not cancelled?", "Count my bookings that still stand."),
        lambda pick: {},
        _count_live,
    ),
    Template(
        *("total_paid", TRAVEL),
        ("What have I paid in all, in cents, for my bookings that are not cancelled?",),
        lambda pick: {},
        _total_paid,
        more_sets=("calculator",),
    ),
    Template(
        *("insure_last", TRAVEL),
        ("Insure the flight that you have just booked.", "And buy the insurance for that new booking."),
        lambda pick: {},
        _insure_last,
        key_tool="buy_insurance",
        after="bookings",
    ),
    Template(
        *("bags_of_last", TRAVEL),
        ("Add {bags} bags to the booking that you have just made.", "I take {bags} bags along on the new booking."),
        lambda pick: {"bags": pick.number(1, 3)},
        _bags_of_last,
        key_tool="add_bags",
        after="bookings",
        missing="bags",
        vague=("Add bags to the booking that you have just made.",),
    ),
    Template(
        *("cancel_last_booking", TRAVEL),
        ("I cannot go after all: cancel the booking that you have just made.",),
        lambda pick: {},
        _cancel_last,
        key_tool="cancel_booking",
        after="bookings",
    ),
)
"""All requests about travel."""

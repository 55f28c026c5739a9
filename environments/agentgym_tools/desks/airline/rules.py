"""What the airline's rules come to: fees, sums that are due, and why a call is forbidden."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import zip_longest
from typing import Any

from agentgym_tools.desks.airline.booking import ADULT_AGE, Booking, flight_of, has_room, hours_until
from agentgym_tools.desks.airline.policy import AirlinePolicy
from agentgym_tools.desks.airline.world import DAY
from agentgym_tools.desks.setting.days import TODAY
from agentgym_tools.worlds import World

Arguments = Mapping[str, Any]
Rule = Callable[[World, Booking, Arguments, AirlinePolicy], list[str]]
"""Why the policy forbids a call that writes, the plainest reason first."""

FREE_SERVICES = ("wheelchair", "special meal")


def cancel_fee(booking: Booking, reason: str, policy: AirlinePolicy) -> int | None:
    """The fee for each passenger who leaves; None where nothing is paid back."""
    hours = hours_since_booking(booking)
    is_insured = bool(booking.row["insured"]) and reason in policy.insured_reasons
    if hours <= policy.free_cancel_hours or is_insured or booking.is_disrupted:
        return 0
    if booking.fare == "saver":
        return None
    return 0 if booking.fare == "flex" or booking.tier in policy.waived_tiers else policy.cancel_fee_cents


def change_fee(booking: Booking, policy: AirlinePolicy) -> int:
    """The fee for each passenger whose flight is changed."""
    return 0 if booking.fare == "flex" or booking.tier in policy.waived_tiers else policy.change_fee_cents


def free_bags(booking: Booking, policy: AirlinePolicy) -> int:
    """How many bags each passenger has free."""
    of_fare = {"saver": 0, "standard": policy.standard_bags, "flex": policy.standard_bags + 1}[booking.fare]
    return of_fare + (policy.gold_bags if booking.tier == "gold" else 0)


def bag_fee(booking: Booking, passenger: str, more: int, policy: AirlinePolicy) -> int:
    """What further bags of a passenger cost in all."""
    free, has = free_bags(booking, policy), booking.passengers[passenger]["bags"]
    return int(policy.bag_cents * (max(0, has + more - free) - max(0, has - free)))


def seat_fee(booking: Booking, zone: str, policy: AirlinePolicy) -> int:
    """What a seat costs."""
    return 0 if booking.fare == "flex" else {"front": policy.front_cents, "exit": policy.exit_cents}.get(zone, 0)


def service_fee(service: str, policy: AirlinePolicy) -> int:
    """What a service costs."""
    return 0 if service in FREE_SERVICES else policy.service_cents


def upgrade_price(pay_with: str, policy: AirlinePolicy) -> int:
    """What an upgrade costs, in cents or miles."""
    return policy.upgrade_miles if pay_with == "miles" else policy.upgrade_cents


def compensation(booking: Booking, flight: Any, pay_to: str, policy: AirlinePolicy) -> int:
    """The compensation for a flight that was late enough, in cents."""
    each = policy.compensation_cents + (policy.long_extra_cents if flight["km"] > policy.long_km else 0)
    bonus = policy.credit_bonus_percent if pay_to == "credit" else 0
    return each * len(booking.passengers) * (100 + bonus) // 100


def miles_due(booking: Booking, flight: Any, policy: AirlinePolicy) -> int:
    """The miles for a flight."""
    percent = policy.saver_miles_percent if booking.fare == "saver" else 100
    return int(flight["km"]) * (percent + (policy.gold_miles_percent if booking.tier == "gold" else 0)) // 100


def bag_due(world: World, report: Any, policy: AirlinePolicy) -> int:
    """What is paid for a bag that came late, in cents."""
    return policy.bag_daily_cents * min(days_without_bag(world, report), policy.bag_max_days)


def hours_since_booking(booking: Booking) -> int:
    """Whole hours since a booking was made."""
    return -hours_until({"departs": booking.row["booked"]})


def days_since(flight: Any) -> int:
    """Days since a flight's scheduled departure."""
    return TODAY - int(flight["departs"]) // DAY


def landing_day(flight: Any) -> int:
    """The day on which a flight landed."""
    return int(flight["departs"] + flight["delay"] + flight["minutes"]) // DAY


def days_without_bag(world: World, report: Any) -> int:
    """Days from landing until the bag came, or until today."""
    back = TODAY if report["returned"] is None else int(report["returned"])
    return back - landing_day(flight_of(world, report["flight_id"]))


def letters_changed(old: str, new: str) -> int:
    """How many letters of a name differ."""
    return sum(one != other for one, other in zip_longest(old.casefold(), new.casefold()))


def _against_leaving(world: World, booking: Booking, given: Arguments, policy: AirlinePolicy) -> list[str]:
    """Against cancelling, and against taking a passenger off."""
    found = ["group"] if len(booking.passengers) > policy.group_size else []
    found += _unless_active(booking)
    found += ["begun"] if booking.row["state"] == "begun" else []
    left = [row for name, row in booking.passengers.items() if name != given.get("passenger")]
    found += ["child_alone"] if "passenger" in given and all(row["age"] < ADULT_AGE for row in left) else []
    found += ["too_late"] if booking.hours_left < policy.change_hours and not booking.is_disrupted else []
    fee = cancel_fee(booking, given["reason"], policy)
    found += ["saver_fare"] if fee is None else []
    found += ["credit_only"] if given["refund_to"] == "card" and booking.fare in policy.credit_only else []
    return found + (["wrong_fee"] if fee is not None and given["fee_cents"] != fee else [])


def _against_changing(world: World, booking: Booking, given: Arguments, policy: AirlinePolicy) -> list[str]:
    old, new = booking.flight(given["flight_id"]), flight_of(world, given["new_flight_id"])
    if old is None or new is None:
        return []
    found = ["group"] if len(booking.passengers) > policy.group_size else []
    found += _unless_active(booking)
    found += ["fare_fixed"] if booking.fare not in policy.changeable_fares else []
    found += ["too_late"] if hours_until(old) < policy.change_hours else []
    found += _against_replacing(booking, old, new, policy.change_days)
    fee = change_fee(booking, policy)
    cost = len(booking.passengers) * (fee + max(0, new["price"] - old["price"]))
    is_short = given["pay_with"] == "credit" and booking.customer["credit"] < cost
    return found + (["too_little_credit"] if is_short else []) + (["wrong_fee"] if given["fee_cents"] != fee else [])


def _against_rebooking(world: World, booking: Booking, given: Arguments, policy: AirlinePolicy) -> list[str]:
    old, new = booking.flight(given["flight_id"]), flight_of(world, given["new_flight_id"])
    if old is None or new is None:
        return []
    is_disrupted = old["state"] == "cancelled" or old["delay"] >= policy.rebook_delay_hours * 60
    found = [*_unless_active(booking), *([] if is_disrupted else ["not_disrupted"])]
    return found + _against_replacing(booking, old, new, policy.rebook_days)


def _against_replacing(booking: Booking, old: Any, new: Any, max_days: int) -> list[str]:
    apart = abs(new["departs"] // DAY - old["departs"] // DAY)
    found = ["too_far"] if apart > max_days else []
    found += [] if booking.keeps_order(old["id"], new) else ["wrong_order"]
    return found + ([] if has_room(new, booking.seats_needed(old["id"])) else ["no_room"])


def _against_upgrading(world: World, booking: Booking, given: Arguments, policy: AirlinePolicy) -> list[str]:
    flight = booking.flight(given["flight_id"])
    if flight is None:
        return []
    found = _unless_active(booking)
    found += ["fare_no_upgrade"] if booking.fare not in policy.upgrade_fares else []
    found += ["too_late"] if hours_until(flight) < policy.change_hours else []
    found += ["no_room"] if not flight["business"] else []
    price = upgrade_price(given["pay_with"], policy)
    found += ["too_few_miles"] if given["pay_with"] == "miles" and booking.customer["miles"] < price else []
    found += ["too_little_credit"] if given["pay_with"] == "credit" and booking.customer["credit"] < price else []
    return found + (["wrong_fee"] if given["price"] != price else [])


def _against_bags(world: World, booking: Booking, given: Arguments, policy: AirlinePolicy) -> list[str]:
    if given["passenger"] not in booking.passengers:
        return []
    found = _unless_active(booking)
    found += ["too_late"] if booking.hours_left < policy.extras_hours else []
    total = booking.passengers[given["passenger"]]["bags"] + given["bags"]
    found += ["too_many_bags"] if total > policy.max_bags else []
    fee = bag_fee(booking, given["passenger"], given["bags"], policy)
    return found + (["wrong_fee"] if given["fee_cents"] != fee else [])


def _against_seat(world: World, booking: Booking, given: Arguments, policy: AirlinePolicy) -> list[str]:
    flight = booking.flight(given["flight_id"])
    seat = world.row("SELECT * FROM seats WHERE flight_id = ? AND seat = ?", given["flight_id"], given["seat"])
    if flight is None or seat is None or given["passenger"] not in booking.passengers:
        return []
    found = _unless_active(booking)
    found += ["fare_no_seats"] if booking.fare == "saver" and not policy.saver_seats else []
    found += ["too_late"] if hours_until(flight) < policy.extras_hours else []
    is_young = booking.passengers[given["passenger"]]["age"] < policy.exit_age
    found += ["exit_age"] if seat["zone"] == "exit" and is_young else []
    found += ["seat_taken"] if seat["taken_by"] else []
    return found + (["wrong_fee"] if given["fee_cents"] != seat_fee(booking, seat["zone"], policy) else [])


def _against_service(world: World, booking: Booking, given: Arguments, policy: AirlinePolicy) -> list[str]:
    flight = booking.flight(given["flight_id"])
    if flight is None:
        return []
    found = ["staff_service"] if given["service"] in policy.staff_services else []
    found += _unless_active(booking)
    found += ["too_late"] if hours_until(flight) < policy.service_hours else []
    return found + (["wrong_fee"] if given["fee_cents"] != service_fee(given["service"], policy) else [])


def _against_name(world: World, booking: Booking, given: Arguments, policy: AirlinePolicy) -> list[str]:
    found = _unless_active(booking)
    is_other = letters_changed(given["passenger"], given["new_name"]) > policy.name_letters
    return found + (["name_letters"] if is_other else [])


def _against_compensation(world: World, booking: Booking, given: Arguments, policy: AirlinePolicy) -> list[str]:
    flight = booking.flight(given["flight_id"])
    if flight is None:
        return []
    found = ["not_flown"] if flight["state"] != "flown" else []
    found += ["not_late"] if flight["delay"] < policy.compensation_hours * 60 else []
    found += ["excluded_cause"] if flight["cause"] in policy.excluded_causes else []
    found += _if_done(world, "payouts", booking, flight)
    found += ["too_late"] if days_since(flight) > policy.claim_days else []
    due = compensation(booking, flight, given["pay_to"], policy)
    found += ["high_amount"] if due > policy.staff_above_cents else []
    return found + (["wrong_amount"] if given["amount_cents"] != due else [])


def _against_miles(world: World, booking: Booking, given: Arguments, policy: AirlinePolicy) -> list[str]:
    flight = booking.flight(given["flight_id"])
    if flight is None:
        return []
    found = ["not_flown"] if flight["state"] != "flown" else []
    found += [] if booking.is_customer_aboard else ["not_aboard"]
    found += _if_done(world, "mile_credits", booking, flight)
    found += ["too_late"] if days_since(flight) > policy.claim_days else []
    return found + (["wrong_amount"] if given["miles"] != miles_due(booking, flight, policy) else [])


def _against_bag_claim(world: World, booking: Booking, given: Arguments, policy: AirlinePolicy) -> list[str]:
    report = world.row("SELECT * FROM bag_reports WHERE id = ?", given["report_id"])
    if report is None:
        return []
    days = days_without_bag(world, report)
    found = ["bag_lost"] if report["returned"] is None and days >= policy.lost_days else []
    found += ["already_done"] if report["paid"] else []
    landed = landing_day(flight_of(world, report["flight_id"]))
    found += ["report_late"] if report["filed"] - landed > policy.report_days else []
    found += ["not_late"] if days < 1 else []
    return found + (["wrong_amount"] if given["amount_cents"] != bag_due(world, report, policy) else [])


def _unless_active(booking: Booking) -> list[str]:
    return [] if booking.is_active else ["not_active"]


def _if_done(world: World, table: str, booking: Booking, flight: Any) -> list[str]:
    sql = f"SELECT 1 FROM {table} WHERE booking_id = ? AND flight_id = ?"  # noqa: S608 - names from this file
    return ["already_done"] if world.row(sql, booking.id, flight["id"]) else []


RULES: Mapping[str, Rule] = {
    "cancel_booking": _against_leaving,
    "remove_passenger": _against_leaving,
    "change_flight": _against_changing,
    "rebook_flight": _against_rebooking,
    "upgrade_passenger": _against_upgrading,
    "add_bags": _against_bags,
    "choose_seat": _against_seat,
    "book_service": _against_service,
    "correct_name": _against_name,
    "pay_compensation": _against_compensation,
    "credit_miles": _against_miles,
    "pay_bag_claim": _against_bag_claim,
}
"""What the policy says of each tool that writes."""

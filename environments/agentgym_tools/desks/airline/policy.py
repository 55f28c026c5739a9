"""The airline's rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agentgym.wording import counted
from agentgym_tools.desks.policy import Policy, drawn

IDENTIFY = {
    "email": ("find_customer_by_email", "the e-mail address"),
    "member": ("find_customer_by_member", "the member number"),
    "name": ("find_customer_by_name", "the name and date of birth"),
}
CANCEL_REASONS = ("change of plans", "illness", "death in the family", "jury duty")


@dataclass(frozen=True)
class AirlinePolicy(Policy):
    """The rules of an airline."""

    identify_by: str = drawn("email", "member", "name")
    asks_before_paying_out: bool = drawn(True, False)
    group_size: int = drawn(3, 4, 5)
    change_hours: int = drawn(2, 12, 24, held_out=(6, 18))
    cancel_fee_cents: int = drawn(3_000, 5_000, 7_000, held_out=(4_000, 6_000))
    waived_tiers: tuple[str, ...] = drawn((), ("gold",), ("silver", "gold"))
    free_cancel_hours: int = drawn(12, 24, 36, held_out=(6, 48))
    insured_reasons: tuple[str, ...] = drawn(
        CANCEL_REASONS[1:2], CANCEL_REASONS[1:3], CANCEL_REASONS[2:], held_out=((CANCEL_REASONS[1], CANCEL_REASONS[3]),)
    )
    credit_only: tuple[str, ...] = drawn((), ("saver",), ("saver", "standard"))
    changeable_fares: tuple[str, ...] = drawn(("standard", "flex"), ("saver", "standard", "flex"), ("flex",))
    change_fee_cents: int = drawn(2_000, 4_000, 6_000, held_out=(3_000, 5_000))
    change_days: int = drawn(5, 10, 20, held_out=(7, 14))
    rebook_delay_hours: int = drawn(1, 2, 3, held_out=(4,))
    rebook_days: int = drawn(3, 7, 12, held_out=(5, 9))
    compensation_hours: int = drawn(1, 2, 3, held_out=(4,))
    compensation_cents: int = drawn(10_000, 15_000, 25_000, held_out=(12_000, 20_000))
    long_km: int = drawn(1_000, 1_500, 2_500, held_out=(2_000,))
    long_extra_cents: int = drawn(5_000, 10_000, 20_000, held_out=(8_000, 15_000))
    excluded_causes: tuple[str, ...] = drawn(
        ("weather",), ("weather", "strike"), ("air traffic control", "strike"), held_out=(("crew", "weather"),)
    )
    credit_bonus_percent: int = drawn(0, 10, 20, held_out=(5, 15))
    staff_above_cents: int = drawn(40_000, 60_000, 90_000, held_out=(50_000, 70_000))
    claim_days: int = drawn(10, 20, 30, held_out=(15, 25))
    saver_miles_percent: int = drawn(25, 50, 75, held_out=(40, 60))
    gold_miles_percent: int = drawn(25, 50, 100, held_out=(30, 75))
    bag_daily_cents: int = drawn(3_000, 5_000, 8_000, held_out=(4_000, 6_000))
    bag_max_days: int = drawn(2, 4, 7, held_out=(3, 5))
    report_days: int = drawn(1, 3, 7, held_out=(2, 5))
    lost_days: int = drawn(14, 20, 26, held_out=(10, 17))
    standard_bags: int = drawn(0, 1, 2)
    gold_bags: int = drawn(0, 1, 2)
    bag_cents: int = drawn(2_500, 4_000, 6_000, held_out=(3_000, 5_000))
    max_bags: int = drawn(2, 3, 4)
    extras_hours: int = drawn(3, 8, 24, held_out=(5, 16))
    front_cents: int = drawn(1_200, 2_000, 3_500, held_out=(1_500, 3_000))
    exit_cents: int = drawn(1_000, 1_800, 3_000, held_out=(1_400, 2_400))
    exit_age: int = drawn(14, 16, 18)
    saver_seats: bool = drawn(True, False)
    name_letters: int = drawn(1, 2, 3)
    upgrade_fares: tuple[str, ...] = drawn(("standard", "flex"), ("flex",), ("saver", "standard", "flex"))
    upgrade_cents: int = drawn(15_000, 20_000, 30_000, held_out=(18_000, 25_000))
    upgrade_miles: int = drawn(6_000, 10_000, 15_000, held_out=(8_000, 12_000))
    service_cents: int = drawn(3_500, 5_500, 7_500, held_out=(4_500, 6_500))
    service_hours: int = drawn(24, 48, 72, held_out=(36, 60))
    staff_services: tuple[str, ...] = drawn((), ("pet in cabin",), ("sports equipment",), held_out=(("wheelchair",),))

    def lines(self) -> list[str]:
        """The rules in sentences."""
        tool, by = IDENTIFY[self.identify_by]
        return [
            f"First know the customer by {by}, with {tool}. Change only what belongs to this customer.",
            "Ask for the customer's yes before every change."
            if self.asks_before_paying_out
            else "Ask for the customer's yes before every change, except before paying compensation, paying for a late "
            "bag and crediting miles.",
            "Hours before a departure count to its scheduled time. Only bookings that are confirmed, or begun "
            "because some of their flights were flown, are changed in any way.",
            *self._lines_on_leaving(),
            *self._lines_on_moving(),
            *self._lines_on_claims(),
            *self._lines_on_extras(),
        ]

    def _lines_on_leaving(self) -> list[str]:
        waived = f" {_and(self.waived_tiers).capitalize()} customers pay no such fee." if self.waived_tiers else ""
        goes = f"A refund for the {_and(self.credit_only)} fare goes to travel credit only; any other one"
        return [
            f"Bookings of more than {self.group_size} passengers belong to the group desk: a customer who wants to "
            "cancel one, to take a passenger off it or to change a flight of it by change_flight is handed over, "
            "whatever else stands here.",
            f"A booking is cancelled, or a passenger taken off it, up to {self.change_hours} hours before its next "
            "flight departs. Once one of its flights was flown, neither is done.",
            f"The fee for each passenger who is cancelled or taken off is {self.cancel_fee_cents} cents in the "
            f"standard fare and nothing in the flex fare.{waived} The saver fare is not paid back, and so not "
            "cancelled.",
            "There is no fee, and the saver fare is paid back too: if the booking was made at most "
            f"{self.free_cancel_hours} hours ago; if it is insured and the reason is one of: "
            f"{', '.join(self.insured_reasons)}; or if the airline has cancelled one of its flights, and then there "
            "is no limit of hours either.",
            f"{goes if self.credit_only else 'A refund'} goes to the card or to travel credit, as the customer wants.",
            "A passenger is not taken off if only passengers under 18 would be left.",
        ]

    def _lines_on_moving(self) -> list[str]:
        waived = f" and for {_and(self.waived_tiers)} customers" if self.waived_tiers else ""
        return [
            f"A flight is changed, by change_flight, up to {self.change_hours} hours before it departs, in these "
            f"fares: {', '.join(self.changeable_fares)}. The new flight departs at most {self.change_days} days "
            f"before or after the old one. The fee for each passenger is {self.change_fee_cents} cents; nothing in "
            f"the flex fare{waived}. The system adds the difference of the prices by itself.",
            "A flight that the airline has cancelled, or that is late by "
            f"{counted(self.rebook_delay_hours, 'hour')} or more, is replaced without charge in every fare, by "
            f"rebook_flight, with one that departs at most {self.rebook_days} days before or after it.",
            "The flights of a booking stay in their order: a flight departs only after the one before it has landed.",
            f"A passenger is upgraded to business on a flight up to {self.change_hours} hours before it departs, in "
            f"these fares: {', '.join(self.upgrade_fares)}. It costs {self.upgrade_cents} cents by card or travel "
            f"credit, or {self.upgrade_miles} miles.",
            "What is paid with travel credit or miles has to be on the account.",
        ]

    def _lines_on_claims(self) -> list[str]:
        bonus = self.credit_bonus_percent
        return [
            f"A flight that was flown {counted(self.compensation_hours, 'hour')} late or more earns one compensation "
            f"of {self.compensation_cents} cents for each passenger of the booking, and {self.long_extra_cents} cents "
            f"more for each if it is longer than {self.long_km} km"
            + (f"; if it is paid as travel credit, the sum is {bonus} percent higher." if bonus else "."),
            f"There is no compensation where the cause was: {', '.join(self.excluded_causes)}.",
            f"If a compensation that is due comes to more than {self.staff_above_cents} cents in all, the staff "
            "pays it: hand the customer over.",
            "A flight that was flown earns its kilometres in miles, once, for a customer who was one of the "
            f"passengers; in the saver fare only {self.saver_miles_percent} percent of them. Gold customers get "
            f"{self.gold_miles_percent} percent of the kilometres on top.",
            f"Compensation is paid, and miles are credited, up to {self.claim_days} days after departure.",
            f"A bag that did not come with its flight earns {self.bag_daily_cents} cents for each day without it "
            f"since landing, for at most {self.bag_max_days} days, once, if it was reported at most "
            f"{counted(self.report_days, 'day')} after landing.",
            f"A bag that is still missing {self.lost_days} days after landing or later is lost: hand the customer "
            "over, whatever else stands here.",
        ]

    def _lines_on_extras(self) -> list[str]:
        by_staff = (
            f"Services that only the staff arranges, so hand the customer over: {', '.join(self.staff_services)}."
        )
        return [
            f"Free bags for each passenger: none in the saver fare, {self.standard_bags} in the standard fare, "
            f"{self.standard_bags + 1} in the flex fare; {self.gold_bags} more for gold customers. Each bag that is "
            f"added beyond those costs {self.bag_cents} cents. Nobody has more than {self.max_bags} bags.",
            f"Bags are added up to {self.extras_hours} hours before the booking's next flight departs, seats chosen "
            f"up to {self.extras_hours} hours before the flight itself.",
            f"A seat costs {self.front_cents} cents in the front, {self.exit_cents} cents at an exit and nothing "
            "elsewhere; in the flex fare nothing anywhere."
            + ("" if self.saver_seats else " In the saver fare no seats are chosen."),
            f"Who sits at an exit is at least {self.exit_age} years old.",
            f"Up to {self.name_letters} wrong letters in a passenger's name are corrected; if more differ, the "
            "staff does it: hand the customer over.",
            "A wheelchair and a special meal are free; a pet in the cabin and sports equipment cost "
            f"{self.service_cents} cents. Services are booked up to {self.service_hours} hours before the flight "
            "departs.",
            *([by_staff] if self.staff_services else []),
        ]


def _and(names: Sequence[str]) -> str:
    return " and ".join(names)

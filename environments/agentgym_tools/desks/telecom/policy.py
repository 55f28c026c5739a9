"""The company's rules."""

from __future__ import annotations

from dataclasses import dataclass

from agentgym_tools.desks.policy import Policy, drawn
from agentgym_tools.desks.telecom.troubles import TROUBLES

IDENTIFY = {
    "email": ("find_customer_by_email", "the e-mail address and PIN"),
    "line": ("find_customer_by_line", "a line and the PIN"),
    "name": ("find_customer_by_name", "the name and date of birth"),
}
CHANGE_PLAN, MOVE_OUT, DATA_PACK, NEW_SIM = "change a plan", "move a line to another carrier", "add data", "send a SIM"


@dataclass(frozen=True)
class TelecomPolicy(Policy):
    """The rules of a telephone company."""

    identify_by: str = drawn("email", "line", "name")
    network_mode: str = drawn("auto", "4g", held_out=("5g",))
    pack_price_cents: int = drawn(200, 300, 500, held_out=(250, 400))
    max_pack_gigabytes: int = drawn(1, 2, 5, held_out=(3,))
    max_packs: int = drawn(1, 2, 3)
    roaming_after_days: int = drawn(0, 30, 60, held_out=(20, 45))
    plans_without_roaming: tuple[str, ...] = drawn(
        ("lite",), ("lite", "basic"), (), held_out=(("basic",), ("family", "lite"))
    )
    resume_fee_cents: int = drawn(0, 500, 1000, held_out=(700,))
    plan_change_days: int = drawn(15, 30, 60, held_out=(20, 45))
    allows_smaller_plan: bool = drawn(True, False)
    stopped_by_debt: tuple[str, ...] = drawn(
        (CHANGE_PLAN, MOVE_OUT), (DATA_PACK, NEW_SIM), (MOVE_OUT,), held_out=((CHANGE_PLAN, DATA_PACK),)
    )
    sim_fee_cents: int = drawn(0, 900, 1500, held_out=(1200,))
    sim_wait_days: int = drawn(7, 30, 60, held_out=(14, 45))
    exit_fee_cents: int = drawn(0, 500, 1000, held_out=(800,))
    refund_days: int = drawn(30, 60, 90, held_out=(45, 75))
    refunded_charges: tuple[str, ...] = drawn(
        ("double billing",),
        ("double billing", "premium SMS"),
        ("double billing", "directory service", "roaming call"),
        held_out=(("premium SMS", "roaming call"),),
    )
    staff_above_cents: int = drawn(2_000, 3_000, 4_000, held_out=(2_500, 3_500))
    late_fee_cents: int = drawn(300, 500, 900, held_out=(400, 700))
    grace_days: int = drawn(0, 5, 10, held_out=(7,))
    staff_bars: tuple[str, ...] = drawn(("fraud",), ("fraud", "request"), held_out=(("fraud", "spending cap"),))
    asks_before_blocking: bool = drawn(True, False)

    def lines(self) -> list[str]:
        """The rules in sentences."""
        return [*self._lines_of_care(), *self._lines_of_troubles(), *self._lines_of_lines(), *self._lines_of_money()]

    def late_fee(self, days_late: int) -> int:
        """What is added to a bill that is paid so many days after it was due, in cents."""
        return self.late_fee_cents if days_late > self.grace_days else 0

    def exit_fee(self, days_left: int) -> int:
        """What leaving a contract with so many days left costs, in cents: by the month of 30 days that has begun."""
        return self.exit_fee_cents * max(0, -(-days_left // 30))

    def _lines_of_care(self) -> list[str]:
        tool, by = IDENTIFY[self.identify_by]
        small = "" if self.asks_before_blocking else ", except to block a line, which is urgent"
        stopped = " or ".join(self.stopped_by_debt)
        return [
            f"First know the customer by {by}, with {tool}. Change only what belongs to this customer.",
            f"Ask for the customer's yes before every change that the desk makes{small}; what the customer changes on "
            "its own phone, it agrees to by doing it.",
            f"While a bill of the customer is overdue, do not {stopped}.",
        ]

    def _lines_of_troubles(self) -> list[str]:
        checks = [f"{trouble.words}: {', '.join(trouble.reads)}" for trouble in TROUBLES.values()]
        tests = [f"{trouble.words}: {trouble.check}" for trouble in TROUBLES.values()]
        excluded = (
            f", but not with the plans {', '.join(self.plans_without_roaming)}" if self.plans_without_roaming else ""
        )
        return [
            "In a trouble with a phone, first read the line, its plan and its SIM, for slow data also the customer's "
            f"bills, and have the customer use these tools of the phone. {'; '.join(checks)}.",
            "Then cure every cause of the trouble, at the desk and on the phone, and change nothing else. If one part "
            "of the cure is not allowed, change nothing at all. A restart comes last, and only where the registration "
            "is lost, or, in a trouble with data or picture messages, where the APN in use is not the plan's.",
            f"When all is changed, have the customer test it. {'; '.join(tests)}.",
            f"A network mode that is slow is changed to {self.network_mode}.",
            f"Roaming may be enabled for lines that are at least {self.roaming_after_days} days old{excluded}.",
            f"A bar of calls may be lifted, but bars for these reasons are lifted by the staff: "
            f"{', '.join(self.staff_bars)}.",
            f"A line that has used all the data of its plan and packs is slow until it gets a data pack. A pack has at "
            f"most {self.max_pack_gigabytes} GB, each at {self.pack_price_cents} cents. A line gets "
            f"no further pack once it has had {self.max_packs} in the month.",
        ]

    def _lines_of_lines(self) -> list[str]:
        smaller = "any other plan" if self.allows_smaller_plan else "a plan with more data, not one with less"
        exit_fee = (
            f"for each month of 30 days, begun or whole, that the contract still runs, {self.exit_fee_cents} cents"
            if self.exit_fee_cents
            else "0 cents"
        )
        return [
            f"The plan of an active line may be changed {self.plan_change_days} days after its last change or later, "
            f"to {smaller}. If the line is that of the customer's phone, first have the customer look at "
            "check_access_point; after the change, have it set the APN and the MMS center where they differ from the "
            "new plan's, restart if the APN in use differs, and look again.",
            f"A suspended line may be resumed when no bill of the customer is overdue, for {self.resume_fee_cents} "
            "cents; one that is barred for fraud is for the staff.",
            "An active line may be blocked when its phone is lost. A new SIM, of the kind that the customer wants, "
            f"costs {self.sim_fee_cents} cents; if the present one is less than {self.sim_wait_days} days old, the "
            "staff decides.",
            f"A line that is active may move to another carrier. The exit fee is {exit_fee}.",
        ]

    def _lines_of_money(self) -> list[str]:
        return [
            f"A bill that is paid more than {self.grace_days} days after it was due costs {self.late_fee_cents} cents "
            "more, otherwise the late fee is 0.",
            f"Charges of these kinds may be refunded, up to {self.refund_days} days after the charge: "
            f"{', '.join(self.refunded_charges)}. Charges above {self.staff_above_cents} cents are for the staff.",
        ]

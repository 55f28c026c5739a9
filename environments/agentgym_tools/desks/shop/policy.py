"""The shop's rules."""

from __future__ import annotations

from dataclasses import dataclass

from agentgym.wording import counted
from agentgym_tools.desks.policy import Policy, drawn

IDENTIFY = {
    "email": ("find_customer_by_email", "the e-mail address"),
    "name": ("find_customer_by_name", "the name and zip code"),
    "phone": ("find_customer_by_phone", "the phone number and zip code"),
}
CANCEL_REASONS = ("ordered by mistake", "no longer needed", "found cheaper", "too slow")


@dataclass(frozen=True)
class ShopPolicy(Policy):
    """The rules of a shop."""

    identify_by: str = drawn("email", "name", "phone")
    cancel_days: int = drawn(1, 3, 5, 7, held_out=(2, 4, 6))
    cancel_reasons: tuple[str, ...] = drawn(
        CANCEL_REASONS, CANCEL_REASONS[:2], CANCEL_REASONS[1:], held_out=((CANCEL_REASONS[0], CANCEL_REASONS[2]),)
    )
    return_days: int = drawn(10, 20, 30, 45, held_out=(15, 25, 40))
    gold_bonus_days: int = drawn(0, 10, 20, held_out=(5, 15))
    return_fee_cents: int = drawn(0, 200, 300, held_out=(100, 250))
    final_sale: tuple[str, ...] = drawn(
        ("garden",), ("toys",), ("clothing", "lamp"), (), held_out=(("chair",), ("kitchen",))
    )
    refunds_go_back: bool = drawn(True, False)
    exchange_days: int = drawn(10, 20, 30, held_out=(15, 25))
    max_difference_cents: int = drawn(0, 500, 2000, held_out=(300, 1000))
    address_changes: bool = drawn(True, True, False)
    payment_changes: bool = drawn(True, True, False)
    contact_changes: str = drawn("both", "email", "phone")
    late_days: int = drawn(1, 3, 5, held_out=(2, 4))
    voucher_cents: int = drawn(500, 1000, 1500, held_out=(700, 1200))
    staff_above_cents: int = drawn(15_000, 20_000, 25_000, held_out=(18_000, 22_000))
    asks_before_small_changes: bool = drawn(True, False)

    @property
    def _difference(self) -> str:
        limit = self.max_difference_cents
        return f"if the prices differ by at most {limit} cents" if limit else "if it has the same price"

    def lines(self) -> list[str]:
        """The rules in sentences."""
        tool, by = IDENTIFY[self.identify_by]
        small = "every change" if self.asks_before_small_changes else "a change, except of an address or a contact"
        fee = f"Keep back {self.return_fee_cents} cents for each item." if self.return_fee_cents else "There is no fee."
        goes = "only to the payment of the order" if self.refunds_go_back else "to any payment of the customer"
        final = f"Items of these categories are never taken back or exchanged: {', '.join(self.final_sale)}."
        contact = {"both": "The e-mail address and the phone number", "email": "Only the e-mail address"}
        return [
            f"First know the customer by {by}, with {tool}. Change only what belongs to this customer.",
            f"Ask for the customer's yes before {small}.",
            f"A pending order, or some of its items, may be cancelled until "
            f"{counted(self.cancel_days, 'day')} after it was placed.",
            f"Reasons for which a whole order may be cancelled: {', '.join(self.cancel_reasons)}.",
            f"Items may be returned up to {self.return_days} days after delivery; gold customers have "
            f"{self.gold_bonus_days} days more. {fee}",
            f"A refund goes {goes}.",
            *([final] if self.final_sale else []),
            f"An item may be exchanged up to {self.exchange_days} days after delivery, for another colour of the same "
            f"product, {self._difference}.",
            f"The address of a pending order {'may be changed' if self.address_changes else 'is never changed'}.",
            f"The payment of a pending order {'may be changed' if self.payment_changes else 'is never changed'}.",
            f"{contact.get(self.contact_changes, 'Only the phone number')} may be changed at this desk; the "
            "staff changes anything else.",
            f"An order that came {counted(self.late_days, 'day')} late or more earns one voucher of "
            f"{self.voucher_cents} cents.",
            f"If an order costs more than {self.staff_above_cents} cents, the staff cancels it and takes it back: hand "
            "the customer over.",
        ]

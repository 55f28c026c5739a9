"""What an order costs: coupons, shipping and the sums. Pure; amounts are in cents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Coupon(NamedTuple):
    """A coupon as the table `coupon` has it."""

    code: str
    kind: str
    """percent, amount or shipping."""
    value: int
    minimum: int
    """Least value of the goods."""
    department: str | None
    """The only department it is for; None is all."""
    expires: str
    """Its last day."""


class Method(NamedTuple):
    """A way of shipping as the table `shipping` has it."""

    name: str
    price: int
    free_from: int | None
    """Value of the goods, after the discount, from which it is free; None is never."""
    days: int


class Totals(NamedTuple):
    """The sums of an order."""

    goods: int
    discount: int
    shipping: int
    total: int


SHIPPING = (
    Method("Standard", 490, 7500, 5),
    Method("Express", 990, None, 2),
    Method("Pick-up point", 290, 5000, 4),
)
COUPONS = (
    Coupon("SPRING10", "percent", 10, 5000, None, "2026-04-30"),
    Coupon("GARDEN15", "percent", 15, 0, "Garden", "2026-05-31"),
    Coupon("TAKE20", "amount", 2000, 15000, None, "2026-03-31"),
    Coupon("FREESHIP", "shipping", 0, 2000, None, "2026-03-15"),
    Coupon("WINTER25", "percent", 25, 0, None, "2026-01-31"),
    Coupon("PAPER12", "percent", 12, 0, "Stationery", "2026-06-30"),
    Coupon("COOK8", "amount", 800, 4000, "Kitchen", "2026-03-20"),
    Coupon("LOYAL5", "amount", 500, 3000, None, "2026-12-31"),
)

Line = tuple[int, str]
"""The value of a line of a cart, and its department."""


def totals(lines: Sequence[Line], method: Method, coupon: Coupon | None) -> Totals:
    """The sums of an order, for a coupon that `problem_of` accepts."""
    goods = sum(value for value, _ in lines)
    discount = discount_of(lines, coupon) if coupon else 0
    is_free = method.free_from is not None and goods - discount >= method.free_from
    shipping = 0 if is_free or (coupon and coupon.kind == "shipping") else method.price
    return Totals(goods, discount, shipping, goods - discount + shipping)


def discount_of(lines: Sequence[Line], coupon: Coupon) -> int:
    """What a coupon takes off the goods."""
    eligible = sum(value for value, department in lines if coupon.department in (None, department))
    if coupon.kind == "percent":
        return round(eligible * coupon.value / 100)
    return min(coupon.value, eligible) if coupon.kind == "amount" else 0


def problem_of(lines: Sequence[Line], coupon: Coupon, today: str) -> str | None:
    """Why a coupon cannot be used on a cart; None if it can."""
    if coupon.expires < today:
        return f"The coupon {coupon.code} has expired."
    eligible = sum(value for value, department in lines if coupon.department in (None, department))
    if coupon.department and not eligible:
        return f"The coupon {coupon.code} is for {coupon.department} only."
    if eligible < coupon.minimum:
        return f"The coupon {coupon.code} needs goods for at least ${coupon.minimum / 100:.2f}."
    return None

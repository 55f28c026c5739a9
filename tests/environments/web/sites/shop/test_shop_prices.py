"""Sums of orders, worked by hand."""

from __future__ import annotations

import pytest

from agentgym_web.sites.shop.prices import COUPONS, SHIPPING, discount_of, problem_of, totals

STANDARD, EXPRESS, POINT = SHIPPING
BY_CODE = {coupon.code: coupon for coupon in COUPONS}
LINES = [(6000, "Garden"), (2550, "Kitchen")]


def test_totals_without_a_coupon_ship_free_from_the_limit() -> None:
    assert totals(LINES, STANDARD, None) == (8550, 0, 0, 8550)
    assert totals(LINES, EXPRESS, None) == (8550, 0, 990, 9540)
    assert totals([(4999, "Home")], POINT, None) == (4999, 0, 290, 5289)


def test_totals_count_the_free_limit_after_the_discount() -> None:
    assert totals([(8000, "Home")], STANDARD, BY_CODE["SPRING10"]) == (8000, 800, 490, 7690)


@pytest.mark.parametrize(
    ("code", "discount"), [("SPRING10", 855), ("GARDEN15", 900), ("LOYAL5", 500), ("FREESHIP", 0), ("PAPER12", 0)]
)
def test_discount_is_on_what_the_coupon_is_for(code: str, discount: int) -> None:
    assert discount_of(LINES, BY_CODE[code]) == discount


def test_free_shipping_coupon_pays_any_shipping() -> None:
    assert totals(LINES, EXPRESS, BY_CODE["FREESHIP"]).total == 8550


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("WINTER25", "expired"),
        ("TAKE20", "at least $150.00"),
        ("PAPER12", "for Stationery only"),
        ("COOK8", "at least"),
    ],
)
def test_problem_says_why_a_coupon_does_not_count(code: str, words: str) -> None:
    assert words in (problem_of(LINES, BY_CODE[code], "2026-03-02") or "")


def test_problem_is_none_for_a_coupon_that_counts() -> None:
    assert problem_of(LINES, BY_CODE["GARDEN15"], "2026-03-02") is None

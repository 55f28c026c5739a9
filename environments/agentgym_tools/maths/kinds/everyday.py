"""Money and days: interest, savings and loans to the cent, and days of the calendar that fit conditions."""

from __future__ import annotations

import datetime
from fractions import Fraction
from random import Random

from agentgym_tools.maths.problem import Draft, Kind, listed
from agentgym_tools.months import MONTHS
from agentgym_tools.python.kinds.arithmetic import PEOPLE

_DAYS = ("Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays", "Sundays")


def draw_savings(rng: Random, level: int) -> Draft:
    """Compound interest; with a deposit each year; the equal payments that pay a loan off."""
    rate = rng.randint(4, 36) * 25
    amount = rng.randint(10, 400) * 25
    periods = rng.randint(*((3, 9), (5, 15), (6, 24))[level - 1])
    deposit = rng.randint(4, 40) * 25 if level == 2 else 0
    percent = f"{rate // 100}.{rate % 100:02}".rstrip("0").rstrip(".")
    words = {
        "amount": amount,
        "percent": percent,
        "periods": periods,
        "deposit": deposit,
        "person": rng.choice(PEOPLE),
    }
    exact = " Nothing is rounded on the way."
    if level == 3:
        texts = (
            "A loan of {amount} crowns is paid back in {periods} equal payments at the end of each year, the first after "
            "one year. At the end of each year, before the payment, {percent} % interest is added to the debt. How many "
            "crowns is each payment?" + exact,
            "{person} borrows {amount} crowns at {percent} % a year and pays the same amount at each year's end, right "
            "after the interest on the remaining debt was added. After {periods} payments nothing is owed. What is one "
            "payment, in crowns?" + exact,
            "What equal payment in crowns, made at the end of each of {periods} years just after {percent} % interest "
            "was added to the debt, pays off a loan of {amount} crowns?" + exact,
        )
    else:
        also = " Each time, right afterwards, {deposit} crowns more are paid in, the last time too." if deposit else ""
        texts = (
            "{person} puts {amount} crowns into an account. At the end of each year, {percent} % interest is added."
            + also
            + " How many crowns are there after {periods} years?"
            + exact,
            "An account starts with {amount} crowns and earns {percent} % compound interest, added at each year's end."
            + also
            + " What does it hold after {periods} years, in crowns?"
            + exact,
            "{amount} crowns are put away at {percent} % a year, and the interest of each year is added at its end and earns "
            "interest from then on." + also + " How many crowns have they become {periods} years later?" + exact,
        )
    values = {"amount": amount, "rate": rate, "periods": periods, "deposit": deposit, "is_loan": level == 3}
    return Draft(texts, words, values)


def money_by_formula(amount: int, rate: int, periods: int, deposit: int, is_loan: bool) -> Fraction:
    """The closed forms of compound interest and of annuities."""
    interest = Fraction(rate, 10_000)
    growth = (1 + interest) ** periods
    if is_loan:
        return amount * interest * growth / (growth - 1)
    return amount * growth + deposit * (growth - 1) / interest


def money_by_years(amount: int, rate: int, periods: int, deposit: int, is_loan: bool) -> Fraction:
    """Go from year to year; the debt that is left falls evenly with the payment."""

    def left(payment: int) -> Fraction:
        money = Fraction(amount)
        for _ in range(periods):
            money = money * (10_000 + rate) / 10_000 + payment
        return money

    return left(0) / (left(0) - left(-1)) if is_loan else left(deposit)


def draw_calendars(rng: Random, level: int) -> Draft:
    """Days between two dates; those that are two days of the week; working days without yearly holidays."""
    first = datetime.date(rng.randint(1990, 2035), 1, 1) + datetime.timedelta(rng.randrange(365))
    last = first + datetime.timedelta(rng.randint(*((200, 4_000), (1_500, 6_000), (1_000, 5_000))[level - 1]))
    weekdays = (list(range(7)), sorted(rng.sample(range(7), 2)), list(range(5)))[level - 1]
    free = [(month, rng.randint(1, 28)) for month in sorted(rng.sample(range(1, 13), 3))] if level == 3 else []
    holidays = listed([f"{day} {MONTHS[month - 1]}" for month, day in free]) if free else ""
    what = (
        "days",
        f"{listed([_DAYS[day] for day in weekdays])} together",
        f"days from Monday to Friday, not counting the yearly holidays on {holidays},",
    )[level - 1]
    words = {"first": _written(first), "last": _written(last), "what": what}
    texts = (
        "How many {what} are there from {first} to {last}, both included?",
        "Count the {what} in the time that begins with {first} and ends with {last}; the two dates belong to it. How "
        "many are there?",
        "In the Gregorian calendar, how many {what} does the span from {first} up to and including {last} have? The "
        "first date counts as well.",
    )
    ends = [(date.year, date.month, date.day) for date in (first, last)]
    return Draft(texts, words, {"first": ends[0], "last": ends[1], "weekdays": weekdays, "free": free})


def _written(date: datetime.date) -> str:
    return f"{date.day} {MONTHS[date.month - 1]} {date.year}"


def days_by_numbers(
    first: tuple[int, int, int], last: tuple[int, int, int], weekdays: list[int], free: list[tuple[int, int]]
) -> int:
    """Numbers of days in the calendar: how often each day of the week comes, less the holidays on such days."""
    start, end = _day_number(*first), _day_number(*last)
    total = sum((end - day) // 7 - (start - 1 - day) // 7 for day in weekdays)
    for year in range(first[0], last[0] + 1):
        numbers = [_day_number(year, month, day) for month, day in free]
        total -= sum(start <= number <= end and number % 7 in weekdays for number in numbers)
    return total


def _day_number(year: int, month: int, day: int) -> int:
    """A number for each day that grows by one, 0 modulo 7 on Mondays; years begin in March, so that leap days end them."""
    year, month = (year, month - 3) if month > 2 else (year - 1, month + 9)
    return 365 * year + year // 4 - year // 100 + year // 400 + (153 * month + 2) // 5 + day + 1


def days_by_looking(
    first: tuple[int, int, int], last: tuple[int, int, int], weekdays: list[int], free: list[tuple[int, int]]
) -> int:
    """Look at every day."""
    day, end, total = datetime.date(*first), datetime.date(*last), 0
    while day <= end:
        total += day.weekday() in weekdays and (day.month, day.day) not in free
        day += datetime.timedelta(days=1)
    return total


KINDS = (
    Kind("savings", "decimal", draw_savings, money_by_formula, money_by_years),
    Kind("calendars", "integer", draw_calendars, days_by_numbers, days_by_looking),
)

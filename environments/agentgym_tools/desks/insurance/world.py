"""The insurance company's world: customers, tariffs, contracts, claims with documents; generated once per size.

What is insured is a contract throughout; the word policy is left to the rules of the desk.
"""

from __future__ import annotations

import random
import sqlite3
from dataclasses import dataclass
from functools import partial

from agentgym_tools.desks.setting.days import TODAY, date_of
from agentgym_tools.desks.setting.people import FIRST_NAMES, LAST_NAMES, STREETS, TOWNS
from agentgym_tools.months import MONTHS
from agentgym_tools.worlds import Base

YEAR = 365
LEVELS = ("basic", "plus", "full")
PERILS = {
    "car": (("fire", "theft"), ("glass", "hail"), ("collision", "vandalism")),
    "home": (("fire", "storm"), ("water", "theft"), ("glass", "flood")),
    "travel": (("illness", "theft"), ("luggage", "delay"), ("cancellation", "accident")),
}
"""For each line what its levels cover; each level covers also what those before it do."""
DOCUMENTS = ("photo", "bill", "police report", "expert opinion")
COUNTRIES = ("AT", "BR", "DE", "FR", "NO", "US")
_DEDUCTIBLES = {"car": (15_000, 30_000, 50_000), "home": (10_000, 25_000, 50_000), "travel": (0, 5_000, 10_000)}
_COLOURS = ("red", "blue", "green", "white", "black", "grey")
_INSURED = {
    "car": tuple(f"{colour} {kind}" for kind in ("van", "estate", "roadster") for colour in _COLOURS),
    "home": tuple(f"{kind} in {town}" for kind in ("flat", "house") for town in TOWNS),
    "travel": tuple(f"trip to {place}" for place in ("Chile", "Egypt", "Iceland", "Japan", "Kenya", "Peru", "Samoa")),
}
_SCHEMA = """
CREATE TABLE customers (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, born TEXT NOT NULL, email TEXT NOT NULL, phone TEXT NOT NULL,
    street TEXT NOT NULL, town TEXT NOT NULL, zip TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE accounts (
    customer_id TEXT PRIMARY KEY REFERENCES customers, account TEXT NOT NULL, changed INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE tariffs (
    id TEXT PRIMARY KEY, line TEXT NOT NULL, level TEXT NOT NULL, deductible INTEGER NOT NULL, premium INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE covers (
    tariff_id TEXT NOT NULL REFERENCES tariffs, peril TEXT NOT NULL, most INTEGER NOT NULL,
    PRIMARY KEY (tariff_id, peril)
) WITHOUT ROWID;
CREATE TABLE contracts (
    id TEXT PRIMARY KEY, customer_id TEXT NOT NULL REFERENCES customers, tariff_id TEXT NOT NULL REFERENCES tariffs,
    insured TEXT NOT NULL, state TEXT NOT NULL, started INTEGER NOT NULL, ends INTEGER NOT NULL, lapsed INTEGER,
    due INTEGER NOT NULL, deferred INTEGER NOT NULL, bonus INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE drivers (
    contract_id TEXT NOT NULL REFERENCES contracts, name TEXT NOT NULL, age INTEGER NOT NULL,
    surcharge INTEGER NOT NULL, PRIMARY KEY (contract_id, name)
) WITHOUT ROWID;
CREATE TABLE claims (
    id INTEGER PRIMARY KEY, contract_id TEXT NOT NULL REFERENCES contracts, event TEXT NOT NULL, peril TEXT NOT NULL,
    happened INTEGER NOT NULL, reported INTEGER NOT NULL, amount INTEGER NOT NULL, state TEXT NOT NULL,
    settled INTEGER
);
CREATE TABLE documents (
    claim_id INTEGER NOT NULL REFERENCES claims, kind TEXT NOT NULL, received INTEGER NOT NULL,
    PRIMARY KEY (claim_id, kind)
) WITHOUT ROWID;
CREATE TABLE payouts (
    claim_id INTEGER NOT NULL REFERENCES claims, account TEXT NOT NULL, amount INTEGER NOT NULL,
    PRIMARY KEY (claim_id, account)
) WITHOUT ROWID;
CREATE TABLE bookings (
    contract_id TEXT NOT NULL REFERENCES contracts, what TEXT NOT NULL, amount INTEGER NOT NULL,
    PRIMARY KEY (contract_id, what)
) WITHOUT ROWID;
CREATE INDEX customers_by_name ON customers (name);
CREATE INDEX customers_by_email ON customers (email);
CREATE INDEX customers_by_phone ON customers (phone);
CREATE INDEX contracts_by_customer ON contracts (customer_id);
CREATE INDEX claims_by_contract ON claims (contract_id);
CREATE INDEX covers_by_peril ON covers (peril);
"""


@dataclass(frozen=True)
class Size:
    """How much there is.

    Attributes:
        customers: Number of customers.
        contracts_each: Most contracts of a customer.
        deductibles: Deductibles that there are for each level.
        first_number: The first number of contracts and claims. They count in steps of two: a number in between is
            nobody's, so that a slip of the tongue names nothing.
        draw: Which of the worlds of this size it is; of small ones it takes one that has most cases.
    """

    customers: int
    contracts_each: int
    deductibles: int
    first_number: int
    draw: int = 0


def customer_key(number: int) -> str:
    """The key of a customer by its number, from 0."""
    return f"K{number + 1}"


def event_of(peril: str, day: int) -> str:
    """How customers call a loss, such as "theft in March"."""
    return f"{peril} in {MONTHS[int(date_of(day)[5:7]) - 1]}"


class _Filling:
    """Fills a base of one size."""

    def __init__(self, size: Size, db: sqlite3.Connection) -> None:
        self._rng = random.Random(f"insurance {size}")
        self._size, self._db = size, db
        self._tariffs: dict[str, list[tuple[str, str, int]]] = {line: [] for line in PERILS}
        self._contract = self._claim = size.first_number

    def run(self) -> None:
        """Insert everything."""
        for line in PERILS:
            for place, level in enumerate(LEVELS):
                self._add_tariffs(line, place, level)
        for number in range(self._size.customers):
            self._add_customer(number)

    def _insert(self, table: str, *values: object) -> None:
        marks = ", ".join("?" * len(values))
        self._db.execute(f"INSERT INTO {table} VALUES ({marks})", values)  # noqa: S608 - names from this file

    def _add_tariffs(self, line: str, place: int, level: str) -> None:
        base = {"car": 3_000, "home": 1_800, "travel": 900}[line] + 1_100 * place
        covered = [peril for group in PERILS[line][: place + 1] for peril in group]
        most = {peril: self._rng.choice((100_000, 200_000, 400_000)) * (place + 1) for peril in covered}
        is_flat = self._rng.random() < 0.6
        rebates = (0, 300, 300 if is_flat else 500)  # equal premiums make several cheapest tariffs
        steps = list(zip(_DEDUCTIBLES[line], rebates, strict=True))
        for deductible, rebate in steps[-self._size.deductibles :]:
            key = f"T{sum(map(len, self._tariffs.values())) + 1}"
            self._insert("tariffs", key, line, level, deductible, base - rebate)
            self._tariffs[line].append((key, level, base - rebate))
            for peril in covered:
                self._insert("covers", key, peril, most[peril])

    def _add_customer(self, number: int) -> None:
        rng, key = self._rng, customer_key(number)
        first, last = rng.choice(FIRST_NAMES), rng.choice(LAST_NAMES)
        born = date_of(-9_000 - number * 7919 % 17_000)  # a day of one's own: 7919 shares no factor with 17,000
        at = (f"{first.lower()}.{last.lower()}{number + 1}@mail.test", f"555-{3000 + number * 7}")
        home = (f"{rng.randint(1, 99)} {rng.choice(STREETS)}", rng.choice(TOWNS), f"{rng.randint(10_000, 99_999)}")
        self._insert("customers", key, f"{first} {last}", born, *at, *home)
        changed = TODAY - rng.choice((3, 10, 18, 25, 60, 100, 200, 400, 700))
        self._insert("accounts", key, f"{rng.choice(COUNTRIES)}{rng.randint(100_000, 999_999)}", changed)
        events: set[str] = set()
        insured: set[str] = set()
        for _ in range(rng.randint(1, self._size.contracts_each)):
            line = rng.choice(("car", "car", "home", "home", "travel"))
            what = rng.choice([each for each in _INSURED[line] if each not in insured])
            insured.add(what)
            self._add_contract(key, line, what, events)

    def _add_contract(self, customer: str, line: str, insured: str, events: set[str]) -> None:
        rng, key = self._rng, f"V{self._contract}"
        self._contract += 2
        tariff, level, premium = rng.choice(self._tariffs[line])
        started, ends = self._term(line)
        state = rng.choice(("active",) * 10 + ("lapsed", "lapsed", "cancelled")) if line != "travel" else "active"
        if line == "travel" and rng.random() < 0.08:
            state = "cancelled"
        lapsed = TODAY - min(TODAY - started, rng.choice((5, 20, 40, 55, 80, 100))) if state == "lapsed" else None
        owes = {"lapsed": 0.5, "active": 0.3 if line != "travel" else 0.0}.get(state, 0.0)
        due = premium * rng.randint(1, 5) if rng.random() < owes else 0
        deferred = 14 if due and rng.random() < 0.25 else 0
        bonus = 10 if line != "travel" and rng.random() < 0.2 else 0
        values = (customer, tariff, insured, state, started, ends, lapsed, due, deferred, bonus)
        self._insert("contracts", key, *values)
        if line == "car":
            for name in rng.sample(FIRST_NAMES, rng.choice((0, 0, 1, 1, 2))):
                self._insert("drivers", key, f"{name} {rng.choice(LAST_NAMES)}", rng.randint(18, 70), 0)
        if line == "travel" and rng.random() < 0.2:
            self._insert("bookings", key, "extended", 200 * rng.randint(2, 9))
        for _ in range(rng.choice((0, 1, 1, 2, 2, 3))):
            self._add_claim(key, line, level, (started, ends), events)

    def _term(self, line: str) -> tuple[int, int]:
        rng = self._rng
        if line == "travel":
            started = TODAY + rng.randint(-45, 10)
            return started, started + rng.choice((7, 14, 21, 30, 40))
        started = TODAY - rng.choice((rng.randint(1, 45), rng.randint(46, 364), rng.randint(366, 1_500)))
        return started, started + YEAR * ((TODAY - started) // YEAR + 1)

    def _add_claim(self, contract: str, line: str, level: str, term: tuple[int, int], events: set[str]) -> None:
        rng = self._rng
        first, last = max(term[0], TODAY - 300), min(TODAY, term[1] - 1)
        if last < first:
            return
        covered = [peril for group in PERILS[line][: LEVELS.index(level) + 1] for peril in group]
        peril, happened = rng.choice(covered), rng.randint(first, last)
        event = event_of(peril, happened)
        if event in events:
            return
        events.add(event)
        reported = min(TODAY, happened + rng.choice((0, 0, 1, 2, 4, 9)))
        state = rng.choice(("open", "open", "open", "paid", "paid", "rejected", "rejected", "withdrawn"))
        state = "open" if reported == TODAY else state
        settled = None if state == "open" else rng.randint(reported + 1, TODAY)
        amount = rng.choice((rng.randrange(4_000, 60_000, 1_000), rng.randrange(60_000, 700_000, 5_000)))
        values = (contract, event, peril, happened, reported, amount, state, settled)
        self._insert("claims", self._claim, *values)
        share = rng.choice((0.4, 0.75, 1.0))
        for kind in DOCUMENTS:
            if rng.random() < share:
                day = rng.randint(reported, TODAY)
                self._insert("documents", self._claim, kind, day)
        self._claim += 2


def _fill(size: Size, db: sqlite3.Connection) -> None:
    _Filling(size, db).run()


_FULL = Size(customers=3_400, contracts_each=4, deductibles=3, first_number=10_000)
_SMALL = Size(customers=8, contracts_each=4, deductibles=2, first_number=10, draw=142)
SIZES = {
    "full": Base("insurance", _SCHEMA, partial(_fill, _FULL)),
    "small": Base("small insurance", _SCHEMA, partial(_fill, _SMALL)),
}
"""The bases by size."""

"""The bank's world: customers with accounts, cards, payments, standing orders and loans; generated once per size.

The documents that hold its rules are in `library`.
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
BLOCK_REASONS = ("lost", "stolen", "damaged", "pin errors")
REGIONS = ("Andes", "Balkans", "Gulf", "North Asia", "Oceania", "West Africa")
COUNTRIES = ("AT", "BR", "FR", "NO", "PT", "US")
HOME = "DE"
FEES = ("account fee", "card fee", "overdraft fee", "paper fee")
HOLDS = ("court order", "fraud alert", "identity check", "returned post")
TOPICS = ("house loan", "pension", "shares", "will")
SHOPS = ("Cafe Miro", "Kiosk Arden", "Lumen Lamps", "Nordic Shoes", "Olive Market", "Pine Hotel", "Rapid Taxi")
PAYEES = ("City Works", "Fern Rentals", "Green Power", "Hill Sports", "Lake Insurance", "Music School", "River Choir")
LABELS = {
    "checking": ("salary account", "household account", "travel account"),
    "savings": ("holiday savings", "house savings", "rainy day savings"),
}
"""For each product how customers call their accounts."""
_CARD_COLOURS = ("black", "blue", "gold", "green", "silver")
_PURPOSES = ("boat loan", "car loan", "kitchen loan", "study loan")
_SCHEMA = """
CREATE TABLE customers (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, born INTEGER NOT NULL, email TEXT NOT NULL, phone TEXT NOT NULL,
    street TEXT NOT NULL, town TEXT NOT NULL, zip TEXT NOT NULL, moved INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE accounts (
    id TEXT PRIMARY KEY, customer_id TEXT NOT NULL REFERENCES customers, joint_with TEXT REFERENCES customers,
    product TEXT NOT NULL, label TEXT NOT NULL, state TEXT NOT NULL, balance INTEGER NOT NULL,
    overdraft INTEGER NOT NULL, opened INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE consents (
    account_id TEXT NOT NULL REFERENCES accounts, matter TEXT NOT NULL, given INTEGER NOT NULL,
    PRIMARY KEY (account_id, matter)
) WITHOUT ROWID;
CREATE TABLE holds (
    account_id TEXT PRIMARY KEY REFERENCES accounts, kind TEXT NOT NULL, placed INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE cards (
    id TEXT PRIMARY KEY, account_id TEXT NOT NULL REFERENCES accounts, label TEXT NOT NULL, kind TEXT NOT NULL,
    state TEXT NOT NULL, block_reason TEXT, blocked INTEGER, most INTEGER NOT NULL, issued INTEGER NOT NULL,
    replaced INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE journeys (
    card_id TEXT NOT NULL REFERENCES cards, region TEXT NOT NULL, days INTEGER NOT NULL, PRIMARY KEY (card_id, region)
) WITHOUT ROWID;
CREATE TABLE payments (
    id INTEGER PRIMARY KEY, account_id TEXT NOT NULL REFERENCES accounts, kind TEXT NOT NULL, payee TEXT NOT NULL,
    called TEXT NOT NULL, amount INTEGER NOT NULL, day INTEGER NOT NULL, state TEXT NOT NULL
);
CREATE TABLE disputes (
    payment_id INTEGER PRIMARY KEY REFERENCES payments, ground TEXT NOT NULL, opened INTEGER NOT NULL,
    credit INTEGER NOT NULL, state TEXT NOT NULL
);
CREATE TABLE cheques (
    account_id TEXT NOT NULL REFERENCES accounts, number INTEGER NOT NULL, written INTEGER NOT NULL,
    amount INTEGER NOT NULL, state TEXT NOT NULL, PRIMARY KEY (account_id, number)
) WITHOUT ROWID;
CREATE TABLE orders (
    id INTEGER PRIMARY KEY, account_id TEXT NOT NULL REFERENCES accounts, payee TEXT NOT NULL, amount INTEGER NOT NULL,
    due INTEGER NOT NULL, state TEXT NOT NULL, paused INTEGER NOT NULL
);
CREATE TABLE loans (
    id TEXT PRIMARY KEY, account_id TEXT NOT NULL REFERENCES accounts, purpose TEXT NOT NULL,
    remaining INTEGER NOT NULL, instalment INTEGER NOT NULL, started INTEGER NOT NULL, deferrals INTEGER NOT NULL,
    deferred_months INTEGER NOT NULL, day_of_month INTEGER NOT NULL, state TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE fees (
    id INTEGER PRIMARY KEY, account_id TEXT NOT NULL REFERENCES accounts, kind TEXT NOT NULL, called TEXT NOT NULL,
    amount INTEGER NOT NULL, charged INTEGER NOT NULL, refund INTEGER NOT NULL, refunded INTEGER
);
CREATE TABLE beneficiaries (
    customer_id TEXT NOT NULL REFERENCES customers, name TEXT NOT NULL, account TEXT NOT NULL, added INTEGER NOT NULL,
    PRIMARY KEY (customer_id, name)
) WITHOUT ROWID;
CREATE TABLE deposits (
    account_id TEXT NOT NULL REFERENCES accounts, months INTEGER NOT NULL, amount INTEGER NOT NULL,
    PRIMARY KEY (account_id, months)
) WITHOUT ROWID;
CREATE TABLE appointments (
    id TEXT PRIMARY KEY, town TEXT NOT NULL, topic TEXT NOT NULL, day INTEGER NOT NULL, adviser TEXT NOT NULL,
    customer_id TEXT REFERENCES customers
) WITHOUT ROWID;
CREATE TABLE bookings (
    subject TEXT NOT NULL, what TEXT NOT NULL, amount INTEGER NOT NULL, PRIMARY KEY (subject, what)
) WITHOUT ROWID;
CREATE TABLE settings (
    subject TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (subject, name)
) WITHOUT ROWID;
CREATE INDEX customers_by_name ON customers (name);
CREATE INDEX customers_by_email ON customers (email);
CREATE INDEX customers_by_phone ON customers (phone);
CREATE INDEX accounts_by_customer ON accounts (customer_id);
CREATE INDEX cards_by_account ON cards (account_id);
CREATE INDEX payments_by_account ON payments (account_id);
CREATE INDEX orders_by_account ON orders (account_id);
CREATE INDEX loans_by_account ON loans (account_id);
CREATE INDEX fees_by_account ON fees (account_id);
CREATE INDEX appointments_by_customer ON appointments (customer_id);
CREATE INDEX appointments_by_topic ON appointments (town, topic, day);
"""


@dataclass(frozen=True)
class Size:
    """How much there is.

    Attributes:
        customers: Number of customers.
        first_number: The first number of accounts, cards and the rest. They count in steps of two: a number in between
            is nobody's, so that a slip of the tongue names nothing.
        slots: Appointments of each topic in each town.
    """

    customers: int
    first_number: int
    slots: int


def customer_key(number: int) -> str:
    """The key of a customer by its number, from 0."""
    return f"P{number + 1}"


def called(what: str, day: int) -> str:
    """How customers call something of a day, such as "Cafe Miro in May"."""
    return f"{what} in {MONTHS[int(date_of(day)[5:7]) - 1]}"


class _Filling:
    """Fills a base of one size."""

    def __init__(self, size: Size, db: sqlite3.Connection) -> None:
        self._rng = random.Random(f"bank {size}")
        self._size, self._db = size, db
        self._number = dict.fromkeys(("account", "card", "payment", "order", "loan", "fee"), size.first_number)

    def run(self) -> None:
        """Insert everything."""
        for number in range(self._size.customers):
            self._add_person(number)
        for number in range(self._size.customers):
            self._add_holdings(number)
        self._add_appointments()

    def _insert(self, table: str, *values: object) -> None:
        marks = ", ".join("?" * len(values))
        self._db.execute(f"INSERT INTO {table} VALUES ({marks})", values)  # noqa: S608 - names from this file

    def _next(self, what: str) -> int:
        self._number[what] += 2
        return self._number[what] - 2

    def _ago(self, *days: int) -> int:
        return TODAY - self._rng.choice(days)

    def _add_person(self, number: int) -> None:
        rng, key = self._rng, customer_key(number)
        first, last = rng.choice(FIRST_NAMES), rng.choice(LAST_NAMES)
        born = -6_000 - number * 7919 % 19_001  # a day of one's own: 7919 shares no factor with 19,001
        at = (f"{first.lower()}.{last.lower()}{number + 1}@mail.test", f"555-{4000 + number * 7}")
        home = (f"{rng.randint(1, 99)} {rng.choice(STREETS)}", rng.choice(TOWNS), f"{rng.randint(10_000, 99_999)}")
        self._insert("customers", key, f"{first} {last}", born, *at, *home, self._ago(4, 12, 18, 25, 35, 80, 400, 900))

    def _add_holdings(self, number: int) -> None:
        rng, key = self._rng, customer_key(number)
        checking = rng.sample(LABELS["checking"], rng.choice((1, 1, 2)))
        savings = rng.sample(LABELS["savings"], rng.choice((0, 1, 1, 2)))
        names: set[str] = set()
        accounts = [self._add_account((key, number), "checking", label, names) for label in checking]
        for label in savings:
            self._add_account((key, number), "savings", label, names)
        for account in accounts:
            self._add_cards(account, names)
            self._add_payments(account, names)
            self._add_orders(account, names)
            self._add_loan(account, names)
        people = rng.sample([f"{rng.choice(FIRST_NAMES)} {last}" for last in LAST_NAMES], rng.choice((1, 2, 3, 4, 5)))
        for name in people:
            account = f"{rng.choice((HOME, *COUNTRIES))}{rng.randint(100_000, 999_999)}"
            self._insert("beneficiaries", key, name, account, self._ago(0, 1, 2, 4, 6, 20, 200, 500))

    def _add_account(self, holder: tuple[str, int], product: str, label: str, names: set[str]) -> str:
        rng, key, customer = self._rng, f"A{self._next('account')}", holder[0]
        partner = customer_key((holder[1] + 1) % self._size.customers) if rng.random() < 0.35 else None
        state = rng.choice(("open",) * 9 + ("held", "held", "closed"))
        overdraft = rng.choice((0, 0, 50_000, 100_000)) if product == "checking" else 0
        much = rng.choice((rng.randrange(90_000, 1_500_000, 5_000), rng.randrange(1_000_000, 3_000_000, 10_000)))
        balance = rng.choice((rng.randrange(0, 90_000, 500), much))
        if overdraft and rng.random() < 0.25:
            balance = -rng.randrange(1_000, overdraft, 1_000)
        if rng.random() < 0.12 or state == "closed":
            balance = 0
        opened = self._ago(20, 60, 100, 150, 200, 300, 400, 800, 1_500, 3_000)
        self._insert("accounts", key, customer, partner, product, label, state, balance, overdraft, opened)
        if state == "held":
            self._insert("holds", key, rng.choice(HOLDS), self._ago(1, 2, 3, 4, 6, 8, 12, 20))
        for matter in ("closing", "overdraft"):
            if partner is not None and rng.random() < 0.6:
                self._insert("consents", key, matter, self._ago(5, 20, 40, 50, 70, 100, 200))
        self._add_fees(key, names)
        if product == "checking":
            for cheque in rng.sample(range(100, 999), rng.choice((0, 1, 2))):
                state = rng.choice(("open", "open", "open", "cashed"))
                amount = rng.randrange(1_000, 80_000, 500)
                self._insert("cheques", key, cheque, self._ago(3, 30, 100, 150, 200, 300, 400), amount, state)
        return key

    def _add_cards(self, account: str, names: set[str]) -> None:
        rng = self._rng
        for kind in rng.sample(("debit", "credit"), rng.choice((1, 1, 2))):
            label = self._name(names, [f"{colour} {kind} card" for colour in _CARD_COLOURS])
            state = rng.choice(("active", "active", "active", "blocked", "blocked"))
            reason, blocked = None, None
            if state == "blocked":
                reason, blocked = rng.choice(BLOCK_REASONS), self._ago(2, 8, 15, 25, 40, 55, 90)
            most = rng.choice((50_000, 80_000, 100_000, 150_000))
            issued = self._ago(15, 40, 55, 80, 110, 200, 500, 900)
            values = (label, kind, state, reason, blocked, most, issued, rng.choice((0, 0, 0, 1, 2, 3)))
            self._insert("cards", f"C{self._next('card')}", account, *values)

    def _add_payments(self, account: str, names: set[str]) -> None:
        rng = self._rng
        for _ in range(rng.choice((1, 2, 3))):
            kind = rng.choice(("card", "card", "transfer"))
            day = self._ago(0, 1, 2, 3, 4, 6, 8, 12, 25, 40, 55, 70, 85, 120)
            name = self._name(names, [called(each, day) for each in (SHOPS if kind == "card" else PAYEES)])
            amount = rng.choice((rng.randrange(300, 3_000, 100), rng.randrange(3_000, 160_000, 500)))
            payment, payee = self._next("payment"), name.rpartition(" in ")[0]
            is_disputed = kind == "card" and rng.random() < 0.35
            state = "disputed" if is_disputed else "booked"
            self._insert("payments", payment, account, kind, payee, name, amount, day, state)
            if is_disputed:
                opened = rng.randint(max(day, TODAY - 60), TODAY)
                credit = amount if rng.random() < 0.4 else 0
                self._insert("disputes", payment, "charged twice", opened, credit, rng.choice(("open", "open", "lost")))

    def _add_orders(self, account: str, names: set[str]) -> None:
        rng = self._rng
        for _ in range(rng.choice((0, 1, 1, 2, 3))):
            payee = self._name(names, PAYEES)
            state = rng.choice(("active", "active", "active", "active", "paused", "cancelled"))
            amount, due = rng.randrange(1_000, 60_000, 500), TODAY + rng.choice((0, 1, 2, 3, 5, 9, 15, 25))
            paused = rng.choice((0, 0, 0, 2))
            self._insert("orders", self._next("order"), account, payee, amount, due, state, paused)

    def _add_loan(self, account: str, names: set[str]) -> None:
        rng = self._rng
        if rng.random() < 0.45:
            purpose = self._name(names, _PURPOSES)
            remaining = rng.choice((rng.randrange(20_000, 300_000, 5_000), rng.randrange(300_000, 2_500_000, 10_000)))
            state = rng.choice(("running", "running", "running", "running", "repaid"))
            remaining = 0 if state == "repaid" else remaining
            started = self._ago(60, 150, 200, 300, 400, 600, 800, 1_500)
            deferrals = rng.choice((0, 0, 1, 2))
            values = (remaining, rng.randrange(5_000, 40_000, 1_000), started, deferrals, deferrals)
            day = rng.choice((1, 5, 10, 15, 20, 25))
            self._insert("loans", f"L{self._next('loan')}", account, purpose, *values, day, state)

    def _add_fees(self, account: str, names: set[str]) -> None:
        rng = self._rng
        for kind in rng.sample(FEES, rng.choice((0, 1, 1, 2))):
            charged = self._ago(2, 10, 25, 35, 50, 70, 100)
            if called(kind, charged) in names:
                continue
            names.add(called(kind, charged))
            amount = rng.choice((400, 600, 900, 1_200, 1_800, 2_200, 3_000, 5_000))
            is_refunded = rng.random() < 0.15
            refund, day = (amount, charged) if is_refunded else (0, None)
            self._insert("fees", self._next("fee"), account, kind, called(kind, charged), amount, charged, refund, day)
        day = self._ago(95, 130, 200, 300)
        if rng.random() < 0.3 and called("card fee", day) not in names:
            names.add(called("card fee", day))
            self._insert("fees", self._next("fee"), account, "card fee", called("card fee", day), 900, day, 900, day)

    def _add_appointments(self) -> None:
        rng, number = self._rng, 0
        for town in TOWNS:
            for topic in TOPICS:
                for adviser in rng.sample(LAST_NAMES, self._size.slots):
                    for day in rng.sample(range(1, 15), 3):
                        number += 1
                        taken = rng.random() < 0.4
                        customer = customer_key(rng.randrange(self._size.customers)) if taken else None
                        self._insert("appointments", f"S{number}", town, topic, TODAY + day, adviser, customer)

    def _name(self, names: set[str], among: list[str] | tuple[str, ...]) -> str:
        """A name that the customer has not given to anything else."""
        free = [each for each in among if each not in names]
        found = self._rng.choice(free or [other for each in among if (other := f"other {each}") not in names])
        names.add(found)
        return found


def _fill(size: Size, db: sqlite3.Connection) -> None:
    _Filling(size, db).run()


_FULL = Size(customers=1_600, first_number=10_000, slots=6)
_SMALL = Size(customers=8, first_number=10, slots=2)
SIZES = {
    "full": Base("bank", _SCHEMA, partial(_fill, _FULL)),
    "small": Base("small bank", _SCHEMA, partial(_fill, _SMALL)),
}
"""The bases by size."""

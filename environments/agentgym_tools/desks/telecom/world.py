"""The company's world: customers with lines, SIMs, bills and charges, and the phone that each has in its hands.

What a phone can do in its state is in `network`.
"""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

from agentgym_tools.desks.setting.days import TODAY, date_of
from agentgym_tools.desks.setting.people import FIRST_NAMES, LAST_NAMES, STREETS, TOWNS
from agentgym_tools.worlds import Base

PLANS = {
    "lite": (900, 2_000, "web.one", "mms.one"),
    "basic": (1_500, 5_000, "web.one", "mms.one"),
    "family": (2_400, 10_000, "web.two", "mms.two"),
    "plus": (2_900, 20_000, "web.two", "mms.two"),
    "max": (4_500, 60_000, "web.prime", "mms.prime"),
    "world": (5_900, 40_000, "web.prime", "mms.prime"),
}
"""Plans with their monthly price in cents, data a month in MB, access point name, and MMS center."""
HOME, ABROAD = "home", "abroad"
CARRIERS = ("Northtel", "Redwave", "Skylink", "Unifone")
CHARGES = ("premium SMS", "double billing", "roaming call", "directory service")
MODELS = ("Orbit 5", "Orbit 7", "Pico S", "Pico L", "Tern 2")
MESSAGES, MAPS, CAMERA = "messages", "maps", "camera"
PERMISSIONS = ((MESSAGES, "sms"), (MESSAGES, "storage"), (MAPS, "location"), (CAMERA, "storage"))

_SCHEMA = """
CREATE TABLE plans (
    id TEXT PRIMARY KEY, price INTEGER NOT NULL, data_mb INTEGER NOT NULL, apn TEXT NOT NULL, mms_center TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE customers (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL, pin TEXT NOT NULL, born TEXT NOT NULL,
    street TEXT NOT NULL, town TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE payments (
    id TEXT PRIMARY KEY, customer_id TEXT NOT NULL REFERENCES customers, kind TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE lines (
    id TEXT PRIMARY KEY, customer_id TEXT NOT NULL REFERENCES customers, plan_id TEXT NOT NULL REFERENCES plans,
    state TEXT NOT NULL, started INTEGER NOT NULL, contract_end INTEGER NOT NULL, plan_since INTEGER NOT NULL,
    used_mb INTEGER NOT NULL, packs INTEGER NOT NULL, pack_mb INTEGER NOT NULL, roaming INTEGER NOT NULL,
    barred TEXT NOT NULL, moved_to TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE sims (
    line_id TEXT PRIMARY KEY REFERENCES lines, serial INTEGER NOT NULL, kind TEXT NOT NULL, puk TEXT NOT NULL,
    since INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE bills (
    id TEXT PRIMARY KEY, customer_id TEXT NOT NULL REFERENCES customers, due INTEGER NOT NULL, amount INTEGER NOT NULL,
    late_fee INTEGER NOT NULL, paid_by TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE charges (
    id TEXT PRIMARY KEY, line_id TEXT NOT NULL REFERENCES lines, day INTEGER NOT NULL, kind TEXT NOT NULL,
    amount INTEGER NOT NULL, refunded INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE fees (
    line_id TEXT NOT NULL REFERENCES lines, what TEXT NOT NULL, amount INTEGER NOT NULL, PRIMARY KEY (line_id, what)
) WITHOUT ROWID;
CREATE TABLE phones (
    customer_id TEXT PRIMARY KEY REFERENCES customers, line_id TEXT NOT NULL REFERENCES lines, model TEXT NOT NULL,
    place TEXT NOT NULL, airplane INTEGER NOT NULL, sim_seated INTEGER NOT NULL, sim_locked INTEGER NOT NULL,
    registered INTEGER NOT NULL, mobile_data INTEGER NOT NULL, roaming INTEGER NOT NULL, mode TEXT NOT NULL,
    apn TEXT NOT NULL, apn_in_use TEXT NOT NULL, mms_center TEXT NOT NULL, data_saver INTEGER NOT NULL,
    battery_saver INTEGER NOT NULL, vpn INTEGER NOT NULL, wifi INTEGER NOT NULL, wifi_known INTEGER NOT NULL,
    wifi_calling INTEGER NOT NULL, do_not_disturb INTEGER NOT NULL, forwarded_to TEXT NOT NULL,
    hotspot INTEGER NOT NULL, bluetooth INTEGER NOT NULL, battery INTEGER NOT NULL, restarts INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE permissions (
    customer_id TEXT NOT NULL REFERENCES phones, app TEXT NOT NULL, permission TEXT NOT NULL, granted INTEGER NOT NULL,
    PRIMARY KEY (customer_id, app, permission)
) WITHOUT ROWID;
CREATE INDEX customers_by_name ON customers (name);
CREATE INDEX customers_by_email ON customers (email);
CREATE INDEX lines_by_customer ON lines (customer_id);
CREATE INDEX payments_by_customer ON payments (customer_id);
CREATE INDEX bills_by_customer ON bills (customer_id);
CREATE INDEX charges_by_line ON charges (line_id);
"""

_FAULTS: Mapping[str, Mapping[str, int | str]] = {
    "airplane": {"airplane": 1},
    "loose SIM": {"sim_seated": 0},
    "locked SIM": {"sim_locked": 1},
    "lost registration": {"registered": 0},
    "data off": {"mobile_data": 0},
    "wrong APN": {"apn": "web.test", "apn_in_use": "web.test"},
    "APN not applied": {"apn_in_use": "web.test"},
    "roaming off": {"roaming": 0},
    "old mode": {"mode": "3g"},
    "oldest mode": {"mode": "2g"},
    "data saver": {"data_saver": 1},
    "battery saver": {"battery_saver": 1},
    "VPN": {"vpn": 1},
    "do not disturb": {"do_not_disturb": 1},
    "forwarding": {"forwarded_to": "5550100"},
    "wrong MMS center": {"mms_center": "mms.test"},
}
"""What a fault of a phone is, by its columns."""
_LINE_FAULTS: Mapping[str, Mapping[str, int | str]] = {
    "no roaming": {"roaming": 0},
    "spending cap": {"barred": "spending cap"},
    "fraud": {"barred": "fraud"},
    "request": {"barred": "request"},
}
"""The same on the side of the network."""
_NO_SERVICE = ("airplane", "loose SIM", "locked SIM", "lost registration")
_SCENES: tuple[tuple[str, ...], ...] = (
    (),
    _NO_SERVICE,
    ("data off", "wrong APN", "APN not applied", "lost registration", "airplane"),
    ("old mode", "oldest mode", "data saver", "battery saver", "VPN", "used up", "used up"),
    ("do not disturb", "forwarding", "spending cap", "fraud", "request", "loose SIM"),
    ("wrong MMS center", "no SMS permission", "no storage permission", "data off", "wrong APN"),
    ("no roaming", "no roaming", "roaming off", "data off", "APN not applied"),
)
"""Faults that come together, at most three at once; the last scene is that of customers abroad."""


@dataclass(frozen=True)
class Size:
    """How much there is.

    Attributes:
        customers: How many.
        first_line: Number of the first line.
        prefix: What stands before the number of a line.
        bills_each: Of a customer, in the mean.
        charges_each: Of a customer, in the mean.
        codes: How many different codes of a kind there are, such as PINs; few, so that a tiny model knows all.
    """

    customers: int
    first_line: int
    prefix: str
    bills_each: int
    charges_each: int
    codes: int = field(repr=False)  # not of the seed


def customer_key(number: int) -> str:
    """The key of a customer by its number, from 0."""
    return f"C{number + 1}"


def _fill(size: Size, world: int, db: sqlite3.Connection) -> None:
    rng = random.Random(f"telecom {size} {world}" if world else f"telecom {size}")
    db.executemany("INSERT INTO plans VALUES (?, ?, ?, ?, ?)", [(name, *rest) for name, rest in PLANS.items()])
    line, bill, charge = size.first_line, 10, 10
    for number in range(size.customers):
        customer = _add_customer(rng, number, size, db)
        scene = number % len(_SCENES)
        faults = _draw_faults(rng, _SCENES[scene])
        lines = []
        for place in range(rng.choice((2, 2, 3))):
            lines.append(f"{size.prefix}{line}")
            started = _add_line(rng, lines[-1], customer, faults if place == 0 else (), place > 0, db)
            _add_sim(rng, lines[-1], started, size, db)
            line += rng.randint(1, 4) if size.customers > 50 else 1
        _add_phone(rng, customer, lines[0], faults, scene == len(_SCENES) - 1, db)
        for _ in range(rng.randint(1, 2 * size.bills_each - 1)):
            _add_bill(rng, f"B{bill}", customer, db)
            bill += 1
        for _ in range(rng.randint(1, 2 * size.charges_each - 1)):
            row = (f"X{charge}", rng.choice(lines), TODAY - rng.randint(1, 110), rng.choice(CHARGES))
            amount = rng.randrange(100, 6_000, 50)
            db.execute("INSERT INTO charges VALUES (?, ?, ?, ?, ?, ?)", (*row, amount, int(rng.random() < 0.1)))
            charge += 1


def _draw_faults(rng: random.Random, scene: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(rng.sample(scene, min(len(scene), rng.choice((1, 2, 2, 3)))))


def _code(rng: random.Random, first: int, last: int, size: Size) -> int:
    """A code from the first to the last, or one of few, as the size says."""
    return first + (rng.randint(first, last) - first) % size.codes


def _add_customer(rng: random.Random, number: int, size: Size, db: sqlite3.Connection) -> str:
    first, last, key = rng.choice(FIRST_NAMES), rng.choice(LAST_NAMES), customer_key(number)
    row = (
        *(key, f"{first} {last}", f"{first.lower()}.{last.lower()}{number + 1}@mail.test"),
        *(f"{_code(rng, 1000, 9999, size)}", date_of(-rng.randint(6_600, 27_000))),
        *(f"{rng.randint(1, 99)} {rng.choice(STREETS)}", rng.choice(TOWNS)),
    )
    db.execute("INSERT INTO customers VALUES (?, ?, ?, ?, ?, ?, ?)", row)
    for place, kind in enumerate(rng.sample(("card", "bank account", "wallet"), rng.choice((2, 3)))):
        db.execute("INSERT INTO payments VALUES (?, ?, ?)", (f"Y{number * 3 + place + 1}", key, kind))
    return key


def _add_line(
    rng: random.Random, line: str, customer: str, faults: tuple[str, ...], may_rest: bool, db: sqlite3.Connection
) -> int:
    plan = rng.choice(tuple(PLANS))
    started = TODAY - rng.choice((rng.randint(5, 90), rng.randint(90, 900)))
    since = max(started, TODAY - rng.randint(1, 120))
    data_mb = PLANS[plan][1]
    used = data_mb + rng.randrange(0, 900, 100) if "used up" in faults else rng.randrange(0, data_mb - 500, 100)
    columns: dict[str, int | str] = {
        "state": rng.choice(("active", "active", "suspended", "blocked")) if may_rest else "active",
        "started": started,
        "contract_end": started + rng.choice((0, 365, 730)),
        "plan_since": since,
        "used_mb": used,
        "packs": rng.choice((0, 0, 1, 2, 3)),
        "pack_mb": 0,
        "roaming": rng.choice((0, 1)) if may_rest else 1,
        "barred": rng.choice(("", "", "", "fraud")) if may_rest else "",
        "moved_to": "",
    }
    for fault in faults:
        columns |= _LINE_FAULTS.get(fault, {})
    marks = ", ".join("?" * (3 + len(columns)))
    db.execute(f"INSERT INTO lines VALUES ({marks})", (line, customer, plan, *columns.values()))  # noqa: S608
    return started


def _add_sim(rng: random.Random, line: str, started: int, size: Size, db: sqlite3.Connection) -> None:
    sim = (_code(rng, 1000, 9999, size), rng.choice(("card", "eSIM")), f"{_code(rng, 10_000, 99_999, size)}")
    db.execute("INSERT INTO sims VALUES (?, ?, ?, ?, ?)", (line, *sim, max(started, TODAY - rng.randint(1, 200))))


def _add_phone(
    rng: random.Random, customer: str, line: str, faults: tuple[str, ...], is_abroad: bool, db: sqlite3.Connection
) -> None:
    row = db.execute("SELECT apn, mms_center FROM lines JOIN plans ON plans.id = plan_id WHERE lines.id = ?", (line,))
    apn, mms_center = row.fetchone()
    columns: dict[str, int | str] = {
        "customer_id": customer,
        "line_id": line,
        "model": rng.choice(MODELS),
        "place": ABROAD if is_abroad else HOME,
        "airplane": 0,
        "sim_seated": 1,
        "sim_locked": 0,
        "registered": 1,
        "mobile_data": 1,
        "roaming": int(is_abroad or rng.random() < 0.5),
        "mode": rng.choice(("auto", "4g")),
        "apn": apn,
        "apn_in_use": apn,
        "mms_center": mms_center,
        "data_saver": 0,
        "battery_saver": 0,
        "vpn": 0,
        "wifi": rng.choice((0, 1)),
        "wifi_known": rng.randint(1, 6),
        "wifi_calling": rng.choice((0, 1)),
        "do_not_disturb": 0,
        "forwarded_to": "",
        "hotspot": 0,
        "bluetooth": rng.choice((0, 1)),
        "battery": rng.randint(25, 98),
        "restarts": 0,
    }
    for fault in faults:
        columns |= _FAULTS.get(fault, {})
    marks = ", ".join("?" * len(columns))
    db.execute(f"INSERT INTO phones VALUES ({marks})", tuple(columns.values()))  # noqa: S608
    denied = {"no SMS permission": "sms", "no storage permission": "storage"}
    for app, permission in PERMISSIONS:
        is_denied = app == MESSAGES and any(denied.get(fault) == permission for fault in faults)
        is_granted = not is_denied if app == MESSAGES else rng.random() < 0.5
        db.execute("INSERT INTO permissions VALUES (?, ?, ?, ?)", (customer, app, permission, int(is_granted)))


def _add_bill(rng: random.Random, bill: str, customer: str, db: sqlite3.Connection) -> None:
    paid = db.execute("SELECT id FROM payments WHERE customer_id = ? ORDER BY id", (customer,)).fetchone()[0]
    is_open = rng.random() < 0.4
    due = TODAY + rng.choice((-25, -14, -8, -3, 4, 12)) if is_open else TODAY - rng.randint(30, 200)
    row = (bill, customer, due, rng.randrange(1_500, 9_000, 50), 0, "" if is_open else paid)
    db.execute("INSERT INTO bills VALUES (?, ?, ?, ?, ?, ?)", row)


_FULL = Size(1_500, 10_000, "070-", bills_each=3, charges_each=3, codes=90_000)
_SMALL = Size(14, 20, "N", bills_each=2, charges_each=2, codes=90)
NUM_SMALL = 24
SIZES = {
    "full": Base("telecom", _SCHEMA, partial(_fill, _FULL, 0)),
    "small": Base("small telecom", _SCHEMA, partial(_fill, _SMALL, 0)),
    **{f"small-{n}": Base(f"small telecom {n}", _SCHEMA, partial(_fill, _SMALL, n)) for n in range(1, NUM_SMALL)},
}
"""The bases by size. Small ones have the same numbers for other lines: who is told of one has to read it."""

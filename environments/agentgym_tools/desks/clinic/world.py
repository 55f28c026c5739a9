"""The clinic's world: patients and who acts for them, doctors and their slots, referrals, prescriptions, results, fees.

Generated once per size. A visit is a slot that somebody has: booking, moving and cancelling change slots.
"""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from typing import TypeVar

from agentgym_tools.desks.setting.days import TODAY, date_of
from agentgym_tools.desks.setting.people import FIRST_NAMES, LAST_NAMES
from agentgym_tools.worlds import Base

Thing = TypeVar("Thing")
YEAR = 365
ADULT_AGE = 18
NOON = 12 * 60
FAMILY, CHILDREN = "general practice", "paediatrics"
SPECIALTIES = (FAMILY, CHILDREN, "dermatology", "cardiology", "orthopaedics", "eye care")
CONSULTANTS = SPECIALTIES[2:]
"""The specialties that may want a referral."""
INSURERS = {
    "Anker": "public",
    "Birke": "public",
    "Concord": "public",
    "Delta Care": "private",
    "Elan": "private",
    "Fjord": "foreign",
    "Globe": "foreign",
}
DRUGS = {
    "amlodipine": "standard",
    "metformin": "standard",
    "levothyroxine": "standard",
    "ramipril": "standard",
    "salbutamol": "standard",
    "atorvastatin": "standard",
    "amoxicillin": "antibiotic",
    "doxycycline": "antibiotic",
    "tramadol": "opioid",
    "oxycodone": "opioid",
    "zolpidem": "sedative",
    "diazepam": "sedative",
}
TESTS = ("blood count", "cholesterol", "iron", "thyroid", "allergy panel", "gene test", "biopsy", "x-ray")
PHARMACIES = ("Bridge Pharmacy", "Lion Pharmacy", "Old Town Pharmacy", "Sun Pharmacy")
HORIZON = 40
"""How many days ahead the doctors have slots."""
_MINUTES = (480, 520, 560, 600, 640, 780, 820, 860, 900, 940)
_TAKEN_BY = {"public": 0.9, "private": 0.75, "foreign": 0.5}

_SCHEMA = """
CREATE TABLE insurers (id TEXT PRIMARY KEY, name TEXT NOT NULL, kind TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE doctors (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, specialty TEXT NOT NULL, price INTEGER NOT NULL,
    takes_patients INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE accepted (
    doctor_id TEXT NOT NULL REFERENCES doctors, insurer_id TEXT NOT NULL REFERENCES insurers,
    PRIMARY KEY (doctor_id, insurer_id)
) WITHOUT ROWID;
CREATE TABLE patients (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, born INTEGER NOT NULL, phone TEXT NOT NULL,
    insurer_id TEXT NOT NULL REFERENCES insurers, member_number TEXT NOT NULL,
    doctor_id TEXT NOT NULL REFERENCES doctors, doctor_since INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE guardians (
    patient_id TEXT NOT NULL REFERENCES patients, guardian_id TEXT NOT NULL REFERENCES patients, kind TEXT NOT NULL,
    until INTEGER NOT NULL, PRIMARY KEY (patient_id, guardian_id)
) WITHOUT ROWID;
CREATE TABLE referrals (
    id TEXT PRIMARY KEY, patient_id TEXT NOT NULL REFERENCES patients, specialty TEXT NOT NULL, issued INTEGER NOT NULL,
    visits_left INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE slots (
    id TEXT PRIMARY KEY, doctor_id TEXT NOT NULL REFERENCES doctors, specialty TEXT NOT NULL, day INTEGER NOT NULL,
    minute INTEGER NOT NULL, state TEXT NOT NULL, patient_id TEXT REFERENCES patients,
    referral_id TEXT REFERENCES referrals, booked_by TEXT REFERENCES patients, moves INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE charges (
    slot_id TEXT NOT NULL REFERENCES slots, patient_id TEXT NOT NULL REFERENCES patients, kind TEXT NOT NULL,
    charged INTEGER NOT NULL, amount INTEGER NOT NULL, state TEXT NOT NULL, note TEXT,
    PRIMARY KEY (patient_id, slot_id)
) WITHOUT ROWID;
CREATE TABLE waiting (
    patient_id TEXT NOT NULL REFERENCES patients, doctor_id TEXT NOT NULL REFERENCES doctors, since INTEGER NOT NULL,
    PRIMARY KEY (patient_id, doctor_id)
) WITHOUT ROWID;
CREATE TABLE prescriptions (
    id TEXT PRIMARY KEY, patient_id TEXT NOT NULL REFERENCES patients, drug TEXT NOT NULL, class TEXT NOT NULL,
    runs_out INTEGER NOT NULL, renewals_left INTEGER NOT NULL, pharmacy TEXT
) WITHOUT ROWID;
CREATE TABLE results (
    id TEXT PRIMARY KEY, patient_id TEXT NOT NULL REFERENCES patients, test TEXT NOT NULL, taken INTEGER NOT NULL,
    reviewed INTEGER, finding TEXT, released_to TEXT REFERENCES patients, channel TEXT
) WITHOUT ROWID;
CREATE INDEX doctors_by_name ON doctors (name);
CREATE INDEX insurers_by_name ON insurers (name);
CREATE INDEX patients_by_name ON patients (name);
CREATE INDEX patients_by_phone ON patients (phone);
CREATE INDEX patients_by_member ON patients (member_number);
CREATE INDEX guardians_by_guardian ON guardians (guardian_id);
CREATE INDEX referrals_by_patient ON referrals (patient_id);
CREATE INDEX slots_by_patient ON slots (patient_id);
CREATE INDEX slots_by_doctor ON slots (doctor_id, state, day, minute);
CREATE INDEX slots_by_specialty ON slots (specialty, state, day, minute);
CREATE INDEX prescriptions_by_patient ON prescriptions (patient_id);
CREATE INDEX results_by_patient ON results (patient_id);
"""


@dataclass(frozen=True)
class Size:
    """How much there is."""

    adults: int
    """Patients of 18 years or more."""
    children: int
    """Patients below 18."""
    doctors: tuple[int, ...]
    """How many doctors each of the `SPECIALTIES` has."""
    days_apart: int
    """A doctor has hours on each of so many days."""
    share_booked: float
    """Share of the coming hours that are booked."""
    share_absent: float
    """Share of patients who often miss visits."""
    first_id: int
    """The number from which slots and other records count."""


def age_of(born: int) -> int:
    """Age in whole years, today, of somebody born on a day."""
    today, birth = (date.fromisoformat(date_of(day)) for day in (TODAY, born))
    return today.year - birth.year - ((today.month, today.day) < (birth.month, birth.day))


@dataclass
class _Filling:
    """The state of filling a base."""

    size: Size
    db: sqlite3.Connection
    rng: random.Random = field(default_factory=lambda: random.Random("clinic"))
    patients: list[str] = field(default_factory=list)
    names: set[tuple[str, int]] = field(default_factory=set)
    doctors: list[tuple[str, str]] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    hours: set[tuple[str, int, int]] = field(default_factory=set)

    def add(self, table: str, *values: object) -> None:
        """Insert a row."""
        self.db.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(values))})", values)  # noqa: S608

    def next_id(self, letter: str) -> str:
        """The next id of a kind of records."""
        self.numbers[letter] = self.numbers.get(letter, self.size.first_id - 1) + 1
        return f"{letter}{self.numbers[letter]}"

    def days_ago(self, at_least: int, at_most: int) -> int:
        """A day in the past."""
        return TODAY - self.rng.randint(at_least, at_most)


def _fill(size: Size, db: sqlite3.Connection) -> None:
    filling = _Filling(size, db)
    for number, (name, kind) in enumerate(INSURERS.items(), 1):
        filling.add("insurers", f"N{number}", name, kind)
    _add_doctors(filling)
    _add_patients(filling)
    _add_coming_hours(filling)
    for patient in filling.patients:
        _add_past_visits(filling, patient)
        _add_records(filling, patient)


def _add_doctors(filling: _Filling) -> None:
    names = iter(filling.rng.sample([f"Dr {first[0]}. {last}" for first in FIRST_NAMES for last in LAST_NAMES], 600))
    seen: set[str] = set()
    for specialty, number in zip(SPECIALTIES, filling.size.doctors, strict=True):
        for _ in range(number):
            key, name = f"D{len(filling.doctors) + 1}", next(name for name in names if name not in seen)
            seen.add(name)
            price = filling.rng.randrange(4000, 15_000, 500)
            filling.add("doctors", key, name, specialty, price, int(filling.rng.random() < 0.6))
            filling.doctors.append((key, specialty))
            for place, kind in enumerate(INSURERS.values(), 1):
                if filling.rng.random() < _TAKEN_BY[kind]:
                    filling.add("accepted", key, f"N{place}")


def _add_patients(filling: _Filling) -> None:
    rng, size = filling.rng, filling.size
    last_names: list[str] = []
    for number in range(size.adults):
        last_names.append(last_names[-1] if number % 2 and rng.random() < 0.6 else rng.choice(LAST_NAMES))
        _add_patient(filling, last_names[-1], TODAY - rng.randint(19 * YEAR, 88 * YEAR))
    for _ in range(size.children):
        parent = rng.randrange(0, size.adults, 2)
        child = _add_patient(filling, last_names[parent], TODAY - rng.randint(1 * YEAR, ADULT_AGE * YEAR - 10))
        for adult in {parent, min(parent + rng.choice((0, 1)), size.adults - 1)}:
            _add_guardian(filling, child, filling.patients[adult], "parent")
    for number in range(0, size.adults - 3, 4):
        _add_guardian(filling, filling.patients[number], filling.patients[number + 3], "carer")


def _add_guardian(filling: _Filling, patient: str, guardian: str, kind: str) -> None:
    until = TODAY + filling.rng.choice((-200, -40, 30, 200, 400, 900, 1500))
    filling.add("guardians", patient, guardian, kind, until)


def _add_patient(filling: _Filling, last_name: str, born: int) -> str:
    rng, number = filling.rng, len(filling.patients) + 1
    name = f"{rng.choice(FIRST_NAMES)} {last_name}"
    while (name, born) in filling.names:
        born -= 1
    filling.names.add((name, born))
    kind = rng.choice(("public", "public", "public", "private", "foreign"))
    insurer = rng.choice([place for place, each in enumerate(INSURERS.values(), 1) if each == kind])
    family = rng.choice([key for key, specialty in filling.doctors if specialty == FAMILY])
    member = f"M{number * 37 % 101}" if filling.size.adults < 50 else f"M{number * 7_919_003 % 8_999_993 + 1_000_000}"
    since = filling.days_ago(10, 900)
    filling.add("patients", f"P{number}", name, born, f"555-{3000 + number * 7}", f"N{insurer}", member, family, since)
    filling.patients.append(f"P{number}")
    return f"P{number}"


def _add_coming_hours(filling: _Filling) -> None:
    """Free and booked hours; a busy doctor has no free ones for weeks."""
    rng, size = filling.rng, filling.size
    taken: set[tuple[str, int]] = set()
    children = filling.patients[size.adults :]
    for key, specialty in filling.doctors:
        free_from = TODAY + rng.choice((0, 0, 0, 12, 18, 24))
        for day in range(TODAY + rng.randrange(size.days_apart), TODAY + HORIZON, size.days_apart):
            for minute in sorted(rng.sample(_MINUTES, 3)):
                is_booked = rng.random() < size.share_booked * (1.5 if day < TODAY + 4 else 1.0)
                patient = rng.choice(children if specialty == CHILDREN else filling.patients)
                if is_booked and (patient, day) not in taken:
                    taken.add((patient, day))
                    _add_slot(filling, (key, specialty), (day, minute), "booked", patient)
                elif not is_booked and day >= free_from and rng.random() < 0.6:
                    _add_slot(filling, (key, specialty), (day, minute), "free", None)


def _add_slot(
    filling: _Filling, doctor: tuple[str, str], hour: tuple[int, int], state: str, patient: str | None
) -> str:
    key = filling.next_id("S")
    moves = filling.rng.choice((0, 0, 0, 1, 2)) if state == "booked" else 0
    filling.add("slots", key, *doctor, *hour, state, patient, None, None, moves)
    return key


def _add_past_visits(filling: _Filling, patient: str) -> None:
    rng = filling.rng
    is_child = int(patient[1:]) > filling.size.adults
    doctors = [doctor for doctor in filling.doctors if (doctor[1] == CHILDREN) == is_child]
    share_missed = 0.6 if rng.random() < filling.size.share_absent else 0.1
    for day in sorted({filling.days_ago(3, rng.choice((120, 500))) for _ in range(rng.choice((0, 1, 2, 3, 4)))}):
        hour = next(_free_hours(filling, rng.choice(doctors), day))
        if rng.random() >= share_missed:
            _add_slot(filling, hour[0], hour[1], "kept", patient)
            continue
        slot = _add_slot(filling, hour[0], hour[1], "missed", patient)
        state = rng.choice(("unpaid", "unpaid", "paid", "waived", "waived"))
        note = {"paid": None, "unpaid": None, "waived": "ill"}[state]
        filling.add("charges", slot, patient, "missed", day, rng.randrange(1500, 6500, 500), state, note)


def _free_hours(
    filling: _Filling, doctor: tuple[str, str], day: int
) -> Iterator[tuple[tuple[str, str], tuple[int, int]]]:
    """Hours of the past that no other visit has."""
    for minute in filling.rng.sample(range(480, 960, 10), 48):
        if (doctor[0], day, minute) not in filling.hours:
            filling.hours.add((doctor[0], day, minute))
            yield doctor, (day, minute)


def _add_records(filling: _Filling, patient: str) -> None:
    """Referrals, prescriptions, results and places on waiting lists."""
    rng = filling.rng
    for specialty in _some(rng, CONSULTANTS, 3):
        issued, left = filling.days_ago(1, 240), rng.choice((0, 1, 2, 3))
        filling.add("referrals", filling.next_id("R"), patient, specialty, issued, left)
    for drug in _some(rng, tuple(DRUGS), 3):
        runs_out, left = TODAY + rng.randint(-25, 25), rng.choice((0, 1, 1, 2, 3, 5))
        filling.add("prescriptions", filling.next_id("X"), patient, drug, DRUGS[drug], runs_out, left, None)
    for test in _some(rng, TESTS, 3):
        taken = filling.days_ago(1, 60)
        is_ready = rng.random() < 0.85
        reviewed = max(taken, filling.days_ago(0, 14)) if is_ready and rng.random() < 0.85 else None
        finding = rng.choice(("normal", "normal", "abnormal")) if is_ready else None
        filling.add("results", filling.next_id("L"), patient, test, taken, reviewed, finding, None, None)
    for doctor, _ in _some(rng, filling.doctors, 2):
        filling.add("waiting", patient, doctor, filling.days_ago(1, 60))


def _some(rng: random.Random, among: Sequence[Thing], most: int) -> list[Thing]:
    return rng.sample(list(among), rng.randint(0, most))


SIZES = {
    "full": Base(
        "clinic",
        _SCHEMA,
        partial(
            _fill,
            Size(
                adults=2000,
                children=900,
                doctors=(24, 8, 9, 8, 9, 8),
                days_apart=1,
                share_booked=0.45,
                share_absent=0.35,
                first_id=10_000,
            ),
        ),
    ),
    "small": Base(
        "small clinic",
        _SCHEMA,
        partial(
            _fill,
            Size(
                adults=8,
                children=5,
                doctors=(2, 1, 2, 1, 1, 1),
                days_apart=3,
                share_booked=0.15,
                share_absent=0.8,
                first_id=10,
            ),
        ),
    ),
}
"""The bases by size."""

"""The clinic's tools that read."""

from __future__ import annotations

from datetime import date
from typing import Any, Literal

from agentgym_tools.desks.clinic.world import NOON, SPECIALTIES, age_of
from agentgym_tools.desks.setting.days import EPOCH, TODAY, date_of, dated
from agentgym_tools.worlds.toolbox import Toolbox, ToolFailure, reads

MAX_FOUND = 8


class PatientRecords(Toolbox):
    """Know patients, those who act for them, and their visits."""

    @reads
    def identify_by_name(self, name: str, born_on: str) -> Any:
        """Identify the caller by name and date of birth.

        Args:
            name: First and last name.
            born_on: Date of birth, such as 1980-12-31.
        """
        return self._patient("name", name, born_on)

    @reads
    def identify_by_phone(self, phone: str, born_on: str) -> Any:
        """Identify the caller by phone number and date of birth.

        Args:
            phone: The phone number.
            born_on: Date of birth, such as 1980-12-31.
        """
        return self._patient("phone", phone, born_on)

    @reads
    def identify_by_member_number(self, member_number: str, born_on: str) -> Any:
        """Identify the caller by the insurer's member number and date of birth.

        Args:
            member_number: The member number.
            born_on: Date of birth, such as 1980-12-31.
        """
        return self._patient("member_number", member_number, born_on)

    @reads
    def find_patient(self, name: str, born_on: str) -> Any:
        """Find the patient whom a call is about, where that is not the caller.

        Args:
            name: First and last name of the patient.
            born_on: The patient's date of birth, such as 1980-12-31.
        """
        return self._patient("name", name, born_on)

    @reads
    def list_guardians(self, patient_id: str) -> Any:
        """List who may act for a patient: parents and carers.

        Args:
            patient_id: The patient.
        """
        key = self.row("patients", patient_id)["id"]
        self.show("guardians", key)
        rows = self.world.rows("SELECT * FROM guardians WHERE patient_id = ? ORDER BY guardian_id", key)
        return [{"guardian_id": row["guardian_id"], "kind": row["kind"], **dated("end", row["until"])} for row in rows]

    @reads
    def get_file(self, patient_id: str) -> Any:
        """Read a patient's file: coming visits, the last visit, unpaid fees, waiting lists.

        Args:
            patient_id: The patient.
        """
        key = self.row("patients", patient_id)["id"]
        self.show("files", key)
        coming = self.world.rows(
            "SELECT id, doctor_id, day FROM slots WHERE patient_id = ? AND state = 'booked' ORDER BY day, id", key
        )
        waiting = self.world.rows("SELECT * FROM waiting WHERE patient_id = ? ORDER BY doctor_id", key)
        return {
            "patient_id": key,
            "coming_visits": [
                {"slot_id": row["id"], "doctor_id": row["doctor_id"], **dated("visit", row["day"])} for row in coming
            ],
            **(dated("last_seen", last_seen(self.world, key)) or {"last_seen_on": "never"}),
            "unpaid_cents": debt_of(self.world, key),
            "waiting_for": [{"doctor_id": row["doctor_id"], **dated("waiting", row["since"])} for row in waiting],
        }

    @reads
    def get_visit(self, slot_id: str) -> Any:
        """Read a visit, or a free slot: when, with whom, whose, its state.

        Args:
            slot_id: The number of the visit.
        """
        return self._visit(self.row("slots", slot_id))

    @reads
    def find_visit(self, patient_id: str, visit_on: str) -> Any:
        """Find a patient's visit by its day, coming or past.

        Args:
            patient_id: The patient.
            visit_on: The day of the visit, such as 2031-12-31.
        """
        key = self.row("patients", patient_id)["id"]
        row = self.world.row("SELECT * FROM slots WHERE patient_id = ? AND day = ? ORDER BY id", key, day_of(visit_on))
        if row is None:
            raise ToolFailure(f"{key} has no visit on {visit_on}.")
        return self._visit(row)

    def _patient(self, column: str, value: str, born_on: str) -> Any:
        sql = f"SELECT * FROM patients WHERE {column} = ? AND born = ?"  # noqa: S608 - columns of this file
        row = self.world.row(sql, value.strip(), day_of(born_on))
        if row is None:
            raise ToolFailure("There is no such patient.")
        self.show("patients", row["id"])
        return {
            "patient_id": row["id"],
            "name": row["name"],
            "born_on": date_of(row["born"]),
            "age": age_of(row["born"]),
            "phone": row["phone"],
            "insurer_id": row["insurer_id"],
            "member_number": row["member_number"],
            "family_doctor_id": row["doctor_id"],
            **dated("family_doctor", row["doctor_since"]),
        }

    def _visit(self, row: Any) -> Any:
        self.show("visits", row["id"])
        doctor = self.row("doctors", row["doctor_id"])
        return {
            "slot_id": row["id"],
            "patient_id": row["patient_id"],
            "state": row["state"],
            **_hour(row),
            "times_moved": row["moves"],
            "doctor": self._doctor(doctor),
            "price_cents": doctor["price"],
        }

    def _whole_doctor(self, row: Any) -> Any:
        self.show("doctors", row["id"])
        more = {"price_cents": row["price"], "takes_new_family_patients": bool(row["takes_patients"])}
        return {**self._doctor(row), **more}

    def _doctor(self, row: Any) -> dict[str, Any]:
        rows = self.world.rows("SELECT insurer_id FROM accepted WHERE doctor_id = ? ORDER BY insurer_id", row["id"])
        return {
            "doctor_id": row["id"],
            "name": row["name"],
            "specialty": row["specialty"],
            "takes_insurers": [each[0] for each in rows],
        }

    def row(self, table: str, key: str) -> Any:
        """A row by its id; a `ToolFailure` where there is none."""
        row = self.world.row(f"SELECT * FROM {table} WHERE id = ?", key)  # noqa: S608 - tables of this file
        if row is None:
            raise ToolFailure(f"There is no {key[:40]!r} among the {table}.")
        return row

    def _named(self, table: str, name: str) -> Any:
        row = self.world.row(f"SELECT * FROM {table} WHERE name = ?", name.strip())  # noqa: S608 - as above
        if row is None:
            raise ToolFailure(f"There is no {name[:40]!r} among the {table}; ask for the whole name.")
        return row


def day_of(text: str) -> int:
    """The day of a date as text.

    Raises:
        ToolFailure: It is no such date.
    """
    try:
        return (date.fromisoformat(text.strip()) - EPOCH).days
    except ValueError:
        raise ToolFailure(f"{text[:40]!r} is no date; write it like {date_of(TODAY)}.") from None


def state_of_result(row: Any) -> str:
    """How far a test is."""
    if row["finding"] is None:
        return "in the laboratory"
    return "waits for a doctor's review" if row["reviewed"] is None else "reviewed"


def last_seen(world: Any, patient: str) -> int | None:
    """The day of the last visit that a patient kept; None if there was none."""
    row = world.row("SELECT max(day) FROM slots WHERE patient_id = ? AND state = 'kept'", patient)
    return None if row is None else row[0]


def debt_of(world: Any, patient: str) -> int:
    """The patient's unpaid fees in cents."""
    row = world.row("SELECT sum(amount) FROM charges WHERE patient_id = ? AND state = 'unpaid'", patient)
    return int(row[0] or 0)


def is_taken(world: Any, doctor: Any, insurer: Any) -> bool:
    """Whether a doctor takes an insurance."""
    sql = "SELECT 1 FROM accepted WHERE doctor_id = ? AND insurer_id = ?"
    return world.row(sql, doctor, insurer) is not None


def _hour(row: Any) -> dict[str, Any]:
    hour = f"{row['minute'] // 60:02}:{row['minute'] % 60:02}"
    return {"slot_id": row["id"], "doctor_id": row["doctor_id"], **dated("visit", row["day"]), "at": hour}


class Records(PatientRecords):
    """Identify callers; read the clinic's records."""

    @reads
    def find_doctor(self, name: str) -> Any:
        """Find a doctor by name.

        Args:
            name: The name, such as Dr A. Berg.
        """
        return self._whole_doctor(self._named("doctors", name))

    @reads
    def get_doctor(self, doctor_id: str) -> Any:
        """Read a doctor's entry: specialty, insurers taken, price.

        Args:
            doctor_id: The doctor.
        """
        return self._whole_doctor(self.row("doctors", doctor_id))

    @reads
    def find_slots(self, specialty: str, insurer_id: str, daytime: Literal["morning", "afternoon"], since: str) -> Any:
        """Find free slots of a specialty's doctors who take an insurance, the earliest first, at most 8.

        Args:
            specialty: The specialty, such as dermatology.
            insurer_id: The insurance of the patient.
            daytime: When on the day.
            since: The first day to look at, such as 2031-12-31.
        """
        if specialty not in SPECIALTIES:
            raise ToolFailure(f"specialty is one of {', '.join(SPECIALTIES)}; got {specialty[:40]!r}.")
        insurer = self.row("insurers", insurer_id)["id"]
        self.show("slots", f"{specialty} {insurer} {daytime}")
        rows = self.world.rows(
            "SELECT * FROM slots WHERE specialty = ? AND state = 'free' AND day >= ? AND (minute < ?) = ? AND EXISTS "
            "(SELECT 1 FROM accepted WHERE accepted.doctor_id = slots.doctor_id AND insurer_id = ?) "
            "ORDER BY day, minute, id LIMIT ?",
            *(specialty, day_of(since), NOON, daytime == "morning", insurer, MAX_FOUND),
        )
        return [_hour(row) for row in rows]

    @reads
    def list_doctor_slots(self, doctor_id: str, daytime: Literal["morning", "afternoon", "any"], since: str) -> Any:
        """List free slots of one doctor, the earliest first, at most 8.

        Args:
            doctor_id: The doctor.
            daytime: When on the day.
            since: The first day to look at, such as 2031-12-31.
        """
        key = self.row("doctors", doctor_id)["id"]
        self.show("slots", f"{key} {daytime}")
        first, last = {"morning": (0, NOON), "afternoon": (NOON, 1440), "any": (0, 1440)}[daytime]
        rows = self.world.rows(
            "SELECT * FROM slots WHERE doctor_id = ? AND state = 'free' AND day >= ? AND minute >= ? AND minute < ? "
            "ORDER BY day, minute, id LIMIT ?",
            *(key, day_of(since), first, last, MAX_FOUND),
        )
        return [_hour(row) for row in rows]

    @reads
    def list_referrals(self, patient_id: str) -> Any:
        """List a patient's referrals to specialists.

        Args:
            patient_id: The patient.
        """
        key = self.row("patients", patient_id)["id"]
        self.show("referrals", key)
        rows = self.world.rows("SELECT * FROM referrals WHERE patient_id = ? ORDER BY id", key)
        return [
            {
                "referral_id": row["id"],
                "specialty": row["specialty"],
                **dated("issued", row["issued"]),
                "visits_left": row["visits_left"],
            }
            for row in rows
        ]

    @reads
    def find_prescription(self, patient_id: str, drug: str) -> Any:
        """Find a patient's prescription of a drug.

        Args:
            patient_id: The patient.
            drug: Name of the drug.
        """
        key = self.row("patients", patient_id)["id"]
        sql = "SELECT * FROM prescriptions WHERE patient_id = ? AND drug = ?"
        row = self.world.row(sql, key, drug.strip().lower())
        if row is None:
            raise ToolFailure(f"{key} has no prescription of {drug[:40]!r}.")
        self.show("prescriptions", row["id"])
        return {
            "prescription_id": row["id"],
            "drug": row["drug"],
            "class": row["class"],
            **dated("runs_out", row["runs_out"]),
            "renewals_left": row["renewals_left"],
        }

    @reads
    def find_result(self, patient_id: str, test: str) -> Any:
        """Find a patient's test result. What it says is for the patient, and who may act for the patient, alone.

        Args:
            patient_id: The patient.
            test: Name of the test.
        """
        key = self.row("patients", patient_id)["id"]
        row = self.world.row("SELECT * FROM results WHERE patient_id = ? AND test = ?", key, test.strip().lower())
        if row is None:
            raise ToolFailure(f"{key} has no result of {test[:40]!r}.")
        self.show("results", row["id"])
        return {
            "result_id": row["id"],
            "test": row["test"],
            **dated("taken", row["taken"]),
            "state": state_of_result(row),
            **dated("reviewed", row["reviewed"]),
            **({} if row["reviewed"] is None else {"finding": row["finding"]}),
        }

    @reads
    def list_charges(self, patient_id: str) -> Any:
        """List the fees that a patient was charged for visits missed or cancelled late.

        Args:
            patient_id: The patient.
        """
        key = self.row("patients", patient_id)["id"]
        self.show("charges", key)
        rows = self.world.rows("SELECT * FROM charges WHERE patient_id = ? ORDER BY slot_id", key)
        return [
            {
                "slot_id": row["slot_id"],
                "for": f"visit {row['kind']}",
                **dated("charged", row["charged"]),
                "amount_cents": row["amount"],
                "state": row["state"],
            }
            for row in rows
        ]

    @reads
    def find_insurer(self, name: str) -> Any:
        """Find an insurer by name.

        Args:
            name: The name.
        """
        row = self._named("insurers", name)
        self.show("insurers", row["id"])
        return {"insurer_id": row["id"], "name": row["name"], "kind": row["kind"]}

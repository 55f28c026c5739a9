"""The clinic's tools: those that read, and those that change its records."""

from __future__ import annotations

from typing import Any, Literal

from agentgym_tools.desks.clinic.records import Records
from agentgym_tools.desks.clinic.world import PHARMACIES
from agentgym_tools.desks.setting.days import TODAY
from agentgym_tools.worlds.toolbox import ToolFailure, writes

MAX_CENTS = 1_000_000
MAX_SUPPLY = 365


class ClinicTools(Records):
    """Change the clinic's records, too."""

    @writes
    def book_visit(self, patient_id: str, slot_id: str, referral_id: str, requested_by: str) -> Any:
        """Book a free slot for a patient.

        Args:
            patient_id: The patient.
            slot_id: The slot.
            referral_id: The referral that the visit uses; an empty text for none.
            requested_by: The patient_id of the caller.
        """
        patient, caller = self.row("patients", patient_id), self.row("patients", requested_by)
        slot = self._slot(slot_id, "free")
        referral = self._referral(patient, slot, referral_id) if referral_id.strip() else None
        self.world.write(
            "UPDATE slots SET state = 'booked', patient_id = ?, referral_id = ?, booked_by = ?, moves = 0 WHERE id = ?",
            *(patient["id"], referral, caller["id"], slot["id"]),
        )
        return f"Slot {slot['id']} is booked for {patient['id']}."

    @writes
    def move_visit(self, slot_id: str, new_slot_id: str) -> Any:
        """Move a coming visit to a free slot.

        Args:
            slot_id: The visit.
            new_slot_id: The free slot.
        """
        old, new = self._slot(slot_id, "booked"), self._slot(new_slot_id, "free")
        self.world.write(
            "UPDATE slots SET state = 'booked', patient_id = ?, referral_id = ?, booked_by = ?, moves = ? WHERE id = ?",
            *(old["patient_id"], old["referral_id"], old["booked_by"], old["moves"] + 1, new["id"]),
        )
        self._free(old["id"])
        return f"Visit {old['id']} is now {new['id']}."

    @writes
    def cancel_visit(self, slot_id: str, fee_cents: int) -> Any:
        """Cancel a coming visit.

        Args:
            slot_id: The visit.
            fee_cents: What the patient is charged for it, in cents; 0 for nothing.
        """
        slot = self._slot(slot_id, "booked")
        _check_amount("fee_cents", fee_cents, 0, MAX_CENTS)
        if slot["referral_id"]:
            self.world.write("UPDATE referrals SET visits_left = visits_left + 1 WHERE id = ?", slot["referral_id"])
        self._free(slot["id"])
        if fee_cents:
            self.world.write(
                "INSERT INTO charges VALUES (?, ?, 'cancelled late', ?, ?, 'unpaid', NULL) "
                "ON CONFLICT DO UPDATE SET amount = excluded.amount, state = excluded.state",
                *(slot["id"], slot["patient_id"], TODAY, fee_cents),
            )
        return f"Visit {slot['id']} is cancelled; {fee_cents} cents are charged."

    @writes
    def renew_prescription(self, prescription_id: str, supply_days: int, pharmacy: str, requested_by: str) -> Any:
        """Renew a prescription and send it to a pharmacy.

        Args:
            prescription_id: The prescription.
            supply_days: For how many days the drug is supplied.
            pharmacy: One of Bridge Pharmacy, Lion Pharmacy, Old Town Pharmacy, Sun Pharmacy.
            requested_by: The patient_id of the caller.
        """
        row = self.row("prescriptions", prescription_id)
        self.row("patients", requested_by)
        _check_amount("supply_days", supply_days, 1, MAX_SUPPLY)
        if row["renewals_left"] < 1:
            raise ToolFailure(f"{row['id']} has no renewals left; a doctor has to prescribe the drug again.")
        if pharmacy not in PHARMACIES:
            raise ToolFailure(f"pharmacy is one of {', '.join(PHARMACIES)}; got {pharmacy[:40]!r}.")
        self.world.write(
            "UPDATE prescriptions SET runs_out = max(runs_out, ?) + ?, renewals_left = renewals_left - 1, pharmacy = ? "
            "WHERE id = ?",
            *(TODAY, supply_days, pharmacy, row["id"]),
        )
        return f"{row['id']} is renewed for {supply_days} days and sent to {pharmacy}."

    @writes
    def release_result(self, result_id: str, channel: Literal["portal", "letter", "phone"], requested_by: str) -> Any:
        """Let the caller have a test result.

        Args:
            result_id: The result.
            channel: How the caller gets it.
            requested_by: The patient_id of the caller.
        """
        row, caller = self.row("results", result_id), self.row("patients", requested_by)
        if row["finding"] is None:
            raise ToolFailure(f"{row['id']} is still in the laboratory.")
        self.world.write(
            "UPDATE results SET released_to = ?, channel = ? WHERE id = ?", caller["id"], channel, row["id"]
        )
        return f"{row['id']} goes to {caller['id']} by {channel}."

    @writes
    def pay_charge(self, patient_id: str, slot_id: str, amount_cents: int) -> Any:
        """Take the payment of a fee from the patient's account.

        Args:
            patient_id: The patient.
            slot_id: The visit for which the fee was charged.
            amount_cents: What is paid, in cents.
        """
        charge = self._charge(patient_id, slot_id)
        _check_amount("amount_cents", amount_cents, charge["amount"], MAX_CENTS)
        self._settle(charge, "paid", f"{amount_cents} cents")
        return f"The fee for {charge['slot_id']} is paid."

    @writes
    def waive_charge(self, patient_id: str, slot_id: str, reason: str) -> Any:
        """Let a patient off an unpaid fee.

        Args:
            patient_id: The patient.
            slot_id: The visit for which the fee was charged.
            reason: Why it was missed, one of: ill, accident, bereavement, transport strike, forgotten.
        """
        charge = self._charge(patient_id, slot_id)
        self._settle(charge, "waived", reason.strip().lower())
        return f"The fee for {charge['slot_id']} is waived."

    @writes
    def join_waiting_list(self, patient_id: str, doctor_id: str) -> Any:
        """Put a patient on a doctor's waiting list.

        Args:
            patient_id: The patient.
            doctor_id: The doctor.
        """
        patient, doctor = self.row("patients", patient_id)["id"], self.row("doctors", doctor_id)["id"]
        if self.world.row("SELECT 1 FROM waiting WHERE patient_id = ? AND doctor_id = ?", patient, doctor):
            raise ToolFailure(f"{patient} is on the list of {doctor} already.")
        self.world.write("INSERT INTO waiting VALUES (?, ?, ?)", patient, doctor, TODAY)
        return f"{patient} is on the list of {doctor}."

    @writes
    def leave_waiting_list(self, patient_id: str, doctor_id: str) -> Any:
        """Take a patient off a doctor's waiting list.

        Args:
            patient_id: The patient.
            doctor_id: The doctor.
        """
        key = (self.row("patients", patient_id)["id"], self.row("doctors", doctor_id)["id"])
        if not self.world.write("DELETE FROM waiting WHERE patient_id = ? AND doctor_id = ?", *key):
            raise ToolFailure(f"{key[0]} is not on the list of {key[1]}.")
        return f"{key[0]} is off the list of {key[1]}."

    @writes
    def change_insurer(self, patient_id: str, insurer_id: str, member_number: str) -> Any:
        """Change a patient's insurance.

        Args:
            patient_id: The patient.
            insurer_id: The new insurer.
            member_number: The patient's number there.
        """
        patient, insurer = self.row("patients", patient_id)["id"], self.row("insurers", insurer_id)["id"]
        number = member_number.strip()
        if not number or self.world.row("SELECT 1 FROM patients WHERE member_number = ?", number):
            raise ToolFailure(f"The member number {number[:40]!r} is empty or taken; ask for it again.")
        self.world.write("UPDATE patients SET insurer_id = ?, member_number = ? WHERE id = ?", insurer, number, patient)
        return f"{patient} is insured by {insurer} with the number {number}."

    @writes
    def change_family_doctor(self, patient_id: str, doctor_id: str) -> Any:
        """Change a patient's family doctor.

        Args:
            patient_id: The patient.
            doctor_id: The new family doctor.
        """
        patient, doctor = self.row("patients", patient_id)["id"], self.row("doctors", doctor_id)["id"]
        self.world.write("UPDATE patients SET doctor_id = ?, doctor_since = ? WHERE id = ?", doctor, TODAY, patient)
        return f"The family doctor of {patient} is {doctor}."

    def _slot(self, slot_id: str, state: str) -> Any:
        slot = self.row("slots", slot_id)
        if slot["state"] != state:
            raise ToolFailure(f"{slot['id']} is {slot['state']}; this takes one that is {state}.")
        return slot

    def _free(self, slot_id: str) -> None:
        self.world.write(
            "UPDATE slots SET state = 'free', patient_id = NULL, referral_id = NULL, booked_by = NULL, moves = 0 "
            "WHERE id = ?",
            slot_id,
        )

    def _referral(self, patient: Any, slot: Any, referral_id: str) -> str:
        """Use a referral; its id."""
        row = self.row("referrals", referral_id)
        if (row["patient_id"], row["specialty"]) != (patient["id"], slot["specialty"]) or row["visits_left"] < 1:
            raise ToolFailure(
                f"{row['id']} sends {row['patient_id']} to {row['specialty']} {row['visits_left']} more times; it does "
                "not fit this visit."
            )
        self.world.write("UPDATE referrals SET visits_left = visits_left - 1 WHERE id = ?", row["id"])
        return str(row["id"])

    def _charge(self, patient_id: str, slot_id: str) -> Any:
        key = (self.row("patients", patient_id)["id"], self.row("slots", slot_id)["id"])
        charge = self.world.row("SELECT * FROM charges WHERE patient_id = ? AND slot_id = ?", *key)
        if charge is None or charge["state"] != "unpaid":
            raise ToolFailure(f"{key[0]} has no unpaid fee for {key[1]}.")
        return charge

    def _settle(self, charge: Any, state: str, note: str) -> None:
        sql = "UPDATE charges SET state = ?, note = ? WHERE patient_id = ? AND slot_id = ?"
        self.world.write(sql, state, note, charge["patient_id"], charge["slot_id"])


def _check_amount(name: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise ToolFailure(f"{name} is from {least} to {most}; got {str(value)[:40]}.")

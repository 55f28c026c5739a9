"""Values with which the desks' writes are tried: the customer's own rows and what lies near them, by desk and parameter.

In each query `?1` stands for the customer.
"""

# ruff: noqa: E501 - queries in a line each

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agentgym_tools.desks.airline.booked import SERVICES
from agentgym_tools.desks.clinic.world import PHARMACIES
from agentgym_tools.desks.insurance.world import DOCUMENTS, PERILS
from agentgym_tools.desks.telecom.world import PLANS

_OWN_BOOKINGS = "SELECT id FROM bookings WHERE customer_id = ?1"
_OWN_FLIGHTS = f"SELECT flight_id FROM tickets WHERE booking_id IN ({_OWN_BOOKINGS})"
_OWN_LINES = "SELECT id FROM lines WHERE customer_id = ?1"
_OWN_ACCOUNTS = "SELECT id FROM accounts WHERE customer_id = ?1"
_OWN_CONTRACTS = "SELECT id FROM contracts WHERE customer_id = ?1"
_PHONE_PLANS = "SELECT DISTINCT apn FROM plans WHERE ?1 <> ''"
_OF_PATIENTS = "SELECT ?1 UNION SELECT patient_id FROM guardians WHERE guardian_id = ?1"
_OF_ACCOUNTS = "SELECT id FROM {} WHERE account_id IN (" + _OWN_ACCOUNTS + ")"

ROWS: Mapping[str, Mapping[str, str]] = {
    "shop": {
        "customer_id": "SELECT ?1",
        "order_id": "SELECT id FROM orders WHERE customer_id = ?1",
        "item_id": "SELECT item_id FROM lines WHERE order_id IN (SELECT id FROM orders WHERE customer_id = ?1)",
        "item_ids": "SELECT item_id FROM lines WHERE order_id IN (SELECT id FROM orders WHERE customer_id = ?1)",
        "new_item_id": "SELECT id FROM items WHERE product_id IN (SELECT product_id FROM items JOIN lines ON item_id = items.id WHERE order_id IN (SELECT id FROM orders WHERE customer_id = ?1))",
        "payment_id": "SELECT id FROM payments WHERE customer_id = ?1",
        "refund_to": "SELECT id FROM payments WHERE customer_id = ?1",
    },
    "airline": {
        "booking_id": _OWN_BOOKINGS,
        "flight_id": _OWN_FLIGHTS,
        "new_flight_id": f"SELECT new.id FROM flights AS old JOIN flights AS new ON new.origin = old.origin AND new.destination = old.destination WHERE old.id IN ({_OWN_FLIGHTS}) AND new.departs BETWEEN old.departs - 20000 AND old.departs + 20000 AND new.state = 'scheduled'",
        "passenger": f"SELECT name FROM passengers WHERE booking_id IN ({_OWN_BOOKINGS})",
        "report_id": f"SELECT id FROM bag_reports WHERE booking_id IN ({_OWN_BOOKINGS})",
        "seat": f"SELECT seat FROM seats WHERE flight_id IN ({_OWN_FLIGHTS})",
    },
    "telecom": {
        "line": _OWN_LINES,
        "bill": "SELECT id FROM bills WHERE customer_id = ?1",
        "charge": f"SELECT id FROM charges WHERE line_id IN ({_OWN_LINES})",
        "payment_id": "SELECT id FROM payments WHERE customer_id = ?1",
        "apn": _PHONE_PLANS,
        "address": "SELECT DISTINCT mms_center FROM plans WHERE ?1 <> ''",
        "puk": f"SELECT puk FROM sims WHERE line_id IN ({_OWN_LINES})",
    },
    "clinic": {
        "patient_id": _OF_PATIENTS,
        "requested_by": _OF_PATIENTS,
        "slot_id": f"SELECT id FROM slots WHERE patient_id IN ({_OF_PATIENTS}) AND state = 'booked'",
        "new_slot_id": "SELECT new.id FROM slots AS old JOIN slots AS new ON new.doctor_id = old.doctor_id WHERE old.patient_id = ?1 AND old.state = 'booked' AND new.state = 'free' AND new.day > old.day ORDER BY new.day, new.minute LIMIT 24",
        "doctor_id": "SELECT doctor_id FROM patients WHERE id = ?1 UNION SELECT doctor_id FROM waiting WHERE patient_id = ?1",
        "referral_id": f"SELECT id FROM referrals WHERE patient_id IN ({_OF_PATIENTS}) UNION SELECT ''",
        "prescription_id": f"SELECT id FROM prescriptions WHERE patient_id IN ({_OF_PATIENTS})",
        "result_id": f"SELECT id FROM results WHERE patient_id IN ({_OF_PATIENTS})",
        "insurer_id": "SELECT id FROM insurers WHERE ?1 <> ''",
    },
    "insurance": {
        "customer_id": "SELECT ?1",
        "contract_id": _OWN_CONTRACTS,
        "claim_id": f"SELECT id FROM claims WHERE contract_id IN ({_OWN_CONTRACTS})",
        "tariff_id": f"SELECT id FROM tariffs WHERE line IN (SELECT line FROM tariffs JOIN contracts ON tariffs.id = tariff_id WHERE contracts.id IN ({_OWN_CONTRACTS}))",
        "account": "SELECT account FROM accounts WHERE customer_id = ?1",
    },
    "bank": {
        "customer_id": "SELECT ?1",
        **dict.fromkeys(("account_id", "from_account", "to_account"), _OWN_ACCOUNTS),
        "card_id": _OF_ACCOUNTS.format("cards"),
        "payment_id": _OF_ACCOUNTS.format("payments"),
        "order_id": _OF_ACCOUNTS.format("orders"),
        "loan_id": _OF_ACCOUNTS.format("loans"),
        "fee_id": _OF_ACCOUNTS.format("fees"),
        "cheque_number": f"SELECT number FROM cheques WHERE account_id IN ({_OWN_ACCOUNTS})",
        "appointment_id": "SELECT id FROM appointments WHERE customer_id = ?1 OR (customer_id IS NULL AND town = (SELECT town FROM customers WHERE id = ?1))",
        "beneficiary": "SELECT name FROM beneficiaries WHERE customer_id = ?1",
        "name": "SELECT name FROM beneficiaries WHERE customer_id = ?1",
    },
}
"""By desk and parameter a query for the values that a customer's part of the world has for it."""
USUAL: Mapping[str, Mapping[str, Sequence[Any]]] = {
    "shop": {"street": ("1 Elm Court",), "city": ("Ashford",), "zip_code": ("12345",), "value": ("x@post.test",)},
    "airline": {"bags": (1, 2), "service": SERVICES, "reason": ("illness", "change of plans"), "new_name": ("A/B",)},
    "telecom": {"plan": list(PLANS), "gigabytes": (1, 2, 3, 5), "number": ("5550199",)},
    "clinic": {
        "pharmacy": PHARMACIES,
        "supply_days": (30, 60),
        "reason": ("ill", "forgotten"),
        "member_number": ("K1",),
    },
    "insurance": {
        "document": DOCUMENTS,
        "peril": sorted({peril for groups in PERILS.values() for group in groups for peril in group}),
        "days": (7, 14),
        "days_ago": (0, 3),
        "driver": ("Alma Berg",),
        "driver_age": (30,),
        "percent": (5, 10),
        **dict.fromkeys(("new_street", "new_town", "new_zip", "new_account"), ("DE100000",)),
    },
    "bank": {
        "months": (1, 2, 6, 12, 24),
        "day_of_month": (1, 10, 15),
        "days": (10, 20),
        "in_days": (3,),
        "rate": (100, 150, 200, 250),
        "reason": ("lost", "stolen"),
        "ground": ("not received", "charged twice"),
        "region": ("Andes", "Gulf"),
        "payee": ("City Works",),
        "account": ("DE100000",),
        **dict.fromkeys(("new_street", "new_town", "new_zip", "label"), ("Elsewhere",)),
    },
}
"""By desk and parameter further values that any request may be tried with."""

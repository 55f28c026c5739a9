"""What a phone can do in its state: service, data, fast data, calls and MMS, and the changes that bring each back.

These are the physics of the desk's world. Whether a change is allowed is a matter of the policy.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from agentgym_tools.desks.telecom.world import ABROAD, MESSAGES
from agentgym_tools.worlds import World
from agentgym_tools.worlds.calls import Call, Value

FAST_MODES = ("auto", "4g", "5g")
FAST_MBPS, SLOW_MBPS = 80, 1

Remedies = list[tuple[Call, ...]]
"""The ways to take away one fault; each is a sequence of calls."""


class Situation(NamedTuple):
    """A phone with what it depends on.

    Attributes:
        phone: Its row.
        line: The row of the line whose SIM is in it.
        plan: The row of the line's plan.
        puk: What unlocks the SIM.
        denied: Permissions that the app for messages lacks.
    """

    phone: Any
    line: Any
    plan: Any
    puk: str
    denied: tuple[str, ...]

    @property
    def has_service(self) -> bool:
        """Whether the phone is in the network."""
        return not self.phone["airplane"] and self.sim == "ready" and self.is_registered

    @property
    def sim(self) -> str:
        """What the phone says of its SIM."""
        ills = [*([] if self.phone["sim_seated"] else ["loose"]), *(["PUK needed"] if self.phone["sim_locked"] else [])]
        return ", ".join(ills) or "ready"

    @property
    def is_registered(self) -> bool:
        """Whether the network knows the phone."""
        return bool(self.phone["registered"]) and self.line["state"] == "active"

    @property
    def has_data(self) -> bool:
        """Whether mobile data comes through, at any speed."""
        is_roaming = self.phone["place"] == ABROAD
        may_roam = not is_roaming or (self.phone["roaming"] and self.line["roaming"])
        has_apn = self.phone["apn_in_use"] == self.plan["apn"]
        return bool(self.has_service and self.phone["mobile_data"] and has_apn and may_roam)

    @property
    def is_used_up(self) -> bool:
        """Whether the line has used all its data, so that the network slows it down."""
        return bool(self.line["used_mb"] >= self.plan["data_mb"] + self.line["pack_mb"])

    @property
    def has_fast_data(self) -> bool:
        """Whether nothing slows mobile data down."""
        is_slowed = self.phone["data_saver"] or self.phone["battery_saver"] or self.phone["vpn"]
        return self.has_data and self.phone["mode"] in FAST_MODES and not is_slowed and not self.is_used_up

    @property
    def has_calls(self) -> bool:
        """Whether calls come in and go out."""
        is_diverted = self.phone["do_not_disturb"] or self.phone["forwarded_to"]
        return self.has_service and not is_diverted and not self.line["barred"]

    @property
    def has_mms(self) -> bool:
        """Whether picture messages go out."""
        return self.has_data and self.phone["mms_center"] == self.plan["mms_center"] and not self.denied


def situation_of(world: World, customer: str) -> Situation:
    """The situation of a customer's phone."""
    phone = world.row("SELECT * FROM phones WHERE customer_id = ?", customer)
    assert phone is not None
    line = world.row("SELECT * FROM lines WHERE id = ?", phone["line_id"])
    assert line is not None
    plan = world.row("SELECT * FROM plans WHERE id = ?", line["plan_id"])
    sim = world.row("SELECT puk FROM sims WHERE line_id = ?", line["id"])
    assert sim is not None
    denied = world.rows(
        "SELECT permission FROM permissions WHERE customer_id = ? AND app = ? AND granted = 0 ORDER BY permission",
        customer,
        MESSAGES,
    )
    return Situation(phone, line, plan, sim["puk"], tuple(row[0] for row in denied))


def cures(situation: Situation, symptom: str, pack: Mapping[str, Value] | None = None) -> list[tuple[Call, ...]]:
    """Every least set of changes that takes a symptom away, in an order in which they work.

    What the desk does comes first, the phone's settings follow, and a restart, which applies them, is last.

    Args:
        situation: The phone as it is; it has the symptom.
        symptom: One of service, data, fast data, calls, mms.
        pack: The arguments of `add_data_pack`, where data may have to be bought.
    """
    steps = [*_for_line(situation, symptom, pack or {}), *_for_service(situation)]
    if symptom in ("data", "fast data", "mms"):
        steps += _for_data(situation)
    if symptom == "fast data":
        steps += _for_speed(situation)
    if symptom == "calls":
        steps += _for_calls(situation)
    if symptom == "mms":
        steps += _for_mms(situation)
    needs_data = symptom in ("data", "fast data", "mms")
    is_to_apply = needs_data and situation.phone["apn_in_use"] != situation.plan["apn"]
    if is_to_apply or not situation.phone["registered"]:
        steps.append([(Call("reboot"),)])
    return [tuple(itertools.chain(*chosen)) for chosen in itertools.product(*steps)] if steps else []


def _one(tool: str, **arguments: Value) -> Remedies:
    return [(Call(tool, arguments),)]


def _for_line(situation: Situation, symptom: str, pack: Mapping[str, Value]) -> Sequence[Remedies]:
    line = situation.line
    steps: list[Remedies] = []
    if symptom == "calls" and line["barred"]:
        steps.append(_one("lift_barring", line=line["id"]))
    if symptom in ("data", "fast data", "mms") and situation.phone["place"] == ABROAD and not line["roaming"]:
        steps.append(_one("enable_roaming", line=line["id"]))
    if symptom == "fast data" and situation.is_used_up:
        steps.append(_one("add_data_pack", line=line["id"], **pack))
    return steps


def _for_service(situation: Situation) -> Sequence[Remedies]:
    phone = situation.phone
    steps: list[Remedies] = []
    if phone["airplane"]:
        steps.append(_one("toggle_airplane_mode"))
    if not phone["sim_seated"]:
        steps.append(_one("reseat_sim"))
    if phone["sim_locked"]:
        steps.append(_one("enter_puk", puk=situation.puk))
    return steps


def _for_data(situation: Situation) -> Sequence[Remedies]:
    phone = situation.phone
    steps: list[Remedies] = []
    if not phone["mobile_data"]:
        steps.append(_one("toggle_mobile_data"))
    if phone["place"] == ABROAD and not phone["roaming"]:
        steps.append(_one("toggle_data_roaming"))
    if phone["apn"] != situation.plan["apn"]:
        steps.append(_one("set_apn", apn=situation.plan["apn"]))
    return steps


def _for_speed(situation: Situation) -> Sequence[Remedies]:
    phone = situation.phone
    steps: list[Remedies] = []
    if phone["mode"] not in FAST_MODES:
        steps.append([(Call("set_network_mode", {"mode": mode}),) for mode in FAST_MODES])
    if phone["data_saver"]:
        steps.append(_one("toggle_data_saver"))
    if phone["battery_saver"]:
        steps.append(_one("toggle_battery_saver"))
    if phone["vpn"]:
        steps.append(_one("disconnect_vpn"))
    return steps


def _for_calls(situation: Situation) -> Sequence[Remedies]:
    steps: list[Remedies] = []
    if situation.phone["do_not_disturb"]:
        steps.append(_one("toggle_do_not_disturb"))
    if situation.phone["forwarded_to"]:
        steps.append(_one("cancel_call_forwarding"))
    return steps


def _for_mms(situation: Situation) -> Sequence[Remedies]:
    steps: list[Remedies] = []
    if situation.phone["mms_center"] != situation.plan["mms_center"]:
        steps.append(_one("set_mms_center", address=situation.plan["mms_center"]))
    return [*steps, *(_one("grant_permission", app=MESSAGES, permission=permission) for permission in situation.denied)]

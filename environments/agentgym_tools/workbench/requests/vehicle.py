"""Requests about a car."""

from __future__ import annotations

from typing import Any

from agentgym_tools.workbench.cases import Case, View, do, either, leave, rows, tell
from agentgym_tools.workbench.rows.vehicle import DOORS, KINDS, LIGHTS, MODES
from agentgym_tools.workbench.template import Facts, Pick, Template, UndrawableError, direct
from agentgym_tools.worlds.calls import Call


def _car(view: View) -> Any:
    return view.row("SELECT * FROM cars WHERE owner = ?", view.me)


def _unlocked(view: View) -> list[str]:
    sql = "SELECT door FROM doors WHERE owner = ? AND state = 'unlocked' ORDER BY door"
    return [row["door"] for row in view.rows(sql, view.me)]


def _lock_all(view: View, facts: Facts) -> Case:
    doors = _unlocked(view)
    seen = rows("doors", DOORS)
    if not doors:
        return leave("already_so", [Call("list_doors")], seen)
    return do(*(Call("lock_door", {"door": door}) for door in doors), reads=[Call("list_doors")])


def _start(view: View, facts: Facts) -> Case:
    car = _car(view)
    reads = [Call("get_car_status"), Call("list_doors")]
    if car["engine"] == "on":
        return leave("already_so", reads[:1], rows("status", [view.me]))
    calls = [Call("lock_door", {"door": door}) for door in _unlocked(view)]
    if car["brake"] != "set":
        calls.append(Call("set_brake", {"brake": "set"}))
    return do(*calls, Call("start_engine"), reads=reads)


def _fill(view: View, facts: Facts) -> Case:
    if _car(view)["engine"] == "on":
        raise UndrawableError
    return do(Call("fill_fuel", facts))


def _fill_up(view: View, facts: Facts) -> Case:
    car = _car(view)
    litres = car["tank"] - car["fuel"]
    if litres < 5 or car["engine"] == "on":
        raise UndrawableError
    return do(Call("fill_fuel", {"litres": litres}), reads=[Call("get_fuel")])


def _tyres(view: View, facts: Facts) -> Case:
    found = view.rows("SELECT * FROM tyres WHERE owner = ? ORDER BY tyre", view.me)
    low = [row for row in found if row["kpa"] < row["wanted_kpa"]]
    seen = rows("tyres", [row["tyre"] for row in found])
    reads = [Call("list_tyres")]
    if not low:
        return leave("already_so", reads, seen)
    calls = [Call("set_tyre_pressure", {"tyre": row["tyre"], "kpa": row["wanted_kpa"]}) for row in low]
    return do(*calls, reads=reads)


def _nearest(view: View, facts: Facts) -> Case:
    found = view.rows("SELECT name, km FROM places WHERE kind = ? ORDER BY name", facts["kind"])
    nearest = min(row["km"] for row in found)
    outcomes = [[Call("navigate_to", {"place": row["name"]})] for row in found if row["km"] == nearest]
    seen = rows("places", [row["name"] for row in found])
    return either(outcomes, [Call("find_places", facts)], seen)


def _can_reach(view: View, facts: Facts) -> Case:
    car = _car(view)
    km = view.value("SELECT km FROM places WHERE name = ?", facts["place"])
    answer = "yes" if car["fuel"] * 100 // car["per_hundred_km"] >= km else "no"
    seen = [*rows("fuel", [view.me]), *rows("places", [facts["place"]])]
    return tell(answer, [Call("estimate_range"), Call("distance_to", facts)], seen)


def _until_service(view: View, facts: Facts) -> Case:
    car = _car(view)
    left = car["service_at"] - car["odometer"]
    reads = [Call("get_car_status"), Call("subtract", {"a": car["service_at"], "b": car["odometer"]})]
    return tell(left, reads, [("status", view.me), ("result", str(left))])


def _litres(view: View, facts: Facts) -> Case:
    return tell(_car(view)["fuel"], [Call("get_fuel")], rows("fuel", [view.me]))


def _cruise(view: View, facts: Facts) -> Case:
    if _car(view)["engine"] == "off":
        raise UndrawableError
    return do(Call("set_cruise_speed", facts))


def _count_unlocked(view: View, facts: Facts) -> Case:
    return tell(len(_unlocked(view)), [Call("list_doors")], rows("doors", DOORS))


def _place(pick: Pick) -> Facts:
    return {"place": pick.value("SELECT name FROM places ORDER BY name")}


def _temperature(pick: Pick) -> Facts:
    return {"celsius": pick.number(16, 28)}


def _same_temperature(pick: Pick) -> Facts:
    return {"celsius": _car(pick.view)["celsius"]}


VEHICLE = "vehicle"
TEMPLATES = (
    Template(
        *("lock_all", VEHICLE),
        (
            "Lock every door of the car that is not locked.",
            "See to it that all doors of the car are locked.",
            "Lock the whole car.",
        ),
        lambda pick: {},
        _lock_all,
        idle=lambda pick: {},
        key_tool="lock_door",
    ),
    direct(
        *("unlock", VEHICLE, "unlock_door"),
        ("Unlock the door {door} of the car.", "The car's door {door} shall be unlocked."),
        lambda pick: {"door": pick.one(DOORS)},
        idle=lambda pick: {"door": pick.one(DOORS)},
        missing="door",
        vague=("Unlock one door of the car.", "A door of the car shall be unlocked."),
    ),
    Template(
        *("start", VEHICLE),
        (
            "Start the engine; do what it needs before.",
            "Get the car going: start the engine, with the doors and the brake as they have to be for that.",
        ),
        lambda pick: {},
        _start,
        idle=lambda pick: {},
        key_tool="start_engine",
    ),
    direct(
        *("stop", VEHICLE, "stop_engine"),
        ("Stop the engine.", "Turn the car's engine off."),
        lambda pick: {},
        idle=lambda pick: {},
    ),
    Template(
        *("fill", VEHICLE),
        ("Fill {litres} litres into the tank.", "The car needs {litres} more litres of fuel; fill them in."),
        lambda pick: {"litres": pick.number(5, 30)},
        _fill,
        idle=lambda pick: {"litres": pick.number(60, 90)},
        key_tool="fill_fuel",
        missing="litres",
        vague=("Fill some litres into the tank.", "The car needs more fuel; fill in what I want."),
    ),
    Template(
        *("fill_up", VEHICLE),
        ("Fill up the tank of the car.", "Fill in as much fuel as the tank holds."),
        lambda pick: {},
        _fill_up,
        key_tool="fill_fuel",
    ),
    direct(
        *("temperature", VEHICLE, "set_temperature"),
        ("Set the temperature in the car to {celsius} degrees.", "I want {celsius} degrees in the car."),
        _temperature,
        idle=_same_temperature,
        missing="celsius",
        vague=("Set the temperature in the car to what I like.", "I want another temperature in the car."),
    ),
    direct(
        *("fan", VEHICLE, "set_fan"),
        ("Set the fan of the car to {speed}.", "The car's fan shall run at speed {speed}."),
        lambda pick: {"speed": pick.number(0, 7)},
        missing="speed",
        vague=("Set the fan of the car to another speed.",),
    ),
    direct(
        *("lights", VEHICLE, "set_lights"),
        ("Set the lights of the car to {lights}.", "I want the car's lights on {lights}."),
        lambda pick: {"lights": pick.one(LIGHTS)},
        idle=lambda pick: {"lights": _car(pick.view)["lights"]},
        missing="lights",
        vague=("Set the lights of the car differently.",),
    ),
    direct(
        *("mode", VEHICLE, "set_mode"),
        ("Drive in the mode {mode}.", "Set the driving mode to {mode}."),
        lambda pick: {"mode": pick.one(MODES)},
        idle=lambda pick: {"mode": _car(pick.view)["mode"]},
    ),
    direct(
        *("brake", VEHICLE, "set_brake"),
        ("The parking brake shall be {brake}.", "See to it that the parking brake is {brake}."),
        lambda pick: {"brake": pick.one(("set", "released"))},
        idle=lambda pick: {"brake": _car(pick.view)["brake"]},
    ),
    Template(
        *("tyres", VEHICLE),
        (
            "Bring every tyre whose pressure is too low to its wanted pressure.",
            "Check the tyres, and set those with too little pressure to what is wanted.",
        ),
        lambda pick: {},
        _tyres,
        idle=lambda pick: {},
        key_tool="set_tyre_pressure",
    ),
    Template(
        *("nearest", VEHICLE),
        ("Show me the way to the nearest {kind}.", "Navigate to the {kind} that is least far away."),
        lambda pick: {"kind": pick.one(KINDS)},
        _nearest,
        key_tool="navigate_to",
        missing="kind",
        vague=("Show me the way to the nearest place of the kind that I need.",),
    ),
    direct(
        *("navigate", VEHICLE, "navigate_to"),
        ("Navigate to {place}.", "Show me the way to {place}."),
        _place,
        missing="place",
        vague=("Navigate to a place for me.", "Show me the way to where I am going."),
    ),
    direct(
        *("stop_navigation", VEHICLE, "stop_navigation"),
        ("Stop showing the way.", "I know the way now; stop the navigation."),
        lambda pick: {},
        idle=lambda pick: {},
    ),
    Template(
        *("can_reach", VEHICLE),
        (
            "Does my fuel last to {place}? Answer yes or no.",
            "Can I drive to {place} without filling up? Answer yes or no.",
        ),
        _place,
        _can_reach,
    ),
    Template(
        *("until_service", VEHICLE),
        ("How many km are left until the next service of the car?",),
        lambda pick: {},
        _until_service,
        more_sets=("calculator",),
    ),
    Template(
        *("litres", VEHICLE),
        ("How many litres are in the tank?", "What is left in the tank of the car, in litres?"),
        lambda pick: {},
        _litres,
    ),
    Template(
        *("cruise", VEHICLE),
        ("Set the cruise control to {kmh} km/h.", "Keep to {kmh} km/h by the cruise control."),
        lambda pick: {"kmh": pick.number(30, 130, 5)},
        _cruise,
        key_tool="set_cruise_speed",
        missing="kmh",
        vague=("Set the cruise control.", "Keep to a steady speed by the cruise control."),
    ),
    Template(
        *("count_unlocked", VEHICLE),
        (
            "How many doors of the car are not locked?",
            "Count the doors of the car that are unlocked, the boot included.",
        ),
        lambda pick: {},
        _count_unlocked,
    ),
)
"""All requests about a car."""

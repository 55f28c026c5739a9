"""A car: doors, engine, fuel, tyres, climate, lights and navigation."""

from __future__ import annotations

from typing import Any, Literal

from agentgym_tools.workbench.sets.toolbox import LISTED, OwnTools, require, short
from agentgym_tools.worlds.toolbox import reads, writes

Door = Literal["front left", "front right", "rear left", "rear right", "boot"]
Tyre = Literal["front left", "front right", "rear left", "rear right"]
_PARTS = {"fuel": "fuel", "celsius": "climate", "fan": "climate"}
"""By column of a car the part that shows it, where that is not the status."""


class VehicleTools(OwnTools):
    """The tools of a car."""

    @reads
    def get_car_status(self) -> Any:
        """Show engine, brake, lights, mode, speed of the cruise control, destination, odometer and next service."""
        car = self._car("status")
        shown = ("engine", "brake", "lights", "mode", "cruise_kmh", "destination", "odometer", "service_at")
        return {key: car[key] for key in shown}

    @reads
    def get_fuel(self) -> Any:
        """Show the litres in the tank, what the tank holds, and the litres needed for 100 km."""
        car = self._car("fuel")
        return {"litres": car["fuel"], "tank": car["tank"], "litres_for_100_km": car["per_hundred_km"]}

    @reads
    def get_climate(self) -> Any:
        """Show the wanted temperature in the car and the speed of the fan."""
        car = self._car("climate")
        return {"celsius": car["celsius"], "fan": car["fan"]}

    @reads
    def estimate_range(self) -> Any:
        """Show how many kilometres the fuel lasts, rounded down."""
        car = self._car("fuel")
        return {"km": car["fuel"] * 100 // car["per_hundred_km"]}

    @reads
    def list_doors(self) -> Any:
        """List the doors and whether they are locked."""
        self.show(LISTED, "doors")
        found = {}
        for row in self.world.rows("SELECT door, state FROM doors WHERE owner = ? ORDER BY door", self.me):
            self.show("doors", row["door"])
            found[row["door"]] = row["state"]
        return found

    @reads
    def list_tyres(self) -> Any:
        """List the tyres with their pressures and the wanted pressures in kPa."""
        self.show(LISTED, "tyres")
        found = []
        for row in self.world.rows("SELECT tyre, kpa, wanted_kpa FROM tyres WHERE owner = ? ORDER BY tyre", self.me):
            self.show("tyres", row["tyre"])
            found.append(dict(row))
        return found

    @reads
    def find_places(self, kind: str) -> Any:
        """List the places of a kind with their distances in km.

        Args:
            kind: One of charger, garage, hotel, museum, park, petrol station.
        """
        rows = self.world.rows("SELECT * FROM places WHERE kind = lower(?) ORDER BY name", kind)
        if not rows:
            self.show("missing", kind)
            raise self.not_found(f"there are no places of the kind {short(kind)}.")
        for row in rows:
            self.show("places", row["name"])
        self.show(LISTED, f"places {kind}")
        return {row["name"]: row["km"] for row in rows}

    @reads
    def distance_to(self, place: str) -> Any:
        """Show how many km a place is away.

        Args:
            place: Name of the place.
        """
        return {"km": self._place(place)["km"]}

    @writes
    def lock_door(self, door: Door) -> Any:
        """Lock a door.

        Args:
            door: Which door.
        """
        return self._set_door(door, "locked")

    @writes
    def unlock_door(self, door: Door) -> Any:
        """Unlock a door.

        Args:
            door: Which door.
        """
        return self._set_door(door, "unlocked")

    @writes
    def start_engine(self) -> Any:
        """Start the engine; all doors have to be locked and the parking brake has to be set."""
        car = self._car("status")
        if car["engine"] == "on":
            raise self.is_so_already("the engine runs.")
        sql = "SELECT door FROM doors WHERE owner = ? AND state <> 'locked' ORDER BY door"
        unlocked = [row["door"] for row in self.world.rows(sql, self.me)]
        require(not unlocked, f"these doors are not locked: {', '.join(unlocked)}.")
        require(car["brake"] == "set", "the parking brake is not set.")
        return self._set("engine", "on")

    @writes
    def stop_engine(self) -> Any:
        """Stop the engine."""
        if self._car("status")["engine"] == "off":
            raise self.is_so_already("the engine is off.")
        return self._set("engine", "off")

    @writes
    def fill_fuel(self, litres: int) -> Any:
        """Fill fuel into the tank; the engine has to be off.

        Args:
            litres: How many litres, from 5.
        """
        require(litres >= 5, "litres is from 5.")
        car = self._car("fuel")
        require(car["engine"] == "off", "the engine runs.")
        if car["fuel"] + litres > car["tank"]:
            raise self.not_possible(f"the tank holds {car['tank']} litres and has {car['fuel']}.")
        return self._set("fuel", car["fuel"] + litres)

    @writes
    def set_tyre_pressure(self, tyre: Tyre, kpa: int) -> Any:
        """Set the pressure of a tyre.

        Args:
            tyre: Which tyre.
            kpa: The pressure in kPa, 180 to 300.
        """
        require(180 <= kpa <= 300, "kpa is from 180 to 300.")
        self.show("tyres", tyre)
        row = self.world.row("SELECT kpa FROM tyres WHERE owner = ? AND tyre = ?", self.me, tyre)
        if row is not None and row[0] == kpa:
            raise self.is_so_already(f"the tyre {tyre} has {kpa} kPa.")
        self.world.write("UPDATE tyres SET kpa = ? WHERE owner = ? AND tyre = ?", kpa, self.me, tyre)
        return f"The tyre {tyre} has {kpa} kPa."

    @writes
    def set_temperature(self, celsius: int) -> Any:
        """Set the temperature wanted in the car.

        Args:
            celsius: Degrees, 16 to 28.
        """
        require(16 <= celsius <= 28, "celsius is from 16 to 28.")
        return self._set("celsius", celsius)

    @writes
    def set_fan(self, speed: int) -> Any:
        """Set the speed of the fan.

        Args:
            speed: 0 to 7.
        """
        require(0 <= speed <= 7, "speed is from 0 to 7.")
        return self._set("fan", speed)

    @writes
    def set_lights(self, lights: Literal["off", "parking", "low beam", "high beam"]) -> Any:
        """Set the lights.

        Args:
            lights: Which.
        """
        return self._set("lights", lights)

    @writes
    def set_brake(self, brake: Literal["set", "released"]) -> Any:
        """Set or release the parking brake.

        Args:
            brake: The new state.
        """
        return self._set("brake", brake)

    @writes
    def set_mode(self, mode: Literal["eco", "normal", "sport"]) -> Any:
        """Set the driving mode.

        Args:
            mode: Which.
        """
        return self._set("mode", mode)

    @writes
    def set_cruise_speed(self, kmh: int) -> Any:
        """Set the speed of the cruise control; the engine has to run.

        Args:
            kmh: Speed in km/h, 30 to 130 in steps of 5.
        """
        require(30 <= kmh <= 130 and kmh % 5 == 0, "kmh is from 30 to 130, in steps of 5.")
        require(self._car("status")["engine"] == "on", "the engine is off.")
        return self._set("cruise_kmh", kmh)

    @writes
    def navigate_to(self, place: str) -> Any:
        """Have the car show the way to a place.

        Args:
            place: Name of the place.
        """
        return self._set("destination", self._place(place)["name"])

    @writes
    def stop_navigation(self) -> Any:
        """Have the car show no way any more."""
        return self._set("destination", "")

    def _car(self, part: str) -> Any:
        self.show(part, self.me)
        return self.world.row("SELECT * FROM cars WHERE owner = ?", self.me)

    def _set(self, column: str, value: int | str) -> str:
        if self._car(_PARTS.get(column, "status"))[column] == value:
            raise self.is_so_already(f"{column} is {value}." if value != "" else "no way is shown.")
        self.world.write(f"UPDATE cars SET {column} = ? WHERE owner = ?", value, self.me)  # noqa: S608 - our names
        return f"{column} is now {value}." if value != "" else "No way is shown now."

    def _set_door(self, door: str, state: str) -> str:
        self.show("doors", door)
        row = self.world.row("SELECT state FROM doors WHERE owner = ? AND door = ?", self.me, door)
        if row is not None and row[0] == state:
            raise self.is_so_already(f"the door {door} is {state}.")
        self.world.write("UPDATE doors SET state = ? WHERE owner = ? AND door = ?", state, self.me, door)
        return f"The door {door} is {state}."

    def _place(self, place: str) -> Any:
        row = self.world.row("SELECT * FROM places WHERE lower(name) = lower(?)", place)
        if row is None:
            self.show("missing", place)
            raise self.not_found(f"there is no place {short(place)}.")
        self.show("places", row["name"])
        return row

"""Tasks on times of day in cities whose clocks are never changed.

So neither the date nor the version of the time zone database matters, and what is right follows from the offsets here.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

from agentgym_tools.mcp.kinds.draft import Call, Draft, Kind, UnsuitableError, answer_rule

DAY = 24 * 60
ZONES: Mapping[str, tuple[str, int]] = {
    "Pago Pago": ("Pacific/Pago_Pago", -660),
    "Honolulu": ("Pacific/Honolulu", -600),
    "Phoenix": ("America/Phoenix", -420),
    "San Jose": ("America/Costa_Rica", -360),
    "Lima": ("America/Lima", -300),
    "Bogota": ("America/Bogota", -300),
    "Panama City": ("America/Panama", -300),
    "La Paz": ("America/La_Paz", -240),
    "Buenos Aires": ("America/Argentina/Buenos_Aires", -180),
    "Praia": ("Atlantic/Cape_Verde", -60),
    "Accra": ("Africa/Accra", 0),
    "Lagos": ("Africa/Lagos", 60),
    "Johannesburg": ("Africa/Johannesburg", 120),
    "Nairobi": ("Africa/Nairobi", 180),
    "Riyadh": ("Asia/Riyadh", 180),
    "Dubai": ("Asia/Dubai", 240),
    "Kabul": ("Asia/Kabul", 270),
    "Karachi": ("Asia/Karachi", 300),
    "Kolkata": ("Asia/Kolkata", 330),
    "Kathmandu": ("Asia/Kathmandu", 345),
    "Dhaka": ("Asia/Dhaka", 360),
    "Bangkok": ("Asia/Bangkok", 420),
    "Jakarta": ("Asia/Jakarta", 420),
    "Manila": ("Asia/Manila", 480),
    "Singapore": ("Asia/Singapore", 480),
    "Tokyo": ("Asia/Tokyo", 540),
    "Seoul": ("Asia/Seoul", 540),
    "Brisbane": ("Australia/Brisbane", 600),
    "Honiara": ("Pacific/Guadalcanal", 660),
    "Tarawa": ("Pacific/Tarawa", 720),
    "Nukualofa": ("Pacific/Tongatapu", 780),
}
"""By city its zone and how many minutes its clocks are ahead of UTC."""
_AS_TIME = "Submit the time as HH:MM."
_Asked = tuple[str, dict[str, Any], list[Call]]


def shown_time(minutes: int) -> str:
    """A time of day."""
    return f"{minutes // 60 % 24:02}:{minutes % 60:02}"


def there(minutes: int, source: str, target: str) -> int:
    """The minutes since midnight of the source's day that clocks in the target show."""
    return minutes - ZONES[source][1] + ZONES[target][1]


def convert(minutes: int, source: str, target: str) -> Call:
    """The call that converts a time of day."""
    zones = {"source_timezone": ZONES[source][0], "target_timezone": ZONES[target][0]}
    return "time__convert_time", {**zones, "time": shown_time(minutes)}


def _named(city: str) -> str:
    return f"{city} ({ZONES[city][0]})"


def _kind(name: str, ask: Callable[[random.Random], _Asked], is_held_out: bool = False) -> Kind:
    def draw(rng: random.Random) -> Draft:
        text, rule, calls = ask(rng)
        return Draft(text, {}, [rule], calls)

    return Kind(name, "time", draw, is_held_out)


def _cities(rng: random.Random, count: int) -> list[str]:
    return rng.sample(list(ZONES), count)


def _convert(rng: random.Random) -> _Asked:
    one, other = _cities(rng, 2)
    now = rng.randrange(DAY)
    text = f"It is {shown_time(now)} in {_named(one)}. What time is it in {_named(other)}? {_AS_TIME}"
    return text, answer_rule("time", shown_time(there(now, one, other))), [convert(now, one, other)]


def _arrive(rng: random.Random) -> _Asked:
    one, other = _cities(rng, 2)
    leaves, takes = rng.randrange(0, DAY, 5), rng.randrange(65, 900, 5)
    text = (
        f"A flight leaves {_named(one)} at {shown_time(leaves)} and takes {takes // 60} hours and {takes % 60} minutes. "
        f"What time is it in {_named(other)} when it lands there? {_AS_TIME}"
    )
    landed = there(leaves + takes, one, other)
    return text, answer_rule("time", shown_time(landed)), [convert((leaves + takes) % DAY, one, other)]


def _ahead(rng: random.Random) -> _Asked:
    one, other = _cities(rng, 2)
    hours = (ZONES[one][1] - ZONES[other][1]) / 60
    text = (
        f"By how many hours are clocks in {_named(one)} ahead of those in {_named(other)}? Submit the number, such as 2.5; "
        "it is below zero if they are behind."
    )
    return text, answer_rule("number", f"{hours:g}"), [convert(0, other, one)]


def _at_work(rng: random.Random) -> _Asked:
    one, *others = _cities(rng, 6)
    now = rng.randrange(0, DAY, 10)
    right = [city for city in others if 9 * 60 <= there(now, one, city) % DAY <= 17 * 60]
    if not 1 <= len(right) <= 4:
        raise UnsuitableError
    text = (
        f"It is {shown_time(now)} in {_named(one)}. In which of these cities is it between 09:00 and 17:00, both included: "
        f"{', '.join(map(_named, others))}? Submit the cities, with commas between."
    )
    return text, answer_rule("list", sorted(right)), [convert(now, one, city) for city in others]


def _other_day(rng: random.Random) -> _Asked:
    one, *others = _cities(rng, 6)
    now = rng.randrange(0, DAY, 10)
    day = rng.choice(("Monday", "Wednesday", "Friday", "Sunday"))
    right = [city for city in others if not 0 <= there(now, one, city) < DAY]
    if not 1 <= len(right) <= 4:
        raise UnsuitableError
    text = (
        f"It is {day}, {shown_time(now)}, in {_named(one)}. In which of these cities is it another day of the week: "
        f"{', '.join(map(_named, others))}? Submit the cities, with commas between."
    )
    return text, answer_rule("list", sorted(right)), [convert(now, one, city) for city in others]


def _with_stop(rng: random.Random) -> _Asked:
    one, stop, other = _cities(rng, 3)
    leaves, *parts = rng.randrange(0, DAY, 5), *(rng.randrange(65, 700, 5) for _ in range(3))
    first, waits, second = (f"{part // 60} hours and {part % 60} minutes" for part in parts)
    text = (
        f"A flight leaves {_named(one)} at {shown_time(leaves)}, takes {first} to {_named(stop)}, waits there for {waits}, "
        f"and takes {second} to {_named(other)}. What time is it there when it lands? {_AS_TIME}"
    )
    landed = leaves + sum(parts)
    return text, answer_rule("time", shown_time(there(landed, one, other))), [convert(landed % DAY, one, other)]


def _meeting(rng: random.Random, is_last: bool) -> _Asked:
    cities = _cities(rng, 3)
    first = cities[0]
    at_work = [
        minutes
        for minutes in range(0, DAY, 15)
        if all(9 * 60 <= there(minutes, first, city) % DAY <= 17 * 60 for city in cities)
    ]
    if len(at_work) < 4 or at_work[-1] - at_work[0] != 15 * (len(at_work) - 1):
        raise UnsuitableError
    which, found = ("latest", at_work[-1]) if is_last else ("earliest", at_work[0])
    text = (
        f"People in {', '.join(map(_named, cities[:-1]))} and {_named(cities[-1])} work from 09:00 to 17:00. What is the "
        f"{which} time, as clocks in {first} show it, when all of them are at work? {_AS_TIME}"
    )
    calls = [convert(minutes, city, first) for city in cities[1:] for minutes in (9 * 60, 17 * 60)]
    return text, answer_rule("time", shown_time(found)), calls


KINDS = (
    _kind("time_convert", _convert),
    _kind("time_arrive", _arrive),
    _kind("time_ahead", _ahead),
    _kind("time_at_work", _at_work),
    _kind("time_other_day", _other_day),
    _kind("time_with_stop", _with_stop),
    _kind("time_earliest", lambda rng: _meeting(rng, False), is_held_out=True),
    _kind("time_latest", lambda rng: _meeting(rng, True), is_held_out=True),
)

"""Who earned it: the credit of turns by each method, as a map of many episodes and turn by turn for two of them.

Which episodes these are is chosen in `credit_data`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

from agentgym.attribution.steps import Floats
from agentgym.store import EpisodeRow
from agentgym.trajectory import Trajectory, Turn
from agentgym.view.credit_data import RECORDED, CreditData, Reading
from agentgym.view.heat import HeatRow, heat_class, ragged_map
from agentgym.view.markup import Html, join, tag
from agentgym.view.sections import section

_MAX_COLUMNS = 40
_MAX_TURNS = 24
_MAX_CHARS = 150


def credit(found: CreditData | None) -> Html:
    """The section; nothing where there is no credit to show."""
    if found is None:
        return join()
    note = (
        f"Which turn earned or lost, over {len(found.episodes)} {found.purpose} episodes: a row an episode, a square a "
        "turn, the strongest colour being the largest credit of the method; below, the mean by turn."
    )
    if len(found.readings) == 1:
        note += " agentgym attribute sets other methods beside the recorded rewards."
    left_out = f"No room for {', '.join(found.left_out)}." if found.left_out else None
    return section(
        "Who earned it",
        _legend(),
        tag("div", *(_panel(reading, found.episodes) for reading in found.readings), class_="panels"),
        tag("p", left_out, class_="note") if left_out else None,
        *(_turn_by_turn(row, trajectory, found.readings) for row, trajectory in found.pair),
        note=note,
    )


def chips(readings: Sequence[Reading], number: int, turn: int) -> list[Html]:
    """What each method but the record gave one turn of an episode, for the margin of a transcript."""
    shown = []
    for reading in readings:
        values = reading.credit.get(number)
        if reading.label != RECORDED and values is not None and turn < len(values):
            colour = heat_class(float(values[turn]), reading.largest)
            shown.append(tag("span", f"{reading.label} {_signed(float(values[turn]))}", class_=f"chip heat {colour}"))
    return shown


def _legend() -> Html:
    names = (("earned", "earned"), ("lost", "lost"), ("good", "solved"), ("bad", "not solved"))
    dots = (tag("span", tag("i", class_=f"dot {look}"), name) for look, name in names)
    return tag("div", *dots, class_="legend")


def _panel(reading: Reading, episodes: Sequence[EpisodeRow]) -> Html:
    rows = [_map_row(row, reading.credit[row.number]) for row in episodes if row.number in reading.credit]
    columns = min(_MAX_COLUMNS, max((len(row.values) for row in rows), default=1))
    kind = reading.yields + (", conserving" if reading.conserves and reading.label != RECORDED else "")
    caption = tag("figcaption", tag("b", reading.label), tag("span", kind, class_="quiet"))
    scale = f"full colour ±{reading.largest:.3g}" if reading.largest else "no credit on any turn"
    drawing = ragged_map(rows, columns, reading.largest, f"Credit of turns by {reading.label}")
    return tag("figure", caption, drawing, tag("p", scale, class_="scale"))


def _map_row(row: EpisodeRow, values: Floats) -> HeatRow:
    verdict = "solved" if row.success else "not solved"
    titles = [f"{row.task_id}, {verdict}\nturn {at + 1}: {_signed(value)}" for at, value in enumerate(values.tolist())]
    return HeatRow(values, titles, "good" if row.success else "bad")


def _turn_by_turn(row: EpisodeRow, trajectory: Trajectory, readings: Sequence[Reading]) -> Html:
    verdict, look = ("solved", "good") if row.success else ("not solved", "bad")
    facts = [row.task_id, f"return {row.reward:+.2f}" if row.reward is not None else ""]
    facts += [f"iteration {row.iteration}"] if row.iteration is not None else []
    head = tag(
        "tr",
        tag("th", "Turn"),
        tag("th", tag("span", verdict, class_=f"chip {look}"), " ", " · ".join(fact for fact in facts if fact)),
        *(tag("th", reading.label, class_="figure") for reading in readings),
    )
    body = [
        tag(
            "tr",
            tag("td", at + 1, class_="quiet"),
            tag("td", brief(turn), class_="brief"),
            *(_cell(reading, row.number, at) for reading in readings),
        )
        for at, turn in enumerate(trajectory.turns[:_MAX_TURNS])
    ]
    rest = len(trajectory.turns) - _MAX_TURNS
    if rest > 0:
        body.append(tag("tr", tag("td"), tag("td", f"… {rest} more turns", class_="quiet")))
    table = tag("table", tag("thead", head), tag("tbody", *body), class_="turn-by-turn")
    return tag("div", table, class_="scroll")


def _cell(reading: Reading, number: int, turn: int) -> Html:
    value = float(reading.credit[number][turn])
    return tag("td", _signed(value), class_=f"figure heat {heat_class(value, reading.largest)}")


def _signed(value: float) -> str:
    if not math.isfinite(value):
        return "–"
    return "0" if value == 0 else f"{value:+.2f}" if abs(value) >= 0.005 else f"{value:+.0e}"


def brief(turn: Turn) -> str:
    """What the agent did, on a line: its tool calls as calls, else its words."""
    calls = [call.get("function") for call in turn.reply.get("tool_calls") or () if isinstance(call, dict)]
    named = [call for call in calls if isinstance(call, dict)]
    said = " ".join(f"{call.get('name', '?')}({_arguments(call.get('arguments'))})" for call in named)
    said = " ".join((said or str(turn.reply.get("content") or turn.text)).split())
    return said if len(said) <= _MAX_CHARS else f"{said[:_MAX_CHARS]} …"


def _arguments(given: object) -> str:
    try:
        fields = json.loads(given) if isinstance(given, str) else given
    except ValueError:
        return str(given)
    if not isinstance(fields, dict):
        return "" if fields is None else str(fields)
    return ", ".join(f"{name}={json.dumps(value, ensure_ascii=False, default=str)}" for name, value in fields.items())

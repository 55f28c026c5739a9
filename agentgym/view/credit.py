"""The credit of turns by each method, as a map of many episodes and turn by turn for two of them.

`credit_data` chooses the episodes.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence

import numpy as np

from agentgym.attribution.steps import Floats
from agentgym.store import EpisodeRow
from agentgym.trajectory import Trajectory, Turn
from agentgym.view.credit_data import CreditData, CreditMap, Reading
from agentgym.view.heat import HeatRow, heat_class, ragged_map
from agentgym.view.markup import Html, join, tag
from agentgym.view.sections import section

_MAX_COLUMNS = 40
_MAX_TURNS = 24
_MAX_CHARS = 150
_MAX_POLICIES = 3
_KINDS = (
    "Each label says what its numbers are. Rewards are what a turn itself earned. Returns are the rewards from that "
    "turn on. Advantages are how much better a turn was than a baseline. Conserving means that the turns of an episode "
    "add up to its return."
)
_LABELS = {
    "critic": "The label critic shows advantages that the run's critic gave: how much better the critic values a turn "
    "than what it expected before that turn. The policy learned from them.",
    "in training": "The label in training shows the credit that the policy learned from.",
}
"""What the labels say that a run keeps of its own accord."""
_BREAKABLE = re.compile(r"(?<=[_+,./-])")


def credit(found: CreditData | None, names: Mapping[str, str]) -> Html:
    """The section; nothing if there is no credit to show.

    Args:
        found: The credit to show.
        names: What the page calls some policies.
    """
    if found is None:
        return join()
    told_of = [_told_of(one, names) for one in found.maps]
    note = (
        f"Which turn earned or lost, over {' and '.join(told_of)}. Each row is an episode, and each square is a turn. "
        "The last row is the mean by turn."
    )
    if any(len(one.episodes) < one.num_candidates for one in found.maps):
        note += (
            " The episodes are a sample of those with credit, and up to half of them are not solved, so the means are "
            "of these episodes and not of all."
        )
    if not found.methods:
        note += " Run agentgym attribute to compare other methods with the recorded rewards."
    titles = told_of if len(found.maps) > 1 else [""]
    drawn = [part for one, title in zip(found.maps, titles, strict=True) for part in _map(one, title)]
    labels = dict.fromkeys(reading.label for one in found.maps for reading in one.readings)
    kinds = tag("p", " ".join([_KINDS, *(_LABELS[label] for label in labels if label in _LABELS)]), class_="note")
    return section("Who earned it", kinds, _legend(), *drawn, *_left_out(found), note=note)


def _told_of(one: CreditMap, names: Mapping[str, str]) -> str:
    """Why the episodes were collected, and who played them."""
    purposes = " and ".join(dict.fromkeys(row.purpose for row in one.episodes))
    policies = sorted({names.get(row.policy, row.policy) for row in one.episodes if row.policy})
    by = f" by {', '.join(policies)}" if 0 < len(policies) <= _MAX_POLICIES else ""
    shown = len(one.episodes)
    of = f" of {one.num_candidates:,}" if shown < one.num_candidates else ""
    return f"{shown}{of} {purposes} episode{'' if max(shown, one.num_candidates) == 1 else 's'}{by}"


def _map(one: CreditMap, heading: str) -> list[Html]:
    title = [tag("h3", heading)] if heading else []
    panels = tag("div", *(_panel(reading, one.episodes) for reading in one.readings), class_="panels")
    return [*title, panels, *(_turn_by_turn(row, trajectory, one.readings) for row, trajectory in one.pair)]


def _left_out(found: CreditData) -> list[Html]:
    notes = []
    if found.no_room:
        named = ", ".join(found.no_room)
        notes.append(f"There is no room for {named}. Choose labels with: agentgym report RUN --label LABEL …")
    if found.of_none:
        notes.append(f"The run holds none of the episodes that {', '.join(found.of_none)} gave credit to.")
    return [tag("p", text, class_="note") for text in notes]


def chips(methods: Sequence[Reading], number: int, turn: int) -> list[Html]:
    """The credit of a turn by each method that was asked about its episode, for the margin of a transcript."""
    shown = []
    for reading in methods:
        values = reading.credit.get(number)
        if values is not None and turn < len(values):
            colour = heat_class(float(values[turn]), reading.full)
            shown.append(tag("span", f"{reading.label} {_signed(float(values[turn]))}", class_=f"chip heat {colour}"))
    return shown


def _legend() -> Html:
    names = (("earned", "earned"), ("lost", "lost"), ("good", "solved"), ("bad", "not solved"))
    dots = (tag("span", tag("i", class_=f"dot {look}"), name) for look, name in names)
    return tag("div", *dots, class_="legend")


def _panel(reading: Reading, episodes: Sequence[EpisodeRow]) -> Html:
    rows = [_map_row(row, reading.credit.get(row.number)) for row in episodes]
    columns = min(_MAX_COLUMNS, max((len(row.values) for row in rows), default=1))
    caption = tag("figcaption", tag("b", reading.label), tag("span", reading.kind, class_="quiet"))
    scale = f"full colour ±{reading.full:.3g}" if reading.full else "no credit on any turn"
    scale += f" and beyond, largest {reading.largest:.3g}" if reading.largest > reading.full else ""
    absent = sum(row.number not in reading.credit for row in episodes)
    scale += f"; {absent} of the {len(episodes)} episodes not attributed" if absent else ""
    drawing = ragged_map(rows, max(1, columns), reading.full, f"Credit of turns by {reading.label}")
    return tag("figure", caption, drawing, tag("p", scale, class_="scale"))


def _map_row(row: EpisodeRow, values: Floats | None) -> HeatRow:
    """The row of an episode; without squares if the method was not asked about it."""
    verdict = "solved" if row.success else "not solved"
    credit = np.zeros(0) if values is None else values
    titles = [f"{row.task_id}, {verdict}\nturn {at + 1}: {_signed(value)}" for at, value in enumerate(credit.tolist())]
    return HeatRow(credit, titles, "good" if row.success else "bad")


def _turn_by_turn(row: EpisodeRow, trajectory: Trajectory, readings: Sequence[Reading]) -> Html:
    verdict, look = ("solved", "good") if row.success else ("not solved", "bad")
    facts = [row.task_id, f"return {row.reward:+.2f}" if row.reward is not None else ""]
    facts += [f"iteration {row.iteration}"] if row.iteration is not None else []
    head = tag(
        "tr",
        tag("th", "Turn"),
        tag("th", tag("span", verdict, class_=f"chip {look}"), " ", " · ".join(fact for fact in facts if fact)),
        *(tag("th", _breakable(reading.label), class_="figure") for reading in readings),
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


def _breakable(label: str) -> Html:
    """A label with possible line breaks after its joints."""
    first, *others = _BREAKABLE.split(label)
    return join(first, *(part for piece in others for part in (Html("<wbr>"), piece)))


def _cell(reading: Reading, number: int, turn: int) -> Html:
    if number not in reading.credit:
        return tag("td", "–", title="not attributed", class_="figure quiet")
    value = float(reading.credit[number][turn])
    return tag("td", _signed(value), class_=f"figure heat {heat_class(value, reading.full)}")


def _signed(value: float) -> str:
    if not math.isfinite(value):
        return "–"
    return "0" if value == 0 else f"{value:+.2f}" if abs(value) >= 0.005 else f"{value:+.0e}"


def brief(turn: Turn) -> str:
    """The agent's action in one line: its tool calls as calls, or else its words."""
    calls = [call.get("function") for call in turn.reply.get("tool_calls") or () if isinstance(call, dict)]
    named = [call for call in calls if isinstance(call, dict)]
    said = " ".join(f"{call.get('name', '?')}({_arguments(call.get('arguments'))})" for call in named)
    said = " ".join((said or str(turn.reply.get("content") or turn.text)).split()) or "(nothing)"
    return said if len(said) <= _MAX_CHARS else f"{said[:_MAX_CHARS]} …"


def _arguments(given: object) -> str:
    try:
        fields = json.loads(given) if isinstance(given, str) else given
    except ValueError:
        return str(given)
    if not isinstance(fields, dict):
        return "" if fields is None else str(fields)
    return ", ".join(f"{name}={json.dumps(value, ensure_ascii=False, default=str)}" for name, value in fields.items())

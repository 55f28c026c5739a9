"""Episodes turn by turn: the observations, the agent's messages, and the rewards.

All of this came from models, tools and sites, so it is shown as text and never as markup.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from agentgym.evaluation.blame import Blame
from agentgym.message import Message
from agentgym.picture import Image, data_url
from agentgym.reward import RewardEvent
from agentgym.trajectory import REFUSED, Trajectory, Turn
from agentgym.view.credit import chips
from agentgym.view.credit_data import Reading
from agentgym.view.markup import Html, join, tag, text
from agentgym.view.run_data import Pick

_MAX_CHARS = 6000
_MAX_TURNS = 40
_MAX_SHOT_BYTES = 1_500_000
"""Bytes of screenshots of one episode: a page of a dozen episodes opens at once with them."""
_PICTURE = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}")


def episode(pick: Pick, methods: Sequence[Reading], names: Mapping[str, str], is_open: bool) -> Html:
    """One episode, folded under a summary line, with rewards and credit beside each turn.

    Args:
        pick: The episode.
        methods: The methods whose credit is shown beside its turns.
        names: The page's names for some policies.
        is_open: Whether it is unfolded.
    """
    row, trajectory = pick.row, pick.trajectory
    verdict, look = (
        ("fault", "fault") if row.success is None else ("solved", "good") if row.success else ("not solved", "bad")
    )
    facts = [row.task_id, f"{row.num_turns} turn{'' if row.num_turns == 1 else 's'}"]
    facts += [f"iteration {row.iteration}"] if row.iteration is not None else []
    facts += [names.get(row.policy, row.policy)] if row.policy else []
    ending, blame = str(trajectory.outcome), Blame.of(trajectory)
    summary = tag(
        "summary",
        tag("span", verdict, class_=f"chip {look}"),
        tag("span", pick.reason, class_="reason"),
        tag("span", " · ".join(facts), class_="quiet"),
        None if blame is None else tag("span", f"failed by {blame}", class_="chip bad"),
        tag("span", "" if row.reward is None else f"{row.reward:+.2f}", class_="reward"),
    )
    shots = _Shots()
    body = [
        _turn(turn, trajectory, chips(methods, row.number, place), shots)
        for place, turn in enumerate(trajectory.turns[:_MAX_TURNS])
    ]
    if len(trajectory.turns) > _MAX_TURNS:
        body.append(tag("p", f"… {len(trajectory.turns) - _MAX_TURNS} more turns", class_="quiet"))
    body += [
        _message(message) for message in trajectory.metadata.get("last_messages") or [] if isinstance(message, dict)
    ]
    last = shots.framed(trajectory.last_screenshot, "at the end")
    body += [] if last is None else [last]
    ended = [*_refused(trajectory), tag("p", f"Ended: {ending}. ", trajectory.error, class_="ended")]
    ended += [tag("p", "Not solved: ", why, ".", class_="ended") for why in _why_not_solved(trajectory)]
    if blame is not None:
        at = f" (turn {blame.turn + 1})" if blame.turn >= 0 else ""
        ended.append(tag("p", f"Failed by {blame.who}, {blame.why}{at}. ", _short(blame.evidence), class_="ended"))
    return tag("details", summary, tag("div", *_events_before(trajectory), *body, *ended, class_="turns"), open=is_open)


def _why_not_solved(trajectory: Trajectory) -> list[str]:
    """What the verdict says of an episode without success, such as which part of its state was wrong."""
    verdicts = [event for event in trajectory.events if event.component == "success" and not event.value]
    return [
        ", ".join(f"{key.replace('_', ' ')} {_short(_plain(value))}" for key, value in event.detail.items())
        for event in verdicts
        if event.detail
    ]


def _plain(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _refused(trajectory: Trajectory) -> list[Html]:
    """What a guard refused of partners, which nobody in the episode saw."""
    found = [each for each in trajectory.metadata.get(REFUSED) or [] if isinstance(each, dict)]
    lines = [
        f"{each.get('role')}, turn {int(each.get('turn', 0)) + 1}, {each.get('cause')}: {_short(str(each.get('text')))}"
        for each in found
    ]
    return [tag("p", "Refused by the guard: ", line, class_="ended") for line in lines]


class _Shots:
    """The screenshots of one episode: small, large after a click, and no more than a page can carry."""

    def __init__(self) -> None:
        self._left = _MAX_SHOT_BYTES

    def framed(self, shot: Image | None, moment: str) -> Html | None:
        """A screenshot, or None without one.

        Args:
            shot: What was recorded.
            moment: When it was taken, such as "before turn 1".
        """
        if shot is None:
            return None
        self._left -= len(shot.content)
        address = data_url(shot)
        if self._left < 0 or not _PICTURE.fullmatch(address):
            return tag("p", f"the screenshot {moment} is in the run, and left out here", class_="quiet shot")
        name = f"screenshot {moment}"
        image = Html(f'<img alt="{text(name)}" title="{text(name)}; click to change its size" src="{address}">')
        return tag("details", tag("summary", image, tag("span", moment, class_="quiet")), class_="shot")


def _turn(turn: Turn, trajectory: Trajectory, credit: Sequence[Html], shots: _Shots) -> Html:
    events = [event for event in trajectory.events if event.turn == turn.index]
    facts = []
    if len(turn.action_ids):
        facts.append(f"{len(turn.action_ids)} tokens")
    if turn.behaviour_logprobs is not None and len(turn.behaviour_logprobs):
        facts.append(f"mean log-prob {float(np.mean(turn.behaviour_logprobs)):.2f}")
    seconds = turn.times.model_s + turn.times.env_s
    facts += [f"{1000 * seconds:.0f} ms"] if seconds else []
    flags = [tag("span", name, class_="chip bad") for name, is_set in _flags(turn) if is_set]
    rewards = _events(events, trajectory.weights)
    margin = tag("div", *flags, *rewards, *credit, tag("span", " · ".join(facts), class_="quiet"), class_="margin")
    shot = shots.framed(turn.screenshot, f"before turn {turn.index + 1}")
    said = tag("div", tag("span", "agent", class_="role"), _said(turn), shot, margin, class_="message agent")
    return join(*(_message(message) for message in turn.messages), said)


def _flags(turn: Turn) -> tuple[tuple[str, bool], ...]:
    return ("invalid", turn.was_invalid), ("cut by the token limit", turn.was_cut)


def _said(turn: Turn) -> Html:
    """The agent's message: reasoning, tool calls as calls, and text; the raw text if it differs."""
    reply = turn.reply
    parts: list[Html] = []
    if reply.get("reasoning_content"):
        parts.append(tag("div", _short(str(reply["reasoning_content"])), class_="text thought"))
    calls = [call for call in reply.get("tool_calls") or [] if isinstance(call, dict)]
    content = _content(reply)
    if content or not calls:
        parts.append(content or tag("div", _short(turn.text) or "(nothing)", class_="text"))
    parts += [_call(call) for call in calls]
    return tag("div", *parts, class_="said")


def _call(call: Mapping[str, Any]) -> Html:
    function = call.get("function")
    function = function if isinstance(function, dict) else {}
    arguments = function.get("arguments", {})
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            arguments = {"": arguments}
    if not isinstance(arguments, dict):
        arguments = {"": arguments}
    shown: list[object] = []
    for name, value in arguments.items():
        shown += [
            ", " if shown else None,
            tag("i", name, "=" if name else ""),
            _short(json.dumps(value, ensure_ascii=False)),
        ]
    return tag("code", tag("b", str(function.get("name", "?"))), "(", *shown, ")", class_="call")


def _message(message: Message) -> Html:
    role = str(message.get("role", "?"))
    name = f"{role}: {message['name']}" if message.get("name") else role
    return tag("div", tag("span", name, class_="role"), tag("div", _content(message), class_="said"), class_="message")


def _content(message: Message) -> Html | None:
    content = message.get("content")
    if not content:
        return None
    if isinstance(content, str):
        return tag("div", _short(content), class_="text")
    return join(*(_part(part) for part in content if isinstance(part, dict)))


def _part(part: Mapping[str, Any]) -> Html:
    link = part.get("image_url")
    address = link.get("url") if isinstance(link, dict) else None
    if isinstance(address, str) and _PICTURE.fullmatch(address):
        return tag("div", Html(f'<img alt="what the agent saw" src="{address}">'))
    return tag("div", _short(str(part.get("text", f"[{part.get('type', 'part')}]"))), class_="text")


def _events(events: Sequence[RewardEvent], weights: Mapping[str, float]) -> list[Html]:
    """The events that say something: one of weight 0 shows its value, and none if that is 0 too."""
    weighed = [(event, weights.get(event.component, 1.0)) for event in events]
    return [_event(event, weight) for event, weight in weighed if weight or event.value]


def _event(event: RewardEvent, weight: float) -> Html:
    value = weight * event.value
    detail = f"{event.source}, known at turn {event.issued_at + 1}"
    if event.detail:
        detail += f": {_short(json.dumps(dict(event.detail), ensure_ascii=False, default=str))}"
    look = "good" if value > 0 else "bad" if value < 0 else "none"
    shown = f"{value:+.2f} {event.component}" if weight else f"{event.component} {event.value:.2f} (weight 0)"
    return tag("span", shown, class_=f"chip {look}", title=detail)


def _events_before(trajectory: Trajectory) -> list[Html]:
    indices = {turn.index for turn in trajectory.turns}
    return _events([event for event in trajectory.events if event.turn not in indices], trajectory.weights)


def _short(value: str) -> str:
    if len(value) <= _MAX_CHARS:
        return value
    return f"{value[:_MAX_CHARS]}\n… {len(value) - _MAX_CHARS:,} more characters"

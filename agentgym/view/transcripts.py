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
from agentgym.store import EpisodeRow
from agentgym.trajectory import LAST_MESSAGES, REFUSED, Trajectory, Turn
from agentgym.view.credit import chips
from agentgym.view.credit_data import Reading
from agentgym.view.details import terms, texts_in
from agentgym.view.markup import Html, join, named, tag, text
from agentgym.view.run_data import Pick
from agentgym.view.texts import code, folded, passage, shorten

_CUT_EVIDENCE = 200
"""Characters at which environments cut the evidence of a fault, perhaps within a word."""
_MAX_TURNS, _MAX_OTHERS = 40, 100
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
    verdict, look = _verdict(row)
    blame = Blame.of(trajectory)
    facts = tag("span", *_facts(pick, names), class_="quiet")
    summary = tag(
        "summary",
        tag("span", verdict, class_=f"chip {look}"),
        tag("span", named(pick.reason, "reason"), " ", facts, class_="what"),
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
    ending = [message for message in trajectory.metadata.get(LAST_MESSAGES) or [] if isinstance(message, dict)]
    body += map(_message, ending)
    last = None if _has_picture(ending) else shots.framed(trajectory.last_screenshot, "at the end")
    body += [] if last is None else [last]
    turns = tag("div", *_events_before(trajectory), *body, _end(trajectory, blame, verdict), class_="turns")
    return tag("details", summary, turns, open=is_open)


def others(rows: Sequence[EpisodeRow], names: Mapping[str, str]) -> Html | None:
    """The episodes that are not shown, as a folded table of their tasks and results; None without any."""
    if not rows:
        return None
    lines = []
    for row in rows[:_MAX_OTHERS]:
        verdict, look = _verdict(row)
        cells = (named(row.task_id), named(names.get(row.policy, row.policy)), row.stratum.replace("_", " "))
        result = tag("td", tag("span", verdict, class_=f"chip {look}"))
        lines.append(tag("tr", *(tag("td", cell) for cell in cells), tag("td", row.num_turns), result))
    head = tag("tr", *(tag("th", name) for name in ("Task", "Policy", "Stratum", "Turns", "Result")))
    rest = f", the first {_MAX_OTHERS}" if len(rows) > _MAX_OTHERS else ""
    summary = tag("summary", f"{len(rows):,} evaluated episode{'' if len(rows) == 1 else 's'} not shown here{rest}")
    table = tag("div", tag("table", tag("thead", head), tag("tbody", *lines)), class_="scroll")
    return tag("details", summary, table, class_="listed")


def _verdict(row: EpisodeRow) -> tuple[str, str]:
    """The result in words, and its look."""
    return ("fault", "fault") if row.success is None else ("solved", "good") if row.success else ("not solved", "bad")


def _facts(pick: Pick, names: Mapping[str, str]) -> list[object]:
    """The task, the length, the iteration, and the policy unless the reason names it."""
    row = pick.row
    policy = names.get(row.policy, row.policy)
    facts: list[object] = [row.task_id, f"{row.num_turns} turn{'' if row.num_turns == 1 else 's'}"]
    facts += [f"iteration {row.iteration}"] if row.iteration is not None else []
    facts += [named(policy)] if policy and policy.replace("_", " ") not in pick.reason else []
    return [part for fact in facts for part in (" · ", fact)][1:]


def _end(trajectory: Trajectory, blame: Blame | None, verdict: str) -> Html:
    """How the episode ended, what its verdict found, and who failed it; nothing is said twice."""
    error = trajectory.error
    rows: list[tuple[str, object]] = [("refused by the guard", _refused(trajectory))]
    rows += [("ended", str(trajectory.outcome)), ("error", folded(error, is_open=True) if "\n" in error else error)]
    said = {trajectory.task_id, verdict, *([] if blame is None else [blame.why])}
    found = [(str(key), value) for detail in _verdicts(trajectory) for key, value in detail.items()]
    found = [(key, value) for key, value in found if not (isinstance(value, str) and value in said)]
    if blame is not None:
        at = f" (turn {blame.turn + 1})" if blame.turn >= 0 else ""
        rows.append(("failed by", f"{blame.who}: {blame.why.replace('_', ' ')}{at}"))
        rows.append(("because", _evidence(blame, [error, *texts_in([value for _, value in found])])))
    label = tag("span", "end", class_="role")
    return tag("div", label, tag("div", terms([*rows, *found]), class_="said"), class_="message end")


def _verdicts(trajectory: Trajectory) -> list[Mapping[str, Any]]:
    """What the verdict found, such as which part of the state was wrong."""
    return [event.detail for event in trajectory.events if event.component == "success" and event.detail]


def _evidence(blame: Blame, said: Sequence[str]) -> str:
    """What shows the fault, up to the end of a word; nothing if other rows say it."""
    evidence = blame.evidence
    if any(evidence.strip() in whole for whole in ("; ".join(said), "\n".join(said))):
        return ""
    return evidence if len(evidence) < _CUT_EVIDENCE else f"{evidence.rpartition(' ')[0] or evidence} …"


def _refused(trajectory: Trajectory) -> list[str]:
    """What a guard refused of partners, which nobody in the episode saw."""
    found = [each for each in trajectory.metadata.get(REFUSED) or [] if isinstance(each, dict)]
    return [
        f"{each.get('role')}, turn {int(each.get('turn', 0)) + 1}, {each.get('cause')}: {each.get('text')}"
        for each in found
    ]


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
    shot = None if _has_picture(turn.messages) else shots.framed(turn.screenshot, f"before turn {turn.index + 1}")
    said = tag("div", tag("span", "agent", class_="role"), _said(turn), shot, margin, class_="message agent")
    return join(*(_message(message) for message in turn.messages), said)


def _flags(turn: Turn) -> tuple[tuple[str, bool], ...]:
    return ("invalid", turn.was_invalid), ("cut by the token limit", turn.was_cut)


def _said(turn: Turn) -> Html:
    """The agent's message: reasoning, tool calls as calls, and text; the raw text if it differs."""
    reply = turn.reply
    parts: list[Html] = []
    if reply.get("reasoning_content"):
        parts.append(passage(str(reply["reasoning_content"]), "thought"))
    calls = [call for call in reply.get("tool_calls") or [] if isinstance(call, dict)]
    content = _content(reply)
    if content or not calls:
        parts.append(content or passage(turn.text or "(nothing)"))
    parts += [_call(call) for call in calls]
    return tag("div", *parts, class_="said")


def _call(call: Mapping[str, Any]) -> Html:
    """A tool call as a call; arguments of several lines stand below it, as they are."""
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
    inline: list[object] = []
    below: list[Html] = []
    for name, value in arguments.items():
        if isinstance(value, str) and "\n" in value.strip("\n"):
            below.append(tag("div", tag("i", name) if name else None, code(value, "text"), class_="argument"))
        else:
            written = shorten(json.dumps(value, ensure_ascii=False))
            inline += [", " if inline else None, tag("i", name, "=" if name else ""), written]
    head = tag("code", tag("b", str(function.get("name", "?"))), "(", *inline, ")", class_="call")
    return join(head, *below)


def _message(message: Message) -> Html:
    role = str(message.get("role", "?"))
    name = f"{role}: {message['name']}" if message.get("name") else role
    return tag("div", tag("span", name, class_="role"), tag("div", _content(message), class_="said"), class_="message")


def _content(message: Message) -> Html | None:
    """What a message says: of a tool as code, since its columns and its indentation have a meaning."""
    content = message.get("content")
    if not content:
        return None
    is_of_tool = message.get("role") == "tool"
    if isinstance(content, str):
        return _words(content, is_of_tool)
    return join(*(_part(part, is_of_tool) for part in content if isinstance(part, dict)))


def _has_picture(messages: Sequence[Message]) -> bool:
    """Whether messages show a picture of the state, beside which a screenshot would say the same."""
    contents = [message.get("content") for message in messages]
    parts = [part for content in contents if isinstance(content, list) for part in content if isinstance(part, dict)]
    return any(map(_picture, parts))


def _picture(part: Mapping[str, Any]) -> str:
    """The address of the picture that a part of a message shows; "" if it shows none."""
    link = part.get("image_url")
    address = link.get("url") if isinstance(link, dict) else None
    return address if isinstance(address, str) and _PICTURE.fullmatch(address) else ""


def _part(part: Mapping[str, Any], is_of_tool: bool) -> Html:
    if address := _picture(part):
        return tag("div", Html(f'<img alt="what the agent saw" src="{address}">'))
    return _words(str(part.get("text", f"[{part.get('type', 'part')}]")), is_of_tool)


def _words(value: str, is_of_tool: bool) -> Html:
    return code(value, "text") if is_of_tool else passage(value)


def _events(events: Sequence[RewardEvent], weights: Mapping[str, float]) -> list[Html]:
    """The events that say something: one of weight 0 shows its value, and none if that is 0 too."""
    weighed = [(event, weights.get(event.component, 1.0)) for event in events]
    return [_event(event, weight) for event, weight in weighed if weight or event.value]


def _event(event: RewardEvent, weight: float) -> Html:
    value = weight * event.value
    detail = f"{event.source}, known at turn {event.issued_at + 1}"
    if event.detail and event.component != "success":  # the end of the episode shows what the verdict found
        detail += f": {shorten(json.dumps(dict(event.detail), ensure_ascii=False, default=str))}"
    look = "good" if value > 0 else "bad" if value < 0 else "none"
    shown = f"{value:+.2f} {event.component}" if weight else f"{event.component} {event.value:.2f} (weight 0)"
    return tag("span", shown, class_=f"chip {look}", title=detail)


def _events_before(trajectory: Trajectory) -> list[Html]:
    indices = {turn.index for turn in trajectory.turns}
    return _events([event for event in trajectory.events if event.turn not in indices], trajectory.weights)

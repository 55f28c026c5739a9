"""Negotiation: two roles divide items that each values in its own way, within a few lines.

Players are in `partners` and `scripts`, the items in `division`, the suite's tasks in `generate`.
"""

from __future__ import annotations

import random
import re
from functools import cache
from typing import Any, Self

from agentgym.action import Action
from agentgym.errors import ActionSyntaxError, ConfigError, TaskError
from agentgym.game import GameEnv, GameReply, Inbox
from agentgym.message import user
from agentgym.task import Limits, Task
from agentgym_dialogue.bargaining.commands import answer_form, has_more, statements
from agentgym_dialogue.bargaining.negotiation.division import (
    TOTAL_VALUE,
    Items,
    as_fields,
    as_items,
    draw,
    names_items,
    phrase,
    read_items,
    rest,
    value,
)

NUM_LINES = 10
MAX_CHARS = 1_000
"""Longest message, in characters."""
SHOWN_CHARS = 300
"""How much of what one says the other is shown."""
MAX_INVALID = 2

_ANSWER = answer_form("accept", "reject")
_PROPOSAL = re.compile(r"(?:i )?(propose)\b:?(.*)")


def negotiation_task(
    task_id: str, seed: int, counts: Items, first: Items, second: Items, lines: int = NUM_LINES, **fields: Any
) -> Task:
    """The task of dividing items under the values of both roles; `fields` are further ones of the task."""
    return Task(
        task_id,
        seed,
        "Divide the items with the other; each of you values them in another way.",
        config={"counts": as_fields(counts), "lines": lines},
        private={"first_values": as_fields(first), "second_values": as_fields(second)},
        limits=_limits(lines),
        **fields,
    )


@cache
def _limits(lines: int) -> Limits:
    return Limits(max_turns=(lines + 1) // 2 + MAX_INVALID, max_invalid=MAX_INVALID)


class NegotiationGame(GameEnv):
    """Divide books, hats and balls with another player who values them differently.

    Observation:
        Text. The first message gives the items, the role's own values and the rules. Then come what the other says
        (`They say: hello`), proposes (`They take 1 book. You get 2 hats 3 balls.`) or rejects (`They reject.`). The
        last message is `Deal. You get 6 points.` or `No deal.`
    Action:
        Any text of at most 1,000 characters, with at most one sentence or line that is only a command. `propose 1 book
        2 balls` says what the speaker takes; the other gets the rest. Numbers are digits or words; `all hats`,
        `everything` and `nothing` also work. `accept` accepts the other's last proposal, and `reject` rejects it. `I
        propose …`, `ok, I accept` and `accept the proposal` also work. Everything else is talk, such as `Accept my
        view.` A message is invalid and costs no line if it is empty, has two commands, proposes other things or more
        items than there are, or accepts without a proposal.
    Reward:
        `points`: the value of what the role gets, divided by 10; 0 without a deal. `format`: 0 for an invalid message.
    Termination:
        A proposal is accepted, the lines of both (10 in all) are used up, or a role sent more invalid messages than the
        task's limit (2).
    Truncation:
        The game itself truncates nothing.
    Info:
        The keys of `GameEnv`. Success is a deal that is worth more to the role than to the other. The score is the
        role's points divided by 10.
    Sandbox:
        None.
    Source and licence:
        After Deal or No Deal (Lewis et al. 2017, arXiv 1706.05125), written for this project, Apache-2.0; the tasks of
        dialogue/negotiation are CC0-1.0. Differs: proposals have a grammar and are accepted by word. In the original,
        people chose their items separately after the talk.

    Example:
        `Items: 1 book 2 hats 3 balls. Worth to you: book 4 hat 0 ball 2. …` / `Hello. propose 1 book 2 balls` /
        `They take 2 balls. You get 1 book 2 hats 1 ball.` / `accept` / `Deal. You get 6 points.`

    Args:
        num_lines: Lines of both roles together in a task made from a seed, at least 2.

    Raises:
        ConfigError: The number is out of its range.
    """

    roles = ("first", "second")
    reward_weights = {"points": 1.0, "format": 1.0}
    disclosed = {role: (f"{role}_values",) for role in roles}

    def __init__(self, num_lines: int = NUM_LINES) -> None:
        super().__init__()
        if num_lines < 2:
            raise ConfigError(f"negotiation got num_lines={num_lines}; expected at least 2")
        self.num_lines = num_lines
        self._counts: Items = (0, 0, 0)
        self._values: dict[str, Items] = {}
        self._lines_left = 0
        self._wanted: dict[str, Items] = {}
        self._proposer: str | None = None

    def make_task(self, seed: int) -> Task:
        """Random items and values."""
        counts, first, second = draw(random.Random(seed))
        return negotiation_task(f"negotiation:{seed}", seed, counts, first, second, self.num_lines)

    def begin(self, task: Task) -> Inbox:
        """Tell each role the items and its own values."""
        try:
            self._counts, self._lines_left = as_items(task.config["counts"]), task.config["lines"]
            self._values = {role: as_items(task.private[f"{role}_values"]) for role in self.roles}
        except KeyError as error:
            raise TaskError(
                f"task {task.id!r} lacks {error}; negotiation needs counts and lines in config, first_values and "
                "second_values in private"
            ) from None
        self._wanted = {}
        self._proposer = None
        self.acting_role = "first"
        return {role: [user(self._rules(role))] for role in self.roles}

    def respond(self, role: str, action: Action) -> GameReply:
        """Hand a line to the other, or close the deal."""
        content = action.content
        if not content.strip() or len(content) > MAX_CHARS:
            raise ActionSyntaxError(f"Say something, at most {MAX_CHARS} characters.")
        found = [match for said in statements(content) if (match := _ANSWER.fullmatch(said) or _PROPOSAL.match(said))]
        if len(found) > 1:
            raise ActionSyntaxError("Say one command a message: propose, accept or reject.")
        command = found[0][1] if found else ""
        other = "second" if role == "first" else "first"
        if command == "accept":
            return self._accept(role, other)
        told = self._propose(role, found[0][2]) if command == "propose" else ""
        if command == "reject":
            told = "They reject."
            self._proposer = None
        self._lines_left -= 1
        self.acting_role = other
        if not self._lines_left:
            return self._end(dict.fromkeys(self.roles, 0), "No deal.")
        lines = [told] if told else []
        if not found or has_more(content, found[0][0]):
            lines.insert(0, f"They say: {_shown(content)}")
        return GameReply({other: [user("\n".join(lines))]})

    def grade(self) -> GameReply:
        """There is no deal."""
        return self._end(dict.fromkeys(self.roles, 0), "No deal.")

    def anchor(self) -> str:
        """Who acts, lines left, what each proposed last and which stands; equal within one task only."""
        wanted = sorted(self._wanted.items())
        return f"{self.acting_role} {self._lines_left} {wanted} {self._proposer} {self.num_invalid}"

    def fork(self, seed: int | None = None) -> Self:
        """A copy that goes on from here; nothing random happens after the start."""
        return self.fork_by_copy(seed)

    def _rules(self, role: str) -> str:
        values = " ".join(f"{kind} {worth}" for kind, worth in as_fields(self._values[role]).items())
        begins = "You begin." if role == "first" else "They begin."
        return (
            f"Items: {phrase(self._counts)}. Worth to you: {values}. Say propose and what you take, accept, or reject. "
            f"{self._lines_left} lines in all. {begins}"
        )

    def _propose(self, role: str, text: str) -> str:
        items = read_items(text, self._counts) if names_items(text) else None
        if items is None or min(left := rest(self._counts, items)) < 0:
            raise ActionSyntaxError(f"Say what you take of {phrase(self._counts)}, such as: propose 1 book 1 hat.")
        self._wanted = {**self._wanted, role: items}
        self._proposer = role
        return f"They take {phrase(items)}. You get {phrase(left)}."

    def _accept(self, role: str, other: str) -> GameReply:
        if self._proposer != other:
            raise ActionSyntaxError("They have proposed nothing that you could accept.")
        taken = self._wanted[other]
        shares = {other: taken, role: rest(self._counts, taken)}
        return self._end({each: value(share, self._values[each]) for each, share in shares.items()}, "Deal.")

    def _end(self, points: dict[str, int], text: str) -> GameReply:
        told = {role: f" You get {points[role]} points." if text == "Deal." else "" for role in self.roles}
        first, second = points["first"], points["second"]
        return GameReply(
            {role: [user(text + told[role])] for role in self.roles},
            [self.event(role, "points", points[role] / TOTAL_VALUE) for role in self.roles],
            is_over=True,
            successes={"first": first > second, "second": second > first},
            scores={role: points[role] / TOTAL_VALUE for role in self.roles},
        )


def _shown(content: str) -> str:
    """A line as the other is shown it: on one line, printable characters alone."""
    plain = "".join(char if char.isprintable() else " " for char in content)
    return " ".join(plain.split())[:SHOWN_CHARS]

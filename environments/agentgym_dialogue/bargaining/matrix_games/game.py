"""Iterated games of two moves in language: a line of both, then a move of both that neither sees before.

Players are in `partners` and `scripts`, the games in `payoffs`, the suite's tasks in `generate`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from functools import cache
from math import ceil
from typing import Any, Self

from agentgym.action import Action
from agentgym.errors import ActionSyntaxError, ConfigError, TaskError
from agentgym.game import GameEnv, GameReply, Inbox
from agentgym.message import user
from agentgym.task import Limits, Task
from agentgym.wrappers.role_view import partner_seed
from agentgym_dialogue.bargaining.matrix_games.habits import HABITS, MIXTURES, Habit
from agentgym_dialogue.bargaining.matrix_games.payoffs import MOVES, Payoffs, as_payoffs, draw_payoffs, gains
from agentgym_dialogue.plain_line import plain_line

ROLES = ("first", "second")
ROUNDS = 5
MAX_ROUNDS = 20
GOAL_SHARE = 0.85
"""Share of the most that a role can get from the scripted player which counts as success."""
MAX_INVALID = 2
MAX_WORDS = 40

_WORD = re.compile(r"[a-z]+")

Habits = Mapping[str, Sequence[Any]]
"""For each role the habit of its scripted player: its kind, share of first moves, and whether it is honest."""


def matrix_task(
    task_id: str,
    seed: int,
    game: str,
    payoffs: Payoffs,
    rounds: int,
    habits: Mapping[str, Sequence[Any]],
    **fields: Any,
) -> Task:
    """The task of playing a game against a scripted player.

    Args:
        task_id: Its id.
        seed: Its seed.
        game: One of `MOVES`.
        payoffs: What the moves are worth.
        rounds: Number of rounds.
        habits: The habits of the scripted players.
        fields: Further fields of the task.
    """
    config = {"game": game, "payoffs": payoffs, "rounds": rounds}
    most = {}
    for role, other in (ROLES, ROLES[::-1]):
        habit = habit_of(other, seed, payoffs, rounds, habits[other])
        most[role] = habit.best_against(habit.start, 0)[0]
    goals = {role: ceil(GOAL_SHARE * value) for role, value in most.items()}
    return Task(
        task_id,
        seed,
        "Get points by lines and moves.",
        config={**config, "goals": goals},
        private={role: list(habits[role]) for role in ROLES},
        limits=_limits(rounds),
        **fields,
    )


@cache
def _limits(rounds: int) -> Limits:
    return Limits(max_turns=2 * rounds + MAX_INVALID, max_invalid=MAX_INVALID)


def habit_of(role: str, task_seed: int, payoffs: Payoffs, rounds: int, habit: Sequence[Any]) -> Habit:
    """The habit of the scripted player of a role in the episode of a task with this seed."""
    kind, share, is_honest = habit
    return Habit(kind, role, payoffs, share, is_honest, partner_seed(task_seed, role), rounds)


def draw_habit(rng: random.Random) -> tuple[str, float, bool]:
    """A kind, its share of first moves where it is a mixture, and whether it is honest."""
    kind = rng.choice(HABITS)
    return kind, rng.choice(MIXTURES) if kind == "mixture" else 0.0, rng.random() < 0.7


def move_named(text: str, game: str) -> int | None:
    """The one move of a game that a text names without "not" or "never"; None where it names none or several."""
    words = _WORD.findall(text.lower())
    named = {MOVES[game].index(word) for word in words if word in MOVES[game]}
    return named.pop() if len(named) == 1 and not {"not", "never"}.intersection(words) else None


class MatrixGamesGame(GameEnv):
    """Play a game of two moves with another player for several rounds, each after a line of talk.

    Observation:
        Text. The first message gives the rounds, moves, points and the goal. Then come what the other says (`They say:
        I play stag.`), what is asked (`Say a line.`, `Say your move.`) and what both played (`Round 1: you stag, they
        hare. You get 0, they get 3.`). The last message is `The end. You have 12 points.`
    Action:
        Plain English of at most 40 words and 300 characters. In each round both roles say a line, the first role first,
        and then make a move: a text that names one of the two moves. Anything else is invalid and changes nothing.
    Reward:
        `points`: the role's points of a round, divided by the most points that it could get in all rounds with any play
        of the other. `format`: 0 for an invalid message.
    Termination:
        All rounds are played, or a role sent more invalid messages than the task's limit (2).
    Truncation:
        The game itself truncates nothing.
    Info:
        The keys of `GameEnv`. Success means reaching the goal that the rules state: 85 % of the most points that the
        scripted player allows. The score is the sum of the rewards. `progress()` is the share of the goal.
    Sandbox:
        None.
    Source and licence:
        Prisoner's dilemma, stag hunt, battle of the sexes, chicken and matching pennies, with the cheap talk of Farrell
        (1987) before each round; written for this project, Apache-2.0; the tasks of dialogue/matrix-games are CC0-1.0.
        Payoffs are drawn within the limits that define each game.

    Example:
        `3 rounds. Both say a line, then both move at once: stag or hare. …` / `Let us play stag.` / `They say: I play
        stag. Say your move.` / `stag` / `Round 1: you stag, they stag. You get 5, they get 5. Say a line.`

    Args:
        game: The game of tasks made from a seed; "" for any.
        num_rounds: Their rounds, 1 to 20.

    Raises:
        ConfigError: There is no such game, or the number is out of its range.
    """

    roles = ROLES
    reward_weights = {"points": 1.0, "format": 1.0}

    def __init__(self, game: str = "", num_rounds: int = ROUNDS) -> None:
        super().__init__()
        if (game and game not in MOVES) or not 1 <= num_rounds <= MAX_ROUNDS:
            raise ConfigError(
                f"matrix-games got game={game!r} and num_rounds={num_rounds}; expected one of {', '.join(MOVES)} or "
                f'"", and 1 to {MAX_ROUNDS} rounds'
            )
        self.game, self.num_rounds = game, num_rounds
        self._name = ""
        self._payoffs: Payoffs = draw_payoffs(random.Random(0), "stag_hunt")
        self._goals: dict[str, int] = {}
        self._points: dict[str, int] = {}
        self._most: dict[str, int] = {}
        self._round = 0
        self._is_talk = True
        self._first_move = 0
        self._log = ""

    def make_task(self, seed: int) -> Task:
        """A random game with random payoffs and players."""
        rng = random.Random(seed)
        game = self.game or rng.choice(list(MOVES))
        payoffs, habits = draw_payoffs(rng, game), {role: draw_habit(rng) for role in ROLES}
        return matrix_task(f"matrix-games:{seed}", seed, game, payoffs, self.num_rounds, habits)

    def begin(self, task: Task) -> Inbox:
        """Tell both the rules."""
        try:
            self._name, self._payoffs = task.config["game"], as_payoffs(task.config["payoffs"])
            rounds, self._goals = task.config["rounds"], task.config["goals"]
        except KeyError as error:
            raise TaskError(
                f"task {task.id!r} lacks {error}; matrix-games needs game, payoffs, rounds and goals in config"
            ) from None
        if self._name not in MOVES:
            raise TaskError(f"task {task.id!r}: game is {self._name!r}; expected one of {', '.join(MOVES)}")
        self._points = dict.fromkeys(ROLES, 0)
        pairs = [(own, other) for own in (0, 1) for other in (0, 1)]
        self._most = {
            role: rounds * max(1, *(gains(self._payoffs, role, own, other)[0] for own, other in pairs))
            for role in ROLES
        }
        self._round, self._is_talk, self._log = 1, True, ""
        self.acting_role = "first"
        return {role: [user(self._rules(role, rounds))] for role in ROLES}

    def respond(self, role: str, action: Action) -> GameReply:
        """Hand a line on, or play the round when both have moved."""
        line = plain_line(action.content, "a line" if self._is_talk else "your move", MAX_WORDS)
        if self._is_talk:
            return self._talk(role, line)
        move = move_named(line, self._name)
        if move is None:
            raise ActionSyntaxError(f"Say one move: {' or '.join(MOVES[self._name])}.")
        if role == "first":
            self._first_move = move
            self.acting_role = "second"
            return GameReply({"second": [user("Say your move.")]})
        return self._play({"first": self._first_move, "second": move})

    def grade(self) -> GameReply:
        """The points so far count."""
        return self._end()

    def anchor(self) -> str:
        """What was said and played, and invalid messages; equal within one task only."""
        chosen = self._first_move if self.acting_role == "second" and not self._is_talk else ""
        return f"{self.acting_role} {self._is_talk} {self._log}{chosen} {self.num_invalid}"

    def fork(self, seed: int | None = None) -> Self:
        """A copy that goes on from here; nothing random happens after the start."""
        return self.fork_by_copy(seed)

    def progress(self, role: str) -> float:
        """The share of the goal that is reached."""
        return min(1.0, self._points[role] / max(1, self._goals[role]))

    def _rules(self, role: str, rounds: int) -> str:
        names = MOVES[self._name]
        worths = []
        for own in (0, 1):
            for other in (0, 1):
                mine, theirs = gains(self._payoffs, role, own, other)
                worths.append(f"you {names[own]}, they {names[other]}: {mine} and {theirs}")
        begins = "Say a line." if role == "first" else "They begin."
        return (
            f"{rounds} rounds. Both say a line, then both move at once: {names[0]} or {names[1]}. Points for you and "
            f"them: {'; '.join(worths)}. Get {self._goals[role]} points or more in all. {begins}"
        )

    def _talk(self, role: str, line: str) -> GameReply:
        self._log += f"{line}\n"
        if role == "first":
            self.acting_role = "second"
            return GameReply({"second": [user(f"They say: {line}\nSay a line.")]})
        self._is_talk = False
        self.acting_role = "first"
        return GameReply({"first": [user(f"They say: {line}\nSay your move.")]})

    def _play(self, moves: dict[str, int]) -> GameReply:
        assert self.task is not None
        names, texts, events = MOVES[self._name], {}, []
        for role, other in (ROLES, ROLES[::-1]):
            mine, theirs = gains(self._payoffs, role, moves[role], moves[other])
            played = f"you {names[moves[role]]}, they {names[moves[other]]}"
            texts[role] = f"Round {self._round}: {played}. You get {mine}, they get {theirs}."
            self._points[role] += mine
            events.append(self.event(role, "points", mine / self._most[role]))
        self._log += f"{moves['first']}{moves['second']} "
        self._round += 1
        self._is_talk = True
        self.acting_role = "first"
        if self._round > self.task.config["rounds"]:
            reply = self._end()
            reply.events = events
            reply.inbox = {
                role: [user(f"{texts[role]}\nThe end. You have {self._points[role]} points.")] for role in ROLES
            }
            return reply
        return GameReply({"first": [user(f"{texts['first']} Say a line.")], "second": [user(texts["second"])]}, events)

    def _end(self) -> GameReply:
        return GameReply(
            is_over=True,
            successes={role: self._points[role] >= self._goals[role] for role in ROLES},
            scores={role: self._points[role] / self._most[role] for role in ROLES},
        )


def _most(payoffs: Payoffs, role: str) -> int:
    """The most that a role can get in a round."""
    return max(gains(payoffs, role, own, other)[0] for own in (0, 1) for other in (0, 1))

"""Maze: four directions, walls beside oneself in words, a price for each move.

Mazes are in `layouts`, players in `scripts`, the suites' tasks in `generate` and `generate_partial`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple, Self

from agentgym.action import Action
from agentgym.authoring.hindsight import task_of, unless_held_out
from agentgym.env import AgentEnv, EnvReply
from agentgym.errors import ActionSyntaxError, ConfigError, TaskError
from agentgym.message import Message
from agentgym.task import Limits, Task
from agentgym.trajectory import Trajectory
from agentgym_dialogue.navigation.maze.layouts import (
    FIXED,
    MOVES,
    Cell,
    Rows,
    distances,
    generated,
    is_open,
    moved,
    open_cells,
    walls,
)

OBSERVATIONS = ("full", "partial")
GENERATED = "generated"
SIZES = range(3, 32, 2)
"""Rows, and columns, that a generated maze may have."""
FIXED_TURNS, TURNS_A_ROW = 40, 6
"""Most turns in a fixed maze, and for each row of a generated one."""
MAX_CHARS = 2_000
"""Longest message, in characters, that is read for a move."""

_DIRECTION = re.compile(rf"\b(?:{'|'.join(MOVES)})\b")


class Puzzle(NamedTuple):
    """What makes a task.

    Attributes:
        layout: Name of a fixed maze, or "generated".
        rows: The maze.
        start: Where the agent stands at first.
        goal: Where it is to go.
        observation: "full" tells its place after each move, "partial" does not.
    """

    layout: str
    rows: Rows
    start: Cell
    goal: Cell
    observation: str = "full"


def maze_task(task_id: str, seed: int, puzzle: Puzzle, **fields: Any) -> Task:
    """The task of a puzzle; `fields` are further ones of the task."""
    named = f"Maze {puzzle.layout}" if puzzle.layout in FIXED else f"New maze of {len(puzzle.rows)} rows"
    instruction = f"{named}. Go to the goal at {_place(puzzle.goal)}. Each turn say up, down, left or right."
    if puzzle.observation == "partial":
        instruction += f" You start at {_place(puzzle.start)}."
    return Task(
        task_id,
        seed,
        instruction,
        config={
            "layout": puzzle.layout,
            "start": list(puzzle.start),
            "goal": list(puzzle.goal),
            "observation": puzzle.observation,
        },
        private={} if puzzle.layout in FIXED else {"rows": list(puzzle.rows)},
        limits=_limits(FIXED_TURNS if puzzle.layout in FIXED else TURNS_A_ROW * len(puzzle.rows)),
        **fields,
    )


def puzzle_of(task: Task) -> Puzzle:
    """The inverse of `maze_task`.

    Raises:
        TaskError: The task is of another game, or its goal cannot be reached.
    """
    try:
        config = task.config
        rows = FIXED[config["layout"]] if config["layout"] in FIXED else tuple(task.private["rows"])
        start, goal = (config["start"][0], config["start"][1]), (config["goal"][0], config["goal"][1])
        puzzle = Puzzle(config["layout"], rows, start, goal, config["observation"])
    except (KeyError, IndexError) as error:
        raise TaskError(
            f"task {task.id!r} lacks {error}; maze needs layout, start, goal and observation in config, and rows in "
            "private unless the layout is a fixed one"
        ) from None
    can_be_reached = is_open(rows, goal) and start in distances(rows, goal)
    if puzzle.observation not in OBSERVATIONS or not can_be_reached or start == goal:
        raise TaskError(f"task {task.id!r}: no way from {start} to {goal}, or observation {puzzle.observation!r}")
    return puzzle


@cache
def _limits(turns: int) -> Limits:
    return Limits(max_turns=turns, max_invalid=turns)


def _place(cell: Cell) -> str:
    return f"{cell[0]}, {cell[1]}"


class MazeEnv(AgentEnv):
    """Walk through a maze that is described in words.

    Observation:
        Text. The first message gives the goal as row and column, counted from 1. With full observation each message
        gives the agent's place, the goal and the walls beside the agent: `You 1, 2. Goal 5, 3. Walls up, left.` With
        partial observation, the start is given once, and then only the walls. The last message is `Goal reached.`
    Action:
        A message that names one of up, down, left and right: `up`, `I move up.` A move against a wall leaves the agent
        where it is. Anything else is invalid.
    Reward:
        `goal`: 0 for reaching it. `move`: -1 for any other move. `format`: -4 for an invalid message. As in LMRL-Gym
        (Abdulhai et al. 2023, arXiv 2311.18232).
        Differs: the fixed mazes were written for this project: the same kinds (double T, U) and one more. There are
        also generated mazes. The partial observation tells goal and start once, and the full one leaves out the past
        moves.
    Termination:
        The goal is reached. Invalid messages do not end the episode, because ending early would be cheaper than walking
        on.
    Truncation:
        After 40 turns in a fixed maze, and after 6 turns per row in a generated one (LMRL-Gym: 100).
    Info:
        The keys of `AgentEnv`. The score is the success weighted by path length (Anderson et al. 2018, arXiv
        1807.06757): the fewest moves divided by the turns taken, and 0 if the goal is not reached.
    Sandbox:
        None.
    Source and licence:
        Written for this project, Apache-2.0; the tasks of dialogue/maze and dialogue/maze-partial are generated,
        CC0-1.0.

    Example:
        `Maze horseshoe. Go to the goal at 1, 3. Each turn say up, down, left or right.` `You 2, 1. Goal 1, 3. Walls
        left, right.` / `up` / `You 1, 1. Goal 1, 3. Walls up, left.` / `right` / `You 1, 2. Goal 1, 3. Walls up, down.`
        / `right` / `Goal reached.`

    Args:
        layout: Maze of a task made from a seed: "tees", "horseshoe", "comb" or "generated".
        size: Rows and columns of a generated one: odd, 3 to 31.
        observation: "full" or "partial".
        render_mode: None or "ansi".

    Raises:
        ConfigError: No such layout, size or observation.
    """

    reward_weights = {"goal": 1.0, "move": 1.0, "format": 1.0}
    invalid_value = -4.0

    def __init__(
        self, layout: str = GENERATED, size: int = 7, observation: str = "full", render_mode: str | None = None
    ) -> None:
        super().__init__(render_mode)
        if layout not in (*FIXED, GENERATED) or size not in SIZES or observation not in OBSERVATIONS:
            raise ConfigError(
                f"maze got layout={layout!r}, size={size} and observation={observation!r}; expected one of "
                f"{', '.join(FIXED)}, {GENERATED}, an odd size of 3 to 31, and full or partial"
            )
        self.layout, self.size, self.observation = layout, size, observation
        self._puzzle = Puzzle(layout, (), (1, 1), (1, 1))
        self._at: Cell = (1, 1)

    def make_task(self, seed: int) -> Task:
        """Two different cells of the maze, which is itself made from the seed where the layout is "generated"."""
        rng = random.Random(seed)
        rows = FIXED[self.layout] if self.layout in FIXED else generated(self.size, rng)
        start, goal = rng.sample(open_cells(rows), 2)
        return maze_task(f"maze:{seed}", seed, Puzzle(self.layout, rows, start, goal, self.observation))

    def begin(self, task: Task) -> Sequence[Message]:
        """State the goal and what is seen from the start."""
        self._puzzle = puzzle_of(task)
        self._at = self._puzzle.start
        return [{"role": "user", "content": f"{task.instruction}\n{self._view()}"}]

    def respond(self, action: Action) -> EnvReply:
        """Make one move."""
        self._at = moved(self._puzzle.rows, self._at, read_direction(action.content))
        if self._at != self._puzzle.goal:
            return EnvReply([{"role": "user", "content": self._view()}], [self.event("move", -1.0)])
        fewest = distances(self._puzzle.rows, self._puzzle.goal)[self._puzzle.start]
        score = fewest / (self.turn + 1)
        return EnvReply([{"role": "user", "content": "Goal reached."}], [self.event("goal", 0.0)], True, True, score)

    def anchor(self) -> str:
        """Place and invalid messages so far; equal within one task only."""
        return f"{_place(self._at)}, {self.num_invalid} invalid"

    def fork(self, seed: int | None = None) -> Self:
        """A copy that goes on from here; nothing random happens after the start."""
        return self.fork_by_copy(seed)

    def progress(self) -> float:
        """Share of the fewest moves from the start that are no longer needed; 0 where more are needed than there."""
        away = distances(self._puzzle.rows, self._puzzle.goal)
        return max(0.0, 1.0 - away[self._at] / max(1, away[self._puzzle.start]))

    def legal_actions(self) -> Sequence[str]:
        """The four directions, those against walls among them."""
        return tuple(MOVES)

    def relabel(self, trajectory: Trajectory) -> Task | None:
        """The task of going where a failed episode ended; None where that is its start, or a held-out task."""
        task = task_of(trajectory, self.task)
        puzzle = puzzle_of(task)
        at = puzzle.start
        for turn in trajectory.turns:
            if not turn.was_invalid:
                at = moved(puzzle.rows, at, read_direction(self.parse(turn.text).content))
        if trajectory.success or at in (puzzle.start, puzzle.goal):
            return None
        fields = {"suite": task.suite, "split": task.split, "stratum": task.stratum}
        name = f"{task.id}/goal-{at[0]}-{at[1]}"
        relabelled = maze_task(name, task.seed, puzzle._replace(goal=at), **fields)
        return unless_held_out(replace(relabelled, limits=task.limits))

    def _view(self) -> str:
        beside = walls(self._puzzle.rows, self._at)
        seen = f"Walls {', '.join(beside)}." if beside else "No walls."
        if self._puzzle.observation == "partial":
            return seen
        return f"You {_place(self._at)}. Goal {_place(self._puzzle.goal)}. {seen}"


def read_direction(content: str) -> str:
    """The direction that a message names.

    Raises:
        ActionSyntaxError: None, or several.
    """
    if content in MOVES:
        return content
    found: set[str] = set(_DIRECTION.findall(content.lower())) if len(content) <= MAX_CHARS else set()
    if len(found) != 1:
        raise ActionSyntaxError("Say up, down, left or right.")
    return found.pop()

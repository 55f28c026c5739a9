"""BabyAI's levels as environments: mission and view in words, actions by name.

Turning an environment into text in general is `agentgym.wrappers.gymnasium_env`; players are in `scripts`.
"""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import gymnasium

from agentgym.authoring.hindsight import task_of, unless_held_out
from agentgym.errors import MissingExtraError, UnknownNameError
from agentgym.task import Task
from agentgym.trajectory import Trajectory
from agentgym.wrappers.gymnasium_env import GymnasiumEnv, TextView
from agentgym_dialogue.adapted.catalogue import BABYAI_LEVELS

try:
    from minigrid.envs.babyai.core import roomgrid_level
    from minigrid.envs.babyai.core.verifier import GoToInstr, ObjDesc, PickupInstr

    from agentgym_dialogue.adapted.babyai.view import describe
except ImportError as error:
    raise MissingExtraError("BabyAI", "babyai") from error

roomgrid_level.print = lambda *words: None  # type: ignore[attr-defined]  # it prints each layout that it rejects

ACTIONS = ("turn left", "turn right", "go forward", "pick up", "drop", "toggle", "done")
UNSEEN_LEVELS = ("FindObjS5", "KeyCorridorS3R1", "PutNextLocalS5N3", "UnlockPickup")
"""Levels that no task of the train split is of."""
KNOWN_LEVELS = tuple(level for level in BABYAI_LEVELS if level not in UNSEEN_LEVELS)
MAX_TURNS = 64
LONG_LEVELS = {"FindObjS5": 160}
"""Most turns where it is not `MAX_TURNS`."""

_VIEW = TextView("Fulfil the mission.", describe, ACTIONS, max_turns=MAX_TURNS)


def gymnasium_id(level: str) -> str:
    """The id of a level with Gymnasium."""
    return f"BabyAI-{level}-v0"


class GoalWrapper(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Takes another mission by the options of `reset`: `{"verb": "go to" or "pick up", "kind": …, "color": …}`."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Reset the level, then give its agent the mission."""
        observation, info = self.env.reset(seed=seed)
        if options is None:
            return observation, info
        raw: Any = self.env.unwrapped
        instruction = {"go to": GoToInstr, "pick up": PickupInstr}[options["verb"]]
        raw.instrs = instruction(ObjDesc(options["kind"], options["color"]))  # type: ignore[no-untyped-call]
        raw.mission = raw.instrs.surface(raw)
        raw.instrs.reset_verifier(raw)
        return {**observation, "mission": raw.mission}, info


class BabyAIEnv(GymnasiumEnv):
    """Fulfil a mission in a grid of rooms: a level of BabyAI, seen seven fields ahead and three to each side.

    Observation:
        Text: the mission once, then after each turn what is in view and how far ahead or aside, the next wall in three
        directions, and what the agent holds.
    Action:
        A message that names one of turn left, turn right, go forward, pick up, drop, toggle and done.
    Reward:
        `reward`: that of minigrid, 1 - 0.9 * steps / (its limit of steps) if the mission is fulfilled, else 0.
        `format`: -0.1 for an invalid message.
    Termination:
        The mission is fulfilled or can no longer be; more than two invalid messages.
    Truncation:
        After 64 turns (160 in FindObjS5); minigrid's limits are 50 to 576.
    Info:
        The keys of `AgentEnv`. Success means that the mission is fulfilled; the score is the success.
    Sandbox:
        None.
    Source and licence:
        Levels of minigrid (Apache-2.0), after BabyAI (Chevalier-Boisvert et al. 2019, arXiv 1810.08272); text and tasks
        written for this project, Apache-2.0 and CC0-1.0.

    Example:
        `Fulfil the mission. Each turn say turn left, … or done.` `Mission: go to the yellow key.` `See yellow key 2
        ahead 1 left. Wall 4 ahead. Hold nothing.` / `turn left` / `See … Hold nothing.`

    Args:
        level: Such as "GoToObj"; "" draws one of the known levels for each task made from a seed.
        render_mode: None or "ansi".

    Raises:
        UnknownNameError: No such level.
    """

    def __init__(self, level: str = "", render_mode: str | None = None) -> None:
        if level not in ("", *BABYAI_LEVELS):
            raise UnknownNameError("level of BabyAI", level, BABYAI_LEVELS)
        self.level = level
        super().__init__(gymnasium_id(level or KNOWN_LEVELS[0]), _VIEW, render_mode)

    def make_task(self, seed: int) -> Task:
        """A mission of the level, or of a known one, from the seed."""
        return self.level_task(self.level or random.Random(seed).choice(KNOWN_LEVELS), seed)

    def level_task(self, level: str, seed: int) -> Task:
        """A mission of any level from a seed."""
        task = super().make_task(seed)
        limits = replace(task.limits, max_turns=LONG_LEVELS.get(level, MAX_TURNS))
        return replace(task, id=f"babyai-{level}:{seed}", config={"make": {"id": gymnasium_id(level)}}, limits=limits)

    def relabel(self, trajectory: Trajectory) -> Task | None:
        """The task of picking up what a failed episode held at its end, or else of going to what it stood before."""
        task = task_of(trajectory, self.task)
        if trajectory.success:
            return None
        twin = type(self)(self.level)
        try:
            twin.reset(seed=task.seed, options={"task": task})
            for turn in trajectory.turns:
                if not turn.was_invalid:
                    twin.env.step(twin._read(self.parse(turn.text).content))
            raw: Any = twin.env.unwrapped
            held, faced = raw.carrying, raw.grid.get(*raw.front_pos)
        finally:
            twin.close()
        thing, verb = (held, "pick up") if held is not None else (faced, "go to")
        if thing is None or thing.type == "wall":
            return None
        goal = {"verb": verb, "kind": thing.type, "color": thing.color}
        name = f"{task.id}/{verb.replace(' ', '-')}-{thing.color}-{thing.type}"
        return unless_held_out(replace(task, id=name, config={**task.config, "reset": goal}))

    def _make(self, options: Any) -> gymnasium.Env[Any, Any]:
        return GoalWrapper(super()._make(options))

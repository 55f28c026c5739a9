"""What an agent is asked to do in a house, drawn from it, said in words, and checked.

How it is done in the fewest commands is in `plan`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

from agentgym_dialogue.navigation.text_nav.house import CONTAINERS, HAND, House, HouseState

KINDS = ("take", "move", "search", "errands")
"""Take an object; put one elsewhere; the same without being told where things are; put two elsewhere."""


class Goal(NamedTuple):
    """One thing to be done.

    Attributes:
        thing: The object.
        place: Where it must be in the end: a piece of furniture, or `HAND`.
        is_closed: Whether the container must be closed then.
    """

    thing: str
    place: str
    is_closed: bool = False


def is_met(goal: Goal, state: HouseState) -> bool:
    """Whether a goal is reached."""
    return state.places.get(goal.thing) == goal.place and not (goal.is_closed and goal.place not in state.closed)


def are_met(goals: Sequence[Goal], state: HouseState) -> bool:
    """Whether all goals are reached."""
    return all(is_met(goal, state) for goal in goals)


def draw_goals(kind: str, house: House, rng: random.Random) -> list[Goal]:
    """Goals of a kind that are not reached at the start: what is put away goes to another room."""
    things = rng.sample(sorted(house.objects), 2 if kind == "errands" else 1)
    if kind == "take":
        return [Goal(things[0], HAND)]
    goals = []
    for thing in things:
        room = house.room_of(thing)
        place = rng.choice(sorted(piece for piece, other in house.furniture.items() if other != room))
        goals.append(Goal(thing, place, place in CONTAINERS and rng.random() < 0.5))
    return goals


def in_words(goals: Sequence[Goal], house: House, is_told: bool) -> str:
    """The goals as sentences, with the rooms of all that they name where that is told."""
    sentences = [_sentence(goal) for goal in goals]
    if is_told:
        named = dict.fromkeys(name for goal in goals for name in (goal.thing, goal.place) if name != HAND)
        sentences += [f"The {name} is in the {house.room_of(name)}." for name in named]
    return " ".join(sentences)


def _sentence(goal: Goal) -> str:
    if goal.place == HAND:
        return f"Take the {goal.thing}."
    within = "in" if goal.place in CONTAINERS else "on"
    return f"Put the {goal.thing} {within} the {goal.place}{' and close it' if goal.is_closed else ''}."

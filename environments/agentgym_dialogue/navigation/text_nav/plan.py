"""The fewest commands that reach the goals from a state of a house.

It knows the whole house; players that know what they saw are not here.
"""

from __future__ import annotations

from collections.abc import Sequence

from agentgym_dialogue.navigation.shortest_path import distances_from
from agentgym_dialogue.navigation.text_nav.goals import Goal, are_met, is_met
from agentgym_dialogue.navigation.text_nav.house import HAND, Command, HouseState


def plan(state: HouseState, goals: Sequence[Goal]) -> list[Command]:
    """The fewest commands to the goals.

    All orders of what must be taken, put and closed are tried. Between two of them the way is the only one, as the ways
    of a house form a tree, and what is closed on it is opened.
    """
    best: list[Command] | None = None
    pending: list[tuple[HouseState, list[Command]]] = [(state, [])]
    while pending:
        now, commands = pending.pop()
        if best is not None and len(commands) >= len(best):
            continue
        if are_met(goals, now):
            best = commands
            continue
        for errand in dict.fromkeys(_next(goal, now) for goal in goals if not is_met(goal, now)):
            later = now.copy()
            pending.append((later, commands + _carry_out(errand, later)))
    assert best is not None
    return best


def _next(goal: Goal, state: HouseState) -> Command:
    """What must be done next for a goal that is not reached."""
    place = state.places[goal.thing]
    if place == goal.place:
        return Command("close", place)
    if place == HAND:
        return Command("put", goal.thing, goal.place)
    return Command("take", goal.thing)


def _carry_out(errand: Command, state: HouseState) -> list[Command]:
    """The commands up to and with an errand; they change the state."""
    piece = errand.place or state.places.get(errand.thing, errand.thing)
    needed = [*_way(state, state.house.furniture[piece])]
    if errand.verb != "close" and piece in state.closed:
        needed.append(Command("open", piece))
    needed.append(errand)
    for command in needed:
        refusal = state.do(command)
        assert not refusal, (command, refusal)
    return needed


def _way(state: HouseState, room: str) -> list[Command]:
    exits = state.house.exits
    away = distances_from(room, lambda other: exits[other].values())
    commands, at = [], state.room
    while at != room:
        direction = min(exits[at], key=lambda direction: away[exits[at][direction]])
        if frozenset((at, exits[at][direction])) in state.barred:
            commands.append(Command("open", direction))
        commands.append(Command("go", direction))
        at = exits[at][direction]
    return commands

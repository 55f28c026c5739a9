"""Drawing the facts that questions ask about: chains of facts, what leads to an entity, and what reports change.

`questions` words them as tasks.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Literal, NamedTuple, TypeVar

from agentgym_tools.search.names import KINDS
from agentgym_tools.search.relations import CHANGING, OF_KIND, RELATIONS, Relation
from agentgym_tools.search.world import Entity, World

Side = Literal["known", "held_out", "any"]
"""Which entities questions start from: three quarters of them for training, the others held out, or all."""
MAX_MENTIONS = 12
"""An entity that more facts and reports name is not asked about, so that one search finds them all."""
MIN_ITEMS, MAX_ITEMS = 2, 6
_TRIES = 20_000
Drawn = TypeVar("Drawn")


class Walk(NamedTuple):
    """A chain of facts.

    Attributes:
        entities: The entity that the question names, and those that the chain leads through.
        relations: The relation that is asked of each of them; one for each entity.
        value: Where the last one leads: an entity's index or a number; -1 if no article states it.
    """

    entities: list[Entity]
    relations: list[Relation]
    value: int

    @property
    def end(self) -> Entity | None:
        """The entity that it leads to; None for a date, a number or nothing."""
        last = self.relations[-1]
        return Entity(last.target, self.value) if last.leads_on and self.value >= 0 else None  # type: ignore[arg-type]


class NoSuchFacts(Exception):  # noqa: N818 - a draw that is repeated, no error
    """The draw led nowhere."""


def until_found(draw: Callable[[], Drawn]) -> Drawn:
    """Repeat a draw until it leads somewhere.

    Raises:
        NoSuchFacts: It never does.
    """
    for _ in range(_TRIES):
        try:
            return draw()
        except NoSuchFacts:
            continue
    raise NoSuchFacts(f"nothing was found in {_TRIES} draws")


def draw_entity(world: World, rng: random.Random, kind: str, side: Side) -> Entity:
    """An entity of a kind that is not mentioned too often."""
    index = rng.randrange(world.counts[kind])  # type: ignore[index]  # a kind
    entity = Entity(kind, index)  # type: ignore[arg-type]
    if not is_on_side(entity, side) or world.num_mentions(entity) > MAX_MENTIONS:
        raise NoSuchFacts
    return entity


def is_on_side(entity: Entity, side: Side) -> bool:
    """Whether questions of that side may start from it."""
    return side == "any" or (entity.number % 4 == 0) == (side == "held_out")


def draw_walk(world: World, rng: random.Random, hops: int, side: Side, *, ends: str = "stated") -> Walk:
    """One try of a chain that never meets an entity twice and has no shortcut.

    Args:
        world: The facts.
        rng: Draws.
        hops: Number of facts, >= 1.
        side: From which entities it starts.
        ends: "stated": no fact is missing. "missing": the last one is. "entity": it leads to an entity.
    """
    start = draw_entity(world, rng, rng.choice(KINDS), side)
    entities, relations, value = [start], list[Relation](), -1
    for hop in range(hops):
        here, is_last = entities[-1], hop == hops - 1
        goes_on = not is_last or ends == "entity"
        choice = [one for one in OF_KIND[here.kind] if not one.changes and (one.leads_on or not goes_on)]
        if not choice:
            raise NoSuchFacts
        relation = rng.choice(choice)
        value = world.value(here, relation)
        if (value < 0) != (is_last and ends == "missing"):
            raise NoSuchFacts
        relations.append(relation)
        if relation.leads_on and value >= 0:
            reached = Entity(relation.target, value)  # type: ignore[arg-type]  # it leads on
            if reached in entities or world.num_mentions(reached) > MAX_MENTIONS:
                raise NoSuchFacts
            entities.append(reached)
    walk = Walk(entities[:hops], relations, value)
    if hops > 1 and walk.end is not None and _is_named_by(world, start, walk.end):
        raise NoSuchFacts
    return walk


def draw_group(world: World, rng: random.Random, hops: int, side: Side) -> tuple[Walk | None, Relation, list[Entity]]:
    """One try of all entities that stand in a relation to one, which is named or at the end of a chain.

    Args:
        world: The facts.
        rng: Draws.
        hops: Facts of the chain before; 0 names the entity itself.
        side: From which entities it starts.

    Returns:
        The chain, whose value is the entity; the relation; and those who stand in it. With no chain, the relation's
        value at each of them is the entity that the question names.
    """
    walk = draw_walk(world, rng, hops, side, ends="entity") if hops else None
    relation = rng.choice([one for one in RELATIONS if one.inverse])
    if walk is None:
        goal = draw_entity(world, rng, relation.target, side)
    elif walk.end is None or walk.end.kind != relation.target:
        raise NoSuchFacts
    else:
        goal = walk.end
    items = world.leading_to(goal, relation)
    if not MIN_ITEMS <= len(items) <= MAX_ITEMS or (walk is not None and set(items) & set(walk.entities)):
        raise NoSuchFacts
    return walk, relation, items


def draw_changed(world: World, rng: random.Random, hops: int, side: Side) -> tuple[Walk, int]:
    """One try of a chain whose last relation has changed, and the number of the article that has the newest value.

    Args:
        world: The facts.
        rng: Draws.
        hops: Facts of the chain, 1 or 2.
        side: From which entities it starts.
    """
    about, relation, _ = world.report(rng.randrange(world.num_reports))
    if relation not in CHANGING or world.num_mentions(about) > MAX_MENTIONS:
        raise NoSuchFacts
    *older, newest = world.statements(about, relation)
    if any(said.value == newest.value or said.day == newest.day for said in older):
        raise NoSuchFacts
    if hops == 1:
        if not is_on_side(about, side):
            raise NoSuchFacts
        return Walk([about], [relation], newest.value), newest.article
    towards = rng.choice([one for one in RELATIONS if one.target == about.kind and not one.changes] or [None])
    sources = [] if towards is None else world.leading_to(about, towards)
    sources = [one for one in sources if is_on_side(one, side) and one != about]
    if towards is None or not sources:
        raise NoSuchFacts
    return Walk([rng.choice(sources), about], [towards, relation], newest.value), newest.article


def _is_named_by(world: World, entity: Entity, end: Entity) -> bool:
    named = [one for one in OF_KIND[entity.kind] if one.target == end.kind]
    return any(world.value(entity, relation) == end.number for relation in named)

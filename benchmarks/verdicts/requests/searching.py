"""Lists of writes near a right one, and at random: other values of the task's world, other calls, fewer and more."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agentgym_tools.worlds.calls import Call
from agentgym_tools.worlds.toolbox import WorldTool

MAX_OTHERS = 24
"""Most other values that an argument is given."""
MAX_CHANGED = 6
"""Calls of a list whose arguments are changed, where it has many."""
MAX_COMBINED = 200
"""Most calls of a tool whose arguments are all values that right calls have."""
SHARE_OF_WISHED = 0.6
"""Share of the arguments of random calls that are values which the right calls have."""


@dataclass(frozen=True)
class Pool:
    """The values that arguments can have in a task.

    Attributes:
        tools: The tools that write, by the name by which calls call them.
        values: By parameter values of the task's world.
        wished: By parameter values that right calls have.
    """

    tools: Mapping[str, WorldTool]
    values: Mapping[str, Sequence[Any]]
    wished: Mapping[str, Sequence[Any]]

    def others(self, tool: str, name: str, value: Any, rng: random.Random) -> list[Any]:
        """Other values of an argument: all of a few, or some of many."""
        schema = self._schema(tool)[name]
        if schema.get("type") == "boolean":
            found: list[Any] = [False, True]
        elif schema.get("type") == "array":
            single = self.values.get(name, ())
            found = [*([each] for each in single), *([*(value or ()), each] for each in single)]
            found += [value[:place] + value[place + 1 :] for place in range(len(value or ()))] if value else []
        else:
            found = list(schema.get("enum") or self.values.get(name, ()))
            found += [value - 1, value + 1, 2 * value] if type(value) is int and not name.endswith("_id") else []
        others = [each for each in dict.fromkeys(map(_frozen, found)) if each != _frozen(value)]
        some = others if len(others) <= MAX_OTHERS else rng.sample(others, MAX_OTHERS)
        return [list(each) if isinstance(each, tuple) else each for each in some]

    def drawn(self, rng: random.Random, tool: str = "", *, is_short: bool = False) -> Call:
        """A random call, of any tool or of a certain one; a short one has no argument that may be left out."""
        tool = tool or rng.choice(list(self.tools))
        required = self.tools[tool]["function"]["parameters"].get("required", ())
        arguments = {}
        for name in self._schema(tool):
            if name not in required and (is_short or rng.random() < 0.5):
                continue
            wished = self.wished.get(name, ())
            if wished and rng.random() < SHARE_OF_WISHED:
                arguments[name] = rng.choice(wished)
            elif others := self.others(tool, name, None, rng):
                arguments[name] = rng.choice(others)
        return Call(tool, arguments)

    def _schema(self, tool: str) -> Mapping[str, Any]:
        properties: Mapping[str, Any] = self.tools[tool]["function"]["parameters"]["properties"]
        return properties


def pool_of(tools: Mapping[str, WorldTool], values: Mapping[str, Sequence[Any]], right: Sequence[Call]) -> Pool:
    """The values for a task whose right calls are known."""
    wished: dict[str, list[Any]] = {}
    for call in right:
        for name, value in call.arguments.items():
            wished.setdefault(name, []).append(value)
    every = {
        name: [*dict.fromkeys(map(_frozen, [*values.get(name, ()), *wished.get(name, ())]))]
        for name in {*values, *wished}
    }
    return Pool(
        tools, {name: [each for each in found if not isinstance(each, tuple)] for name, found in every.items()}, wished
    )


def near(calls: Sequence[Call], pool: Pool, rng: random.Random) -> Iterator[list[Call]]:
    """The calls with one argument changed, added or left out; without one; with one twice; in another order."""
    places = list(range(len(calls)))
    for place in places if len(places) <= MAX_CHANGED else rng.sample(places, MAX_CHANGED):
        for other in _changed(calls[place], pool, rng):
            yield [*calls[:place], other, *calls[place + 1 :]]
    for place in places:
        yield [*calls[:place], *calls[place + 1 :]]
        yield [*calls[: place + 1], *calls[place:]]
    yield list(reversed(calls))


def _changed(call: Call, pool: Pool, rng: random.Random) -> Iterator[Call]:
    for name in pool.tools[call.tool]["function"]["parameters"]["properties"] if call.tool in pool.tools else ():
        for other in pool.others(call.tool, name, call.arguments.get(name), rng):
            yield Call(call.tool, {**call.arguments, name: other})
        if name in call.arguments:
            yield Call(call.tool, {each: value for each, value in call.arguments.items() if each != name})


def at_random(calls: Sequence[Call], pool: Pool, count: int, rng: random.Random) -> Iterator[list[Call]]:
    """Lists of one to three random calls, alone, after the right ones, or in the place of one of them."""
    for number in range(count):
        drawn = [pool.drawn(rng) for _ in range(1 + number % 3)]
        place = rng.randrange(len(calls)) if calls else 0
        yield [drawn, [*calls, *drawn[:1]], [*calls[:place], *drawn, *calls[place + 1 :]]][number // 3 % 3]


def pairs(pool: Pool, count: int, rng: random.Random) -> Iterator[list[Call]]:
    """Lists of one call and of two whose arguments are values of right calls: of the same parameter, then of any."""
    for is_free in (False, True):
        by_tool = [found for tool in pool.tools if (found := list(_all_of(tool, pool, is_free=is_free)))]
        yield from ([call] for found in by_tool for call in found)
        for _ in range(count // 2 if by_tool else 0):
            yield [rng.choice(rng.choice(by_tool)), rng.choice(rng.choice(by_tool))]


def singles(pool: Pool, rng: random.Random) -> Iterator[list[Call]]:
    """Lists of one call: of each tool with each thing of the world that it can be about."""
    for tool in pool.tools:
        names = [name for name in pool.tools[tool]["function"]["parameters"]["properties"] if name.endswith("_id")]
        for name in names[:1]:
            for value in pool.values.get(name, ()):
                yield [Call(tool, {**pool.drawn(rng, tool).arguments, name: value})]
                yield [Call(tool, {**pool.drawn(rng, tool, is_short=True).arguments, name: value})]


def _all_of(tool: str, pool: Pool, *, is_free: bool) -> Iterator[Call]:
    """Calls of a tool, with the values that its parameters have in the right calls.

    A parameter that no right call has takes the values of other parameters. With `is_free`, all parameters do.
    """
    properties = pool.tools[tool]["function"]["parameters"]["properties"]
    every = list(dict.fromkeys(each for found in pool.wished.values() for each in found if not isinstance(each, list)))
    kinds = {"string": str, "integer": int}
    choices = []
    for name, schema in properties.items():
        own = [] if is_free else list(pool.wished.get(name, ()))
        fitting = [each for each in own or every if type(each) is kinds.get(schema.get("type"))]
        choices.append(schema.get("enum") or fitting)
    for values in itertools.islice(itertools.product(*choices), MAX_COMBINED):
        yield Call(tool, dict(zip(properties, values, strict=True)))


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


@dataclass
class Found:
    """What a search came to.

    Attributes:
        tasks: Tasks that were searched.
        states: Different end states that were judged.
        listed: Those that are listed as right.
        refused: States that meet the request and are not listed.
        wrong: Listed states that do not meet it.
        unreached: Listed outcomes that no list of calls came to.
    """

    tasks: int = 0
    states: int = 0
    listed: int = 0
    refused: int = 0
    wrong: int = 0
    unreached: int = 0


def judge_states(
    lists: Iterator[list[Call]],
    play: Callable[[Sequence[Call]], tuple[tuple[str, ...], bool] | None],
    listed: Sequence[tuple[str, ...]],
    found: Found,
    tell: Callable[[str, Sequence[Call]], None],
) -> None:
    """Play lists of calls, and hold each new end state against the listed ones.

    Args:
        lists: The lists.
        play: The content of the net changes that a list comes to, and whether they meet the request.
        listed: The contents of the outcomes.
        found: What is added to.
        tell: Takes what is wrong, and the calls.
    """
    seen: set[tuple[str, ...]] = set()
    for calls in lists:
        played = play(calls)
        if played is None or played[0] in seen:
            continue
        state, is_met = played
        seen.add(state)
        found.states += 1
        found.listed += state in listed
        if is_met and state not in listed:
            found.refused += 1
            tell("refused", calls)
        if not is_met and state in listed:
            found.wrong += 1
            tell("listed", calls)
    missing = [state for state in listed if state not in seen]
    found.unreached += len(missing)
    if missing:
        tell(f"not reached: {missing}", ())
    found.tasks += 1

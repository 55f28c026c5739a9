"""Every number of a configuration has a range beside its type, which holds when a file is read and in Python."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import pytest

from agentgym.attribution.forks import ForkSettings
from agentgym.config import Source, build
from agentgym.errors import ConfigError
from agentgym.evaluation import EvaluationSettings, RecordingSettings
from agentgym.policies.endpoint_client import Transport
from agentgym.ranges import ANY, Range, Ranged, ranges_of
from agentgym.remote.settings import ClientSettings, ServerConfig
from agentgym_rl.core.config.train import ConfigOf
from agentgym_rl.run.config import load_config
from agentgym_rl.run.learners import LEARNERS

ROOTS = [
    *(kind.options for kind in LEARNERS.values()),
    ConfigOf,
    EvaluationSettings,
    RecordingSettings,
    Transport,
    ForkSettings,
    ServerConfig,
    ClientSettings,
]


def parts_of(hint: Any) -> Iterator[Any]:
    """A type and what it is made of, but for the values of a Literal."""
    yield hint
    if get_origin(hint) is not Literal:
        for part in get_args(hint):
            yield from parts_of(part)


def reached(cls: Any, found: dict[Any, None]) -> dict[Any, None]:
    """A dataclass and those of its fields."""
    if cls in found:
        return found
    found[cls] = None
    for hint in get_type_hints(cls).values():
        for part in parts_of(hint):
            origin = get_origin(part) or part
            if dataclasses.is_dataclass(origin):
                reached(origin, found)
    return found


def all_classes() -> list[Any]:
    found: dict[Any, None] = {}
    for root in ROOTS:
        reached(root, found)
    return [cls for cls in found if "agentgym" in cls.__module__]


def numbers_of(cls: Any) -> list[dataclasses.Field[Any]]:
    """The fields that hold numbers."""
    hints = get_type_hints(cls)
    return [each for each in dataclasses.fields(cls) if {int, float} & set(parts_of(hints[each.name]))]


NUMBERS = [(cls, each.name) for cls in all_classes() for each in numbers_of(cls)]


def outside(allowed: Range) -> list[float]:
    """The nearest numbers that a range leaves out."""
    found = []
    if allowed.least is not None:
        found.append(allowed.least - 1)
    if allowed.most is not None:
        found.append(allowed.most + 1)
    return [*found, *(bound for bound in (allowed.above, allowed.below) if bound is not None)]


def as_written(cls: Any, name: str, number: float) -> Any:
    """A number, a list or a table of it, whatever the field holds."""
    hint = get_type_hints(cls)[name]
    kinds = set(parts_of(hint))
    number = float(number) if float in kinds else int(number)
    origins = {get_origin(part) for part in kinds}
    if tuple in origins:
        return [number, number]
    return {"key": number} if dict in kinds or any("Mapping" in str(part) for part in kinds) else number


def test_the_walk_reaches_all_tables() -> None:
    assert len(NUMBERS) > 150
    assert len({cls for cls, _ in NUMBERS}) > 45


@pytest.mark.parametrize(("cls", "name"), NUMBERS, ids=[f"{cls.__name__}.{name}" for cls, name in NUMBERS])
def test_every_number_has_a_range_that_is_kept(cls: Any, name: str) -> None:
    allowed = ranges_of(cls).get(name)
    assert allowed is not None, f"{cls.__name__}.{name} has no range; write Annotated[…, Range(…)]"
    assert issubclass(cls, Ranged)
    assert outside(allowed) or allowed == ANY
    key = name.removesuffix("_")
    for number in outside(allowed):
        value = as_written(cls, name, number)
        with pytest.raises(ConfigError, match=f"override 'table.{key}' must be {allowed}, got "):
            build(cls, {key: value}, Source(overridden=frozenset({f"table.{key}"})), "table.")
        [field] = [each for each in dataclasses.fields(cls) if each.name == name]
        if all(each.default is not each.default_factory for each in dataclasses.fields(cls) if each != field):
            with pytest.raises(ConfigError, match=f"{key} must be {allowed}, got "):
                cls(**{name: tuple(value) if isinstance(value, list) else value})


@dataclasses.dataclass(frozen=True)
class Toy(Ranged):
    count: Annotated[int, Range(1, 3)] = 1
    shares: Annotated[tuple[float, ...], Range(above=0, most=1)] = ()
    limit: Annotated[float | None, Range(0, below=5)] = None


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"count": 0}, "count must be from 1 to 3, got 0"),
        ({"shares": (0.5, 1.5)}, "shares must be above 0 and at most 1, got 1.5"),
        ({"limit": 5.0}, "limit must be at least 0 and below 5, got 5.0"),
        ({"limit": float("nan")}, "limit must be at least 0 and below 5, got nan"),
    ],
)
def test_messages_name_the_range_and_the_number(given: dict[str, Any], expected: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Toy(**given)
    assert str(caught.value) == expected


def test_numbers_within_their_ranges_are_taken() -> None:
    assert Toy(3, (0.1, 1.0), 4.9) == build(Toy, {"count": 3, "shares": [0.1, 1.0], "limit": 4.9})


@pytest.mark.parametrize(
    "override",
    [
        "validation.test_tasks=0",
        "validation.test_tasks=-1",
        "validation.test_attempts=0",
        "validation.tasks=0",
        "validation.tasks=-1",
        "warm_start.batch_episodes=0",
        "warm_start.demonstrations=-1",
        "warm_start.epochs=-1",
        "optimiser.learning_rate=-1e-3",
        "optimiser.weight_decay=-0.1",
        "optimiser.warmup=-1",
        "model.lora_rank=-4",
        "run.seed=99999999999999999999",
        "rollout.step_timeout_s=-1",
    ],
)
def test_numbers_that_were_told_too_late_are_refused_when_the_file_is_read(override: str) -> None:
    with pytest.raises(ConfigError, match=f"override '{override.partition('=')[0]}' must be "):
        load_config(None, ["run.suite=tools/lookup", "run.iterations=1", override])

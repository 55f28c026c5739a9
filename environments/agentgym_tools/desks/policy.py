"""Policies with drawn values: the text that the agent reads, and what the oracle and grading read, are one object."""

from __future__ import annotations

import dataclasses
import random
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Self

from agentgym.errors import TaskError


def drawn(*values: Any, held_out: Sequence[Any] = ()) -> Any:
    """A field of a policy whose value is drawn for each task.

    Args:
        values: The values of training; JSON values.
        held_out: Further values, for the test stratum of policies never seen.
    """
    return dataclasses.field(default=values[0], metadata={"values": values, "held_out": tuple(held_out)})


@dataclass(frozen=True)
class Policy(ABC):
    """The rules of a desk. A subclass adds fields by `drawn` and says them in `lines`."""

    @abstractmethod
    def lines(self) -> list[str]:
        """The rules in plain sentences; each field is said in one of them, or in a document."""

    @property
    def text(self) -> str:
        """What the agent reads."""
        return "\n".join(f"- {line}" for line in self.lines())

    @classmethod
    def draw(cls, rng: random.Random, *, is_held_out: bool = False) -> Self:
        """A policy with random values; held-out ones where a field has them and they are wanted."""
        return cls(*cls.draw_values(rng, is_held_out=is_held_out))

    @classmethod
    def draw_values(cls, rng: random.Random, *, is_held_out: bool = False) -> Sequence[Any]:
        """The values that `draw` would give its fields, in their order."""
        return [rng.choice(pool) for pool in _pools(cls, is_held_out)]

    def to_json(self) -> dict[str, Any]:
        """The values by name."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """The inverse of `to_json`.

        Raises:
            TaskError: A value is missing, unknown, or none that can be drawn.
        """
        fields = {field.name: field for field in dataclasses.fields(cls)}
        if set(values) != set(fields):
            odd = sorted(set(values) ^ set(fields))
            raise TaskError(f"a {cls.__name__} has the values {', '.join(fields)}; missing or unknown: {odd}")
        found = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
        for name, value in found.items():
            known = (*fields[name].metadata["values"], *fields[name].metadata["held_out"])
            if value not in known:
                raise TaskError(f"{cls.__name__}.{name} is {value!r}; expected one of {list(known)}")
        return cls(**found)


@cache
def _pools(policy: type[Policy], is_held_out: bool) -> Sequence[Sequence[Any]]:
    """What each field of a policy is drawn from, in their order."""
    return [
        (is_held_out and field.metadata["held_out"]) or field.metadata["values"] for field in dataclasses.fields(policy)
    ]

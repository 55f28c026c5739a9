"""One immutable problem instance, and the hash by which two instances are compared.

Where tasks come from (files, splits, guards) is in `agentgym.suite`.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Real
from typing import Any, Literal, get_args

from agentgym.errors import TaskError, suggestion

Split = Literal["train", "validation", "test"]
SPLITS: tuple[Split, ...] = get_args(Split)


@dataclass(frozen=True)
class Limits:
    """What an episode may use up; None means unlimited.

    Attributes:
        max_turns: Turns; the environment truncates at this number. Rollouts cut at 1,000 where neither this nor
            `max_seconds` is given.
        max_tokens: Sampled tokens in all turns; the rollout cuts there.
        max_seconds: Wall time of the episode; the rollout cuts there.
        step_timeout_s: Wall time of one environment call; beyond it, the episode is an infrastructure failure.
        max_invalid: Invalid actions in one episode, inclusive; one more ends it as invalid.
    """

    max_turns: int | None = None
    max_tokens: int | None = None
    max_seconds: float | None = None
    step_timeout_s: float = 60.0
    max_invalid: int = 2

    def __post_init__(self) -> None:
        for each in dataclasses.fields(self):
            value = getattr(self, each.name)
            if value is None and each.default is None:
                continue
            if not isinstance(value, Real) or isinstance(value, bool):
                default = "no limit" if each.default is None else each.default
                raise TaskError(f"limit {each.name} must be a number, got {value!r}; leave it out for {default}")
            if value <= 0 and each.name != "max_invalid":
                raise TaskError(f"limit {each.name} must be positive: got {value!r}")
        if self.max_invalid < 0:
            raise TaskError(f"limit max_invalid must not be negative: got {self.max_invalid!r}")

    @property
    def has_no_end(self) -> bool:
        """Whether an episode of valid messages goes on until the environment ends it."""
        return self.max_turns is None and self.max_seconds is None


@dataclass(frozen=True)
class Task:
    """One immutable problem instance.

    Attributes:
        id: Unique in its suite.
        suite: Name of the suite, such as "tools/lookup"; "" for a task made on the fly.
        split: train, validation or test; None for a task made on the fly.
        stratum: The declared group within the split that results are reported by.
        seed: Seed of everything random in the episode, >= 0.
        instruction: What the agent is asked to do.
        config: Public parameters of the environment; JSON values.
        limits: What an episode may use up.
        private: What grading and scripted policies need and the agent must not see; JSON values.
        seed_is_content: Whether two tasks may differ only by the seed, because the world is generated from it.
    """

    id: str
    seed: int
    instruction: str = ""
    suite: str = ""
    split: Split | None = None
    stratum: str = ""
    config: Mapping[str, Any] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    private: Mapping[str, Any] = field(default_factory=dict, repr=False)
    seed_is_content: bool = False

    def __post_init__(self) -> None:
        if not self.id:
            frame = sys._getframe(2)  # behind the method that dataclasses make
            place = f"{frame.f_code.co_filename}, line {frame.f_lineno}, in {frame.f_code.co_name}"
            raise TaskError(f"a task needs an id: got an empty one ({place})")
        if type(self.seed) is not int or self.seed < 0:
            raise TaskError(f"task {self.id!r}: seed must be an int >= 0, got {self.seed!r}")
        if self.split is not None and self.split not in SPLITS:
            raise TaskError(f"task {self.id!r}: split {self.split!r} does not exist; expected {', '.join(SPLITS)}")
        if not isinstance(self.limits, Limits):
            hint = "write limits=Limits(max_turns=5), with Limits from agentgym.task"
            raise TaskError(f"task {self.id!r}: limits must be Limits, got {self.limits!r}; {hint}")

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 in hex of the problem: instruction, config, private part, and the seed if `seed_is_content`.

        The id, suite, split, stratum and limits do not enter, so the same problem under another name has the same hash.
        """
        content: list[Any] = [self.instruction, self.config, self.private, self.seed if self.seed_is_content else None]
        canonical = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()

    def to_json(self) -> dict[str, Any]:
        """A JSON object that `from_json` reads back; limits that are defaults are left out."""
        fields: dict[str, Any] = {"id": self.id, "seed": self.seed, "instruction": self.instruction}
        fields |= {"suite": self.suite, "split": self.split, "stratum": self.stratum}
        fields |= {"config": dict(self.config), "private": dict(self.private), "seed_is_content": self.seed_is_content}
        defaults = Limits()
        limits = dataclasses.asdict(self.limits)
        fields["limits"] = {key: value for key, value in limits.items() if value != getattr(defaults, key)}
        return fields

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Task:
        """The inverse of `to_json`.

        Raises:
            TaskError: A key is unknown or missing, or a value is of the wrong type.
        """
        known = {f.name for f in dataclasses.fields(cls)}
        unknown = sorted(set(fields) - known)
        if unknown:
            raise TaskError(f"task {fields.get('id')!r} has unknown keys {unknown}; known: {sorted(known)}")
        missing = sorted({"id", "seed"} - set(fields))
        if missing:
            named = f"task {fields['id']!r}" if "id" in fields else "a task"
            raise TaskError(f"{named} lacks the keys {missing}; each task has an id and a seed")
        if not fields["id"]:
            raise TaskError("a task needs an id: got an empty one")
        values = dict(fields)
        for key in ("config", "limits", "private"):
            if not isinstance(values.get(key, {}), Mapping):
                raise TaskError(f"task {fields['id']!r}: {key} must be an object, got {values[key]!r}")
        for key in ("id", "instruction", "suite", "stratum"):
            if not isinstance(values.get(key, ""), str):
                raise TaskError(f"task {fields['id']!r}: {key} must be text, got {values[key]!r}")
        values["limits"] = _limits(values.get("limits", {}), f"task {fields['id']!r}")
        return cls(**values)


def _limits(fields: Mapping[str, Any], owner: str) -> Limits:
    """Limits from a JSON object; messages begin with their owner."""
    known = [each.name for each in dataclasses.fields(Limits)]
    for name in fields:
        if name not in known:
            raise TaskError(f"{owner}: limits has the unknown key {name!r}; {suggestion(name, known)}")
    try:
        return Limits(**fields)
    except TaskError as error:
        raise TaskError(f"{owner}: {error}") from error

"""Composing methods: a chain, in which each uses the credit of the one before as rewards, and a weighted sum.

`registry` lists stages and names.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from agentgym.attribution.contract import StepFormula, Yields
from agentgym.attribution.groups.anchors import Anchors
from agentgym.attribution.groups.turn_groups import TurnGroups
from agentgym.attribution.steps import Floats, Steps
from agentgym.errors import ConfigError


@dataclass(frozen=True)
class Chain(StepFormula):
    """One method after another, such as a gate, then shaping, then discounting."""

    stages: tuple[StepFormula, ...]
    """In order; all but the last yield rewards."""

    def __post_init__(self) -> None:
        if not self.stages:
            raise ConfigError("a chain needs at least one method")
        for stage in self.stages[:-1]:
            if stage.yields != "rewards":
                raise ConfigError(
                    f"{stage.name} yields {stage.yields}, which no method takes for rewards; put it last in the chain"
                )

    @property
    def name(self) -> str:  # type: ignore[override]  # made of the stages' names
        """The names of the stages, as the command line takes them."""
        return ",".join(stage.name for stage in self.stages)

    @property
    def yields(self) -> Yields:  # type: ignore[override]
        """What the last stage yields."""
        return self.stages[-1].yields

    @property
    def conserves(self) -> bool:
        """Whether all stages do, starting with the last one that restores the return."""
        conserved = True
        for stage in self.stages:
            conserved = stage.conserves and (conserved or stage.restores)
        return conserved

    @property
    def restores(self) -> bool:
        """Whether one stage does and those after it conserve."""
        restored = False
        for stage in self.stages:
            restored = stage.conserves and (restored or stage.restores)
        return restored

    @property
    def reads(self) -> tuple[str, ...]:
        """What its stages read."""
        return _read_by(self.stages)

    def at(self, iteration: int) -> Self:
        """Every stage in this iteration."""
        return replace(self, stages=tuple(stage.at(iteration) for stage in self.stages))

    def credit(self, steps: Steps) -> Floats:
        """float64[S], the credit of the last stage."""
        return self.stages[-1].credit(self.before_last(steps))

    def apply(self, steps: Steps) -> Steps:
        """The steps as the last stage leaves them."""
        return self.stages[-1].apply(self.before_last(steps))

    def before_last(self, steps: Steps) -> Steps:
        """The steps that the last stage gets."""
        for stage in self.stages[:-1]:
            steps = stage.apply(steps)
        return steps


@dataclass(frozen=True)
class Sum(StepFormula):
    """A weighted sum of methods of one kind, such as advantages of episodes and of steps."""

    terms: tuple[StepFormula, ...]
    """The methods."""
    weights: tuple[float, ...]
    """The weight of each."""

    def __post_init__(self) -> None:
        if not self.terms or len(self.terms) != len(self.weights):
            raise ConfigError(f"a sum needs a weight for each method: got {len(self.terms)} and {len(self.weights)}")
        if not all(map(math.isfinite, self.weights)):
            raise ConfigError(f"the weights of a sum must be finite numbers: got {', '.join(map(str, self.weights))}")
        kinds = {term.yields for term in self.terms}
        if len(kinds) > 1:
            found = ", ".join(f"{term.name} ({term.yields})" for term in self.terms)
            raise ConfigError(f"only methods that yield the same can be added: got {found}")

    @property
    def name(self) -> str:  # type: ignore[override]  # made of the terms' names
        """The terms, as the command line takes them."""
        pairs = zip(self.weights, self.terms, strict=True)
        return "+".join(term.name if weight == 1 else f"{weight:g}*{term.name}" for weight, term in pairs)

    @property
    def yields(self) -> Yields:  # type: ignore[override]
        """What the terms yield."""
        return self.terms[0].yields

    @property
    def conserves(self) -> bool:
        """Whether every term does and the weights add up to 1."""
        return all(term.conserves for term in self.terms) and abs(sum(self.weights) - 1.0) < 1e-12

    @property
    def restores(self) -> bool:
        """Whether every term does and the weights add up to 1."""
        return self.conserves and all(term.restores for term in self.terms)

    @property
    def reads(self) -> tuple[str, ...]:
        """What its terms read."""
        return _read_by(self.terms)

    def at(self, iteration: int) -> Self:
        """Every term in this iteration."""
        return replace(self, terms=tuple(term.at(iteration) for term in self.terms))

    def credit(self, steps: Steps) -> Floats:
        """float64[S]."""
        pairs = zip(self.weights, self.terms, strict=True)
        return sum((weight * term.credit(steps) for weight, term in pairs), np.zeros(len(steps.rewards)))


def leaves(formula: StepFormula) -> Iterator[StepFormula]:
    """The methods that a formula consists of; itself if it is a single method."""
    parts = formula.stages if isinstance(formula, Chain) else formula.terms if isinstance(formula, Sum) else ()
    for part in parts:
        yield from leaves(part)
    if not parts:
        yield formula


def comparing_states(formula: StepFormula) -> Anchors | TurnGroups | None:
    """The first method of a formula that compares turns in equal states; None if no method does."""
    for leaf in leaves(formula):
        if isinstance(leaf, Anchors) or (isinstance(leaf, TurnGroups) and leaf.by == "anchor"):
            return leaf
    return None


def shaped_rewards(formula: StepFormula, steps: Steps) -> Floats:
    """float64[S], the rewards that a formula pays before baselines: what a policy that games it would raise.

    Of a method that yields rewards that is its credit; of a chain that ends in returns or advantages what its last
    stage is given; else the rewards of the steps.
    """
    if formula.yields == "rewards":
        return formula.credit(steps)
    return formula.before_last(steps).rewards if isinstance(formula, Chain) else steps.rewards


def is_shaping(formula: StepFormula) -> bool:
    """Whether what a formula pays before baselines may add up to something else than an episode's return."""
    if isinstance(formula, Chain) and formula.yields != "rewards":
        return len(formula.stages) > 1 and not Chain(formula.stages[:-1]).conserves
    return formula.yields == "rewards" and not formula.conserves


def _read_by(parts: tuple[StepFormula, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for part in parts for name in part.reads))

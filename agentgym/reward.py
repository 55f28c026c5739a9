"""Reward events: the parts of a step's reward, the turn that each credits, and when it became known.

`agentgym.attribution` moves credit between steps; this file does not.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from math import isfinite
from typing import Any, Literal, NamedTuple, SupportsFloat, get_args

from agentgym.errors import ConfigError, ContractError, RewardError

Source = Literal["environment", "verifier", "judge", "shaping"]
SOURCES: frozenset[str] = frozenset(get_args(Source))

FORMAT = "format"
"""Name of the component that every environment uses for the penalty of an invalid action."""
ATTACK = "attack"
"""Name of the component, of weight 0, that is 1 at the end if what a text planted for the agent wants was done, else 0.
Only tasks with such a text have it."""
BLAME = "blame"
"""Name of the component, of weight 0, by which an environment says who failed an episode. Its detail has `who` (agent,
user, tool), `why`, `turn`, `evidence` and `is_unfinished`: nothing was wrong but that there was more to do, so that the
policy is to blame if a limit cut the episode. `agentgym.evaluation.blame` reads it."""
CUTS_CREDIT = "cuts_credit"
"""Key of an event's detail: true if what follows the event's turn is not the turn's doing, as where the environment put
another action in its place. Returns then do not reach back across the turn's end."""


class RewardEvent(NamedTuple):
    """One piece of reward.

    Attributes:
        turn: Index of the turn that it credits, from 0; -1 credits the episode before any action.
        issued_at: Index of the turn at which it became known; never before `turn`.
        role: The role that it belongs to.
        component: The declared part of the reward, such as "success" or "format".
        value: Finite float, before the component's weight is applied.
        source: Who issued it.
        detail: Further information for people; JSON values only. One key has a meaning: `CUTS_CREDIT`.
    """

    turn: int
    issued_at: int
    role: str
    component: str
    value: float
    source: Source = "environment"
    detail: Mapping[str, Any] | None = None


def require_finite(component: str, value: SupportsFloat) -> float:
    """The value of a reward as a float, if it is a number; called by the method that environments make events with.

    Raises:
        ContractError: It is no number at all. Names the line of the environment's code that made the event.
        RewardError: It is infinite or no number as NaN is; names the line too. The episode then has no reward
            instead of a reward of zero.
    """
    if isinstance(value, SupportsFloat):
        if isfinite(number := float(value)):
            return number
        raise RewardError(
            f"the reward component {component!r} is {value!r} ({_place()}), which is not finite; mend what computed "
            f"it; the episode counts as not graded"
        )
    raise ContractError(
        f"the reward component {component!r} is the {type(value).__name__} {value!r:.80} ({_place()}), expected a "
        f"number; mend what computed it"
    )


def _place() -> str:
    """Where the caller of the method that called `require_finite` stands."""
    frame = sys._getframe(3)
    return f"{frame.f_code.co_filename}, line {frame.f_lineno}, in {frame.f_code.co_name}"


def weighted_sum(events: Iterable[RewardEvent], weights: Mapping[str, float]) -> float:
    """The declared aggregation: the sum over events of weight times value.

    Args:
        events: The events issued at one step (gives its reward) or in a whole episode (gives the return).
        weights: Weight of each declared component.

    Returns:
        The reward as a float; 0.0 for no events.

    Raises:
        ContractError: An event names an undeclared component.
        RewardError: A value is not finite. The episode then has no reward instead of a reward of zero.
    """
    total = 0.0
    for event in events:
        weight = weights.get(event.component)
        if weight is None:
            raise ContractError(
                f"reward event names the component {event.component!r}, which is not declared; "
                f"declared: {', '.join(sorted(weights))}. Add it to the environment's `reward_weights`."
            )
        value = weight * event.value
        if not isfinite(value):
            raise RewardError(
                f"the reward component {event.component!r} is {event.value!r} at turn {event.turn}, which is not "
                f"finite; mend what computed it (the events of respond or grade); the episode counts as not graded: "
                f"{event}"
            )
        total += value
    return total


def replaced_weights(declared: Mapping[str, float], weights: Mapping[str, float] | None) -> dict[str, float]:
    """The declared weights, with those that a user gives in the place of some.

    Raises:
        ConfigError: A weight is no finite number, or of a component that is not declared.
    """
    given = {} if weights is None else weights
    if not isinstance(given, Mapping):
        raise ConfigError(f'weights must be numbers by component, such as {{"format": 0.5}}: got {weights!r:.80}')
    unknown = sorted(map(str, set(given) - set(declared)))
    if unknown:
        raise ConfigError(f"weights names {unknown}, which are no components; expected {', '.join(declared)}")
    for component, weight in given.items():
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not isfinite(weight):
            raise ConfigError(f"the weight of {component!r} must be a finite number: got {weight!r:.80}")
    return {**declared, **given}


def require_score(score: float, owner: str) -> float:
    """A score as a float, if it is one.

    Args:
        score: The value from an environment.
        owner: The environment's name, for the error.

    Raises:
        ContractError: It is not a finite number in [0, 1].
    """
    if isinstance(score, SupportsFloat) and 0.0 <= float(score) <= 1.0:
        return float(score)
    raise ContractError(f"{owner} ended an episode with the score {score!r}, expected a number in [0, 1]")


def by_component(events: Iterable[RewardEvent]) -> dict[str, float]:
    """Sum of event values for each component, unweighted."""
    sums: dict[str, float] = {}
    for event in events:
        sums[event.component] = sums.get(event.component, 0.0) + event.value
    return sums


def event_to_json(event: RewardEvent) -> dict[str, Any]:
    """A JSON object with the event's fields."""
    return event._asdict()


def event_from_json(fields: Mapping[str, Any]) -> RewardEvent:
    """The inverse of `event_to_json`."""
    return RewardEvent(**fields)

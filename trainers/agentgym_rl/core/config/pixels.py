"""The keys of a run that learns to point: `trainer = "pixels"` chooses them instead of those of an agent's run.

Reading the screens that they name is the work of screens.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from agentgym.config import Source, build, naming
from agentgym.errors import ConfigError
from agentgym.ranges import POSITIVE, POSITIVE_SHARE, SEED, Range, Ranged
from agentgym.registration import spec

TRAINER = "pixels"
_NOWHERE = Source()


@dataclass(frozen=True)
class PixelRunConfig(Ranged):
    """For how long the run learns, and with which seed."""

    suite: str = "agentgym/Grounding-v0"
    """The environment whose tasks show a picture and are answered by a point."""
    updates: Annotated[int, Range(0)] = 1000
    """Number of optimiser steps."""
    seed: Annotated[int, SEED] = 0
    """Seed of everything random in the run."""
    threads: Annotated[int, Range(1)] = 1
    """Threads of torch. More than one is slow when processes compete for the cores."""


@dataclass(frozen=True)
class ScreensConfig(Ranged):
    """The screens that are learned from, and those that are held out."""

    targets: str
    """File of targets in ScreenSpot's format, such as `agentgym gui render` writes."""
    boxes: Literal["", "xywh", "corners"] = ""
    """How its boxes are written; "" finds out."""
    stratum: str = "name"
    """The kind of descriptions that are asked; "" asks all kinds."""
    held_out: Annotated[int, Range(1)] = 40
    """Number of screens that are held out, spread evenly over the file."""
    min_screens: Annotated[int, Range(1)] = 5
    """On how many training screens a description must be to be learned."""
    scale: Annotated[float, Range(above=0, most=1)] = 0.125
    """Size of the sent picture for each pixel of the screen."""
    moved: bool = True
    """Whether what a training screen shows is moved about on its black background."""


@dataclass(frozen=True)
class PolicyConfig(Ranged):
    """The convolutional policy."""

    width: Annotated[int, Range(1)] = 16
    """Channels of its layers."""


@dataclass(frozen=True)
class Learning(Ranged):
    """What all ways of learning have in common."""

    screens: Annotated[int, Range(1)] = 4
    """Screens of an update."""
    questions: Annotated[int, Range(1)] = 16
    """Descriptions that are asked about each of them."""
    learning_rate: Annotated[float, POSITIVE] = 3e-3
    """Peak learning rate of Adam."""
    decay: Literal["none", "linear", "cosine"] = "cosine"
    """How the learning rate falls to a tenth over the run's updates."""
    max_grad_norm: Annotated[float, POSITIVE] = 1.0
    """Gradients are scaled down to this norm."""


@dataclass(frozen=True)
class Supervised(Learning):
    """Learning from boxes: the log-likelihood of the cells in the box."""

    mode: Literal["supervised"] = "supervised"
    """What is learned from."""


@dataclass(frozen=True)
class PolicyGradient(Learning):
    """Learning from the rewards of points that are drawn from the policy, compared within groups."""

    samples: Annotated[int, Range(2)] = 256
    """Points that are drawn for a description, as a group."""
    entropy: Annotated[float, Range(0)] = 0.01
    """Weight of the policy's entropy in the objective."""


@dataclass(frozen=True)
class Hit(PolicyGradient):
    """From hits alone."""

    mode: Literal["hit"] = "hit"
    """What is learned from."""


@dataclass(frozen=True)
class Dense(PolicyGradient):
    """From hits and nearness, the dense reward of SE-GUI."""

    mode: Literal["dense"] = "dense"
    """What is learned from."""


@dataclass(frozen=True)
class SupervisedThenHit(PolicyGradient):
    """From boxes at first, from hits afterwards."""

    mode: Literal["supervised_then_hit"] = "supervised_then_hit"
    """What is learned from."""
    supervised_share: Annotated[float, POSITIVE_SHARE] = 0.2
    """Share of the updates that learn from boxes."""


@dataclass(frozen=True)
class ProbesConfig(Ranged):
    """How the held-out screens are looked at during the run; nothing is chosen by what is found."""

    every: Annotated[int, Range(0)] = 50
    """Updates between two looks, each at all held-out targets; 0 means none."""
    test_targets: Annotated[int | None, Range(1)] = 300
    """Number of held-out targets, spread evenly, that are played as episodes before and after learning; none takes
    all."""


@dataclass(frozen=True)
class PixelConfig(Ranged):
    """The configuration of a run that learns to point."""

    trainer: Literal["pixels"]
    """Which trainer reads the file; without this key it is the trainer of agents that read text."""
    run: PixelRunConfig
    screens: ScreensConfig
    policy: PolicyConfig = field(default_factory=PolicyConfig)
    learning: Supervised | Hit | Dense | SupervisedThenHit = field(default_factory=Supervised)
    probes: ProbesConfig = field(default_factory=ProbesConfig)


def is_for_pixels(tables: Mapping[str, Any], source: Source = _NOWHERE) -> bool:
    """Whether the tables of a file say that this trainer reads them.

    Raises:
        ConfigError: They name a trainer that there is not.
    """
    if tables.get("trainer", TRAINER) != TRAINER:
        raise ConfigError(
            f"{source.place('trainer')} is {tables['trainer']!r}; expected {TRAINER!r}, or no such key for the trainer "
            "of agents that read text"
        )
    return "trainer" in tables


def pixel_config(tables: Mapping[str, Any], source: Source) -> PixelConfig:
    """The configuration of some tables.

    Raises:
        ConfigError: A key is unknown, missing, of the wrong type or out of its range, or there are no targets.
        UnknownNameError: There is no such environment.
    """
    config = build(PixelConfig, tables, source)
    with naming("run.suite", source):
        spec(config.run.suite)
    if not Path(config.screens.targets).exists():
        raise ConfigError(
            f"{source.place('screens.targets')} is {config.screens.targets!r}, which does not exist; write it with "
            "agentgym gui render, or name another file in ScreenSpot's format"
        )
    return config

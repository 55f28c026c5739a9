"""What a kind of learner brings: its options, rules, presets, equations, checks, and what makes it.

The table of all kinds is agentgym_rl/run/learners.py. To add one, write such a record in a separate folder and enter it
there. The table is imported to read a configuration, so its kinds name what needs torch as `Late` functions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from agentgym.game import Game
from agentgym.message import ToolSchema
from agentgym.policies.cast import Cast
from agentgym.policies.sampler import Sampler
from agentgym.prompting.renderer import ChatRenderer
from agentgym.suite import Suite
from agentgym.task import Task
from agentgym.trajectory import Group
from agentgym_rl.core.config.train import ConfigOf, LearnerOptions

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerFast

    from agentgym_rl.core.learner import Learner, Workplace

A = TypeVar("A", bound=LearnerOptions)
A_co = TypeVar("A_co", bound=LearnerOptions, covariant=True)
Presets = Mapping[str, Mapping[str, Any]]
"""Values of `[algorithm]` by the name of the preset."""


class KeyRule(NamedTuple):
    """A key that has an effect only with certain values of other keys.

    Attributes:
        key: Dotted; the keys of a table of that name are meant too.
        applies: Whether it changes anything in a configuration.
        without: The message after "has no effect", such as 'without group.dynamic_sampling = "refill"'.
    """

    key: str
    applies: Callable[[ConfigOf[Any]], bool]
    without: str


@dataclass
class Groundwork(Generic[A_co]):
    """What exists before a run's folder is made; the model is loaded when it is first asked for.

    Attributes:
        config: The run's configuration.
        suite: The suite.
        cast: Who plays the roles of a game.
        make_game: Makes an environment for a task as rollouts do.
        tools: The tools of the roles that learn.
        load: Loads the model as it will be trained, and its tokenizer.
        make_policy: Makes the policy that samples from a model.
    """

    config: ConfigOf[A_co]
    suite: Suite
    cast: Cast
    make_game: Callable[[Task], Game]
    tools: Sequence[ToolSchema]
    load: Callable[[], tuple[PreTrainedModel, PreTrainedTokenizerFast]] = field(repr=False)
    make_policy: Callable[[PreTrainedModel, PreTrainedTokenizerFast], Sampler] = field(repr=False)

    @cached_property
    def loaded(self) -> tuple[PreTrainedModel, PreTrainedTokenizerFast]:
        """The model as it will be trained, and its tokenizer."""
        return self.load()

    @property
    def tokenizer(self) -> PreTrainedTokenizerFast:
        """The tokenizer of the model."""
        return self.loaded[1]

    @cached_property
    def renderer(self) -> ChatRenderer:
        """Renders conversations for the model."""
        return ChatRenderer(self.tokenizer)

    @cached_property
    def policy(self) -> Sampler:
        """What samples from the model."""
        return self.make_policy(*self.loaded)


class Check(NamedTuple):
    """Something that must hold before a run's folder is made.

    Attributes:
        name: What holds, in a few words.
        require: Raises an error of agentgym if it does not hold.
    """

    name: str
    require: Callable[[Groundwork[Any]], None]


def _as_it_is(config: ConfigOf[A]) -> ConfigOf[A]:
    return config


def _left_alone(model: PreTrainedModel, options: Any) -> None:
    """Nothing is done to the model."""


@dataclass(frozen=True)
class LearnerKind(Generic[A]):
    """A kind of learner: everything that the trainer needs to configure, check, describe and make it."""

    options: type[A]
    """The options under `[algorithm]`, whose field `learner` has the kind's name as its only value."""
    make: Callable[[Workplace[A]], Learner]
    """Makes the learner of a run."""
    equations: Callable[[ConfigOf[A]], list[str]]
    """What it learns, one line per step, with the configured numbers."""
    presets: Presets = field(default_factory=dict)
    """Its presets."""
    key_rules: tuple[KeyRule, ...] = ()
    """Keys that have an effect only with certain values of others."""
    rules: tuple[Callable[[ConfigOf[A]], None], ...] = ()
    """Refuse combinations that cannot work."""
    completed: Callable[[ConfigOf[A]], ConfigOf[A]] = _as_it_is
    """The configuration with what follows from the options in the shared tables."""
    checks: tuple[Check, ...] = ()
    """What must hold before the run's folder is made."""
    prepare_model: Callable[[PreTrainedModel, A], None] = _left_alone
    """Changes the loaded model in place, before it is moved to its device."""
    has_signal: Callable[[Group, A], bool] | None = None
    """Whether a group teaches anything; None if the learner does not compare the episodes of groups."""
    is_parallel: bool = False
    """Whether it works under torchrun."""
    reads_pictures: bool = False
    """Whether it gives a model that sees the pixels of what it learns from."""

    @property
    def name(self) -> str:
        """The name by which a file chooses it."""
        return self.options.learner

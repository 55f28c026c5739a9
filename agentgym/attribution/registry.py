"""Methods by name: "gated,potential,return_to_go" is a chain, "episode_groups+0.5*anchors" a weighted sum.

Forks, which need a live environment, are made by `agentgym.evaluation.named_forks`; who predicts what methods of
`PREDICTED` read is `predicted`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any

from agentgym.attribution.compose import Chain, Sum
from agentgym.attribution.contract import StepFormula
from agentgym.attribution.environment import Environment
from agentgym.attribution.forks import Forks
from agentgym.attribution.groups.anchors import Anchors
from agentgym.attribution.groups.episode_groups import EpisodeGroups
from agentgym.attribution.groups.state_counts import StateCounts
from agentgym.attribution.groups.turn_groups import TurnGroups
from agentgym.attribution.learned.expert import Expert
from agentgym.attribution.learned.judged import Judged
from agentgym.attribution.learned.rudder import Rudder
from agentgym.attribution.learned.spa import Spa
from agentgym.attribution.return_to_go import ReturnToGo
from agentgym.attribution.shaping.bounded import Bounded
from agentgym.attribution.shaping.corrected import Corrected
from agentgym.attribution.shaping.gated import Gated
from agentgym.attribution.shaping.potential import Potential
from agentgym.attribution.shaping.tool_use import ToolUse
from agentgym.attribution.terminal import Terminal
from agentgym.attribution.uniform import Uniform
from agentgym.config import Source, build, read_tables
from agentgym.errors import ConfigError, UnknownNameError

METHODS: dict[str, type[StepFormula]] = {
    method.name: method
    for method in (
        Terminal,
        Environment,
        ReturnToGo,
        Uniform,
        Potential,
        Gated,
        Anchors,
        EpisodeGroups,
        TurnGroups,
        ToolUse,
        StateCounts,
        Bounded,
        Corrected,
    )
}
"""Every closed formula of the record, by its name."""
PREDICTED: dict[str, type[StepFormula]] = {method.name: method for method in (Spa, Rudder, Expert, Judged)}
"""Formulas of what a predictor says of each turn, by their names."""
_ALL = METHODS | PREDICTED
_OF_PAPERS = {
    "gigpo": "episode_groups+anchors",
    "mt_grpo": "turn_groups",
    "g_ra": "gated",
    "step_agent": "expert",
    "vineppo": Forks.name,
}
"""What methods that papers name are written as."""


def make_attribution(text: str, options: Sequence[str] = ()) -> StepFormula:
    """A method from its text.

    Args:
        text: A name; names with commas between them for a chain; terms with "+" between them for a sum, each a name or
            WEIGHT*NAME.
        options: Texts "NAME.key=value", or "key=value" where the text holds one name; the value is read as TOML.

    Raises:
        UnknownNameError: There is no such method.
        ConfigError: An option is unknown, is for a method that is not there, or has a value that is no good; or the
            method is no formula.
    """
    return make_attributions([text], options)[0]


def make_attributions(texts: Sequence[str], options: Sequence[str] = ()) -> list[StepFormula]:
    """Several methods; an option goes to every one that holds its name. See `make_attribution`."""
    names = list(dict.fromkeys(name for text in texts for name in method_names(text)))
    if Forks.name in names:
        raise ConfigError(
            f"{Forks.name} plays on in a live environment, which no formula does: it stands alone, for a run that is "
            "over, as in `agentgym attribute RUN --method forks`"
        )
    for name in names:
        if name not in _ALL:
            hints = [f"{name} is written as {_OF_PAPERS[name]}"] if name in _OF_PAPERS else []
            raise UnknownNameError("attribution method", name, [*_ALL, Forks.name], hints)
    if len(names) == 1:
        options = [option if option.partition(".")[0] in _ALL else f"{names[0]}.{option}" for option in options]
    tables, source = read_tables(None, options)
    for key in tables:
        if key not in names:
            raise ConfigError(
                f"option {key!r} is of no method that is asked for; options are NAME.key=value, NAME being one of "
                f"{', '.join(names)}"
            )
    return [_chain(text, tables, source) for text in texts]


def _chain(text: str, tables: Mapping[str, Any], source: Source) -> StepFormula:
    stages = tuple(_sum(stage, tables, source) for stage in text.split(","))
    return stages[0] if len(stages) == 1 else Chain(stages)


def _sum(text: str, tables: Mapping[str, Any], source: Source) -> StepFormula:
    terms = list(_terms(text))
    methods = tuple(_made(name, tables.get(name, {}), source) for _, name in terms)
    weights = tuple(weight for weight, _ in terms)
    return methods[0] if weights == (1.0,) else Sum(methods, weights)


def _made(name: str, options: Any, source: Source) -> StepFormula:
    if not isinstance(options, Mapping):
        keys = [field.name.removesuffix("_") for field in fields(_ALL[name])]  # type: ignore[arg-type]
        known = ", ".join(f"{name}.{key}" for key in keys)
        raise ConfigError(f"{source.place(name)} is a method, no option of one; its options: {known or 'none'}")
    return build(_ALL[name], options, source, f"{name}.")


def method_names(text: str) -> list[str]:
    """The names in the text of a method.

    Raises:
        ConfigError: It is of no such form.
    """
    return [name for stage in text.split(",") for _, name in _terms(stage)]


def _terms(text: str) -> Iterator[tuple[float, str]]:
    for term in text.split("+"):
        weight, star, name = term.rpartition("*")
        try:
            yield (float(weight) if star else 1.0), name.strip()
        except ValueError:
            raise ConfigError(f"{term!r} is not of the form NAME or WEIGHT*NAME, such as 0.5*anchors") from None

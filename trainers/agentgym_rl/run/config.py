"""How a file becomes a configuration: the preset's values, then the file's values, then the rules of the learner.

The tables are in agentgym_rl/core/config, the options of each learner in its own folder, the learners in learners.py.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from agentgym.config import Source, above, build, dotted_keys, naming, pruned, read_tables
from agentgym.errors import ConfigError, UnknownNameError
from agentgym_rl.core.config.kind import LearnerKind
from agentgym_rl.core.config.train import ConfigOf, TrainConfig
from agentgym_rl.run.learners import LEARNER_OF_PRESET, LEARNERS, PRESETS
from agentgym_rl.run.moved import require_new_spelling
from agentgym_rl.run.rules import require_applicable

_DEFAULT_PRESET = "loop"


def load_config(path: Path | None, overrides: Sequence[str] = ()) -> TrainConfig:
    """Read a run's configuration.

    Args:
        path: TOML file.
        overrides: "table.key=value".

    Raises:
        ConfigError: A key is unknown, of the wrong type, has moved, or does not apply to the chosen learner.
        UnknownNameError: There is no such preset or learner.
    """
    tables, source = read_tables(path, overrides)
    return config_from_tables(tables, source)


def config_from_tables(tables: dict[str, Any], source: Source) -> TrainConfig:
    """The configuration of some tables, whose values override those of the preset."""
    own = tables.get("algorithm", {})
    if not isinstance(own, Mapping):
        raise ConfigError(f"{source.place('algorithm')} must be a table, got {own!r}")
    require_new_spelling(tables, source)
    kind, preset = _chosen(own, source)
    values = PRESETS.get(preset, {})
    if pruned(kind.options, values) != values:
        raise ConfigError(
            f"{source.place('algorithm.learner')} is {kind.name!r}, and the preset {preset!r} is for "
            f"{LEARNER_OF_PRESET[preset]!r}; remove one of them"
        )
    algorithm = above(kind.options, values, own) | {"preset": preset, "learner": kind.name}
    given = dotted_keys(tables)
    config = build(_type_of(kind), {**tables, "algorithm": algorithm}, source)
    require_applicable(config, kind, given, source)
    completed: TrainConfig = kind.completed(config)
    return completed


def stored_config(tables: Mapping[str, Any], source: Source) -> TrainConfig:
    """The configuration that a run's folder holds, in which every key is written down.

    Raises:
        ConfigError: It is damaged.
    """
    algorithm = tables.get("algorithm")
    learner = algorithm.get("learner") if isinstance(algorithm, Mapping) else None
    if not isinstance(learner, str) or learner not in LEARNERS:
        raise ConfigError(f"{source.path}: algorithm.learner is {learner!r}; expected one of {', '.join(LEARNERS)}")
    return build(_type_of(LEARNERS[learner]), tables, source)


def _type_of(kind: LearnerKind[Any]) -> type[TrainConfig]:
    """The type of a configuration with the options of a learner."""
    return cast(type[TrainConfig], cast(Any, ConfigOf)[kind.options])


def _chosen(own: Mapping[str, Any], source: Source) -> tuple[LearnerKind[Any], str]:
    """The kind of learner and the preset that a table `[algorithm]` chooses.

    A preset brings its learner; a learner alone has no preset. With neither the default preset is meant.

    Raises:
        UnknownNameError: There is no such preset or learner.
        ConfigError: The name of a preset is given as a learner, or the other way round, or one is no text.
    """
    learner, preset = own.get("learner"), own.get("preset")
    for key, name in (("learner", learner), ("preset", preset)):
        if name is not None and not isinstance(name, str):
            raise ConfigError(f"{source.place(f'algorithm.{key}')} must be text, got {name!r}")
    if preset is None:
        preset = "" if learner not in (None, LEARNER_OF_PRESET[_DEFAULT_PRESET]) else _DEFAULT_PRESET
    if preset and preset not in PRESETS:
        _refuse_other(preset, LEARNERS, ("preset", "learner"), source)
        with naming("algorithm.preset", source):
            raise UnknownNameError("preset", str(preset), PRESETS)
    learner = LEARNER_OF_PRESET.get(preset, "") if learner is None else learner
    if learner not in LEARNERS:
        _refuse_other(learner, PRESETS, ("learner", "preset"), source)
        with naming("algorithm.learner", source):
            raise UnknownNameError("learner", str(learner), LEARNERS)
    return LEARNERS[learner], preset


def _refuse_other(name: str, others: Collection[str], keys: tuple[str, str], source: Source) -> None:
    """Say under which key a name belongs that is given under the other one."""
    given, right = keys
    if name in others:
        place = source.beside(f"algorithm.{given}")
        raise ConfigError(f'{place}{name!r} is a {right}; write algorithm.{right} = "{name}"')

"""The configuration that a run's folder keeps, and what of it may be mended when the run goes on.

Mends change nothing of what was learnt. They are written beside the configuration that the run was started with, which
stays as it was.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from agentgym.config import Source, dotted_keys, merged, read_tables, tables_of
from agentgym.errors import ConfigError, WrongRunError
from agentgym_rl.core.config.train import TrainConfig
from agentgym_rl.run.config import stored_config
from agentgym_rl.run.moved import translated

CONFIG = "config.json"
MENDABLE = ("validation", "watch", "checkpoint", "run.iterations", "run.max_seconds")
"""Tables and keys that a resumed run may have other values for."""
_MENDS = "mends"


def is_mendable(key: str) -> bool:
    """Whether a resumed run may have another value of a dotted key."""
    return any(key == each or key.startswith(f"{each}.") for each in MENDABLE)


def saved_tables(folder: Path) -> dict[str, Any]:
    """The tables that a run was started with, in the spelling of then and without mends.

    Raises:
        ConfigError: The folder holds no run, or its configuration is damaged.
    """
    tables: dict[str, Any] = _facts(folder)["config"]
    return tables


def saved_config(folder: Path, overrides: Sequence[str] = ()) -> TrainConfig:
    """The configuration of a run, mended as it was at earlier resumptions and by overrides.

    Args:
        folder: The run's folder.
        overrides: "table.key=value".

    Raises:
        ConfigError: The folder holds no run, its configuration is damaged, or an override changes more than may be
            mended.
    """
    given, source = read_tables(None, overrides)
    fixed = sorted(key for key in dotted_keys(given) if not is_mendable(key))
    if fixed:
        raise ConfigError(
            f"a resumed run keeps its own configuration, but for {', '.join(MENDABLE)}; leave out "
            f"{', '.join(each for each in overrides if each.partition('=')[0].strip() in fixed)}"
        )
    place = Source(folder / CONFIG, overridden=source.overridden)
    return stored_config(merged(_mended_tables(folder), given), place)


def require_same(folder: Path, config: TrainConfig) -> None:
    """Refuse to go on with a run under another configuration, but for what may be mended.

    Raises:
        WrongRunError: Names the first setting that differs.
        ConfigError: The saved configuration is damaged.
    """
    now = _flat(tables_of(config))
    wanted = _nested({key: value for key, value in now.items() if is_mendable(key)})
    mended = stored_config(merged(_mended_tables(folder), wanted), Source(folder / CONFIG))
    saved = _flat(tables_of(mended))
    for key in sorted(saved.keys() | now.keys()):
        old, new = saved.get(key), now.get(key)
        if old != new:
            raise WrongRunError(
                f"the run in {folder} has {key} = {old!r}, the configuration given says {new!r}; resume with the run's "
                f"own, or start another run folder. A resumed run may have other values of {', '.join(MENDABLE)} alone"
            )
    before = _flat(_mended_tables(folder))["run.iterations"]
    if config.run.iterations < before:
        raise WrongRunError(
            f"the run in {folder} has run.iterations = {before}, the configuration given says {config.run.iterations}; "
            "a run can only be extended"
        )


def record_mends(folder: Path, config: TrainConfig) -> dict[str, Any]:
    """Write down which values of a resumed run are other ones from now on; returns them by key."""
    before, now = _flat(_mended_tables(folder)), _flat(tables_of(config))
    values = {key: value for key, value in now.items() if is_mendable(key) and before.get(key, value) != value}
    if values:
        facts = _facts(folder)
        facts.setdefault(_MENDS, []).append({"at": time.strftime("%Y-%m-%dT%H:%M:%S%z"), "values": values})
        partial = folder / f"{CONFIG}.partial"
        try:
            partial.write_text(json.dumps(facts, indent=2))
            os.replace(partial, folder / CONFIG)
        except OSError as error:
            raise ConfigError(f"cannot write {folder / CONFIG}: {error}; free space or mend the folder") from error
    return values


def _mended_tables(folder: Path) -> dict[str, Any]:
    tables = translated(saved_tables(folder))
    for mend in _facts(folder).get(_MENDS, ()):
        tables = merged(tables, _nested(mend["values"]))
    return tables


def _facts(folder: Path) -> dict[str, Any]:
    path = folder / CONFIG
    try:
        facts: dict[str, Any] = json.loads(path.read_text())
        facts["config"]["run"]
    except FileNotFoundError:
        raise ConfigError(f"no run to resume in {folder}: {CONFIG} is missing; start it without --resume") from None
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise ConfigError(f"cannot read the run's configuration {path}: {error}; start the run anew") from error
    return facts


def _flat(tables: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in tables.items():
        flat |= _flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {f"{prefix}{key}": value}
    return flat


def _nested(flat: Mapping[str, Any]) -> dict[str, Any]:
    tables: dict[str, Any] = {}
    for key, value in flat.items():
        *path, last = key.split(".")
        inner = tables
        for part in path:
            inner = inner.setdefault(part, {})
        inner[last] = value
    return tables

"""A run's folder: its resolved configuration, versions, database, checkpoints, exported models and summary."""

from __future__ import annotations

import hashlib
import json
import platform
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from agentgym.config import tables_of
from agentgym.errors import ConfigError, StoreError
from agentgym.policies.cast import REPLIES
from agentgym.store import DATABASE, RunStore
from agentgym.store.lock import LOCK_FILE, WriterLock
from agentgym_rl.core.config.train import TrainConfig
from agentgym_rl.run.saved import CONFIG, record_mends, require_same, saved_tables

SUMMARY = "summary.json"
_OWN = (CONFIG, SUMMARY, DATABASE, "run.db-wal", "run.db-shm", LOCK_FILE, "report.html", "tensorboard", REPLIES)
_OWN_FOLDERS = ("checkpoints", "models", "evaluations", "recordings")
_MAX_NAMED = 5
_PACKAGES = ("agentgymnasium", "torch", "transformers", "tokenizers", "gymnasium", "numpy")


@dataclass(frozen=True)
class TrainResult:
    """The result of a run.

    Attributes:
        folder: The run's folder.
        held_out: The result on the test split for each stage, as JSON; empty if there was no test.
        report: The report page.
        seconds: Wall time of the whole job, in all the processes that worked on it.
        notes: Why the run did not learn, if it did not.
    """

    folder: Path
    held_out: dict[str, Any] = field(default_factory=dict)
    report: Path | None = None
    seconds: float = 0.0
    notes: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """What summary.json holds."""
        return {"held_out": self.held_out, "seconds": self.seconds, "notes": self.notes}

    def write_summary(self) -> None:
        """Write summary.json into the run's folder.

        Raises:
            StoreError: It cannot be written.
        """
        path = self.folder / SUMMARY
        try:
            path.write_text(json.dumps(self.to_json(), indent=2))
        except OSError as error:
            raise StoreError(f"cannot write {path}: {error}; free space and resume the run") from error


def headline_first(result: dict[str, Any], headline: str) -> dict[str, Any]:
    """The result of an evaluation with the headline stratum's rates in front.

    Args:
        result: As JSON.
        headline: The stratum's name.
    """
    stratum = result["strata"].get(headline)
    if stratum is None:
        return result
    return {**result, "all_strata": {"success": result["success"], "score": result["score"]}, **stratum}


def open_run(folder: Path, config: TrainConfig, *, resume: bool, overwrite: bool) -> RunStore:
    """The database of a new run, or of one that goes on.

    Args:
        folder: The run's folder.
        config: Written to a new run; compared with that of a run that goes on.
        resume: Go on with the run in the folder.
        overwrite: Remove the run in the folder first; anything else there is left alone.

    Raises:
        ConfigError: See `require_usable`; or the folder cannot be written.
        WrongRunError: The run in the folder has another configuration.
        StoreError: Another process is writing the run.
    """
    require_usable(folder, config, resume=resume, overwrite=overwrite)
    if resume:
        store = RunStore.open(folder)
        record_mends(folder, config)
        store.set_meta({"config": tables_of(config)})
        return store
    return begin_run(folder, tables_of(config), config.run.suite)


def begin_run(folder: Path, tables: Mapping[str, Any], suite: str) -> RunStore:
    """The database of a new run; a run that is in the folder is removed.

    Args:
        folder: The run's folder, as `require_new` accepts it.
        tables: The resolved configuration.
        suite: What it trains on.

    Raises:
        ConfigError: The folder cannot be written.
        StoreError: Another process is writing a run there.
    """
    if _holds_run(folder):
        WriterLock(folder).release()  # refused while another process writes the run
        remove_run(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        facts = {"config": tables, "versions": versions(), "commit": commit()}
        (folder / CONFIG).write_text(json.dumps(facts, indent=2))
    except OSError as error:
        raise ConfigError(f"cannot write the run folder {folder}: {error}") from error
    return RunStore.create(folder, {"kind": "train", "suite": suite, "config": tables})


def require_usable(folder: Path, config: TrainConfig, *, resume: bool, overwrite: bool) -> None:
    """Refuse a folder that a run cannot begin or go on in; touches nothing. Arguments as those of `open_run`.

    Raises:
        ConfigError: The folder holds a run and neither was asked for, holds no run to resume, holds anything else, or
            is a file.
        WrongRunError: The run in the folder has another configuration.
    """
    if not resume:
        require_new(folder, overwrite=overwrite)
        return
    if not _holds_run(folder):
        raise ConfigError(f"no run to resume in {folder}: {CONFIG} is missing; start it without --resume")
    require_same(folder, config)


def require_new(folder: Path, *, overwrite: bool) -> None:
    """Refuse a folder that a new run cannot begin in; touches nothing.

    Args:
        folder: The run's folder.
        overwrite: Whether a run that is in the folder may be removed.

    Raises:
        ConfigError: The folder holds a run that may not be removed, holds anything else, or is a file.
    """
    if not _holds_run(folder):
        _require_free(folder)
    elif not overwrite:
        raise ConfigError(f"{folder} holds a run; go on with --resume, start anew with --overwrite, or name another")


def _holds_run(folder: Path) -> bool:
    """Whether a training run began here; a config.json of something else, such as a model's, is none."""
    try:
        facts = json.loads((folder / CONFIG).read_text())
    except (FileNotFoundError, NotADirectoryError):
        return False
    except (OSError, ValueError):  # damaged: the database beside it tells
        return (folder / DATABASE).exists()
    return isinstance(facts, dict) and {"config", "versions"} <= facts.keys()


def _require_free(folder: Path) -> None:
    """Refuse a folder that holds anything which no training run wrote; a run would mix with it or write over it."""
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"{folder} is a file; a run needs a folder of its own, such as --run runs/{folder.stem}")
    names = sorted(path.name for path in folder.iterdir()) if folder.exists() else []
    taken = [name for name in names if name != LOCK_FILE and not name.startswith(".")]
    if taken:
        rest = f" and {len(taken) - _MAX_NAMED} more" if len(taken) > _MAX_NAMED else ""
        shown = f"{', '.join(taken[:_MAX_NAMED])}{rest}"
        raise ConfigError(f"{folder} holds {shown}, which no training run wrote; name another folder")


def remove_run(folder: Path) -> None:
    """Remove what a run wrote, and nothing else."""
    for name in _OWN_FOLDERS + _OWN:
        path = folder / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def config_digest(folder: Path, config: TrainConfig) -> str:
    """The digest under which a run's checkpoints are kept: of the configuration as its folder holds it.

    A run that was begun in an earlier spelling keeps its own digest. Without a folder it is that of the configuration.
    """
    return digest_of(saved_tables(folder) if (folder / CONFIG).exists() else tables_of(config))


def digest_of(tables: Mapping[str, Any]) -> str:
    """SHA-256 of the tables of a configuration."""
    return hashlib.sha256(json.dumps(tables, sort_keys=True).encode()).hexdigest()


def versions() -> dict[str, str]:
    """Versions of Python and of the packages that results depend on."""
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def commit() -> str:
    """The commit of the working folder's repository, with "-dirty" where it has changes; "" outside one."""
    try:
        head = _git("rev-parse", "HEAD")
        return f"{head}-dirty" if _git("status", "--porcelain") else head
    except (OSError, subprocess.SubprocessError):
        return ""


def _git(*arguments: str) -> str:
    command = ["git", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=10).stdout.strip()  # noqa: S603

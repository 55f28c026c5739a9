"""The packages in which faults are planted: what `packages.toml` says of each.

Their files are fetched by `fetching` and laid out by `unpacking`.
"""

from __future__ import annotations

import dataclasses
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from agentgym.config import build
from agentgym.errors import ConfigError, UnknownNameError
from agentgym_swe.repositories.fetching import Pin

_FILE = Path(__file__).with_name("packages.toml")
_HASH = re.compile(r"[0-9a-f]{64}")
_SOURCES = (
    "Tasks are made of these packages alone: `agentgym swe list` shows them, and another one is added to "
    "agentgym_swe/repositories/packages.toml"
)


@dataclass(frozen=True)
class Older:
    """An older release, whose functions are put back into the newer one.

    Attributes:
        version: Its version.
        sha256: Of its sdist.
    """

    version: str
    sha256: str


@dataclass(frozen=True)
class Package:
    """One package, pinned.

    Attributes:
        name: Its name on PyPI.
        version: Its version.
        sha256: Of its sdist, in hex.
        licence: Its licence, as an SPDX expression.
        sources: Files and folders of the sdist whose Python files faults are planted in.
        tests: Files and folders with its tests.
        run: What pytest is given, where its names for files of tests would not find them; () for `tests`.
        path: What is put in front of `sys.path`.
        extra: Further files and folders that tests read.
        unplanted: Files and folders of the sources that stay as they are, because they are generated; and functions or
            classes, such as "toolz.itertoolz.nth", whose originals lie in every sandbox.
        left_out: Ids of tests that are left out, or beginnings of such ids, each with the reason.
        needs_metadata: Whether it asks for its own version at run time, so that a record of it must be installed.
        held_out: Whether no training task comes from it.
        older: An older release; None where none is used.
    """

    name: str
    version: str
    sha256: str
    licence: str
    sources: tuple[str, ...]
    tests: tuple[str, ...]
    run: tuple[str, ...] = ()
    path: tuple[str, ...] = (".",)
    extra: tuple[str, ...] = ()
    unplanted: tuple[str, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    needs_metadata: bool = False
    held_out: bool = False
    older: Older | None = None

    def __post_init__(self) -> None:
        for sha256 in (self.sha256, self.older.sha256 if self.older else self.sha256):
            if not _HASH.fullmatch(sha256):
                raise ConfigError(f"package {self.name!r}: sha256 must be 64 hex digits, got {sha256!r}")
        if not self.sources or not self.tests:
            raise ConfigError(f"package {self.name!r} needs sources and tests")

    @property
    def pin(self) -> Pin:
        """What is fetched."""
        return Pin(self.name, self.version, self.sha256)

    def to_json(self) -> dict[str, Any]:
        """What decides how its layer looks."""
        facts = dataclasses.asdict(self)
        for name in ("held_out", "older", "unplanted", "licence"):
            del facts[name]
        return facts


@cache
def packages() -> Mapping[str, Package]:
    """All packages by name, in the order of the file."""
    return read_packages(_FILE)


def package_named(name: str) -> Package:
    """The package of a name.

    Raises:
        UnknownNameError: There is none; suggests close names.
    """
    if name not in packages():
        raise UnknownNameError("package", name, packages(), [_SOURCES])
    return packages()[name]


def read_packages(path: Path) -> Mapping[str, Package]:
    """The packages that a file describes.

    Raises:
        ConfigError: The file is malformed; says which package and key.
    """
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{path}: {error}") from error
    found = {}
    for name, table in tables.items():
        try:
            found[name] = build(Package, {"name": name, **table})
        except ConfigError as error:
            raise ConfigError(f"{path}, package {name!r}: {error}") from error
    return found

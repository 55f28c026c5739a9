"""One prepared package: a tree of sources and tests on the host, and which of its tests count.

`preparing` makes layers; nothing writes to one afterwards.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from agentgym.errors import ConfigError
from agentgym.sandbox.once import cache_folder
from agentgym_swe.repositories.catalogue import Package, package_named, packages

TREE, FACTS = "tree", "layer.json"
"""What the folder of a prepared package holds."""
FORMAT = 2
"""Number of the way in which layers are prepared; another one makes them anew."""


class NotPreparedError(ConfigError):
    """A package that is not prepared on this machine."""


@dataclass(frozen=True)
class Layer:
    """One prepared package.

    Attributes:
        name: Its name on PyPI.
        version: Its version.
        licence: Its licence, as an SPDX expression.
        folder: The pristine tree.
        digest: SHA-256 in hex over the tree; tasks and recorded data name it.
        source_roots: Files and folders of the tree; only .py files below them may change.
        test_paths: Files and folders with the tests.
        run: What pytest is given to run all of them.
        python_path: What is put in front of `sys.path`, from the tree.
        tests: Ids of the tests that pass in every order, in pytest's order.
        seconds: CPU seconds of one run of all of them.
    """

    name: str
    version: str
    licence: str
    folder: Path
    digest: str
    source_roots: tuple[str, ...]
    test_paths: tuple[str, ...]
    run: tuple[str, ...]
    python_path: tuple[str, ...]
    tests: tuple[str, ...]
    seconds: float = 0.0

    @cached_property
    def files(self) -> tuple[str, ...]:
        """Paths of all files of the tree, sorted."""
        return tuple(files_of(self.folder))

    @cached_property
    def sources(self) -> tuple[str, ...]:
        """Paths of the Python files that may change, sorted."""
        return tuple(file for file in self.files if self.is_source(file))

    def is_source(self, file: str) -> bool:
        """Whether a path is that of a Python file below a source root, and of no test."""
        return file.endswith(".py") and is_below(file, self.source_roots) and not self.is_test(file)

    def is_test(self, file: str) -> bool:
        """Whether a path is that of a test, of what tests share, or of pytest's settings."""
        return is_below(file, self.test_paths) or file.rpartition("/")[2] == "conftest.py"

    def text(self, file: str) -> str:
        """A file's text, with its line ends as they are."""
        return (self.folder / file).read_bytes().decode("utf-8")

    def to_json(self) -> dict[str, Any]:
        """What is written beside the tree."""
        facts = asdict(self)
        del facts["folder"]
        return facts


def load_layer(name: str) -> Layer:
    """The prepared layer of a package.

    Raises:
        UnknownNameError: No package has the name.
        NotPreparedError: It is not prepared here; says how to do so.
    """
    layer = find_layer(package_named(name))
    if layer is None:
        num_missing = len(missing_packages(packages()))
        more = f", or `agentgym swe prepare` for all {num_missing} that are missing" if num_missing > 1 else ""
        raise NotPreparedError(
            f"the package {name!r} is not prepared on this machine; run `agentgym swe prepare {name}`{more}"
        )
    return layer


def missing_packages(names: Iterable[str]) -> list[str]:
    """Those of some packages that are not prepared here, or so that it cannot be read.

    Raises:
        UnknownNameError: No package has such a name.
    """
    return [name for name in names if not _is_prepared(package_named(name))]


def _is_prepared(package: Package) -> bool:
    try:
        return find_layer(package) is not None
    except NotPreparedError:
        return False


def find_layer(package: Package) -> Layer | None:
    """The prepared layer of a package; None where there is none, or only one of another version or format."""
    folder = layer_folder(package)
    try:
        facts = json.loads((folder / FACTS).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise NotPreparedError(
            f"what is prepared of {package.name!r} in {folder} cannot be read ({error}); remove that folder and run "
            f"`agentgym swe prepare {package.name}`"
        ) from error
    tuples = {key: tuple(value) for key, value in facts.items() if isinstance(value, list)}
    return Layer(**{**facts, **tuples}, folder=folder / TREE)


def layer_folder(package: Package) -> Path:
    """Where the layer of a package is kept: another pin, other rules or another format get another folder."""
    key = hashlib.sha256(json.dumps([FORMAT, package.to_json()], sort_keys=True).encode()).hexdigest()[:16]
    return cache_folder() / "swe" / "layers" / f"{package.name}-{package.version}-{key}"


def is_below(file: str, places: Iterable[str]) -> bool:
    """Whether a file is one of these paths or lies below one of them; "." has everything below it."""
    return any(place == "." or file == place or file.startswith(f"{place}/") for place in places)


def files_of(folder: Path) -> list[str]:
    """Paths of all files below a folder, with "/" and sorted."""
    return sorted(_walk(folder, ""))


def _walk(folder: Path, prefix: str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _walk(Path(entry.path), f"{prefix}{entry.name}/")
            else:
                yield f"{prefix}{entry.name}"


def tree_digest(folder: Path) -> str:
    """SHA-256 in hex over paths and contents of all files below a folder."""
    digest = hashlib.sha256()
    for file in files_of(folder):
        content = (folder / file).read_bytes()
        digest.update(f"{file}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()

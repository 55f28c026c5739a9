"""What this installation of agentgym consists of: its files, its suites, and the packages it needs at their versions.

An image that serves environments is made from exactly these, so that it plays as the host does.
"""

from __future__ import annotations

import os
import re
import tomllib
from importlib.metadata import PackageNotFoundError, distribution, requires
from pathlib import Path

from agentgym.data_folder import data_folder
from agentgym.errors import DISTRIBUTION, ConfigError

_PACKAGE = Path(__file__).resolve().parents[2]
_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)\s*(?:\[([^\]]*)\])?")
_EXTRA = re.compile(r"extra\s*==\s*['\"]([A-Za-z0-9._-]+)['\"]")


def site_files() -> dict[str, Path]:
    """Files of agentgym, of its environments, of the suites and of its metadata, by path below site-packages."""
    folders = {_PACKAGE.name: _PACKAGE} | {folder.name: folder for folder in _environment_packages()}
    files = {
        f"{name}/{inner}": path
        for name, folder in folders.items()
        for inner, path in files_below(folder).items()
        if not inner.startswith("_data/")
    }
    tasks = files_below(data_folder("tasks"))
    files |= {f"{_PACKAGE.name}/_data/tasks/{inner}": path for inner, path in tasks.items()}
    return files | _metadata()


def files_below(folder: Path) -> dict[str, Path]:
    """Regular files of a tree by their path in it, without what interpreters cache there."""
    found: dict[str, Path] = {}
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != "__pycache__"]
        for name in names:
            path = Path(parent, name)
            if path.is_file():
                found[path.relative_to(folder).as_posix()] = path
    return found


def requirement_pins(extra: str, without: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """All packages that agentgym and one of its extras need, as "name==version" of what is installed here.

    Markers are not evaluated: what is not installed here is taken for not needed.

    Args:
        extra: The extra.
        without: Packages to leave out, with what only they need.

    Raises:
        ConfigError: agentgym or a package that the extra names is not installed.
    """
    pins: dict[str, str] = {}
    direct = [needed for needed in _needed(_own_requirements(), frozenset({extra})) if needed[0] not in without]
    waiting, seen = list(direct), set(direct)
    while waiting:
        name, extras = waiting.pop()
        try:
            found = distribution(name)
        except PackageNotFoundError:
            continue
        pins[name] = found.version.partition("+")[0]
        needed_there = _needed(found.requires or [], extras)
        further = [needed for needed in needed_there if needed not in seen and needed[0] not in without]
        seen.update(further)
        waiting.extend(further)
    missing = sorted({name for name, _ in direct} - pins.keys())
    if missing:
        raise ConfigError(
            f"an image with agentgym in it needs {', '.join(missing)}, which is not installed here; "
            f"install it with: pip install '{DISTRIBUTION}[{extra}]'"
        )
    return tuple(f"{name}=={pinned}" for name, pinned in sorted(pins.items()))


def _own_requirements() -> list[str]:
    """Requirement lines of agentgym: a checkout's as they stand there, else those of its metadata."""
    checkout = _PACKAGE.parent / "pyproject.toml"
    if checkout.is_file():
        project = tomllib.loads(checkout.read_text(encoding="utf-8"))["project"]
        extras = project["optional-dependencies"].items()
        return [
            *project["dependencies"],
            *(f"{line}; extra == '{extra}'" for extra, lines in extras for line in lines),
        ]
    try:
        return requires(DISTRIBUTION) or []
    except PackageNotFoundError as error:
        raise ConfigError(
            f"{DISTRIBUTION} runs from a folder, but is not installed; run: make install, or: pip install -e ."
        ) from error


def _needed(requirements: list[str], extras: frozenset[str]) -> list[tuple[str, frozenset[str]]]:
    """Names and their extras out of requirement lines, those of other extras left out."""
    needed = []
    for line in requirements:
        text, _, marker = line.partition(";")
        wanted = _EXTRA.findall(marker)
        found = _REQUIREMENT.match(text)
        if found and (not wanted or extras.intersection(wanted)):
            inner = frozenset(part.strip() for part in (found[2] or "").split(",") if part.strip())
            needed.append((_canonical(found[1]), inner))
    return needed


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _environment_packages() -> list[Path]:
    """Import packages of our environments: the checkout's, or those installed with agentgym."""
    checkout = _PACKAGE.parent / "environments"
    if checkout.is_dir():
        return sorted(path.parent for path in checkout.glob("*/__init__.py"))
    recorded = {file.parts[0] for file in distribution(DISTRIBUTION).files or [] if file.parts[0] != _PACKAGE.name}
    folders = (_PACKAGE.parent / name for name in sorted(recorded) if name.startswith(f"{_PACKAGE.name}_"))
    return [folder for folder in folders if (folder / "__init__.py").is_file() and folder.name != "agentgym_rl"]


def _metadata() -> dict[str, Path]:
    """The two files of the metadata that agentgym reads of itself."""
    try:
        found = distribution(DISTRIBUTION)
    except PackageNotFoundError:
        return {}
    folder = f"{DISTRIBUTION}-{found.version}.dist-info"
    files = [file for file in found.files or [] if file.name in ("METADATA", "entry_points.txt")]
    return {f"{folder}/{file.name}": Path(str(file.locate())) for file in files if file.parts[0] == folder}

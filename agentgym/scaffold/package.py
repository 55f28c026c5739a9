"""`write_package`: a package of a third party's with one environment, suite, players and tests, ready to be changed.

It never overwrites, and installs nothing. What a kind has in a form of its own is in the template's folder of its name.
"""

from __future__ import annotations

import importlib.util
import keyword
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from string import Template
from typing import Literal, get_args

from agentgym.errors import ConfigError
from agentgym.registration import specs

_TEMPLATES = Path(__file__).parent / "template"
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
MAX_NAME = 40
"""Longest name, in characters."""
Kind = Literal["tools", "web"]
"""What the environment of a package is: one whose actions are tool calls, or pages in a browser."""

# Where each template goes; {package} and {name} are filled in.
_FILES = {
    "pyproject.toml": "pyproject.toml",
    "Makefile": "Makefile",
    "README.md": "README.md",
    "gitignore": ".gitignore",
    "train.toml": "train.toml",
    "init.py": "{package}/__init__.py",
    "env.py": "{package}/env.py",
    "scripts.py": "{package}/scripts.py",
    "vocabulary.py": "{package}/vocabulary.py",
    "generate.py": "{package}/generate.py",
    "suite.toml": "{package}/tasks/{name}/basic/suite.toml",
    "suite_readme.md": "{package}/tasks/{name}/basic/README.md",
    "test_contract.py": "tests/test_contract.py",
    "test_rules.py": "tests/test_rules.py",
}
_FILES_OF: Mapping[Kind, Mapping[str, str]] = {
    "tools": {},
    "web": {"bookings.py": "{package}/bookings.py", "index.html": "{package}/pages/index.html"},
}
"""By kind what there is besides."""
_EXTRA: Mapping[Kind, str] = {"tools": "", "web": "[web]"}
"""By kind what of agentgym the package needs beyond its core."""


def write_package(name: str, parent: Path, kind: Kind = "tools") -> Path:
    """Write the package `name` into a new folder below `parent`.

    Args:
        name: Lower-case words joined by hyphens, such as "treasure-hunt". It names the folder, the distribution, the
            family and the namespace of the environment's id.
        parent: Where the folder is made.
        kind: What the environment is.

    Returns:
        The new folder.

    Raises:
        ConfigError: There is no such kind, the name cannot be used, the folder exists, or it cannot be written.
    """
    if kind not in get_args(Kind):
        raise ConfigError(f"there is no kind of package {kind!r}; expected one of {', '.join(get_args(Kind))}")
    package = _package_name(name)
    folder = parent / name
    class_name = "".join(part.capitalize() for part in name.split("-"))
    values = {
        "name": name,
        "package": package,
        "class_name": class_name,
        "title": name.replace("-", " ").capitalize(),
        "env_id": f"{name}/{class_name}-v0",
        "suite": f"{name}/basic",
        "extra": _EXTRA[kind],
    }
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        raise ConfigError(f"{folder} exists already, and is not overwritten; choose another name or --dir") from None
    except OSError as error:
        raise ConfigError(f"cannot make the folder {folder}: {error}; choose another --dir") from error
    try:
        for template, target in {**_FILES, **_FILES_OF[kind]}.items():
            path = folder / target.format(package=package, name=name)
            path.parent.mkdir(parents=True, exist_ok=True)
            own = _TEMPLATES / kind / f"{template}.template"
            text = (own if own.exists() else _TEMPLATES / own.name).read_text(encoding="utf-8")
            path.write_text(Template(text).substitute(values), encoding="utf-8")
        _generate_tasks(folder, package)
    except (OSError, subprocess.CalledProcessError) as error:
        shutil.rmtree(folder)
        why = error.stderr if isinstance(error, subprocess.CalledProcessError) else error
        raise ConfigError(f"cannot write the package {folder}: {why}; it was removed again") from error
    return folder


def _package_name(name: str) -> str:
    """The import name; refuses what would not work or would hide another package."""
    if not _NAME.fullmatch(name) or len(name) > MAX_NAME:
        raise ConfigError(
            f"{name!r} cannot name a package; expected lower-case words joined by hyphens, such as 'treasure-hunt', "
            f"at most {MAX_NAME} characters"
        )
    package = name.replace("-", "_")
    if keyword.iskeyword(package) or package.startswith("agentgym") or importlib.util.find_spec(package) is not None:
        raise ConfigError(f"{name!r} would hide the Python name {package!r}, which is taken; choose another name")
    if name in {spec.family for spec in specs()}:
        raise ConfigError(f"the family of environments {name!r} exists already; choose another name")
    return package


def _generate_tasks(folder: Path, package: str) -> None:
    """Run the new package's own generator, in a process of its own."""
    command = [sys.executable, "-m", f"{package}.generate"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)  # noqa: S603 - our own words
    for cache in folder.rglob("__pycache__"):
        shutil.rmtree(cache)

"""Fetches the sdists of packages with pip, checked by hash, and keeps them.

pip asks every sdist for its metadata, for which it would run the package's own build. It is handed builders of ours
instead, which copy the metadata that lies in the sdist: nothing of a package runs here.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from agentgym.errors import AgentGymError
from agentgym.sandbox.once import cache_folder, only_one
from agentgym.wording import counted

MAX_PIP_S = 900
_SHOWN_LINES = 6
# Builders that sdists name in pyproject.toml. One that is missing here makes pip fail, and nothing runs.
_BUILDERS = (
    *("setuptools/build_meta.py", "flit_core/buildapi.py", "flit_scm.py", "hatchling/build.py"),
    *("poetry/core/masonry/api.py", "pdm/backend/__init__.py", "uv_build/__init__.py"),
)
_BUILDER = """
import os, re

def prepare_metadata_for_build_wheel(folder, config_settings=None):
    with open("PKG-INFO", encoding="utf-8", errors="replace") as file:
        text = file.read()
    text = "".join(line for line in text.splitlines(True) if not re.match("(Dynamic|License-File):", line))
    name = re.search("^Name: *(.+?) *$", text, re.M)[1]
    version = re.search("^Version: *(.+?) *$", text, re.M)[1]
    inner = re.sub("[-_.]+", "_", name) + "-" + version + ".dist-info"
    os.mkdir(os.path.join(folder, inner))
    with open(os.path.join(folder, inner, "METADATA"), "w", encoding="utf-8") as file:
        file.write(text)
    return inner

def build_wheel(*args, **options):
    raise SystemExit("nothing is built here")

build_sdist = build_wheel
__legacy__ = type("Legacy", (), {"prepare_metadata_for_build_wheel": staticmethod(prepare_metadata_for_build_wheel)})()
"""
_CONNECTION = re.compile(
    r"Max retries|NewConnectionError|ConnectTimeout|Read timed out|Name or service|No matching dist"
)
_WRONG_HASH = re.compile(
    r"(?:(?P<name>[\w.-]+==\S+)[^\n]*\n\s*)?Expected sha256 (?P<expected>\w+)\s+Got\s+(?P<found>\w+)"
)

Report = Callable[[str], None]


@dataclass(frozen=True)
class Pin:
    """One sdist.

    Attributes:
        name: Of its package.
        version: Its version.
        sha256: Its hash, in hex.
    """

    name: str
    version: str
    sha256: str


class FetchError(AgentGymError, OSError):
    """An sdist that could not be fetched, or is not the pinned one."""


class UnreachedError(FetchError):
    """An sdist that the package index does not give: it is not reached, or lacks the file."""


def fetch_sdists(pins: Sequence[Pin], report: Report = lambda line: None) -> dict[str, Path]:
    """The sdists of packages, from the cache or by pip.

    Args:
        pins: The sdists that are wanted.
        report: Told of what takes long.

    Returns:
        By SHA-256 the archive of each.

    Raises:
        UnreachedError: The index is not reached, or lacks one.
        FetchError: One cannot be fetched or has another hash; nothing of what this call fetched stays.
    """
    folder = cache_folder() / "swe" / "sdists"
    folder.mkdir(parents=True, exist_ok=True)
    found = {pin.sha256: folder / f"{pin.name}-{pin.version}-{pin.sha256[:16]}.tar.gz" for pin in pins}
    with only_one(str(folder), lambda: report("waiting for another process that fetches packages")):
        missing = {pin.sha256: pin for pin in pins if not _is_whole(found[pin.sha256], pin.sha256)}
        rounds: list[dict[str, Pin]] = []  # pip takes one version of a package at a time
        for pin in missing.values():
            place = next((each for each in rounds if pin.name not in each), None)
            if place is None:
                rounds.append(place := {})
            place[pin.name] = pin
        for wanted in rounds:
            report(f"fetching {counted(len(wanted), 'package')}: {', '.join(wanted)}")
            _fetch(list(wanted.values()), found)
    return found


def _fetch(pins: Sequence[Pin], targets: dict[str, Path]) -> None:
    with tempfile.TemporaryDirectory(prefix="agentgym-swe-") as made:
        folder = Path(made)
        for builder in _BUILDERS:
            path = folder / "builders" / builder
            path.parent.mkdir(parents=True, exist_ok=True)
            for package in [path.parent, *path.parent.parents]:
                if package.is_relative_to(folder / "builders" / builder.split("/")[0]):
                    (package / "__init__.py").touch()
            path.write_text(_BUILDER, encoding="utf-8")
        requirements = folder / "requirements.txt"
        requirements.write_text("".join(f"{each.name}=={each.version} --hash=sha256:{each.sha256}\n" for each in pins))
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-input"]
        command += ["--no-deps", "--no-binary=:all:", "--no-build-isolation", "--use-pep517", "--require-hashes"]
        command += ["--requirement", str(requirements), "--dest", str(folder / "got")]
        what = ", ".join(f"{each.name} {each.version}" for each in pins)
        ended = _run(command, {**os.environ, "PYTHONPATH": str(folder / "builders")}, what)
        got = {_sha256(path): path for path in (folder / "got").glob("*")} if ended.returncode == 0 else {}
        if got.keys() != {each.sha256 for each in pins}:
            raise _why(what, ended.stdout + ended.stderr)
        for sha256, path in got.items():
            unfinished = targets[sha256].with_suffix(".new")
            shutil.copyfile(path, unfinished)
            unfinished.rename(targets[sha256])


def _is_whole(path: Path, sha256: str) -> bool:
    """Whether an archive is there as it should be; a damaged one is removed."""
    if not path.is_file():
        return False
    if _sha256(path) != sha256:
        path.unlink()
        return False
    return True


def _run(command: Sequence[str], environment: dict[str, str], what: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(  # noqa: S603 - this interpreter
            command, capture_output=True, text=True, timeout=MAX_PIP_S, check=False, env=environment
        )
    except subprocess.TimeoutExpired as error:
        raise UnreachedError(f"pip did not fetch {what} within {MAX_PIP_S} s; is the package index reached?") from error


def _why(what: str, output: str) -> FetchError:
    wrong = _WRONG_HASH.search(output)
    if wrong:
        name = wrong["name"] or what
        return FetchError(
            f"the sdist of {name} has the SHA-256 {wrong['found']}, but {wrong['expected']} is pinned: "
            "the file at the package index is not the one that the tasks were made from, and nothing of it is kept"
        )
    last = "\n".join(f"    {line}" for line in output.strip().splitlines()[-_SHOWN_LINES:])
    if _CONNECTION.search(output):
        return UnreachedError(
            f"pip found no sdist of {what}; is there a network, or a mirror in pip's settings? What was prepared "
            f"before can be used without one. Its last lines:\n{last}"
        )
    return FetchError(f"pip could not fetch the sdist of {what}; its last lines:\n{last}")


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()

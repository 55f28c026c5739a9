"""Lays the tree of a layer out from an sdist: named sources, tests and what they read, and nothing else.

Byte code, build folders, metadata and settings of tools stay behind. Nothing of the package runs.
"""

from __future__ import annotations

import re
import tarfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from agentgym.errors import ConfigError
from agentgym_swe.repositories.catalogue import Package
from agentgym_swe.repositories.layer import is_below

MAX_SDIST_BYTES, MAX_FILES = 64 << 20, 5000
_TEXTS = re.compile(r"(LICEN[CS]E|COPYING|NOTICE|README)[^/]*", re.IGNORECASE)
_NEVER = re.compile(r"(^|/)(__pycache__|\.git|\.hg|\.tox|[^/]*\.egg-info)(/|$)|\.(py[cod]|so|orig|rej|pyd)$")


class SdistError(ConfigError):
    """An sdist that is not what the package's entry says: no sources, no tests, or a hostile archive."""


def unpack(package: Package, sdist: Path, target: Path) -> None:
    """Write the tree of a package.

    Args:
        package: What is taken.
        sdist: The archive.
        target: A folder that does not exist yet.

    Raises:
        SdistError: The archive cannot be read, or lacks what the entry names.
    """
    files = read_sdist(sdist, f"{package.name} {package.version}")
    wanted = (*package.sources, *package.tests, *package.extra)
    kept = {
        name: content
        for name, content in files.items()
        if not _NEVER.search(name) and (is_below(name, wanted) or _TEXTS.fullmatch(name))
    }
    for kind, places in (("sources", package.sources), ("tests", package.tests), ("extra files", package.extra)):
        absent = [place for place in places if not any(is_below(name, (place,)) for name in kept)]
        if absent:
            raise SdistError(
                f"the sdist of {package.name} {package.version} has no {kind} at {', '.join(absent)}; its top holds "
                f"{', '.join(sorted({name.split('/')[0] for name in files})[:20])}. A package without tests in its "
                "sdist cannot be used"
            )
    if package.needs_metadata:
        record = f"{re.sub('[-_.]+', '_', package.name)}-{package.version}.dist-info/METADATA"
        facts = f"Metadata-Version: 2.1\nName: {package.name}\nVersion: {package.version}\n"
        kept[f"{package.path[0]}/{record}".removeprefix("./")] = facts.encode()
    for name, content in kept.items():
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def read_sdist(sdist: Path, what: str) -> Mapping[str, bytes]:
    """Contents of the regular files of an sdist by path below its top folder; links to such files are followed.

    Raises:
        SdistError: It is no archive, or holds what no sdist should.
    """
    files: dict[str, bytes] = {}
    links: dict[str, str] = {}
    total = 0
    try:
        with tarfile.open(sdist) as archive:
            for member in archive:
                name = _inner(member.name)
                total += member.size
                if total > MAX_SDIST_BYTES or len(files) > MAX_FILES:
                    raise SdistError(f"the sdist of {what} is larger than {MAX_SDIST_BYTES >> 20} MiB unpacked")
                if member.isfile() and name:
                    stream = archive.extractfile(member)
                    assert stream is not None
                    files[name] = stream.read()
                elif member.issym() and name:
                    links[name] = _joined(PurePosixPath(name).parent, member.linkname)
    except (tarfile.TarError, OSError, EOFError) as error:
        raise SdistError(f"the sdist of {what} cannot be unpacked: {error}") from error
    files |= {name: files[to] for name, to in links.items() if to in files}
    return files


def _inner(name: str) -> str:
    """A member's path below the top folder; "" for the top folder and for whatever leaves it."""
    parts = PurePosixPath(name).parts
    if ".." in parts or name.startswith("/"):
        return ""
    return "/".join(parts[1:])


def _joined(folder: PurePosixPath, link: str) -> str:
    parts: list[str] = []
    for part in (folder / link).parts:
        if part == "..":
            del parts[-1:]
        else:
            parts.append(part)
    return "/".join(parts)

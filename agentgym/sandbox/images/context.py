"""What is sent to an engine to build an image: its folder and what it copies, packed into the same bytes every time."""

from __future__ import annotations

import hashlib
import io
import os
import platform
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import IO

from agentgym.errors import SandboxStartError
from agentgym.sandbox.images.installed_site import files_below
from agentgym.sandbox.images.named import PACKAGES_FOLDER, ImageCatalogue
from agentgym.sandbox.once import cache_folder, only_one

IMAGE_PYTHON = "3.11"
"""Python of Debian bookworm, which the images have."""
_MANYLINUX = ("manylinux_2_28", "manylinux_2_27", "manylinux_2_24", "manylinux_2_17", "manylinux2014")
_MAX_PIP_S = 600


def write_context(
    images: ImageCatalogue, name: str, target: IO[bytes], report: Callable[[str], None] = lambda line: None
) -> None:
    """Write an image's build context as a tar file; the same content gives the same bytes.

    Args:
        images: Where the image is described.
        name: Its short name.
        target: Written to from its present position.
        report: Told of what takes long.

    Raises:
        SandboxStartError: A Python package that it holds could not be fetched.
    """
    source = images.source(name)
    files: dict[str, Path] = dict(source.files)
    if source.pins:
        files |= _package_files(fetch_packages(source.pins, report))
    with tarfile.open(fileobj=target, mode="w") as archive:
        for member, path in sorted(files.items()):
            content = images.dockerfile(name).encode() if member == "Dockerfile" else path.read_bytes()
            entry = tarfile.TarInfo(member)
            entry.mode = 0o755 if os.access(path, os.X_OK) else 0o644
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))


def _package_files(folder: Path) -> dict[str, Path]:
    """Unpacked packages, without their tests: a third of the size."""
    found = files_below(folder).items()
    return {f"{PACKAGES_FOLDER}/{inner}": path for inner, path in found if "tests" not in Path(inner).parts}


def fetch_packages(pins: tuple[str, ...], report: Callable[[str], None] = lambda line: None) -> Path:
    """A folder with those Python packages as the images' interpreter takes them; fetched once.

    Args:
        pins: Each as "name==version".
        report: Told of what takes long.

    Raises:
        SandboxStartError: pip could not fetch them.
    """
    digest = hashlib.sha256("\n".join((IMAGE_PYTHON, platform.machine(), *pins)).encode()).hexdigest()[:16]
    folder = cache_folder() / f"packages-{digest}"
    with only_one(str(folder)):
        if folder.is_dir():
            return folder
        report(f"fetching {len(pins)} Python packages")
        unfinished = folder.with_suffix(".new")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir()
        _install(pins, unfinished)
        unfinished.rename(folder)
    return folder


def _install(pins: tuple[str, ...], target: Path) -> None:
    """Unpack packages into a folder with this interpreter's pip, which knows where this machine gets packages from."""
    platforms = [part for name in _MANYLINUX for part in ("--platform", f"{name}_{platform.machine()}")]
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]
    command += ["--no-deps", "--no-compile", "--only-binary=:all:", "--python-version", IMAGE_PYTHON]
    command += ["--implementation", "cp", *platforms, "--target", str(target), *pins]
    try:
        ended = subprocess.run(  # noqa: S603 - this interpreter
            command, capture_output=True, text=True, timeout=_MAX_PIP_S, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise SandboxStartError(f"pip did not fetch the packages of an image within {_MAX_PIP_S} s") from error
    if ended.returncode != 0:
        last = "\n".join((ended.stdout + ended.stderr).splitlines()[-8:])
        raise SandboxStartError(f"pip could not fetch the Python packages of an image; its last lines:\n{last}")

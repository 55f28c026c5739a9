"""A small Debian root folder made from Debian's packages, for machines that reach no image registry.

It is laid out as the slim images of registries are; `build` imports it into an engine.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
from pathlib import Path

from agentgym.errors import SandboxStartError

SUITE_OF = {"debian:bookworm-slim": "bookworm"}
"""Image names that can be made here, with the Debian release of each."""
MAX_SECONDS = 900

_UNNEEDED: tuple[str, ...] = ("usr/share/doc", "usr/share/man", "usr/share/info", "usr/share/locale")
_UNNEEDED += (
    "usr/share/lintian",
    "usr/share/groff",
    "usr/share/linda",
    "var/lib/apt/lists",
    "var/cache/apt",
    "var/cache/debconf",
    "var/log",
)
# dpkg reads this, so that packages installed later bring no documentation either; licences stay.
_EXCLUDES = """\
path-exclude /usr/share/doc/*
path-include /usr/share/doc/*/copyright
path-exclude /usr/share/man/*
path-exclude /usr/share/info/*
path-exclude /usr/share/locale/*
path-exclude /usr/share/lintian/*
"""


def missing_for_debootstrap() -> str | None:
    """What keeps this process from making a root folder, with the next move; None where nothing does."""
    if os.geteuid() != 0:
        return "that takes root; run the command as root once"
    for program, package in (("debootstrap", "debootstrap"), ("unshare", "util-linux"), ("setpriv", "util-linux")):
        if _which(program) is None:
            return f"the program {program} is missing; sudo apt-get install {package}"
    return None


def make_root_tar(suite: str, folder: Path) -> Path:
    """Make a minimal root folder of a Debian release and pack it.

    Its mounts live in a namespace of their own, and it ends with this process, so that nothing is left mounted.

    Args:
        suite: The release, such as "bookworm".
        folder: An empty folder on a disk that allows programs and device nodes; about 500 MB are used.

    Returns:
        The tar file in that folder.

    Raises:
        SandboxStartError: debootstrap failed; holds the end of its output.
    """
    root, packed = folder / "root", folder / "root.tar"
    command = ["setpriv", "--pdeathsig", "KILL", "unshare", "--mount", "--pid", "--fork", "--kill-child"]
    command += ["--mount-proc", "debootstrap", "--variant=minbase", suite, str(root)]
    path = f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"
    try:
        ended = subprocess.run(  # noqa: S603 - a fixed program
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, "PATH": path, "LC_ALL": "C"},
            timeout=MAX_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise SandboxStartError(f"debootstrap did not end within {MAX_SECONDS} s; try again") from error
    if ended.returncode != 0:
        last = "\n".join(ended.stdout.decode(errors="replace").splitlines()[-8:])
        raise SandboxStartError(
            f"debootstrap {suite} failed with exit code {ended.returncode}; its last lines:\n{last}"
        )
    _trim(root)
    _pack(root, packed)
    shutil.rmtree(root)
    return packed


def _trim(root: Path) -> None:
    for name in _UNNEEDED:
        for child in (root / name).glob("*"):
            _drop(child)
    configuration = root / "etc/dpkg/dpkg.cfg.d"
    configuration.mkdir(parents=True, exist_ok=True)
    (configuration / "docker").write_text(_EXCLUDES)
    clean = root / "etc/apt/apt.conf.d/docker-clean"
    clean.write_text('APT::Keep-Downloaded-Packages "false";\nDir::Cache::pkgcache "";\nDir::Cache::srcpkgcache "";\n')
    # Packages must not start services where nothing runs them.
    policy = root / "usr/sbin/policy-rc.d"
    policy.write_text("#!/bin/sh\nexit 101\n")
    policy.chmod(0o755)
    for name in ("etc/hostname", "etc/resolv.conf"):
        (root / name).unlink(missing_ok=True)


def _drop(path: Path) -> None:
    """Remove a file, or a folder but for its licences."""
    if path.is_symlink() or not path.is_dir():
        if path.name != "copyright":
            path.unlink()
        return
    for child in path.iterdir():
        _drop(child)
    if not any(path.iterdir()):
        path.rmdir()


def _pack(root: Path, packed: Path) -> None:
    """Write a root folder as a tar file, without what engines mount over it."""

    def keep(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
        return None if member.name.startswith(("./dev/", "./proc/", "./sys/")) else member

    with tarfile.open(packed, "w", format=tarfile.PAX_FORMAT) as archive:
        archive.add(root, ".", filter=keep)


def _which(program: str) -> str | None:
    return shutil.which(program, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")

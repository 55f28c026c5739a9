"""The runner as a program on this host, compiled once from the sources that the images are built from.

Images of ours bring their own; this one serves foreign images, bubblewrap and bare processes.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
from functools import cache
from pathlib import Path

from agentgym.data_folder import data_folder
from agentgym.errors import SandboxStartError
from agentgym.sandbox.once import cache_folder, only_one

COMPILE_FLAGS = ("-std=c11", "-O2", "-static", "-s", "-Wall", "-Wextra")
_COMPILE_TIMEOUT_S = 120.0


def runner_sources() -> list[Path]:
    """The runner's C files."""
    return sorted((data_folder("containers") / "base" / "runner").glob("*.[ch]"))


@cache
def runner_binary() -> Path:
    """The compiled runner: made on the first call, kept in the cache folder under the hash of its sources.

    Raises:
        SandboxStartError: There is no C compiler, or it failed.
    """
    sources = runner_sources()
    digest = hashlib.sha256(" ".join((platform.machine(), *COMPILE_FLAGS)).encode())
    for source in sources:
        digest.update(source.name.encode() + b"\0" + source.read_bytes())
    folder = cache_folder() / "runner"
    folder.mkdir(exist_ok=True)
    binary = folder / f"agentgym-runner-{digest.hexdigest()[:16]}"
    with only_one(f"runner {binary}"):
        if not binary.exists():
            _compile([source for source in sources if source.suffix == ".c"], binary)
    return binary


def _compile(sources: list[Path], binary: Path) -> None:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        raise SandboxStartError(
            "the sandbox runner has to be compiled once and there is no C compiler: "
            "install one with 'apt-get install gcc libc6-dev'"
        )
    unfinished = binary.with_suffix(f".{os.urandom(4).hex()}")
    argv = [compiler, *COMPILE_FLAGS, "-o", str(unfinished), *map(str, sources)]
    try:
        made = subprocess.run(  # noqa: S603 - the compiler, on our own sources
            argv, capture_output=True, text=True, timeout=_COMPILE_TIMEOUT_S, check=False
        )
        if made.returncode != 0:
            lines = "\n".join(made.stderr.strip().splitlines()[-8:])
            raise SandboxStartError(
                f"{compiler} could not compile the sandbox runner (a static C library is needed: "
                f"'apt-get install gcc libc6-dev'):\n{lines}"
            )
        unfinished.chmod(0o755)
        unfinished.rename(binary)
    finally:
        unfinished.unlink(missing_ok=True)

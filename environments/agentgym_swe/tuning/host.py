"""Where the servers come from: the image agentgym/tuning, or the host's own packages where a provider has no images."""

from __future__ import annotations

import dataclasses
import hashlib
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from agentgym.data_folder import data_folder
from agentgym.errors import SandboxStartError
from agentgym.sandbox.base import SandboxProvider
from agentgym.sandbox.leasing.owner import state_folder
from agentgym.sandbox.once import only_one
from agentgym.sandbox.spec import Mount, SandboxSpec
from agentgym_swe.tuning.measuring import SPEC
from agentgym_swe.tuning.servers.option import Server

HOST_PATH = "/usr/lib/postgresql/15/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
NEEDED: Mapping[Server, Mapping[str, str]] = {
    "redis": {"redis-server": "redis-server", "redis-benchmark": "redis-tools"},
    "nginx": {"nginx": "nginx-light", "ab": "apache2-utils"},
    "postgres": {"postgres": "postgresql-15", "pgbench": "postgresql-15"},
}
"""Programs of the host that stand in for the image, each with its Debian package."""
_AT = "/agentgym/tuning"


def sandbox_spec(provider: SandboxProvider, server: Server) -> SandboxSpec:
    """The specification of a server's sandbox as a provider runs it.

    Raises:
        SandboxStartError: It has no images, and the host lacks it.
    """
    return SPEC if provider.capabilities().images else host_spec(server)


def host_spec(server: Server) -> SandboxSpec:
    """The host's server, with the watching library mounted; without limits that need control groups.

    Raises:
        SandboxStartError: The host lacks it.
    """
    needed = {**NEEDED[server], "cc": "gcc"}
    missing = sorted({package for name, package in needed.items() if shutil.which(name, path=HOST_PATH) is None})
    if missing:
        raise SandboxStartError(
            f"without images the servers of this host are tuned, and it lacks {', '.join(missing)}; install them, or "
            "use sandbox='docker'"
        )
    place = _prepared()
    env = {
        **SPEC.env, "PATH": HOST_PATH, "TUNING_WATCH": f"{_AT}/watch.so", "TUNING_POSTGRES": "/tmp/tuning/postgres",  # noqa: S108 - inside the sandbox
        "TUNING_PREPARE": f"{_AT}/prepare.sh",
    }  # fmt: skip
    limits = dataclasses.replace(SPEC.limits, cpus=None, memory_mib=None, pids=None)
    return dataclasses.replace(SPEC, image="agentgym/base", env=env, limits=limits, mounts=(Mount(str(place), _AT),))


def _prepared() -> Path:
    """A folder with the watching library, compiled here, and the script that makes PostgreSQL's first data."""
    source = data_folder("containers") / "tuning"
    content = (source / "watch.c").read_bytes() + (source / "prepare.sh").read_bytes()
    place = state_folder() / f"tuning-{_digest(content)}"
    with only_one(str(place)):
        if not place.is_dir():
            unfinished = place.with_suffix(".new")
            shutil.rmtree(unfinished, ignore_errors=True)
            unfinished.mkdir(parents=True)
            library = unfinished / "watch.so"
            command = ["cc", "-std=gnu11", "-O2", "-fPIC", "-shared", "-s", "-o", str(library), str(source / "watch.c")]
            ended = subprocess.run([*command, "-ldl"], capture_output=True, text=True, check=False)  # noqa: S603
            if ended.returncode:
                raise SandboxStartError(f"the watching library could not be compiled: {ended.stderr[-800:]}")
            shutil.copyfile(source / "prepare.sh", unfinished / "prepare.sh")
            for path in (unfinished, *unfinished.iterdir()):
                os.chmod(path, 0o755)  # noqa: S103 - others read it
            unfinished.rename(place)
    return place


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]

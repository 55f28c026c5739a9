"""Measuring a configuration in a sandbox: the programs of `inside` are laid out there and asked.

What counters mean is said in `scoring`; recorded measurements are in `surface`.
"""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

from agentgym.errors import SandboxError
from agentgym.sandbox.base import Sandbox
from agentgym.sandbox.spec import Limits, SandboxSpec
from agentgym_swe.tuning.servers.catalogue import OPTIONS
from agentgym_swe.tuning.servers.load import Load
from agentgym_swe.tuning.servers.option import Config, rendered

PROGRAMS = "/tmp/tuning/programs"  # noqa: S108 - inside the sandbox
_FILES = ("main", "server", "redis_server", "nginx_server", "postgres_server", "crash")
_ASKED_S = 300.0
"""Wall time for each measurement, far beyond what one takes."""
SPEC = SandboxSpec(
    image="agentgym/tuning",
    env={"LC_ALL": "C.UTF-8", "TZ": "UTC", "PYTHONDONTWRITEBYTECODE": "1"},
    limits=Limits(cpus=2.0, memory_mib=1024, pids=128, work_mib=16, tmp_mib=384, exec_s=600.0, output_bytes=1 << 20),
)
"""What servers and their loads run in; their files are in memory."""


def put_programs(sandbox: Sandbox) -> None:
    """Lay the programs out.

    Raises:
        SandboxError: There is no room for them.
    """
    packed, folder = io.BytesIO(), resources.files("agentgym_swe.tuning.inside")
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name in _FILES:
            content = folder.joinpath(f"{name}.py").read_bytes()
            entry = tarfile.TarInfo(f"agentgym_swe/tuning/inside/{name}.py")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    script = f"mkdir -p {PROGRAMS} && tar -x --no-same-owner -C {PROGRAMS}"
    ended = sandbox.exec(["sh", "-c", script], stdin=packed.getvalue())
    if not ended.is_ok:
        raise SandboxError(f"programs could not be laid out in a sandbox: {ended.text()[-500:]}")


def request(load: Load, config: Config, seed: int, do: str, level: str = "") -> dict[str, Any]:
    """One thing to be done with a configuration.

    Args:
        load: The load.
        config: All options.
        seed: Of what the load draws.
        do: measure, crash or probe.
        level: For crash: process or power.
    """
    options = rendered(OPTIONS[load.server], config)
    return {"do": do, "server": load.server, "options": options, "work": load.work(seed), "level": level}


def ask(sandbox: Sandbox, requests: Sequence[Mapping[str, Any]], *, nice: int = 0) -> list[dict[str, Any]]:
    """The answers, in order: each has counters, what was lost or found, or why the server failed.

    Args:
        sandbox: With the programs.
        requests: What is asked.
        nice: How much everything gives way to other work of the machine.

    Raises:
        SandboxError: The programs gave no answer.
    """
    ended = sandbox.exec(
        ["nice", "-n", str(nice), "python3", "-B", "-m", "agentgym_swe.tuning.inside.main"],
        stdin=json.dumps(list(requests)).encode(),
        env={"PYTHONPATH": PROGRAMS},
        timeout_s=_ASKED_S * len(requests),
    )
    if ended.timed_out:
        return [{"failed": f"no answer within {_ASKED_S:g} s", "is_slow": True} for _ in requests]
    try:
        answers = json.loads(ended.stdout.decode("utf-8").splitlines()[-1])
    except (ValueError, IndexError):
        raise SandboxError(
            f"a measurement ended with {ended.exit_code} without an answer: {ended.text()[-1500:]}"
        ) from None
    assert isinstance(answers, list)
    return answers

"""Training in processes of its own: alone, as two ranks, or as two ranks that torchrun starts."""

from __future__ import annotations

import os
import random
import socket
import subprocess
from contextlib import suppress
from pathlib import Path

from tests.warm.python import WarmPython

ROOT = Path(__file__).resolve().parents[3]
TORCHRUN = ("torch.distributed.run", "--standalone", "--nproc-per-node", "2", "--no-python")


def _environment(**variables: str) -> dict[str, str]:
    paths = os.pathsep.join(str(ROOT / name) for name in (".", "trainers", "environments"))
    return {**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1", **variables}


def in_a_process(warm: WarmPython, module: str, *arguments: str) -> None:
    """Run a module to its end."""
    ran = warm.run(["-m", module, *arguments], cwd=ROOT, env=_environment())
    assert ran.returncode == 0, ran.stderr[-4000:]


def in_two_ranks(warm: WarmPython, folder: Path, module: str, *arguments: str) -> None:
    """Run a module to its end in two processes, with the variables that torchrun sets; errors go to a folder."""
    port = str(_free_port())
    shared = {"WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
    started = []
    for rank in "01":
        with (folder / f"rank{rank}.log").open("w") as log:
            environment = _environment(RANK=rank, LOCAL_RANK=rank, **shared)
            output = log.fileno()
            command = ["-m", module, *arguments]
            started.append(warm.popen(command, cwd=ROOT, env=environment, stdout=output, stderr=output))
    codes: list[int | str] = []
    for each in started:
        try:
            codes.append(each.wait())
        except TimeoutError as error:
            codes.append(str(error))
        if codes[-1] != 0:
            for other in started:
                other.kill()
    assert codes == [0, 0], "\n".join((folder / f"rank{rank}.log").read_text()[-4000:] for rank in "01")


def _free_port() -> int:
    """A port that no connection is given by itself: other tests take those between the choice and its use."""
    first_given = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    for port in random.sample(range(first_given - 10_000, first_given), 100):
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise OSError("no free port")


def under_torchrun(warm: WarmPython, folder: Path, module: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a module to its end in the two processes of torchrun; a folder takes the program that it starts."""
    program = folder / "rank"
    warm.write_program(program, "-m", module)
    return warm.run(["-m", *TORCHRUN, str(program), *arguments], cwd=ROOT, env=_environment())

"""Steps over the network beside OpenEnv's server and client, of the same environment in the same run.

- One client: step p50 and p95 of `RemoteEnv` over a unix socket and over loopback TCP, of the environment in a
  container (`runtime="docker"`) where an engine answers, of OpenEnv's asynchronous client on its server both ways
  (synchronous `step`, and overriding `step_async`), and of the environment in process.
- Many: 100, 1,000 and 2,000 WebSockets, each stepping flat out, from one load generator for all servers in a process
  apart (`benchmarks.remote.load`), over a unix socket; steps a second and the steps' p50 and p99. A peer that answers
  nothing is reported as that.
- Memory: resident growth of a fresh server with 1,000 sessions that play, a session.

The servers (`benchmarks.remote.sides`) are fresh in each round, and rounds are interleaved. None compresses messages;
all run under uvicorn with uvloop, as they come.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from typing import Any, TypeVar

import agentgym
from agentgym.env import AgentEnv
from agentgym.remote import RemoteEnv
from agentgym.sandbox.engines.engine import EngineInfo, probe_engine
from benchmarks.measure import Spread, interleaved, ratios
from benchmarks.remote.sides import OPTIONS, SIDES, make_env
from benchmarks.report import Goal, Report, main, progress

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from openenv import GenericEnvClient  # type: ignore[import-untyped]

PACKAGES = (
    "agentgymnasium",
    "openenv",
    "uvicorn",
    "uvloop",
    "starlette",
    "fastapi",
    "websockets",
    "orjson",
    "pydantic",
)
SESSIONS = (1000, 100, 2000)
"""The first on a fresh server, whose memory is taken."""
CONTAINED = "container ours"
_GUESSES = ("50", "25", "75", "12", "37", "62", "87")
_START_S = 60.0
Figures = dict[str, float]
Found = TypeVar("Found")


@contextmanager
def served(side: str, where: str) -> Iterator[int]:
    """A server of a side in a process of its own; gives its process id."""
    command = [sys.executable, "-m", "benchmarks.remote.sides", side, where]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout is not None
        if process.stdout.readline() != "ready\n":
            raise RuntimeError(f"the server {side} did not start")
        _wait_for(where)
        yield process.pid
    finally:
        process.terminate()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()


def step_times(env: AgentEnv, num_steps: int) -> list[float]:
    """Seconds of each step of an environment."""
    taken = []
    turn = len(_GUESSES)
    for number in range(num_steps):
        if turn >= len(_GUESSES):
            env.reset(seed=number)
            turn = 0
        began = time.perf_counter()
        _, _, terminated, truncated, _ = env.step(_GUESSES[turn])
        taken.append(time.perf_counter() - began)
        turn = len(_GUESSES) if terminated or truncated else turn + 1
    return sorted(taken)


async def openenv_step_times(url: str, num_steps: int) -> list[float]:
    """The same by OpenEnv's client."""
    taken = []
    async with GenericEnvClient(base_url=url) as client:
        turn = len(_GUESSES)
        for number in range(num_steps):
            if turn >= len(_GUESSES):
                await client.reset(seed=number)
                turn = 0
            began = time.perf_counter()
            result = await client.step({"message": _GUESSES[turn]})
            taken.append(time.perf_counter() - began)
            turn = len(_GUESSES) if result.done else turn + 1
    return sorted(taken)


def one_client(side: str, num_steps: int) -> Figures:
    """Step times of one client, in milliseconds."""
    if side == "local":
        return _quantiles(step_times(make_env(), num_steps))
    if side == CONTAINED:
        with closing(agentgym.make("agentgym/GuessNumber-v0", runtime="docker", **OPTIONS)) as contained:
            step_times(contained, num_steps // 4)
            return _quantiles(step_times(contained, num_steps))
    transport, _, server = side.partition(" ")
    with tempfile.TemporaryDirectory() as folder:
        where = f"{folder}/socket" if transport == "unix" else str(_free_port())
        with served(server, where):
            if server != "ours":
                url = f"http://127.0.0.1:{where}"
                asyncio.run(openenv_step_times(url, num_steps // 4))
                return _quantiles(asyncio.run(openenv_step_times(url, num_steps)))
            env = RemoteEnv(f"unix:{where}" if transport == "unix" else f"http://127.0.0.1:{where}")
            step_times(env, num_steps // 4)
            taken = step_times(env, num_steps)
            env.close()
            return _quantiles(taken)


def many_clients(side: str, seconds: float) -> tuple[Figures, dict[str, str]]:
    """Throughput, latency and memory of one server under load, as "figure at sessions", and its faults at sessions.

    Raises:
        RuntimeError: The load generator failed.
    """
    faults: dict[str, str] = {}
    found: Figures = {}
    with tempfile.TemporaryDirectory() as folder, served(side, f"{folder}/socket") as pid:
        for number, sessions in enumerate(SESSIONS):
            command = [sys.executable, "-m", "benchmarks.remote.load", f"{folder}/socket", str(sessions), str(seconds)]
            ended = subprocess.run(
                [*command, *([str(pid)] if number == 0 else [])], capture_output=True, text=True, check=False
            )
            if ended.returncode:
                raise RuntimeError(f"the load of {sessions} sessions on {side} failed: {ended.stderr[-2000:]}")
            loaded = json.loads(ended.stdout)
            if fault := loaded.pop("fault"):
                progress(f"{side} at {sessions} sessions: {fault}")
                faults[f"at {sessions}"] = fault
            found |= {f"{name} at {sessions}": value for name, value in loaded.items()}
    return found, faults


def measure(is_quick: bool) -> Report:
    """All sides, one client and many."""
    repeats, num_steps, seconds = (1, 2000, 1.0) if is_quick else (5, 4000, 3.0)
    report = Report(setting={"environment": "guess-number among 1 to 99", "sessions": sorted(SESSIONS)})
    progress("one client")
    alone: tuple[str, ...] = ("local", "unix ours", "tcp ours", "tcp openenv-async", "tcp openenv")
    if isinstance(probe_engine(), EngineInfo):
        alone = (*alone, CONTAINED)
    else:
        progress("no container engine answers: without a container")
    single = interleaved(_sides(alone, lambda side: one_client(side, num_steps)), repeats)
    progress("many clients")
    loaded = interleaved(_sides(SIDES, lambda side: many_clients(side, seconds)), repeats)
    many = {side: [figures for figures, _ in rounds] for side, rounds in loaded.items()}
    faults = {side: [found for _, found in rounds if found] for side, rounds in loaded.items()}
    if faults["ours"]:
        raise RuntimeError(f"our server failed under load: {faults['ours']}")
    report.figures = {"one client": _spreads(single), "many clients": _spreads(many)}
    report.figures["rounds with faults"] = {side: found for side, found in faults.items() if found}
    report.goals = [*_single_goals(single), *many_goals(many, faults, seconds)]
    return report


def _single_goals(single: Mapping[str, list[Figures]]) -> list[Goal]:
    goals = []
    for side in [side for side in ("unix ours", "tcp ours", CONTAINED) if side in single]:
        over = [remote["p50_ms"] - here["p50_ms"] for remote, here in zip(single[side], single["local"], strict=True)]
        goals.append(Goal(f"{side}: step p50 over the local step, ms", Spread.of(over).median, 0.4, "at most"))
    for peer in ("openenv-async", "openenv"):
        ratio = _ratio(single, "tcp ours", f"tcp {peer}", "p50_ms")
        goals.append(Goal(f"step p50 over TCP / {peer}", ratio, 1.0, "at most"))
    return goals


def many_goals(
    many: Mapping[str, list[Figures]], faults: Mapping[str, list[dict[str, str]]], seconds: float
) -> list[Goal]:
    """What is promised under load.

    Where a peer answered nothing, its rate counts as one step in the time that was measured and its latency as that
    time: the ratio is then a bound, on the peer's side, and the goal's note says so.

    Args:
        many: Figures of each side, by round.
        faults: What went wrong in the rounds that had a fault, by number of sessions.
        seconds: How long was measured.
    """

    def note(peer: str, sessions: int) -> str:
        found = [each[f"at {sessions}"] for each in faults[peer] if f"at {sessions}" in each]
        return f"{peer} failed in {len(found)} of {len(many[peer])} rounds ({found[0]})" if found else ""

    goals = []
    for peer, factor in (("openenv-async", 1.5), ("openenv", 4.0)):
        for sessions in (100, 1000):
            ratio = _ratio(many, "ours", peer, f"steps_per_s at {sessions}", at_least=1 / seconds)
            name = f"steps/s at {sessions} sessions / {peer}"
            goals.append(Goal(name, ratio, factor, "at least", note(peer, sessions)))
        memory = _ratio(many, "ours", peer, f"kb_per_session at {SESSIONS[0]}")
        goals.append(Goal(f"memory a session / {peer}", memory, 0.5, "at most", note(peer, SESSIONS[0])))
        late = _ratio(many, "ours", peer, "p99_ms at 2000")
        goals.append(Goal(f"step p99 at 2,000 sessions / {peer}", late, 1.0, "at most", note(peer, 2000)))
    return goals


def _ratio(found: Mapping[str, list[Figures]], ours: str, peer: str, name: str, *, at_least: float = 1e-9) -> float:
    return ratios([each[name] for each in found[ours]], [max(each[name], at_least) for each in found[peer]]).median


def _sides(names: tuple[str, ...], take: Callable[[str], Found]) -> dict[str, Callable[[], Found]]:
    return {name: lambda side=name: take(side) for name in names}  # type: ignore[misc]


def _spreads(found: Mapping[str, list[Figures]]) -> dict[str, Any]:
    return {
        side: {name: Spread.of([each[name] for each in rounds]).to_json() for name in rounds[0]}
        for side, rounds in found.items()
    }


def _quantiles(taken: list[float]) -> Figures:
    return {"p50_ms": 1e3 * taken[len(taken) // 2], "p95_ms": 1e3 * taken[int(0.95 * len(taken))]}


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


def _wait_for(where: str) -> None:
    """Wait until connections are taken."""
    is_path = where.startswith("/")
    deadline = time.monotonic() + _START_S
    while time.monotonic() < deadline:
        probe = socket.socket(socket.AF_UNIX if is_path else socket.AF_INET)
        try:
            probe.connect(where if is_path else ("127.0.0.1", int(where)))
        except OSError:
            time.sleep(0.05)
        else:
            return
        finally:
            probe.close()
    raise RuntimeError(f"no server takes connections at {where}")


if __name__ == "__main__":
    os.environ.setdefault("PYTHONPATH", os.pathsep.join(sys.path))
    sys.exit(main("remote", measure, PACKAGES))

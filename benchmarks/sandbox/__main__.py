"""Sandboxes beside the engine's own way, in the same run: commands, leases, resets, forks, and many at once.

- Commands: `true` in one and the same container, by the runner, by a shell session, by the SDK's `exec_run`, by the
  command line's `docker exec`. The faster of those two is the peer. Beside: `true` on the host, in no sandbox.
- Leases: of a ready sandbox of a pool, its refill not timed; beside a new container by the SDK: create, start, remove.
- Resets: after an episode that changed, removed and made files of a repository and left a process. In place; by
  closing and starting a sandbox; and, which leaves the process and /tmp, by git through the SDK, the runner, a shell.
- Forks: of such a sandbox after its episode, one and four at once; beside a new container (create, start).
- Many: sandboxes started by 8 threads, beside containers with the same options that the SDK creates and starts, by as
  many; memory as `benchmarks.sandbox.crowd` says.
- Bubblewrap: start, command and reset; beside `bwrap` alone with `true`.

Sides take turns within a round; ratios are of medians within a round. Containers are hardened alike on all sides. Other
work on the machine slows all sides: beside the goals of commands and crowds stands how much slower each side was than
in the kept figures of such a machine.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from agentgym.sandbox.base import Sandbox
from agentgym.sandbox.engines.bubblewrap import BubblewrapProvider
from agentgym.sandbox.engines.bubblewrap_root import programs
from agentgym.sandbox.engines.docker import DockerProvider
from agentgym.sandbox.images.named import resolve_image
from agentgym.sandbox.leasing.watcher import watch
from agentgym.sandbox.pool import PoolConfig, SandboxPool
from agentgym.sandbox.spec import SandboxSpec
from benchmarks.measure import Spread, interleaved, ratios
from benchmarks.report import Goal, Report, main, progress
from benchmarks.sandbox.crowd import Crowd, Figures
from benchmarks.sandbox.other_work import KeptFigures
from benchmarks.sandbox.sides import (
    GIT_RESET,
    NUM_FILES,
    REPOSITORY_MB,
    EngineContainers,
    check_restored,
    live_an_episode,
    make_repository,
    times_ms,
)

PACKAGES = ("agentgymnasium", "docker")
REPOSITORY_IMAGE = "agentgym/terminal"
"""It has git."""
_TRUE = ["true"]
_HERE = "host, no sandbox"
_NUM_THREADS = 8
Found = Mapping[str, list[Figures]]


def measure_commands(provider: DockerProvider, spec: SandboxSpec, repeats: int, num_calls: int) -> Found:
    """Times of `true` in one container, in milliseconds."""
    with provider.start(spec) as sandbox, closing(sandbox.shell()) as shell:
        container = provider.host.client.containers.get(sandbox.id)
        command_line = ["docker", "exec", sandbox.id, *_TRUE]
        num_slow = max(3, num_calls // 20)
        sides = {
            _HERE: lambda: _timed(_spawn_here, num_calls),
            "ours": lambda: _timed(lambda: sandbox.exec(_TRUE), num_calls),
            "ours, in a shell": lambda: _timed(lambda: shell.run("true"), num_calls),
            "SDK exec_run": lambda: _timed(lambda: container.exec_run(_TRUE), num_slow),
            "docker exec": lambda: _timed(lambda: subprocess.run(command_line, check=True), num_slow),
        }
        return interleaved(sides, repeats)


def measure_leases(provider: DockerProvider, spec: SandboxSpec, repeats: int, num_calls: int) -> Found:
    """Times of a lease and of a new container, in milliseconds."""
    containers = EngineContainers(provider, spec)
    with SandboxPool(provider, PoolConfig(ready=2)) as pool:

        def leases() -> Figures:
            leased = []
            pool.prepare(spec)
            for _ in range(num_calls):
                leased += times_ms(lambda: taken.append(pool.lease(spec)), 1)
                taken.pop().release()
                pool.prepare(spec)
            return _quantiles(sorted(leased))

        taken: list[Any] = []
        sides = {
            "ours": leases,
            "new container": lambda: _timed(
                lambda: containers.remove([containers.start(containers.plan())]), max(3, num_calls // 10)
            ),
        }
        return interleaved(sides, repeats)


def measure_resets(provider: DockerProvider, spec: SandboxSpec, repeats: int, num_calls: int) -> Found:
    """Times of each way back to the pristine repository, in milliseconds."""
    num_slow = max(3, num_calls // 4)

    def by(reset: Callable[[Sandbox], object], calls: int) -> Figures:
        with provider.start(spec) as sandbox:
            check_restored(sandbox)  # also lets git learn how files look here, which is not timed
            timed = _timed(lambda: reset(sandbox), calls, before=lambda: live_an_episode(sandbox))
            check_restored(sandbox)
        return timed

    def in_shell() -> Figures:
        with provider.start(spec) as sandbox, closing(sandbox.shell()) as shell:
            check_restored(sandbox)
            timed = _timed(lambda: shell.run(GIT_RESET), num_slow, before=lambda: live_an_episode(sandbox))
            check_restored(sandbox)
        return timed

    def by_engine(sandbox: Sandbox) -> object:
        api = provider.host.client.api  # what exec_run does, without looking the container up
        return api.exec_start(api.exec_create(sandbox.id, git, workdir=spec.work_dir)["Id"])

    git = ["sh", "-c", GIT_RESET]

    sides = {
        "in place": lambda: by(lambda sandbox: sandbox.reset(), num_calls),
        "recreate": lambda: _recreated(provider, spec, num_slow),
        "git by docker exec": lambda: by(by_engine, num_slow),
        "git by our exec": lambda: by(lambda sandbox: sandbox.exec(git), num_slow),
        "git in our shell": in_shell,
    }
    return interleaved(sides, repeats)


def _recreated(provider: DockerProvider, spec: SandboxSpec, calls: int) -> Figures:
    held = [provider.start(spec)]

    def recreate() -> None:
        held.pop().close()
        held.append(provider.start(spec))

    try:
        return _timed(recreate, calls, before=lambda: live_an_episode(held[0]))
    finally:
        for sandbox in held:
            sandbox.close()


def measure_forks(provider: DockerProvider, spec: SandboxSpec, repeats: int, num_calls: int) -> Found:
    """Times of forks of a sandbox in the middle of an episode, and of a new container, in milliseconds."""
    containers = EngineContainers(provider, spec)
    with provider.start(spec) as sandbox:
        live_an_episode(sandbox)

        def forks(count: int) -> Figures:
            made: list[Sandbox] = []

            def close() -> None:
                while made:
                    made.pop().close()

            try:
                return _timed(lambda: made.extend(sandbox.fork(count)), num_calls, before=close)
            finally:
                close()

        def new() -> Figures:
            try:
                return _timed(lambda: containers.start(containers.plan()), num_calls, before=containers.remove_all)
            finally:
                containers.remove_all()

        return interleaved({"one": lambda: forks(1), "four": lambda: forks(4), "new container": new}, repeats)


def measure_bubblewrap(repeats: int, num_calls: int) -> Found:
    """Times of a start, a command and a reset under bubblewrap, in milliseconds."""
    provider = BubblewrapProvider()
    spec = SandboxSpec().relaxed("cpus", "memory_mib")
    bare = ["bwrap", "--unshare-all", *programs(Path("/")), "--proc", "/proc", "--dev", "/dev", *_TRUE]
    num_slow = max(5, num_calls // 10)
    with provider.start(spec) as sandbox:

        def starts() -> Figures:
            made: list[Sandbox] = []
            taken = []
            for _ in range(num_slow):
                taken += times_ms(lambda: made.append(provider.start(spec)), 1)
                made.pop().close()
            return _quantiles(sorted(taken))

        sides = {
            "start": starts,
            "command": lambda: _timed(lambda: sandbox.exec(_TRUE), num_calls),
            "reset": lambda: _timed(sandbox.reset, num_slow),
            "bwrap alone": lambda: _timed(lambda: subprocess.run(bare, check=True), num_slow),
        }
        return interleaved(sides, repeats)


def measure(is_quick: bool) -> Report:
    """All of it."""
    repeats, num_calls, count, num_crowds = (1, 40, 12, 1) if is_quick else (5, 120, 200, 3)
    setting = {"repository_mb": REPOSITORY_MB, "repository_files": NUM_FILES, "sandboxes": count}
    # By its whole tag: a change of the image's sources during a run is none of its business.
    plain = SandboxSpec(image=resolve_image("agentgym/base"))
    report = Report(setting={**setting, "threads": _NUM_THREADS, "spec": plain.to_json()})
    with docker_provider() as provider, tempfile.TemporaryDirectory() as folder:
        make_repository(Path(folder))
        spec = replace(plain, image=resolve_image(REPOSITORY_IMAGE), work=folder)
        provider.start(spec).close()
        _warm_up(provider, plain)
        progress("commands")
        commands = measure_commands(provider, plain, repeats, num_calls)
        progress("leases")
        leases = measure_leases(provider, plain, repeats, max(20, num_calls // 4))
        progress("resets")
        resets = measure_resets(provider, spec, repeats, max(10, num_calls // 10))
        progress("forks")
        forks = measure_forks(provider, spec, repeats, max(3, num_calls // 30))
        progress("many")
        crowd = Crowd(provider, plain, count, _NUM_THREADS)
        many = interleaved({"ours": crowd.sandboxes, "engine": crowd.containers}, num_crowds)
    progress("bubblewrap")
    bubblewrap = measure_bubblewrap(repeats, num_calls)
    found = {"commands": commands, "leases": leases, "resets": resets, "forks": forks, "many": many}
    found["bubblewrap"] = bubblewrap
    report.figures = {name: _spreads(sides) for name, sides in found.items()}
    report.figures["load_1min_at_end"] = round(os.getloadavg()[0], 1)
    report.goals = goals(commands, leases, resets, forks, many, kept=KeptFigures.read())
    return report


def goals(
    commands: Found, leases: Found, resets: Found, forks: Found, many: Found, *, kept: KeptFigures | None = None
) -> list[Goal]:
    """What is promised, and what came out; commands and crowds with how far other work moved both sides."""
    kept = kept or KeptFigures({})
    moved_commands = kept.note("commands", commands, "p50_ms", ("ours", _HERE, "SDK exec_run", "docker exec"))
    moved_crowds = kept.note("many", many, "start_s", ("ours", "engine"))
    peers = [min(pair) for pair in zip(_p50(commands["SDK exec_run"]), _p50(commands["docker exec"]), strict=True)]
    own = [each["shim_pss_mb"] + each["inside_pss_mb"] + each["host_rss_mb"] for each in many["ours"]]
    starts = [[each["start_s"] for each in many[side]] for side in ("ours", "engine")]
    return [
        _at_most("command: p50, ms", _p50(commands["ours"]), 1.0, moved_commands),
        Goal(
            "command: ours / host, no sandbox",
            ratios(_p50(commands["ours"]), _p50(commands[_HERE])).median,
            2.0,
            "at most",
        ),
        Goal("command: docker exec / ours", ratios(peers, _p50(commands["ours"])).median, 50.0, "at least"),
        _at_most("lease: p50, ms", _p50(leases["ours"]), 5.0),
        _at_most("reset in place: p50, ms", _p50(resets["in place"]), 15.0),
        _at_most("fork: p50, ms", _p50(forks["one"]), 300.0),
        Goal("many: time to start / the engine's", ratios(*starts).median, 1.2, "at most", moved_crowds),
        _at_most("many: memory each, MB (PSS of shim and runner, RSS of the host's side)", own, 8.0),
    ]


@contextmanager
def docker_provider() -> Iterator[DockerProvider]:
    """A provider whose sandboxes go when this process is killed, and which leaves nothing behind.

    Raises:
        SandboxStartError: No engine answers.
    """
    provider = DockerProvider()
    watch(provider.owner)
    try:
        yield provider
    finally:
        provider.close()


def _spawn_here() -> None:
    """The same command without any sandbox: what the machine itself takes for it."""
    os.waitpid(os.posix_spawn("/bin/true", _TRUE, {}), 0)


def _warm_up(provider: DockerProvider, spec: SandboxSpec) -> None:
    """What only the first of each costs: a look into the image, connections to the engine."""
    provider.start(spec).close()
    containers = EngineContainers(provider, spec)
    containers.remove([containers.start(containers.plan())])


def _timed(call: Callable[[], object], repeats: int, *, before: Callable[[], object] | None = None) -> Figures:
    return _quantiles(times_ms(call, repeats, before=before))


def _quantiles(taken: Sequence[float]) -> Figures:
    return {"p50_ms": taken[len(taken) // 2], "p95_ms": taken[int(0.95 * len(taken))]}


def _p50(rounds: Sequence[Figures]) -> list[float]:
    return [each["p50_ms"] for each in rounds]


def _at_most(name: str, values: Sequence[float], bound: float, note: str = "") -> Goal:
    return Goal(name, Spread.of(values).median, bound, "at most", note)


def _spreads(found: Found) -> dict[str, Any]:
    return {
        side: {name: Spread.of([each[name] for each in rounds]).to_json() for name in rounds[0]}
        for side, rounds in found.items()
    }


if __name__ == "__main__":
    sys.exit(main("sandbox", measure, PACKAGES))

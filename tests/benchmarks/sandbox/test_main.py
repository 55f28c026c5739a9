"""The benchmark of sandboxes compares like with like, and measures what it says."""

import json
import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from agentgym.sandbox.spec import Limits, SandboxSpec
from benchmarks.measure import machine
from benchmarks.sandbox.__main__ import docker_provider, goals, measure_commands, measure_leases
from benchmarks.sandbox.crowd import Crowd, engine_processes, memory_of
from benchmarks.sandbox.other_work import KeptFigures
from benchmarks.sandbox.sides import EngineContainers, live_an_episode, make_repository, times_ms
from tests.sandbox.engine import has_engine

LIMITS = Limits(memory_mib=128, work_mib=16, tmp_mib=8, pids=64)
SPEC = SandboxSpec(image="debian:bookworm-slim", limits=LIMITS)
OWN_OPTIONS = ("Mounts", "Binds")

needs_engine = pytest.mark.skipif(not has_engine() or os.geteuid() != 0, reason="needs a container engine, and root")


@pytest.fixture(scope="module")
def provider():
    with docker_provider() as provider:

        def containers():
            owned = {"label": f"agentgym.owner={provider.owner.id}"}
            return {each["Id"] for each in provider.host.client.api.containers(all=True, filters=owned)}

        before = containers()  # those that other tests of this process keep
        yield provider
        assert not containers() - before


def test_repository_has_the_files_and_the_size_that_were_asked_for(tmp_path):
    make_repository(tmp_path, num_files=120, megabytes=3)
    files = [path for path in tmp_path.glob("src*/*") if path.is_file()]
    assert len(files) == 120
    assert sum(path.stat().st_size for path in files) == pytest.approx(3e6, rel=0.01)
    status = subprocess.run(["git", "status", "--porcelain"], cwd=tmp_path, capture_output=True, check=True)
    assert status.stdout == b""


def test_times_leave_out_what_comes_before():
    told = []
    taken = times_ms(lambda: told.append("call"), 3, before=lambda: told.append("before"))
    assert told == ["before", "call"] * 3
    assert taken == sorted(taken)


def test_memory_of_this_process_is_what_the_kernel_says_of_it():
    found = memory_of([os.getpid()])
    resident_kb = next(
        int(line.split()[1]) for line in Path("/proc/self/status").read_text().splitlines() if "VmRSS" in line
    )
    assert found.rss_mb == pytest.approx(resident_kb * 1024 / 1e6, rel=0.1)
    assert 0 < found.pss_mb <= found.rss_mb


@needs_engine
def test_engine_containers_have_the_options_of_our_sandboxes(provider):
    containers = EngineContainers(provider, SPEC)
    theirs = containers.start(containers.plan())
    try:
        with provider.start(SPEC) as sandbox:
            ours, peer = (provider.host.client.api.inspect_container(name) for name in (sandbox.id, theirs))
            assert options_of(ours) == options_of(peer)
            assert targets_of(ours) == targets_of(peer)
    finally:
        containers.remove_all()


@needs_engine
def test_episode_leaves_files_and_a_process_that_a_reset_takes_away(provider, tmp_path):
    for number in range(21):
        (tmp_path / f"src{number}").mkdir()
    with provider.start(replace(SPEC, work=str(tmp_path))) as sandbox:
        before = sandbox.status()["processes"]
        live_an_episode(sandbox)
        assert sandbox.exec(["ls", "-d", "new/large", "src20", "/tmp/left"]).stdout.split() == [
            b"/tmp/left",
            b"new/large",
        ]
        assert sandbox.status()["processes"] != before
        sandbox.reset()
        assert sandbox.exec(["ls", "-d", "new", "src20"]).stdout.split() == [b"src20"]
        assert sandbox.status()["processes"] == before


@needs_engine
def test_sides_of_commands_leases_and_crowds_tell_their_figures(provider):
    commands = measure_commands(provider, SPEC, 1, 5)
    leases = measure_leases(provider, SPEC, 1, 2)
    crowd = Crowd(provider, SPEC, 2, 2)
    many = {"ours": [crowd.sandboxes()], "engine": [crowd.containers()]}
    timed = [each for sides in (commands, leases) for rounds in sides.values() for each in rounds]
    assert all(0 < each["p50_ms"] <= each["p95_ms"] for each in timed)
    assert commands["ours"][0]["p50_ms"] < commands["docker exec"][0]["p50_ms"]
    for side in many.values():
        assert 1 < side[0]["shim_pss_mb"] <= side[0]["shim_rss_mb"] < 40
        assert side[0]["start_s"] > 0
    found = goals(commands, leases, {"in place": commands["ours"]}, {"one": commands["ours"]}, many)
    assert len(found) == 8


def test_goals_say_how_far_other_work_moved_both_sides(tmp_path):
    path = tmp_path / "kept.json"
    sides = {"ours": 2.0, "engine": 4.0}
    spreads = {side: {"start_s": {"median": value}} for side, value in sides.items()}
    kept = {"quick": False, "machine": machine(), "figures": {"many": spreads}}
    path.write_text(json.dumps(kept))
    many = {"ours": [{"start_s": 3.0}, {"start_s": 5.0}], "engine": [{"start_s": 10.0}, {"start_s": 6.0}]}
    named = ("ours", "engine")
    expected = "time against the kept run: ours 2 times, engine 2 times"
    assert KeptFigures.read(path).note("many", many, "start_s", named) == expected
    assert KeptFigures.read(path).note("commands", many, "start_s", named) == ""
    path.write_text(json.dumps({**kept, "machine": {**machine(), "cores": 999}}))
    assert KeptFigures.read(path).note("many", many, "start_s", named) == ""


@needs_engine
def test_engine_is_who_listens_at_its_socket():
    assert "docker" in Path(f"/proc/{engine_processes()[0]}/comm").read_text()


def options_of(container):
    kept = {name: value for name, value in container["HostConfig"].items() if name not in OWN_OPTIONS}
    return kept, container["Config"]["User"], container["Config"]["Env"], container["Config"]["WorkingDir"]


def targets_of(container):
    return sorted((mount["Destination"], mount["RW"], mount["Propagation"]) for mount in container["Mounts"])

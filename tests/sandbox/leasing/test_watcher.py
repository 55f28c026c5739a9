"""The watcher: waits for its owner's death, whatever else dies, and leaves nothing."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agentgym.sandbox.leasing.owner import known_owners, this_owner
from agentgym.sandbox.leasing.watcher import watch

BE_OWNER = """
import os, sys, time
from pathlib import Path
from agentgym.sandbox.leasing.owner import this_owner
from agentgym.sandbox.leasing.watcher import watch
owner = this_owner(Path(sys.argv[1]))
owner.new_folder("box")
pid = watch(owner)
assert watch(owner) == pid
if sys.argv[2] == "fork" and os.fork() == 0:
    time.sleep(60)
    os._exit(0)
print(pid, flush=True)
sys.stdin.read()
"""


def start(state, mode):
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", BE_OWNER, str(state), mode]
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, start_new_session=True)
    return process, int(process.stdout.readline())


def wait_until_gone(state, pid):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if known_owners(state) == [] and not os.path.exists(f"/proc/{pid}/fd/1"):
            return
        time.sleep(0.05)
    raise AssertionError(f"owners {known_owners(state)} left, watcher {pid}")


@pytest.mark.parametrize("mode", ["alone", "fork"])
def test_watcher_sweeps_after_a_kill_of_its_owner(tmp_path, mode):
    process, watcher = start(tmp_path, mode)
    with process:
        assert len(known_owners(tmp_path)) == 1
        process.send_signal(signal.SIGKILL)
        process.wait()
        wait_until_gone(tmp_path, watcher)
        if mode == "fork":
            os.killpg(process.pid, signal.SIGKILL)


def test_watcher_outlives_the_process_group_of_its_owner(tmp_path):
    process, watcher = start(tmp_path, "alone")
    with process:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        wait_until_gone(tmp_path, watcher)


def test_watcher_is_no_child_that_its_owner_could_kill_when_it_ends(tmp_path):
    process, watcher = start(tmp_path, "alone")
    with process, open(f"/proc/{watcher}/stat") as file:
        parent = int(file.read().rpartition(")")[2].split()[1])
        process.kill()
    assert parent != process.pid
    wait_until_gone(tmp_path, watcher)


def test_watcher_that_was_killed_is_started_again(tmp_path):
    owner = this_owner(tmp_path)
    try:
        pid = watch(owner)
        os.kill(pid, signal.SIGKILL)
        deadline = time.monotonic() + 60
        while watch(owner) == pid:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        assert watch(owner) == watch(owner)
    finally:
        owner.release()


def test_each_engine_of_an_owner_is_watched(tmp_path):
    owner = this_owner(tmp_path)
    try:
        pids = {watch(owner, engine) for engine in (None, "unix:///one.sock", "unix:///other.sock", None)}
        assert len(pids) == 3
        told = [Path(f"/proc/{pid}/environ").read_bytes().split(b"\0") for pid in pids]
        assert sum(b"DOCKER_HOST=unix:///one.sock" in each for each in told) == 1
    finally:
        owner.release()


def test_watcher_ends_after_an_owner_that_ends_well(tmp_path):
    process, watcher = start(tmp_path, "alone")
    with process:
        process.stdin.close()
        assert process.wait(timeout=60) == 0
        wait_until_gone(tmp_path, watcher)


def test_waiting_costs_little_memory(tmp_path):
    process, watcher = start(tmp_path, "alone")
    with process:
        time.sleep(0.3)
        with open(f"/proc/{watcher}/smaps_rollup") as file:
            private = sum(int(line.split()[1]) for line in file if line.startswith("Private"))
        process.kill()
    wait_until_gone(tmp_path, watcher)
    assert private < 10 * 1024

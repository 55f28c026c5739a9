"""Owners: alive exactly as long as their process, whatever ids, forks and clocks do."""

import os
import signal
import subprocess
import sys
import threading

import pytest

from agentgym.errors import SandboxStartError
from agentgym.sandbox.leasing.owner import dead_owner, known_owners, state_folder, state_id, this_owner

BE_OWNER = """
import os, sys, time
from pathlib import Path
from agentgym.sandbox.leasing.owner import this_owner
owner = this_owner(Path(sys.argv[1]))
owner.new_folder("box")
print(owner.id, flush=True)
time.sleep(60)
"""


@pytest.fixture
def state(tmp_path):
    yield tmp_path
    this_owner(tmp_path).release()


@pytest.fixture
def stranger(tmp_path):
    """Another process that is an owner, and its id."""
    process = subprocess.Popen([sys.executable, "-c", BE_OWNER, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    with process:
        yield process, process.stdout.readline().strip()
        process.kill()


def is_dead(state, owner_id):
    with dead_owner(state, owner_id) as answer:
        return answer


def is_dead_to_others(state, owner_id):
    code = "import sys; from pathlib import Path; from agentgym.sandbox.leasing.owner import dead_owner\n"
    code += "with dead_owner(Path(sys.argv[1]), sys.argv[2]) as dead: print(dead)"
    command = [sys.executable, "-c", code, str(state), owner_id]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout == "True\n"


def test_owner_is_one_a_process_and_never_dead_to_itself(state):
    owner = this_owner(state)
    assert this_owner(state) is owner
    assert not is_dead(state, owner.id)
    assert owner.lock_path.exists()


def test_owner_of_another_process_is_alive_until_it_is_killed(state, stranger):
    process, owner_id = stranger
    assert not is_dead(state, owner_id)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert is_dead(state, owner_id)
    assert known_owners(state) == [owner_id]


def test_asking_about_oneself_from_another_thread_gives_no_lock_away(state, stranger):
    owner = this_owner(state)
    thread = threading.Thread(target=lambda: is_dead(state, owner.id))
    thread.start()
    thread.join()
    assert not is_dead_to_others(state, owner.id)


def test_forked_child_is_an_owner_of_its_own_and_its_end_frees_nothing_of_the_parent(state):
    owner = this_owner(state)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, this_owner(state).id.encode())
        owner.release()
        os._exit(0)
    os.waitpid(child, 0)
    child_id = os.read(reader, 100).decode()
    os.close(reader)
    os.close(writer)
    assert child_id != owner.id
    assert is_dead(state, child_id)
    assert owner.lock_path.exists()


def test_an_owner_without_a_folder_is_dead(state):
    assert is_dead(state, "0123456789ab")


def test_release_removes_the_folder_and_twice_is_harmless(state):
    owner = this_owner(state)
    owner.new_folder("box")
    owner.release()
    owner.release()
    assert known_owners(state) == []
    assert this_owner(state).id != owner.id


def test_state_folder_is_the_named_one_with_an_id_that_stays(monkeypatch, tmp_path):
    monkeypatch.setenv("AGENTGYM_STATE_DIR", str(tmp_path / "named"))
    assert state_folder() == tmp_path / "named"
    assert state_id(state_folder()) == state_id(state_folder())


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to make another user's folder")
def test_state_folder_of_another_user_is_refused(monkeypatch, tmp_path):
    os.chown(tmp_path, 1000, 1000)
    monkeypatch.setenv("AGENTGYM_STATE_DIR", str(tmp_path))
    with pytest.raises(SandboxStartError, match="another user"):
        state_folder()


def test_closing_another_descriptor_of_the_lock_leaves_the_owner_alive(state):
    owner = this_owner(state)
    owner.lock_path.read_bytes()
    assert not is_dead_to_others(state, owner.id)


def test_thread_that_sweeps_while_another_becomes_an_owner_never_finds_it_dead(state):
    for _ in range(300):
        found, is_owner = [], threading.Event()

        def ask(found=found, is_owner=is_owner):
            while not is_owner.is_set():
                found.extend(owner_id for owner_id in known_owners(state) if is_dead(state, owner_id))

        thread = threading.Thread(target=ask)
        thread.start()
        owner = this_owner(state)
        is_owner.set()
        thread.join()
        assert found == []
        owner.release()


def test_owner_is_dead_although_a_forked_child_lives_on(state):
    code = BE_OWNER.replace("time.sleep(60)", "os.fork() and os._exit(0); print(flush=True); sys.stdin.read()")
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", code, str(state)], stdin=pipe, stdout=pipe, text=True) as process:
        owner_id, _ = process.stdout.readline().strip(), process.stdout.readline()
        process.wait()
        assert is_dead(state, owner_id)

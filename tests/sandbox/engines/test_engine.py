"""Finding a container engine: each way in which there is none is told apart, on real sockets."""

import gc
import json
import os
import pickle
import shutil
import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
import requests

from agentgym.errors import SandboxStartError
from agentgym.sandbox.engines import engine
from agentgym.sandbox.engines.engine import EngineFault, EngineInfo, connect_engine, probe_engine

ANSWER_OF_NOBODY = b"220 mail.example ready\r\n"


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_PROBE_S", 60.0)


@pytest.fixture
def folder() -> Iterator[Path]:
    """Short enough for a socket's path."""
    made = Path(tempfile.mkdtemp(prefix="agentgym-"))
    yield made
    shutil.rmtree(made)


@contextmanager
def listening(path: Path, answer: bytes) -> Iterator[str]:
    """A server that says the same to everybody; its address."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()
        server.settimeout(0.1)
        is_over = threading.Event()

        def serve() -> None:
            while not is_over.is_set():
                try:
                    connection, _ = server.accept()
                except TimeoutError:
                    continue
                with connection, suppress(OSError):  # a caller that went away
                    connection.settimeout(60)
                    if connection.recv(4096):
                        connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield f"unix://{path}"
        finally:
            is_over.set()
            thread.join()


def http(body: dict[str, object]) -> bytes:
    text = json.dumps(body).encode()
    head = (
        f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(text)}\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + text


def fault(address: str) -> EngineFault:
    found = probe_engine(address)
    assert isinstance(found, EngineFault), found
    return found


def test_missing_socket_says_whether_an_engine_is_installed(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    address = f"unix://{folder}/none.sock"
    monkeypatch.setattr(engine, "DEFAULT_ADDRESS", address)
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    found = fault(address)
    assert (found.kind, found.fix) == ("not installed", "sudo apt-get install docker.io")
    monkeypatch.setattr(shutil, "which", lambda *_, **__: "/usr/sbin/dockerd")
    found = fault(address)
    assert found.kind == "not running"
    assert "dockerd" in found.fix or "systemctl start docker" in found.fix


def test_socket_of_a_killed_engine_is_not_running(folder: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "dead.sock"))
    found = fault(f"unix://{folder}/dead.sock")
    assert (found.kind, found.detail) == ("not running", "nothing listens there")
    assert "DOCKER_HOST" in found.fix


def test_closed_port_is_not_running() -> None:
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        found = fault(f"tcp://127.0.0.1:{reserved.getsockname()[1]}")
    assert found.kind == "not running"


@pytest.mark.skipif(os.geteuid() != 0, reason="becoming somebody else takes root")
def test_socket_without_rights_names_the_group(folder: Path) -> None:
    folder.chmod(0o755)
    with listening(folder / "root.sock", b"") as address:
        (folder / "root.sock").chmod(0o600)
        found = as_nobody(address)
    assert isinstance(found, EngineFault)
    assert found.kind == "no rights"
    assert "uid 65534" in found.detail
    assert found.fix.startswith("sudo usermod -aG docker $USER")


def as_nobody(address: str) -> object:
    """What another user's process finds."""
    readable, writable = os.pipe()
    child = os.fork()
    if child == 0:
        os.setuid(65534)
        os.write(writable, pickle.dumps(probe_engine(address)))
        os._exit(0)
    os.close(writable)
    with os.fdopen(readable, "rb") as answers:
        answer = answers.read()
    os.waitpid(child, 0)
    found: object = pickle.loads(answer)
    return found


@pytest.mark.parametrize(
    "answer", [ANSWER_OF_NOBODY, b"", http({"message": "page not found"}), http({"Version": "1"})[:40]]
)
def test_something_else_that_listens_is_no_engine(folder: Path, answer: bytes) -> None:
    with listening(folder / "other.sock", answer) as address:
        found = fault(address)
    assert (found.kind, found.fix) == ("no engine", "point DOCKER_HOST at an engine's socket, or unset it")


def test_silent_socket_is_no_engine_after_the_time_limit(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_PROBE_S", 0.3)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "silent.sock"))
        server.listen()
        assert fault(f"unix://{folder}/silent.sock").kind == "no engine"


def test_old_engine_is_told_what_is_needed(folder: Path) -> None:
    with listening(folder / "old.sock", http({"Version": "18.09.1", "ApiVersion": "1.39"})) as address:
        found = fault(address)
    assert found.kind == "too old"
    assert "18.09.1 speaks API 1.39, at least 1.41" in found.detail


def test_engine_says_who_it_is(folder: Path) -> None:
    answer = {"Version": "4.3.1", "ApiVersion": "1.41", "Components": [{"Name": "Podman Engine"}]}
    with listening(folder / "engine.sock", http(answer)) as address:
        assert probe_engine(address) == EngineInfo("Podman", "4.3.1", "1.41", address)


@pytest.mark.parametrize("address", ["nonsense", "unix//missing", "tcp://127.0.0.1:port"])
def test_malformed_addresses_are_told_how_to_be_written(address: str) -> None:
    found = fault(address)
    assert found.kind == "bad address"
    assert "unix:///PATH" in found.fix


def test_connection_that_fails_names_place_reason_and_next_move(folder: Path) -> None:
    with pytest.raises(SandboxStartError, match=r"no container engine at unix://.*there is no such socket; start the"):
        connect_engine(f"unix://{folder}/none.sock")


def test_client_whose_engine_went_away_leaves_no_socket_open(folder: Path) -> None:
    with listening(folder / "engine.sock", http({"Version": "28.0", "ApiVersion": "1.48"})) as address:
        client = connect_engine(address)
    with pytest.raises(requests.exceptions.ConnectionError):
        client.version()
    client.close()
    gc.collect()  # a socket left open is an error of this test

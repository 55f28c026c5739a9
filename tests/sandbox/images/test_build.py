"""Building images in a real engine: content tags, failures, locks, and what a killed build leaves."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import uuid4

import docker
import pytest

from agentgym.errors import AgentGymError, SandboxStartError
from agentgym.sandbox.engines.engine import connect_engine
from agentgym.sandbox.images import foreign as foreign_image
from agentgym.sandbox.images.build import build_images, image_states, remove_superseded
from agentgym.sandbox.images.debootstrap import missing_for_debootstrap
from agentgym.sandbox.images.foreign import provide_foreign_image
from agentgym.sandbox.images.named import ImageCatalogue, default_catalogue

BASE = "debian:bookworm-slim"
PROGRAM = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # which a process in the background is born to ignore
from pathlib import Path
from agentgym.sandbox.engines.engine import connect_engine
from agentgym.sandbox.images.build import build_images
from agentgym.sandbox.images.named import ImageCatalogue
def report(name, line):
    print(line, flush=True)

for image in build_images(connect_engine(), catalogue=ImageCatalogue(Path(sys.argv[1])), report=report):
    print("RESULT", image.was_built)
"""


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    try:
        connected = connect_engine()
    except AgentGymError as error:
        pytest.skip(f"no container engine: {error}")
    yield connected
    connected.close()


@pytest.fixture
def name(client: Any) -> Iterator[str]:
    """Name of an image that no other test uses; its versions are removed afterwards."""
    fresh = f"test-{uuid4().hex[:12]}"
    yield fresh
    for image in client.images.list(f"agentgym/{fresh}"):
        for tag in image.tags:
            client.images.remove(tag, force=True)
    for image in client.images.list(filters={"dangling": True, "label": f"agentgym.test={fresh}"}):
        client.images.remove(image.id)


@pytest.fixture
def with_base(client: Any) -> None:
    provide_foreign_image(client, BASE, lambda line: None)


def write(root: Path, name: str, dockerfile: str, text: str = "one") -> ImageCatalogue:
    folder = root / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "Dockerfile").write_text(dockerfile)
    (folder / "a.txt").write_text(text)
    return ImageCatalogue(root)


def test_image_is_built_once_and_again_when_its_content_changes(client: Any, name: str, tmp_path: Path) -> None:
    images = write(tmp_path, name, "FROM scratch\nCOPY a.txt /\n")
    assert [state.status for state in image_states(client, catalogue=images)] == ["missing"]
    assert [image.was_built for image in build_images(client, catalogue=images)] == [True]
    assert [image.was_built for image in build_images(client, catalogue=images)] == [False]
    assert client.images.get(images.tag(name)).labels["agentgym.image"] == name
    changed = write(tmp_path, name, "FROM scratch\nCOPY a.txt /\n", text="two")
    (state,) = image_states(client, catalogue=changed)
    assert (state.status, state.superseded) == ("stale", (images.tag(name),))
    assert remove_superseded(client, catalogue=changed) == []  # the last that works is no rubbish yet
    build_images(client, catalogue=changed)
    assert remove_superseded(client, catalogue=changed) == [images.tag(name)]
    assert [state.status for state in image_states(client, catalogue=changed)] == ["ok"]


def test_parents_are_built_first_and_found_by_their_tags(client: Any, name: str, tmp_path: Path) -> None:
    write(tmp_path, name, "FROM scratch\nCOPY a.txt /\n")
    images = write(tmp_path, f"{name}-child", f"FROM agentgym/{name}\nCOPY a.txt /b.txt\n")
    built = build_images(client, [f"{name}-child"], catalogue=images)
    try:
        assert [image.name for image in built] == [name, f"{name}-child"]
        parent, child = (client.images.get(image.tag) for image in built)
        assert child.attrs["RootFS"]["Layers"][:-1] == parent.attrs["RootFS"]["Layers"]
    finally:
        client.images.remove(built[1].tag)


@pytest.mark.usefixtures("with_base")
def test_failed_build_shows_the_step_and_the_end_of_its_output(client: Any, name: str, tmp_path: Path) -> None:
    images = write(
        tmp_path,
        name,
        f"FROM {BASE}\nLABEL agentgym.test={name}\nRUN echo early\nRUN seq 100; sleep 0.5; echo broken >&2; exit 3\n",
    )
    with pytest.raises(SandboxStartError) as caught:
        build_images(client, catalogue=images)
    message = str(caught.value)
    assert f"image {name!r} could not be built: Step 4/5 : RUN seq 100" in message
    assert "\n    100\n    broken" in message
    assert "early" not in message
    assert len(message.splitlines()) < 25
    assert containers(client, name) == []
    assert client.images.list(f"agentgym/{name}") == []


def test_image_that_nobody_has_is_named_with_the_reasons(client: Any, name: str, tmp_path: Path) -> None:
    images = write(tmp_path, name, "FROM agentgym-no-such-name/none:1\n")
    with pytest.raises(
        SandboxStartError, match=r"agentgym-no-such-name/none:1 .*could not be pulled.*only Debian's base"
    ):
        build_images(client, catalogue=images)


def test_an_image_that_goes_meanwhile_disturbs_nobody(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: object, image: str) -> None:
        raise docker.errors.ImageNotFound("gone")

    monkeypatch.setattr("docker.models.images.ImageCollection.get", refuse)
    assert [state.name for state in image_states(client, ["base"])] == ["base"]


def test_two_processes_build_an_image_once(client: Any, name: str, tmp_path: Path) -> None:
    write(tmp_path, name, f"FROM {BASE}\nLABEL agentgym.test={name}\nRUN until [ -e /tmp/go ]; do sleep 0.1; done\n")
    command = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    paths = [tmp_path / f"output{number}" for number in range(2)]
    for path in paths:
        path.touch()
    with ThreadPoolExecutor() as threads:
        ended = [threads.submit(run_into, path, command) for path in paths]
        wait_until(lambda: any("waiting for another process" in path.read_text() for path in paths))
        wait_until(lambda: containers(client, name, status="running") != [])
        client.containers.get(containers(client, name)[0]["Id"]).exec_run(["touch", "/tmp/go"])
        assert [each.result() for each in ended] == [0, 0]
    outputs = [path.read_text() for path in paths]
    assert sorted(output.split("RESULT ")[1].strip() for output in outputs) == ["False", "True"]
    assert sum("Step 3/4" in output for output in outputs) == 1
    assert sum("waiting for another process" in output for output in outputs) == 1


def test_two_threads_build_an_image_once(client: Any, name: str, tmp_path: Path) -> None:
    images = write(tmp_path, name, "FROM scratch\nCOPY a.txt /\n")
    with ThreadPoolExecutor(4) as threads:
        built = list(threads.map(lambda _: build_images(client, catalogue=images)[0].was_built, range(4)))
    assert sorted(built) == [False, False, False, True]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
@pytest.mark.usefixtures("with_base")
def test_interrupted_build_leaves_neither_container_nor_image_nor_lock(
    client: Any, name: str, tmp_path: Path, number: signal.Signals
) -> None:
    write(tmp_path, name, f"FROM {BASE}\nLABEL agentgym.test={name}\nRUN sleep 50\n")
    building = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(tmp_path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        wait_until(lambda: containers(client, name) != [])
        building.send_signal(number)
        building.communicate(timeout=60)
    finally:
        building.kill()
        building.communicate()
    wait_until(lambda: containers(client, name) == [])
    assert client.images.list(f"agentgym/{name}") == []
    images = write(tmp_path, name, f"FROM {BASE}\nLABEL agentgym.test={name}\nRUN true\n")
    assert build_images(client, catalogue=images)[0].was_built


def run_into(path: Path, command: list[str]) -> int:
    with path.open("w") as output:
        return subprocess.run(command, stdout=output, timeout=120, check=False).returncode


def containers(client: Any, name: str, **filters: str) -> list[Any]:
    found: list[Any] = client.api.containers(all=True, filters={"label": f"agentgym.test={name}", **filters})
    return found


def wait_until(condition: Any, timeout_s: float = 60.0) -> None:
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, "it did not come about in time"
        time.sleep(0.1)


def test_podman_builds_through_its_docker_socket(name: str, tmp_path: Path) -> None:
    if shutil.which("podman") is None:
        pytest.skip("podman is not installed")
    folder = Path(tempfile.mkdtemp(prefix="agentgym-podman-"))  # short: a socket's path has at most 107 bytes
    storage = [f"--root={folder}/root", f"--runroot={folder}/run", "--storage-driver=vfs"]
    address = f"unix://{folder}/podman.sock"
    served = subprocess.Popen(
        ["podman", *storage, "system", "service", "--time=60", address],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until((folder / "podman.sock").exists)
        podman = connect_engine(address)
        images = write(tmp_path, name, "FROM scratch\nCOPY a.txt /\n")
        said: list[str] = []
        built = build_images(podman, catalogue=images, report=lambda _, line: said.append(line))
        assert [image.was_built for image in built] == [True]
        assert "STEP 2/3: COPY a.txt /" in said
        assert [state.status for state in image_states(podman, catalogue=images)] == ["ok"]
        assert [image.was_built for image in build_images(podman, catalogue=images)] == [False]
        podman.close()
    finally:
        served.terminate()
        served.wait(timeout=60)
        shutil.rmtree(folder)


@pytest.mark.usefixtures("with_base")
def test_image_that_is_there_is_never_made_anew(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foreign_image, "make_root_tar", lambda *_: pytest.fail("made"))
    before = client.images.get(BASE).id
    said: list[str] = []
    provide_foreign_image(client, BASE, said.append)
    assert (client.images.get(BASE).id, said) == (before, [])


def test_base_cannot_be_made_without_root_or_debootstrap(
    client: Any, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    wanted = f"agentgym-no-such-name/{name}:1"
    monkeypatch.setattr(foreign_image, "SUITE_OF", {wanted: "bookworm"})
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(SandboxStartError, match="that takes root"):
        provide_foreign_image(client, wanted, lambda line: None)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr("shutil.which", lambda *_, **__: None)
    with pytest.raises(SandboxStartError, match="sudo apt-get install debootstrap"):
        provide_foreign_image(client, wanted, lambda line: None)


def made_base(client: Any, monkeypatch: pytest.MonkeyPatch, name: str) -> str:
    """The base that was made from packages on this machine, or one that is made now."""
    there = [image for image in client.images.list() if BASE in image.tags]
    if there and there[0].attrs["Comment"].startswith("Imported"):  # a registry's image says otherwise
        return BASE
    obstacle = missing_for_debootstrap()
    if obstacle:
        pytest.skip(f"debootstrap cannot run: {obstacle}")
    wanted = f"agentgym/{name}:made"
    monkeypatch.setattr(foreign_image, "SUITE_OF", {wanted: "bookworm"})
    provide_foreign_image(client, wanted, lambda line: None)
    return wanted


@pytest.mark.slow
def test_base_is_made_from_packages_where_no_registry_has_it(
    client: Any, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    mounts = Path("/proc/self/mounts").read_text().count("debootstrap")
    wanted = made_base(client, monkeypatch, name)
    image = client.images.get(wanted)
    assert image.attrs["Size"] < 100e6
    said = client.containers.run(
        wanted,
        ["sh", "-c", "cat /etc/os-release; ls /usr/share/man /usr/share/locale /var/lib/apt/lists; id -u"],
        remove=True,
        network_mode="none",
    ).decode()
    assert "bookworm" in said
    assert said.endswith("\n0\n")
    assert "/de\n" not in said
    assert Path("/proc/self/mounts").read_text().count("debootstrap") == mounts


@pytest.mark.parametrize(
    ("name_of_ours", "max_mb"),
    [
        ("base", 150),
        ("python", 450),
        ("terminal", 300),
        ("mcp", 300),
        ("experiment", 500),
        ("tuning", 550),
        ("env", 345),
        ("web", 750),
        ("swe", 350),
    ],
)
def test_images_of_ours_are_small_and_give_no_rights(client: Any, name_of_ours: str, max_mb: float) -> None:
    (state,) = image_states(client, [name_of_ours])
    if state.status != "ok":
        pytest.skip(f"image {name_of_ours} is {state.status}: run agentgym images build {name_of_ours}")
    assert state.size_bytes is not None
    assert state.size_bytes < max_mb * 1e6
    command = "find / -xdev -perm /6000 -type f; id; getent passwd agent; pwd; test -w . && echo writable"
    said = client.containers.run(
        state.tag, ["-c", command], entrypoint="sh", remove=True, network_mode="none", stderr=False
    ).decode()
    assert said.splitlines() == [
        "uid=1000(agent) gid=1000(agent) groups=1000(agent)",
        "agent:x:1000:1000::/home/agent:/bin/bash",
        "/agentgym/work",
        "writable",
    ]


@pytest.mark.parametrize(
    ("name_of_ours", "command", "expected"),
    [
        ("base", "bash -c 'tar --version | head -1; ps --version'", "tar (GNU tar)"),
        (
            "python",
            "python -c 'import scipy.stats, pandas, sympy, sqlite3, asyncio; print(scipy.__version__)'",
            "1.17.1",
        ),
        ("swe", "python -m pytest --version && git --version && rg --version", "pytest 9"),
        ("terminal", "git --version && jq -n '1+1' && python3 -c 'import json'", "git version"),
        (
            "mcp",
            "git --version && python -c 'import mcp_server_git, mcp_server_sqlite, mcp_server_time'",
            "git version",
        ),
        (
            "experiment",
            "python -c 'import pandas, sklearn; print(sklearn.__version__)'; ls /usr/local/lib/*/*/sklearn/datasets",
            "1.9.1",
        ),
        (
            "tuning",
            "redis-server --version && nginx -v && postgres --version && ab -V && pgbench --version",
            "Redis server v=7",
        ),
        ("desktop", "which Xvfb openbox agentgym-desk mousepad gnumeric", "/usr/bin/gnumeric"),
        ("env", "agentgym list --json", "agentgym/GuessNumber-v0"),
        ("web", "chromium-headless-shell --version && agentgym list --family web --json", "agentgym/MiniWoB-v0"),
    ],
)
def test_images_of_ours_hold_what_they_promise(client: Any, name_of_ours: str, command: str, expected: str) -> None:
    (state,) = image_states(client, [name_of_ours])
    if state.status != "ok":
        pytest.skip(f"image {name_of_ours} is {state.status}: run agentgym images build {name_of_ours}")
    said = client.containers.run(
        state.tag, ["-c", command], entrypoint="sh", remove=True, network_mode="none", read_only=True
    ).decode()
    assert expected in said


def test_every_image_of_ours_is_covered_above() -> None:
    names = {"base", "desktop", "python", "experiment", "terminal", "mcp", "env", "web", "swe", "tuning"}
    assert set(default_catalogue().usual_names) == names

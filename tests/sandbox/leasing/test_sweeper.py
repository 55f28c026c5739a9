"""Sweeping: everything of a dead owner goes, nothing that is alive or foreign is touched."""

import io
import json
import os
import signal
import subprocess
import sys
import tarfile

import pytest

from agentgym.cli.main import main
from agentgym.sandbox.engines.engine import connect_engine
from agentgym.sandbox.leasing.mounts import mount, mounts_below
from agentgym.sandbox.leasing.owner import OWNER_LABEL, STATE_LABEL, known_owners, owners_folder, state_id, this_owner
from agentgym.sandbox.leasing.sweeper import remove_containers, sweep
from tests.sandbox.engine import has_engine

needs_engine = pytest.mark.skipif(not has_engine(), reason="no container engine answers")
needs_mount = pytest.mark.skipif(os.geteuid() != 0, reason="mounting needs root")
BE_OWNER = """
import sys, time
from pathlib import Path
from agentgym.sandbox.leasing.owner import this_owner
owner = this_owner(Path(sys.argv[1]))
(owner.new_folder("box") / "view").mkdir()
print(owner.id, flush=True)
time.sleep(60)
"""


@pytest.fixture
def stranger(tmp_path):
    process = subprocess.Popen([sys.executable, "-c", BE_OWNER, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    with process:
        process.owner_id = process.stdout.readline().strip()
        yield process
        process.kill()


@pytest.fixture
def client():
    client = connect_engine()
    yield client
    client.close()


@pytest.fixture
def image(client):
    """An image with nothing in it: its containers can be created, which is enough to be swept."""
    packed = io.BytesIO()
    tarfile.open(fileobj=packed, mode="w").close()
    tag = f"agentgym-test-{os.urandom(4).hex()}"
    client.api.import_image_from_data(packed.getvalue(), tag, "latest")
    yield tag
    client.images.remove(tag)


def kill(process):
    process.send_signal(signal.SIGKILL)
    process.wait()


def container(client, image, labels):
    return client.containers.create(image, ["/none"], labels=labels)


def labels_of(state, owner_id):
    return {OWNER_LABEL: owner_id, STATE_LABEL: state_id(state)}


def test_sweep_leaves_a_live_owner_alone_and_removes_a_dead_one_s_folder(tmp_path, stranger):
    this_owner(tmp_path)
    report = sweep(None, state=tmp_path)
    assert (report.leftovers, report.num_alive) == ((), 2)
    kill(stranger)
    report = sweep(None, state=tmp_path)
    assert [(found.kind, found.owner, found.error) for found in report.leftovers] == [("folder", stranger.owner_id, "")]
    assert known_owners(tmp_path) == [this_owner(tmp_path).id]
    assert sweep(None, state=tmp_path).leftovers == ()
    this_owner(tmp_path).release()


def test_dry_run_names_and_removes_nothing(tmp_path, stranger):
    kill(stranger)
    assert [found.kind for found in sweep(None, state=tmp_path, dry_run=True).leftovers] == ["folder"]
    assert known_owners(tmp_path) == [stranger.owner_id]


@needs_mount
def test_sweep_unmounts_what_a_dead_owner_left_even_where_it_is_in_use(tmp_path, stranger):
    folder = owners_folder(tmp_path) / stranger.owner_id / "sandboxes" / "box" / "view"
    mount("test", folder, "tmpfs")
    with open(folder / "file", "w"):
        kill(stranger)
        assert [found.kind for found in sweep(None, state=tmp_path).leftovers] == ["mount", "folder"]
    assert mounts_below(tmp_path) == []
    assert not folder.exists()


@needs_engine
def test_sweep_removes_containers_and_networks_of_the_dead_only(tmp_path, stranger, client, image):
    own = this_owner(tmp_path)
    labels = labels_of(tmp_path, stranger.owner_id)
    dead = [container(client, image, labels) for _ in range(3)]
    network = client.networks.create(f"agentgym-test-{os.urandom(4).hex()}", internal=True, labels=labels)
    kept = [
        container(client, image, own.labels()),
        container(client, image, {OWNER_LABEL: stranger.owner_id, STATE_LABEL: "another state folder"}),
        container(client, image, {OWNER_LABEL: stranger.owner_id}),
        container(client, image, {}),
    ]
    try:
        assert sweep(client, state=tmp_path).leftovers == ()
        kill(stranger)
        report = sweep(client, state=tmp_path)
        assert sorted(found.kind for found in report.leftovers) == ["container"] * 3 + ["folder", "network"]
        assert [found.error for found in report.leftovers] == [""] * 5
        left = {item["Id"] for item in client.api.containers(all=True)}
        assert not left & {found.id for found in dead}
        assert {found.id for found in kept} <= left
        assert client.networks.list(ids=[network.id]) == []
    finally:
        own.release()
        for found in kept:
            found.remove(force=True)


@needs_engine
def test_sweep_finds_containers_of_an_owner_whose_folder_is_gone(tmp_path, client, image):
    found = container(client, image, labels_of(tmp_path, "0123456789ab"))
    report = sweep(client, state=tmp_path)
    assert [(item.kind, item.name) for item in report.leftovers] == [("container", found.name)]


@needs_engine
@pytest.mark.parametrize("label", ["", ".", "../owners"])
def test_sweep_takes_no_label_for_a_path(tmp_path, client, image, label):
    own = this_owner(tmp_path)
    found = container(client, image, labels_of(tmp_path, label))
    try:
        report = sweep(client, state=tmp_path)
        assert (report.leftovers, report.num_alive) == ((), 1)
        assert own.lock_path.exists()
    finally:
        own.release()
        found.remove(force=True)


@needs_engine
def test_removal_refused_while_another_failed_is_asked_for_again(client, image, monkeypatch):
    import docker

    left, remove, asked = container(client, image, {}).id, client.api.remove_container, []

    def refused_once(container_id, **options):
        asked.append(container_id)
        if len(asked) == 1:
            raise docker.errors.APIError("409 Client Error", explanation="removal is already in progress")
        remove(container_id, **options)

    monkeypatch.setattr(client.api, "remove_container", refused_once)
    assert remove_containers(client, [left]) == {}
    assert client.api.containers(all=True, filters={"id": left}) == []


def test_command_prints_json_and_keeps_going_without_an_engine(tmp_path, stranger, monkeypatch, capsys):
    monkeypatch.setenv("AGENTGYM_STATE_DIR", str(tmp_path))
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    kill(stranger)
    assert main(["sweep", "--dry-run", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert [item["kind"] for item in answer["leftovers"]] == ["folder"]
    assert "no such socket" in answer["engine"]
    assert main(["sweep"]) == 0
    assert known_owners(tmp_path) == []

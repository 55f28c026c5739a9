"""What a machine lacks for sandboxes, found by trying."""

import os
from pathlib import Path

import pytest

from agentgym.sandbox.readiness import (
    bubblewrap_readiness,
    compiler_readiness,
    engine_readiness,
    image_readiness,
    namespace_readiness,
    reset_readiness,
    sandbox_readiness,
)


def program(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(f"#!/bin/sh\n{text}\n")
    (folder / name).chmod(0o755)


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder of PATH; empty."""
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def test_everything_missing_comes_with_its_command(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{path}/none.sock")
    found = {finding.name: finding for finding in sandbox_readiness()}
    assert found["container engine"].status == "missing"
    assert "DOCKER_HOST" in found["container engine"].fix
    assert "images" not in found
    assert found["bubblewrap"].fix == "sudo apt-get install bubblewrap"
    assert found["C compiler"].fix == "sudo apt-get install gcc libc6-dev"
    assert found["Podman"].fix == "sudo apt-get install podman"


def test_misdirected_engine_is_a_fault(tmp_path: Path) -> None:
    assert engine_readiness("nonsense").status == "fault"


PASS_ON = 'while [ "${1#/}" = "$1" ] && [ "$1" != unshare ]; do shift; done; exec "$@"'
"""A setpriv that changes nothing."""


def test_bubblewrap_that_does_not_work_is_quoted(path: Path) -> None:
    program(path, "setpriv", PASS_ON)
    program(path, "bwrap", "echo 'bwrap: No permissions to create new namespace' >&2; exit 1")
    found = bubblewrap_readiness()
    assert found.status == "missing"
    assert "No permissions to create new namespace" in found.detail
    assert found.fix == "see user namespaces"  # nothing of PATH can make one


def test_an_old_bubblewrap_is_named_as_such(path: Path) -> None:
    program(path, "setpriv", PASS_ON)
    program(path, "bwrap", "echo 'bwrap: Unknown option --disable-userns' >&2; exit 1")
    assert bubblewrap_readiness().fix == "install bubblewrap 0.8 or later"


def test_bubblewrap_is_tried_as_sandboxes_are_started(path: Path, tmp_path: Path) -> None:
    program(path, "setpriv", PASS_ON)
    program(path, "bwrap", f'echo "$*" > {tmp_path}/told')
    assert bubblewrap_readiness().status == "ok"
    told = (tmp_path / "told").read_text()
    assert "--ro-bind /usr /usr" in told
    assert "--ro-bind / /" not in told  # what others mount below it would make it fail now and then


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives up rights")
def test_root_tries_user_namespaces_as_the_user_of_sandboxes(path: Path) -> None:
    program(path, "unshare", "exit 0")
    assert "setpriv is not on PATH" in namespace_readiness().detail
    program(path, "setpriv", "echo 'unshare: unshare failed: Operation not permitted' >&2; exit 1")
    assert namespace_readiness().status == "missing"


def test_refused_user_namespaces_are_quoted(path: Path) -> None:
    program(path, "setpriv", PASS_ON)
    program(path, "unshare", "echo 'unshare failed: Operation not permitted' >&2; exit 1")
    assert namespace_readiness().status == "missing"


def test_compiler_without_static_library_names_the_packages(path: Path) -> None:
    program(path, "cc", "echo 'cannot find -lc' >&2; exit 1")
    found = compiler_readiness()
    assert (found.status, found.fix) == ("missing", "sudo apt-get install gcc libc6-dev")
    assert "cannot find -lc" in found.detail


def test_reset_in_place_needs_root_and_an_engine_here(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    monkeypatch.setenv("DOCKER_HOST", "tcp://127.0.0.1:1")
    assert "another machine" in reset_readiness().detail
    monkeypatch.delenv("DOCKER_HOST")
    with monkeypatch.context() as patch:
        patch.setattr(os, "geteuid", lambda: 1000)
        assert "takes root" in reset_readiness().detail
    if os.geteuid() == 0:
        program(path, "unshare", "echo 'mount: permission denied' >&2; exit 32")
        assert "permission denied" in reset_readiness().detail


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting takes root")
def test_trial_of_an_overlay_leaves_no_mount_and_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    found = reset_readiness()
    assert (found.status, found.detail) == ("ok", "an overlay can be mounted")
    assert str(tmp_path) not in Path("/proc/self/mounts").read_text()
    assert list(tmp_path.iterdir()) == []


def test_images_name_the_command_that_builds_what_is_missing() -> None:
    if engine_readiness().status != "ok":
        pytest.skip(f"no container engine: {engine_readiness().detail}")
    found = image_readiness()
    assert "base" in found.detail
    assert (found.status == "ok") == (found.fix == "")
    if found.fix:
        assert found.fix.startswith("agentgym images build ")

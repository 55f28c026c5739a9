"""Snapshots that forks stand on, without an engine."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from agentgym.errors import SandboxStartError
from agentgym.sandbox.base import Snapshot
from agentgym.sandbox.engines import docker_sandbox
from agentgym.sandbox.engines.docker_sandbox import DockerSandbox
from agentgym.sandbox.engines.shared_snapshot import SharedSnapshot
from agentgym.sandbox.spec import SandboxSpec


def snapshot(folder: Path) -> Snapshot:
    folder.mkdir()
    return Snapshot(folder.name, SandboxSpec(), folder)


class Started:
    """A sandbox that stands on a snapshot."""

    _own_snapshot: SharedSnapshot

    def close(self) -> None:
        self._own_snapshot.leave()


def test_a_snapshot_goes_with_the_last_that_stands_on_it_and_then_what_is_below(tmp_path: Path) -> None:
    below = SharedSnapshot(snapshot(tmp_path / "below"), None).enter()
    above = SharedSnapshot(snapshot(tmp_path / "above"), below).enter().enter()
    above.leave()
    below.leave()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["above", "below"]
    above.leave()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("num_failing", [1, 2])
def test_a_fork_that_fails_in_part_leaves_what_others_stand_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, num_failing: int
) -> None:
    below = SharedSnapshot(snapshot(tmp_path / "below"), None).enter()
    calls = itertools.count()

    def start(*_: object) -> Started:
        if next(calls) < num_failing:
            raise SandboxStartError("no memory")
        return Started()

    forked = object.__new__(DockerSandbox)
    forked._host, forked.spec, forked._own_snapshot = None, SandboxSpec(), below
    monkeypatch.setattr(forked, "_copied", lambda: snapshot(tmp_path / "above"))
    monkeypatch.setattr(docker_sandbox, "DockerSandbox", start)
    with pytest.raises(SandboxStartError, match="no memory"):
        forked.fork(2)
    assert [path.name for path in tmp_path.iterdir()] == ["below"]
    below.leave()
    assert not list(tmp_path.iterdir())

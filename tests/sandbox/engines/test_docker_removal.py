"""Containers that an engine does not remove at once are asked for again, and none is forgotten."""

import time

import pytest

from agentgym.sandbox.engines import docker_removal
from agentgym.sandbox.engines.docker_removal import ContainerRemoval


@pytest.fixture
def answers(monkeypatch):
    """What the engine says to each removal, in order: containers that it refuses, or an error; then it removes all."""
    scripted, asked = [], []

    def remove(client, containers):
        asked.append(list(containers))
        answer = scripted.pop(0) if scripted else ()
        if isinstance(answer, OSError):
            raise answer
        return {container: "busy" for container in containers if container in answer}

    monkeypatch.setattr(docker_removal, "remove_containers", remove)
    monkeypatch.setattr(docker_removal, "_RETRY_S", 0.01)
    return scripted, asked


def emptied(removal):
    deadline = time.monotonic() + 60
    while removal.left and time.monotonic() < deadline:
        time.sleep(0.01)
    return not removal.left


def test_a_refused_container_is_asked_for_until_it_is_gone(answers):
    scripted, asked = answers
    scripted += [("a",), ("a",), ("a",)]
    removal = ContainerRemoval(None)
    removal.remove("a")
    assert emptied(removal)
    assert asked == [["a"]] * 4


def test_an_absent_engine_is_asked_again_once_it_has_answered(answers):
    scripted, asked = answers
    scripted += [OSError("away"), OSError("away")]
    removal = ContainerRemoval(None)
    for name in ("a", "b"):
        with pytest.raises(OSError, match="away"):
            removal.remove(name)
    time.sleep(0.1)
    assert removal.left == {"a", "b"}
    assert asked == [["a"], ["b"]]
    removal.remove("c")
    assert emptied(removal)
    assert asked[2:] == [["c"], ["a", "b"]]


def test_an_engine_that_goes_away_meanwhile_keeps_what_is_left(answers):
    scripted, _ = answers
    scripted += [("a",), OSError("away")]
    removal = ContainerRemoval(None)
    removal.remove("a")
    while scripted:
        time.sleep(0.01)
    assert removal.left == {"a"}
    removal.remove("b")
    assert emptied(removal)

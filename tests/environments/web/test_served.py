"""Web environments behind the wire: in a container, where they play as here and are shut in, and `agentgym serve`."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from docker.errors import NotFound

import agentgym
from agentgym.env import AgentEnv
from agentgym.registration.contained import SERVERS, ContainedEnv
from agentgym.remote import RemoteEnv
from agentgym.sandbox.engines.engine import EngineFault, connect_engine, probe_engine
from agentgym.sandbox.images.build import build_images
from agentgym.suite import load_suite
from agentgym.task import Task

MINIWOB, SHOP = "agentgym/MiniWoB-v0", "agentgym/Shop-v0"
SERVER_IN_CONTAINER = "http://127.0.0.1:8000/health"


@pytest.fixture(scope="module")
def _image() -> None:
    answer = probe_engine()
    if isinstance(answer, EngineFault):
        pytest.skip(f"no container engine: {answer.detail}")
    build_images(connect_engine(), ["web"])


def in_container(env_id: str, **options: Any) -> Iterator[ContainedEnv]:
    """An environment in a container, which is gone afterwards."""
    env = agentgym.make(env_id, runtime="docker", **options)
    assert isinstance(env, ContainedEnv)
    assert env._server is not None
    container = env._server.sandbox.id
    yield env
    env.close()
    assert len(SERVERS) == 0
    with pytest.raises(NotFound):
        connect_engine().containers.get(container)


@pytest.fixture
def miniwob(_image: None) -> Iterator[ContainedEnv]:
    yield from in_container(MINIWOB, screenshot=True)


@pytest.fixture
def shop(_image: None) -> Iterator[ContainedEnv]:
    yield from in_container(SHOP)


def task_of(env_id: str) -> Task:
    return load_suite(agentgym.spec(env_id).suites[0]).tasks("test")[0]


def play(env: AgentEnv, env_id: str, player: str = "oracle") -> tuple[list[Any], float]:
    """Observations of an episode of a suite's first task, and its reward."""
    task = task_of(env_id)
    script = agentgym.spec(env_id).load_scripts()[player](task, 1)
    observation, info = env.reset(options={"task": task})
    seen, messages, total, is_over = [observation], list(info["messages"]), 0.0, False
    while not is_over:
        action = script.act(messages)
        observation, reward, terminated, truncated, info = env.step(action)
        messages += [{"role": "assistant", "content": action}, *info["messages"]]
        total, is_over = total + reward, terminated or truncated
        seen.append(observation)
    return seen, total


def is_alike(seen: list[Any], expected: list[Any]) -> bool:
    """The same texts and pictures of the same size, up to the fonts of two machines."""
    return [each["text"] for each in seen] == [each["text"] for each in expected] and all(
        one["image"].shape == other["image"].shape
        and np.abs(one["image"].astype(int) - other["image"].astype(int)).mean() < 8
        for one, other in zip(seen, expected, strict=True)
    )


def ran(env: ContainedEnv, *argv: str) -> str:
    """What a program in an environment's container says, errors included."""
    assert env._server is not None
    return env._server.sandbox.exec(["sh", "-c", '"$@" 2>&1', "sh", *argv], timeout_s=60).stdout.decode()


def test_a_page_in_a_container_is_played_as_here(miniwob: ContainedEnv) -> None:
    here = agentgym.make(MINIWOB, screenshot=True)
    assert miniwob.observation_space == here.observation_space
    (inside, reward), (outside, _) = play(miniwob, MINIWOB), play(here, MINIWOB)
    here.close()
    assert reward == 1.0
    assert is_alike(inside, outside)
    assert inside[0] in miniwob.observation_space
    # One browser serves the container's sessions, which are as isolated as those of one process.
    second = agentgym.make(MINIWOB, runtime="docker", screenshot=True)
    assert play(second, MINIWOB)[1] == 1.0
    second.close()
    lines = ran(miniwob, "ps", "-eo", "args=").splitlines()
    browsers = [line for line in lines if line.startswith("/usr/lib/chromium/") and "--type=" not in line]
    assert len(browsers) == 1
    assert "--no-sandbox" in browsers[0]  # the container is its sandbox


def test_a_site_in_a_container_is_graded_there_and_nothing_leads_out(shop: ContainedEnv) -> None:
    assert play(shop, SHOP)[1] == 1.0
    assert play(shop, SHOP, "null")[1] == 0.0
    shop.reset(options={"task": task_of(SHOP)})
    with socket.create_server(("127.0.0.1", 0)) as host:
        host.settimeout(0.2)
        url = f"http://127.0.0.1:{host.getsockname()[1]}/"
        for address in (url, SERVER_IN_CONTAINER, "file:///etc/passwd"):
            told = shop.step(f"goto({address!r})")[0]["text"]
            assert "cannot be reached" in told or "not allowed" in told, told
        # Nor does a browser that minds no proxy get anywhere but to the container itself.
        bare = ("chromium-headless-shell", "--no-sandbox", "--disable-gpu", "--dump-dom")
        assert "healthy" in ran(shop, *bare, SERVER_IN_CONTAINER)
        ran(shop, *bare, url)
        with pytest.raises(TimeoutError):
            host.accept()
    assert ran(shop, "sh", "-c", "tail -n +3 /proc/net/dev | cut -d: -f1").split() == ["lo"]
    assert "Read-only file system" in ran(shop, "touch", "/usr/local/mine")
    assert set(ran(shop, "ps", "-eo", "user=").split()) == {"agent"}


def test_serve_plays_pages_and_sends_their_pictures(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "agentgym.cli.main", "serve", MINIWOB, "--uds", str(tmp_path / "socket"), "--json"]
    environment = {**os.environ, "AGENTGYM_TOKEN": ""}
    server = subprocess.Popen(
        [*command, "--env-option", "screenshot=true"], stdout=subprocess.PIPE, text=True, env=environment
    )
    assert server.stdout is not None
    said = ""
    while not said.endswith("}\n"):
        said += server.stdout.readline()
    env, here = RemoteEnv(json.loads(said)["url"]), agentgym.make(MINIWOB, screenshot=True)
    assert env.observation_space == here.observation_space
    (served, reward), (local, _) = play(env, MINIWOB), play(here, MINIWOB)
    assert reward == 1.0
    assert is_alike(served, local)
    assert served[0]["image"].any()
    here.close()
    env.close()
    server.send_signal(signal.SIGTERM)
    assert server.wait(60) == 0
    server.stdout.close()

"""The adapter against a small driver of the same protocol, and for real where AGENTGYM_BROWSERGYM_PYTHON is set."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from agentgym.errors import ConfigError, InfrastructureError
from agentgym.registration import make, spec
from agentgym_web.formats.browsergym.env import VARIABLE, BrowserGymEnv
from agentgym_web.miniwob.pages import html_folder


def test_interpreter_that_is_missing_is_named(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    with pytest.raises(ConfigError, match="python3 -m venv"):
        BrowserGymEnv("browsergym/miniwob.click-test")


def test_any_id_of_browsergym_is_known():
    assert spec("browsergym/miniwob.click-test").options["env_id"] == "browsergym/miniwob.click-test"
    with pytest.raises(ConfigError, match="interpreter with BrowserGym"):
        make("browsergym/miniwob.click-dialog", python="/nowhere")


def test_interpreter_without_browsergym_is_a_failure_with_advice():
    env = BrowserGymEnv("browsergym/nothing.here", python=sys.executable)
    with pytest.raises(InfrastructureError, match=r"No module named 'browsergym'.*pip install"):
        env.reset(seed=0)
    env.close()


def test_process_that_dies_is_a_failure(tmp_path):
    dead = tmp_path / "python"
    dead.write_text("#!/bin/sh\necho broken >&2\nexit 3\n")
    dead.chmod(0o755)
    env = BrowserGymEnv("browsergym/miniwob.click-test", python=str(dead))
    with pytest.raises(InfrastructureError, match="broken"):
        env.reset(seed=0)


if os.environ.get(VARIABLE):  # BrowserGym needs an interpreter of its own: benchmarks/peers/browsergym

    def test_page_of_miniwob_is_played_through_browsergym():
        env = BrowserGymEnv(
            "browsergym/miniwob.click-test",
            browser=shutil.which("chromium") or "",
            miniwob_url=f"file://{Path(html_folder())}/miniwob/",
        )
        try:
            text = env.reset(seed=3)[0]["text"]
            number = text.split("] button 'Click Me!'")[0].rpartition("[")[2]
            _, reward, terminated, _, info = env.step(f"click('{number}')")
            assert terminated
            assert info["success"]
            assert reward > 0
        finally:
            env.close()

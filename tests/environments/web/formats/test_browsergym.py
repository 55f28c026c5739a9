"""The adapter against a small driver of the same protocol, and for real where AGENTGYM_BROWSERGYM_PYTHON is set."""

import os
import shutil
import sys
import time
from pathlib import Path

import pytest

from agentgym.errors import ConfigError, InfrastructureError
from agentgym.registration import make, spec
from agentgym_web.formats.browsergym import driver
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


def test_process_that_gives_no_answer_in_time_is_killed(tmp_path):
    silent = tmp_path / "python"
    silent.write_text("#!/bin/sh\necho thinking >&2\nexec sleep 600\n")
    silent.chmod(0o755)
    env = BrowserGymEnv("browsergym/miniwob.click-test", python=str(silent), answer_within_s=0.5)
    with pytest.raises(InfrastructureError, match=r"no answer within 0\.5 s and was killed during make: thinking"):
        env.reset(seed=0)


def test_parser_that_spins_is_given_up(monkeypatch):
    def spin(action: str) -> str:
        while action != "noop()":
            pass
        return "done"

    monkeypatch.setattr(driver, "_PARSE_WITHIN_S", 0.1)
    parse = driver._in_time(spin)
    with pytest.raises(TimeoutError, match=r"within 0\.1 s; write a shorter one"):
        parse("(" * 9)
    assert parse("noop()") == "done"
    time.sleep(0.15)  # no alarm is left


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

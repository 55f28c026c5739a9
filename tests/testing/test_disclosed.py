"""Private values that an environment shows, which its spec names."""

from __future__ import annotations

import gymnasium
import pytest

import agentgym
from agentgym.registration import registry
from agentgym.testing import check_env


@pytest.mark.parametrize(("disclosed", "failed"), [((), ["secrecy"]), (("password",), [])])
def test_check_env_leaves_alone_what_a_spec_says_is_shown(disclosed, failed, monkeypatch):
    monkeypatch.setattr(registry, "_specs", dict(registry._specs))
    entry_point, scripts = "tests.testing.test_check:Talkative", "tests.toys.env:SCRIPTS"
    agentgym.register(agentgym.EnvSpec("test/Talkative-v0", entry_point, scripts, "test", disclosed=disclosed))
    report = check_env("test/Talkative-v0", only=["secrecy"])
    gymnasium.registry.pop("test/Talkative-v0")
    assert [failure.name for failure in report.failures] == failed

"""Lookup with tools that take their time, as a tool behind a network does.

The episodes are those of `agentgym_tools.lookup`; only the clock differs.
"""

from __future__ import annotations

import time
from dataclasses import replace

from agentgym.action import ToolCall
from agentgym.env import EnvReply
from agentgym.registration import EnvSpec, register, spec
from agentgym.suite import Suite, load_suite
from agentgym_tools.lookup.env import LookupEnv

ENV_ID = "benchmarks/SlowLookup-v0"


class SlowLookupEnv(LookupEnv):
    """Lookup whose every tool call sleeps first.

    Args:
        delay_s: How long a call takes; 0 for the environment as it is.
    """

    def __init__(self, delay_s: float = 0.0, render_mode: str | None = None) -> None:
        super().__init__(render_mode=render_mode)
        self._delay_s = delay_s

    def call(self, call: ToolCall) -> EnvReply:
        """Sleep, then carry out the call."""
        if self._delay_s:
            time.sleep(self._delay_s)
        return super().call(call)


def slow_suite(delay_s: float) -> Suite:
    """The suite tools/lookup, played by the slow environment."""
    scripts = spec("agentgym/Lookup-v0").scripts
    register(EnvSpec(ENV_ID, "benchmarks.slow_lookup:SlowLookupEnv", scripts, "tools", ("tools/lookup",)))
    return replace(load_suite("tools/lookup"), env=ENV_ID, env_options={"delay_s": delay_s})

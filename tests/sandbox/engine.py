"""Whether a container engine answers, asked once a process, since many files skip tests by it."""

from functools import cache

from agentgym.sandbox.engines.engine import EngineInfo, probe_engine


@cache
def has_engine() -> bool:
    """Whether one answers at the default address."""
    return isinstance(probe_engine(), EngineInfo)

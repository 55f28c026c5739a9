"""What sandboxes for repairs are: image, limits, variables, and the warm process that runs tests in them.

What an episode puts into one is in `state`; how the judge uses one is in `verdict`.
"""

from __future__ import annotations

import atexit
import threading
import weakref
from importlib import resources

from agentgym.sandbox.base import SandboxProvider
from agentgym.sandbox.pool import PoolConfig, SandboxPool
from agentgym.sandbox.spec import Limits, SandboxSpec
from agentgym_swe.room import IMAGE, with_tools

PYTHON = ("python3", "-s", "-P")
GIT_ENV = {
    "GIT_AUTHOR_NAME": "Maintainer",
    "GIT_AUTHOR_EMAIL": "maintainer@example.org",
    "GIT_COMMITTER_NAME": "Maintainer",
    "GIT_COMMITTER_EMAIL": "maintainer@example.org",
    "GIT_AUTHOR_DATE": "2024-01-01T12:00:00Z",
    "GIT_COMMITTER_DATE": "2024-01-01T12:00:00Z",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": "true",
    "GIT_TERMINAL_PROMPT": "0",
}
"""Names, dates and settings, so that the same commits have the same hashes and nothing waits for a person."""
ENV = {
    **GIT_ENV,
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
    "PAGER": "cat",
    "TERM": "dumb",
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONUTF8": "1",
}
LIMITS = Limits(cpus=1.0, memory_mib=512, pids=96, work_mib=64, tmp_mib=32, exec_s=60.0, output_bytes=1 << 20)

_lock = threading.Lock()
_pools: weakref.WeakKeyDictionary[SandboxProvider, SandboxPool] = weakref.WeakKeyDictionary()


def program(name: str) -> str:
    """The text of a program of `inside`."""
    return resources.files("agentgym_swe.repair.inside").joinpath(f"{name}.py").read_text(encoding="utf-8")


_DIRECT = resources.files("agentgym_swe.inside").joinpath("direct.py").read_text(encoding="utf-8")
WARM = (*PYTHON, "-c", program("warm"), _DIRECT, program("prober"))
"""The command of the warm process."""


def sandbox_spec(provider: SandboxProvider, work: str = "") -> SandboxSpec:
    """The sandbox that an agent works in, or, without a work folder, that a verdict is reached in.

    Args:
        provider: Makes it; one without images shows the packages of the image in a mounted folder.
        work: Folder of the host with the package.
    """
    spec = SandboxSpec(image=IMAGE, command=WARM, env=ENV, work=work, limits=LIMITS)
    return with_tools(spec, has_images=provider.capabilities().images)


def judges(provider: SandboxProvider) -> SandboxPool:
    """The pool of sandboxes in which verdicts are reached, one for each provider of this process.

    It is apart from those that agents work in: who waits for a judge holds nothing that another judge waits for.
    """
    with _lock:
        if not _pools:
            atexit.register(close_judges)
        if provider not in _pools:
            _pools[provider] = SandboxPool(provider, PoolConfig(ready=1, idle_s=600.0, workers=2))
        return _pools[provider]


def close_judges() -> None:
    """Close the pools that `judges` made."""
    with _lock:
        closing = list(_pools.values())
        _pools.clear()
    atexit.unregister(close_judges)
    for pool in closing:
        pool.close()

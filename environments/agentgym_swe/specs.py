"""The environments of the software family. Registration, `agentgym list`, the documentation and tests read this list.

It imports no environment. To add one, write its folder and add its entry here.
"""

from __future__ import annotations

from agentgym.registration.env_spec import EnvSpec

SPECS: tuple[EnvSpec, ...] = (
    EnvSpec(
        "agentgym/Terminal-v0",
        "agentgym_swe.terminal.env:TerminalEnv",
        "agentgym_swe.terminal.scripts:SCRIPTS",
        "swe",
        ("swe/terminal",),
        runtimes=("workspace",),
        extra="docker",
    ),
)
"""All environments of the family."""

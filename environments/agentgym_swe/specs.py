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
    EnvSpec(
        "agentgym/PatchLine-v0",
        "agentgym_swe.patch_line.env:PatchLineEnv",
        "agentgym_swe.patch_line.scripts:SCRIPTS",
        "swe",
        ("swe/patch-line",),
        runtimes=("local", "served"),
        difficulty={"level": (1, 2, 3)},
        hints="agentgym_swe.patch_line.scripts:hint",
    ),
    EnvSpec(
        "agentgym/Experiment-v0",
        "agentgym_swe.experiment.env:ExperimentEnv",
        "agentgym_swe.experiment.scripts:SCRIPTS",
        "swe",
        ("swe/experiment",),
        runtimes=("workspace",),
        extra="docker",
    ),
    EnvSpec(
        "agentgym/Repair-v0",
        "agentgym_swe.repair.env:RepairEnv",
        "agentgym_swe.repair.scripts:SCRIPTS",
        "swe",
        ("swe/repair",),
        runtimes=("workspace",),
        extra="docker",
        hints="agentgym_swe.repair.hints:hint",
        checks="agentgym_swe.repair.hunting:CHECKS",
    ),
)
"""All environments of the family."""

"""The environments of the gui family. Registration, `agentgym list`, the documentation and tests read this list.

It imports no environment. To add one, write its folder and add its entry here.
"""

from __future__ import annotations

from agentgym.registration.env_spec import EnvSpec, Need

_VIEW = ("text", "picture", "marks", "pointer", "scale", "grid", "max_characters", "actions")
"""The fields of `agentgym_gui.desktop.view.View`."""

SPECS: tuple[EnvSpec, ...] = (
    EnvSpec(
        "agentgym/Desktop-v0",
        "agentgym_gui.desktop.env:DesktopEnv",
        "agentgym_gui.desktop.scripts:SCRIPTS",
        "gui",
        ("gui/desktop", "gui/desktop-small", "gui/desktop-office", "gui/desktop-bus"),
        runtimes=("workspace",),
        is_costly=True,
        extra="docker",
        room="desktop",
        message_options=_VIEW,
    ),
    EnvSpec(
        "agentgym/GuiTrace-v0",
        "agentgym_gui.traces.env:GuiTraceEnv",
        "agentgym_gui.traces.scripts:SCRIPTS",
        "gui",
        ("gui/traces", "gui/desktop-traces"),
        runtimes=("local", "served"),
        measures="agentgym.authoring.semi_online:MEASURES",
        room="traces",
        message_options=("syntax", "coordinates", "places", "instructions", "max_text"),
    ),
    EnvSpec(
        "agentgym/Grounding-v0",
        "agentgym_gui.grounding.env:GroundingEnv",
        "agentgym_gui.grounding.scripts:SCRIPTS",
        "gui",
        ("gui/grounding",),
        runtimes=("local", "workspace"),
        extra="gui",
        room="grounding",
        message_options=("answers", "scale", "grid", "listed"),
    ),
    EnvSpec(
        "agentgym/PhoneDesktop-v0",
        "agentgym_gui.phone.env:PhoneDesktopEnv",
        "agentgym_gui.phone.scripts:SCRIPTS",
        "gui",
        ("gui/phone",),
        runtimes=("workspace",),
        is_costly=True,
        extra="docker",
        room="phone",
        message_options=_VIEW,
    ),
    EnvSpec(
        "osworld/json",
        "agentgym_gui.osworld.env:OSWorldEnv",
        "agentgym_gui.osworld.scripts:SCRIPTS",
        "gui",
        deterministic=False,
        runtimes=("workspace",),
        extra="docker",
        adapts="osworld",
        room="desktop",
        needs=(Need("a task file in OSWorld's form, or a folder of them", "tasks", "AGENTGYM_OSWORLD"),),
    ),
)
"""All environments of the family."""

"""How a desktop is: its screen, theme, font and clock, and the sandbox that these make.

What a task puts on it is in `task`; how it is reached is in `session`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from agentgym.errors import ConfigError
from agentgym.sandbox.spec import DEFAULT_WORK_DIR, Limits, SandboxSpec

IMAGES = ("agentgym/desktop", "agentgym/desktop-office", "agentgym/desktop-bus")
"""Images with a desktop; the first is the usual one."""
HOME = DEFAULT_WORK_DIR
"""The agent's home is the work folder, so that resets, snapshots and quotas are the sandbox's."""
FOLDER = "/tmp/desk"  # noqa: S108 - inside the sandbox
SOCKET = f"{FOLDER}/socket"
LOG = f"{FOLDER}/log"
RUNTIME = f"{FOLDER}/run"
THEMES = ("Adwaita", "HighContrast", "Greybird", "Arc")
"""Themes of the image."""
ICONS = {"HighContrast": "HighContrast"}
MAX_SIDE = 4096
_CLOCK = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")
_LIMITS = Limits(cpus=2.0, memory_mib=1024, pids=256, work_mib=256, tmp_mib=128)
_OFFICE_LIMITS = Limits(cpus=2.0, memory_mib=2048, pids=256, work_mib=256, tmp_mib=256)


@dataclass(frozen=True)
class DesktopSettings:
    """How a desktop is."""

    width: int = 1280
    """Columns of the screen."""
    height: int = 800
    """Rows of the screen."""
    theme: str = "Adwaita"
    """One of `THEMES`."""
    font_size: float = 10.0
    """Size of the text of applications, in points."""
    clock: str = "2026-03-02 10:00:00"
    """The time that applications see; it stands still. The image's cache of fonts is made for this one."""

    image: str = IMAGES[0]
    """One of `IMAGES`."""

    def __post_init__(self) -> None:
        if self.image not in IMAGES:
            raise ConfigError(f"image must be one of {', '.join(IMAGES)}: got {self.image!r}")
        for name in ("width", "height"):
            side = getattr(self, name)
            if not isinstance(side, int) or not 64 <= side <= MAX_SIDE:
                raise ConfigError(f"{name} of a screen must be from 64 to {MAX_SIDE} pixels: got {side!r}")
        if self.theme not in THEMES:
            raise ConfigError(f"theme must be one of {', '.join(THEMES)}: got {self.theme!r}")
        if not 5 <= self.font_size <= 40:
            raise ConfigError(f"font_size must be from 5 to 40 points: got {self.font_size!r}")
        if not _CLOCK.fullmatch(self.clock) or not _is_time(self.clock):
            raise ConfigError(f"clock must be a time that there is, as 2026-03-02 10:00:00: got {self.clock!r}")

    def spec(self) -> SandboxSpec:
        """The sandbox: it starts the session at once, so that a pool keeps ready desktops."""
        command = ("agentgym-desk", FOLDER, f"{self.width}x{self.height}")
        return SandboxSpec(
            image=self.image,
            command=command,
            env=self._environment(),
            limits=_LIMITS if self.image == IMAGES[0] else _OFFICE_LIMITS,
        )

    def gtk_settings(self) -> bytes:
        """GTK's settings file: theme and font, and nothing that moves or remembers by itself."""
        lines = {
            "gtk-theme-name": self.theme,
            "gtk-icon-theme-name": ICONS.get(self.theme, "Adwaita"),
            "gtk-font-name": f"DejaVu Sans {self.font_size:g}",
            "gtk-enable-animations": "0",
            "gtk-cursor-blink": "0",
            "gtk-recent-files-enabled": "0",
            "gtk-overlay-scrolling": "0",
            "gtk-menu-images": "0",
            "gtk-button-images": "0",
            # Beyond the horizon of settling, so that no step waits for its timer; desk keeps two clicks further apart.
            "gtk-double-click-time": "1000",
        }
        return "\n".join(["[Settings]", *(f"{key}={value}" for key, value in lines.items()), ""]).encode()

    def _environment(self) -> Mapping[str, str]:
        return {
            "HOME": HOME,
            "LANG": "C.UTF-8",
            "GDK_BACKEND": "x11",
            "GTK_MODULES": "/usr/local/lib/agentgym-desk-module.so",
            "NO_AT_BRIDGE": "1",
            "XDG_CONFIG_DIRS": f"{FOLDER}/config:/etc/xdg",
            "FAKETIME": self.clock,
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }


def _is_time(clock: str) -> bool:
    try:
        datetime.strptime(clock, "%Y-%m-%d %H:%M:%S")
    except ValueError:
        return False
    return True


GTK_SETTINGS = f"{FOLDER}/config/gtk-3.0/settings.ini"

"""The usual way of computer-use agents: a Python process that clicks, a walk over AT-SPI, a PNG file by a program.

It runs on the same desktop image, with pyautogui, pyatspi and scrot added, in a container beside ours.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from agentgym.sandbox.base import Sandbox
from agentgym.sandbox.engines.engine import connect_engine
from agentgym.sandbox.images.named import image_tag
from agentgym.sandbox.spec import SandboxSpec
from agentgym_gui.desktop.session import Desktop
from agentgym_gui.desktop.settings import DesktopSettings
from agentgym_gui.desktop.staging import session_variables

FOLDER = Path(__file__).parents[1] / "peers" / "gui_usual"
TAG = "agentgym-benchmark/gui-usual"
_CLICK = "import pyautogui; pyautogui.FAILSAFE = False; pyautogui.PAUSE = 0; pyautogui.click({x}, {y})"
_OURS = ("NO_AT_BRIDGE", "GTK_MODULES")


def usual_spec(settings: DesktopSettings) -> SandboxSpec:
    """A desktop whose applications speak on the accessibility bus, and not to a module; builds its image."""
    tag = f"{TAG}:{image_tag('desktop').rpartition(':')[2]}"
    client = connect_engine()
    try:
        if not client.images.list(name=tag):
            _build(client, tag)
    finally:
        client.close()
    spec = settings.spec()
    env = {name: value for name, value in spec.env.items() if name not in _OURS}
    return replace(spec, image=tag, env=env)


def _build(client: Any, tag: str) -> None:
    with TemporaryDirectory(prefix="agentgym-usual-") as folder:
        shutil.copytree(FOLDER, folder, dirs_exist_ok=True)
        fetch = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", f"{folder}/site"]
        subprocess.run([*fetch, "--requirement", f"{folder}/requirements.txt"], check=True)
        client.images.build(path=folder, tag=tag, buildargs={"DESKTOP": image_tag("desktop")}, rm=True)


class Usual:
    """The usual way of acting and looking, each a process in the container.

    Args:
        desktop: A desktop of `usual_spec`.
    """

    def __init__(self, desktop: Desktop) -> None:
        self._sandbox: Sandbox = desktop.sandbox
        self._env = session_variables(desktop)

    def click(self, at: tuple[int, int]) -> None:
        """A click by a process of its own."""
        self._run(["python3", "-c", _CLICK.format(x=at[0], y=at[1])])

    def tree(self) -> bytes:
        """The shown tree, as JSON."""
        return self._run(["python3", "/usr/local/share/usual/tree.py"])

    def picture(self) -> bytes:
        """The screen as a PNG file."""
        self._run(["scrot", "-o", "-p", "/tmp/screen.png"])
        return self._sandbox.read_file("/tmp/screen.png")

    def _run(self, argv: list[str]) -> bytes:
        ended = self._sandbox.exec(argv, env=self._env, timeout_s=60, keep_background=True, max_output_bytes=8 << 20)
        if not ended.is_ok:
            raise RuntimeError(f"{argv[0]} failed: {ended.text()[-500:]}")
        return ended.stdout

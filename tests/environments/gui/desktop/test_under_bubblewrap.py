"""The desktop's files under bubblewrap: the oracle wins there, too, and its verdict is read from the files."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import agentgym
from agentgym.sandbox.engines.bubblewrap import BubblewrapProvider
from agentgym.sandbox.images.named import image_tag
from agentgym_gui.desktop.scripts import SCRIPTS
from agentgym_gui.templates.tasks import task_of
from tests.environments.in_containers import needs_image

pytestmark = needs_image("desktop")


@pytest.fixture(scope="module")
def root() -> Iterator[Path]:
    """The files of the image, which everybody may read."""
    made = subprocess.run(["docker", "create", image_tag("desktop")], capture_output=True, text=True, check=True)
    container = made.stdout.strip()
    with tempfile.TemporaryDirectory(prefix="desktop-") as folder:  # those of pytest are for their owner alone
        try:
            Path(folder).chmod(0o755)
            subprocess.run(f"docker export {container} | tar -x -C {folder}", shell=True, check=True)
        finally:
            subprocess.run(["docker", "rm", container], capture_output=True, check=True)
        yield Path(folder)


def test_oracle_wins_under_bubblewrap(root):
    task = task_of("mousepad.add_line", 3)
    with agentgym.make("agentgym/Desktop-v0", sandbox=BubblewrapProvider(root), relaxed=("memory_mib", "cpus")) as env:
        text = env.reset(options={"task": task})[0]["text"]
        script, ended, messages = SCRIPTS["oracle"](task, 0), False, [{"role": "user", "content": text}]
        while not ended:
            observation, _, terminated, truncated, info = env.step(script.act(messages))
            messages.append({"role": "user", "content": observation["text"]})
            ended = terminated or truncated
    assert info["success"] is True

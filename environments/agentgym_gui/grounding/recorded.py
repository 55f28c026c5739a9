"""The recorded scenes that come with agentgym, by their keys: live applications wrote them, at many places and looks.

They are drawn by `drawing`, or opened again by `opening`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache

from agentgym.data_folder import data_folder
from agentgym.errors import TaskError
from agentgym_gui.grounding.scenes import Scene, read_scene

SUITE = "gui/grounding"
FILE = "scenes.jsonl"


@cache
def recorded_scenes() -> Mapping[str, Scene]:
    """All of them, in the order of the file."""
    text = (data_folder("tasks") / SUITE / FILE).read_text(encoding="utf-8")
    scenes = [read_scene(json.loads(line)) for line in text.splitlines()]
    return {scene.key: scene for scene in scenes}


def recorded_scene(key: str) -> Scene:
    """The scene of a key.

    Raises:
        TaskError: There is none.
    """
    found = recorded_scenes().get(key)
    if found is None:
        raise TaskError(f"there is no recorded screen {key!r}: it was recorded anew since this task was made")
    return found

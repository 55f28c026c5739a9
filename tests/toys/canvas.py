"""A small environment that draws: say the colour of the picture; it has a content part of its own and an `image`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from agentgym import Action, AgentEnv, EnvReply, Message, Task
from agentgym.message import user
from agentgym.picture import with_picture
from agentgym.spaces import observations
from agentgym.task import Limits

COLOURS = {"red": (255, 0, 0), "blue": (0, 0, 255)}


def pixels(colour: str) -> NDArray[np.uint8]:
    """uint8[2, 3, 3], one colour."""
    return np.full((2, 3, 3), COLOURS[colour], np.uint8)


def canvas_task(*shown: str) -> Task:
    return Task("canvas:test", 0, "Say the colour.", config={"shown": list(shown)}, limits=Limits(max_turns=9))


class Canvas(AgentEnv):
    """The first picture comes as a content part, the others as the observation's `image`."""

    def __init__(self) -> None:
        super().__init__()
        self.observation_space = observations(has_picture=True)

    def make_task(self, seed: int) -> Task:
        return canvas_task("red", "blue", "red")

    def begin(self, task: Task) -> Sequence[Message]:
        self.shown = list(task.config["shown"])
        self.said: list[str] = []
        return [user("You see pictures."), with_picture(user(task.instruction), pixels(self.shown[0]))]

    def respond(self, action: Action) -> EnvReply:
        self.said.append(action.content)
        if len(self.said) < len(self.shown):
            return EnvReply([user("And this?")], image=pixels(self.shown[len(self.said)]))
        is_right = self.said == self.shown
        return EnvReply([user("Done.")], [self.event("success", float(is_right))], True, is_right)

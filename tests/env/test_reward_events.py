"""A reward that is no number: the error names the file and the line of the environment that made it."""

import math
import re
from collections.abc import Callable
from typing import Any

import pytest

from agentgym.env import EnvReply
from agentgym.errors import InfrastructureError
from agentgym.message import user
from tests.toys.game import Nim
from tests.toys.loud import Loud


class Broken(Loud):
    def respond(self, action):  # type: ignore[no-untyped-def]
        return EnvReply([user("Yes.")], [self.event("success", math.nan)], True, success=True)


class BrokenGame(Nim):
    def respond(self, role, action):  # type: ignore[no-untyped-def]
        self.event(role, "taken", math.inf)
        raise AssertionError


def play_broken() -> None:
    env = Broken()
    env.reset(seed=1)
    env.step("x")


def play_broken_game() -> None:
    game = BrokenGame()
    game.reset(game.make_task(1))
    game.respond("first", None)


@pytest.mark.parametrize(
    ("component", "method", "play"),
    [("success", Broken.respond, play_broken), ("taken", BrokenGame.respond, play_broken_game)],
)
def test_the_line_that_made_the_event_is_named(component: str, method: Any, play: Callable[[], None]) -> None:
    line = method.__code__.co_firstlineno + 1
    place = re.escape(f"({__file__}, line {line}, in respond), which is not finite")
    with pytest.raises(InfrastructureError, match=rf"component '{component}' is (nan|inf) {place}"):
        play()

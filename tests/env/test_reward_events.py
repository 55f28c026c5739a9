"""A reward that is no number: the error names the file and the line of the environment that made it."""

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from agentgym.env import EnvReply
from agentgym.errors import ContractError, InfrastructureError
from agentgym.message import user
from agentgym.reward import RewardEvent
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


def loud_with(monkeypatch: pytest.MonkeyPatch, respond: Callable[..., Any]) -> Loud:
    monkeypatch.setattr(Loud, "respond", respond)
    env = Loud()
    env.reset(seed=1)
    return env


@pytest.mark.parametrize(("value", "said"), [("1", "the str '1'"), (None, "the NoneType None")])
def test_a_value_that_is_no_number_is_named_with_its_component_and_line(
    value: Any, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def respond(self: Loud, action: object) -> EnvReply:
        return EnvReply([], [self.event("success", value)], True, success=True)

    place = re.escape(f"({__file__}, line {respond.__code__.co_firstlineno + 1}, in respond), expected a number")
    with pytest.raises(ContractError, match=rf"component 'success' is {said} {place}"):
        loud_with(monkeypatch, respond).step("x")


def test_a_number_of_numpy_becomes_a_float(monkeypatch: pytest.MonkeyPatch) -> None:
    def respond(self: Loud, action: object) -> EnvReply:
        return EnvReply([], [self.event("success", np.float32(0.5))], True, success=True)  # type: ignore[arg-type]

    *_, info = loud_with(monkeypatch, respond).step("x")
    [event] = info["reward_events"]
    assert event.value == 0.5
    assert type(event.value) is float


def test_a_value_of_an_event_made_by_hand_has_to_be_a_float(monkeypatch: pytest.MonkeyPatch) -> None:
    def respond(self: Loud, action: object) -> EnvReply:
        event = RewardEvent(0, 0, "agent", "success", np.float32(0.5))  # type: ignore[arg-type]
        return EnvReply([], [event], True, success=True)

    said = "whose event 0, of the component 'success', has as its value the float32 .*, expected a float"
    with pytest.raises(ContractError, match=said):
        loud_with(monkeypatch, respond).step("x")

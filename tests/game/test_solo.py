from __future__ import annotations

import numpy as np

from agentgym.arguments import tool_name
from agentgym.env import EnvReply
from agentgym.game import SoloGame
from agentgym.message import user
from agentgym.picture import has_picture
from agentgym.registration import make
from agentgym.suite import load_suite
from tests.toys.env import ToyEnv


def test_solo_game_shows_an_environment_as_a_game_of_one_role():
    game = SoloGame(ToyEnv())
    task = game.env.make_task(3)
    inbox = game.reset(task)
    assert inbox["agent"][0]["content"] == task.instruction
    towards = "up" if task.config["goal"] > 0 else "down"
    replies = []
    while game.acting_role is not None:
        replies.append(game.step(towards))
    assert replies[-1].successes == {"agent": True}
    assert str(replies[-1].outcome) == "terminated"
    game.reset(task)
    assert str(game.finalize("time").outcome) == "truncated:time"


class PicturedEnv(ToyEnv):
    """Answers its first two actions with one picture and the third with another."""

    def respond(self, action):
        return EnvReply([user("go on")], image=np.full((2, 3, 3), self.turn // 2, np.uint8))


def test_solo_game_puts_a_new_picture_into_the_last_message():
    game = SoloGame(PicturedEnv())
    game.reset(game.env.make_task(0))
    replies = [game.step("x") for _ in range(3)]
    assert [has_picture(reply.inbox["agent"]) for reply in replies] == [True, False, True]
    assert replies[0].inbox["agent"][0]["content"][0] == {"type": "text", "text": "go on"}
    game.reset(game.env.make_task(1))
    assert has_picture(game.step("x").inbox["agent"])


def test_solo_game_has_the_tools_of_the_task_that_is_played():
    game, role = SoloGame(make("agentgym/Workbench-v0")), "agent"
    shown = []
    for task in load_suite("tools/workbench").tasks("test")[:3]:
        game.reset(task)
        assert game.tools == {role: game.env.tools}
        shown.append(sorted(tool_name(schema) for schema in game.tools[role]))
    game.close()
    assert len({tuple(names) for names in shown}) > 1

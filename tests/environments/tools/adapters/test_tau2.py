"""tau2-bench's driver against a package and a folder of its shape."""

import pytest

from agentgym.errors import ConfigError
from agentgym.registration import make_game
from agentgym_tools.adapters.scripts import playing
from tests.environments.tools.adapters.playing import AGENT, play, values


@pytest.fixture
def tau2_folder(tmp_path):
    folder = tmp_path / "tau2-bench"
    (folder / "data/tau2/domains").mkdir(parents=True)
    (folder / "pyproject.toml").write_text('[project]\nname = "tau2"\nversion = "1.0.1"\n')
    return folder


def test_tau2_solo_gives_a_ticket_and_is_judged_by_its_evaluator(opened, interpreter, tau2_folder):
    env = opened("tau2/lamps", interpreter=interpreter("tau2", "1.0.1"), folder=str(tau2_folder), solo=True)
    assert env.num_tasks == 1  # the other one has no ticket
    found = play(env, 0, AGENT["oracle"])
    assert values(found) == {"success": 1, "own_state": 1, "own_collateral": 1}
    assert found["events"]["success"].detail == {"DB": 1.0}
    assert "Light L1." in found["messages"][0]["content"]
    note = {"calls": [{"name": "note", "arguments": {"text": "x"}}, {"name": "done", "arguments": {}}], "say": ""}
    assert values(play(env, 0, playing([note]))) == {"success": 0, "own_state": 0, "own_collateral": 0}
    words = play(env, 0, AGENT["null"])
    assert "Only calls are read here" in words["messages"][2]["content"]
    assert words["outcome"].kind == "truncated"


def test_tau2_with_a_user_is_a_game_of_two_roles(interpreter, tau2_folder):
    game = make_game("tau2/lamps", interpreter=interpreter("tau2", "1.0.1"), folder=str(tau2_folder))
    try:
        inbox = game.reset(game.make_task(1))
        assert game.acting_role == "user"
        assert "You want what both says." in inbox["user"][0]["content"]
        assert inbox["user"][1]["content"] == "Hello?"
        assert "Switch only what is asked for." in inbox["agent"][0]["content"]
        assert "glance()" not in str(game.tools["agent"])
        moves = ["L2 is dark.", 'switch(lamp="L2", state="on")', "Is it lit now?", "glance()", "Yes. ###STOP###"]
        for move in moves:
            reply = game.step(move)
        assert reply.is_over
        assert reply.successes == {"agent": True, "user": True}
        verdict = {event.component: event for event in reply.events if event.role == "agent"}
        assert verdict["success"].detail["NL_ASSERTION"].startswith("left out")
    finally:
        game.close()


def test_tau2_without_a_named_user_says_how_one_is_named(opened, interpreter, tau2_folder):
    env = opened("tau2/lamps", interpreter=interpreter("tau2", "1.0.1"), folder=str(tau2_folder))
    with pytest.raises(ConfigError, match="--partner user=endpoint:URL#MODEL"):
        env.reset(options={"task": env.make_task(1)})


def test_a_tau2_folder_of_another_version_is_refused(interpreter, tau2_folder):
    (tau2_folder / "pyproject.toml").write_text('[project]\nversion = "0.9.0"\n')
    game = make_game("tau2/lamps", interpreter=interpreter("tau2", "1.0.1"), folder=str(tau2_folder))
    with pytest.raises(ConfigError, match=r"has tau2-bench 0.9.0; expected 1.0.1; make an interpreter"):
        game.make_task(0)
    game = make_game("tau2/lamps", interpreter=interpreter("tau2", "1.0.1"), folder=str(tau2_folder.parent))
    with pytest.raises(ConfigError, match="is no checkout of tau2-bench"):
        game.make_task(0)

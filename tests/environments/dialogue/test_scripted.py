from __future__ import annotations

import pickle

import pytest

import agentgym
from agentgym.errors import ConfigError
from agentgym.policies.by_name import load
from agentgym_dialogue.maze.scripts import SCRIPTS


@pytest.mark.parametrize("name", ["oracle", "random"])
def test_quality_of_a_script_that_is_at_one_is_no_option(name):
    load("demo", player_of="agentgym/TextNav-v0", quality=0.5)
    with pytest.raises(ConfigError, match=r"does not take the options \['quality'\].*known: none"):
        load(name, player_of="agentgym/TextNav-v0", quality=0.5)


def test_script_at_a_quality_is_pickled_by_name():
    task = agentgym.make("agentgym/Maze-v0").make_task(0)
    twin = pickle.loads(pickle.dumps(SCRIPTS["oracle"]))
    assert twin(task, 0).act([]) == SCRIPTS["oracle"](task, 0).act([])

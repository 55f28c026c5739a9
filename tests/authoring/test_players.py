from __future__ import annotations

import pickle

import pytest

import agentgym
from agentgym.action import parse_tool_calls
from agentgym.authoring.players import call_text, saying
from agentgym.errors import ConfigError
from agentgym.policies.by_name import load
from agentgym.tools import tool_schema
from agentgym_dialogue.navigation.maze.scripts import SCRIPTS


@pytest.mark.parametrize("name", ["oracle", "random"])
def test_quality_of_a_script_that_is_at_one_is_no_option(name):
    load("demo", player_of="agentgym/TextNav-v0", quality=0.5)
    with pytest.raises(ConfigError, match="takes no options, got 'quality'; remove it"):
        load(name, player_of="agentgym/TextNav-v0", quality=0.5)


def test_script_at_a_quality_is_pickled_by_name():
    task = agentgym.make("agentgym/Maze-v0").make_task(0)
    twin = pickle.loads(pickle.dumps(SCRIPTS["oracle"]))
    assert twin(task, 0).act([]) == SCRIPTS["oracle"](task, 0).act([])


def test_saying_says_its_lines_in_order_and_repeats_the_last():
    task = agentgym.make("agentgym/Maze-v0").make_task(0)
    script = saying("one", "two")(task, 0)
    assert [script.act([]) for _ in range(4)] == ["one", "two", "two", "two"]


def test_call_text_is_read_back_as_the_call():
    text = call_text("lookup", entity='Ilo "Ö" <x>', number="2")
    tools = [tool_schema("lookup", "Look up.", entity="An entity.", number="A number.")]
    calls = parse_tool_calls(text, tools).tool_calls
    assert [(call.name, call.arguments) for call in calls] == [("lookup", {"entity": 'Ilo "Ö" <x>', "number": "2"})]

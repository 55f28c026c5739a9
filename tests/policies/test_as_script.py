from __future__ import annotations

import copy

from agentgym.env import CutMessage
from agentgym.message import user
from agentgym.policies.as_script import as_script
from agentgym.tools import tool_schema
from tests.toys.game import Sayer, nim_task
from tests.toys.tools import Caller, as_mistral, in_blocks

TOOLS = [tool_schema("say", "Say it.", text="What.")]
CALLS = [{"name": "say", "arguments": {"text": word}} for word in ("one", "two", "three")]


def test_a_script_says_calls_in_one_spelling_and_marks_what_was_cut():
    script = as_script(Caller(CALLS, as_mistral, cut=[0]), tools=TOOLS)(nim_task(), 0)
    talk = [user("Go.")]
    first = script.act(talk)
    assert type(first) is CutMessage
    talk += [{"role": "assistant", "content": str(first)}, user("Too long.")]
    assert script.act(talk) == in_blocks(CALLS[0])


def test_a_copy_of_a_script_goes_on_by_itself():
    policy = Caller(CALLS, in_blocks)
    script = as_script(policy, tools=TOOLS)(nim_task(), 0)
    talk = [user("Go.")]
    talk += [{"role": "assistant", "content": script.act(talk)}, user("more")]
    twin = copy.deepcopy(script)
    assert script.act(talk) == twin.act(talk) == in_blocks(CALLS[1])
    [_, own, of_twin] = policy.asked
    assert own == of_twin
    talk += [{"role": "assistant", "content": ""}, user("and more")]
    assert twin.act(talk) == in_blocks(CALLS[2])
    assert len(policy.asked[-1][1]) == len(own[1]) + 2


def test_a_policy_forgets_each_message_of_a_script():
    policy = Sayer("1")
    script = as_script(policy, "second")(nim_task(), 0)
    script.act([user("12 stones.")])
    assert policy.forgotten == [policy.asked[0].episode]
    assert policy.asked[0].role == "second"

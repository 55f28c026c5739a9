"""What an error message says of an exception of an environment's own code."""

import json
from pathlib import Path

import pytest

from agentgym.env import AgentEnv
from agentgym.origin import describe_error
from tests.toys.env import ToyEnv, toy_task


def caught(env: AgentEnv) -> LookupError | ValueError:
    env.reset(options={"task": toy_task("toy:x", 2)})
    with pytest.raises((LookupError, ValueError)) as raised:
        env.step("up")
    error: LookupError | ValueError = raised.value
    return error.with_traceback(raised.tb.tb_next)  # as caught within agentgym, not in this test


class Crashing(ToyEnv):
    def respond(self, action):
        return {}[action.content]


class Deep(ToyEnv):
    def respond(self, action):
        return json.loads("{")


def test_the_line_and_the_function_are_named() -> None:
    line = Crashing.respond.__code__.co_firstlineno + 1
    assert describe_error(caught(Crashing())) == f"KeyError: 'up' ({__file__}, line {line}, in respond)"


def test_what_a_library_did_is_named_by_the_line_that_called_it() -> None:
    line = Deep.respond.__code__.co_firstlineno + 1
    assert describe_error(caught(Deep())).endswith(f"({__file__}, line {line}, in respond)")


def test_a_syntax_error_is_where_the_text_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(SyntaxError) as raised:
        compile("x = 1\ndef f(:\n", str(tmp_path / "env.py"), "exec")
    assert describe_error(raised.value) == f"SyntaxError: invalid syntax ({tmp_path}/env.py, line 2)"


def test_no_place_is_made_up() -> None:
    assert describe_error(ValueError("lost")) == "ValueError: lost"

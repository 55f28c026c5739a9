"""BFCL's driver against the real bfcl-eval, which `make system` installs."""

import json
import os
from pathlib import Path

import pytest

from agentgym.authoring.players import call_text
from agentgym.errors import ConfigError
from tests.environments.tools.adapters.playing import AGENT, play, values

ROOT = Path(__file__).parents[4]
BFCL = os.environ.get("AGENTGYM_BFCL_PYTHON") or str(ROOT / "build/peers/bfcl/bin/python")
"""Where `make system` puts it, unless the variable names another."""
pytestmark = pytest.mark.skipif(not Path(BFCL).is_file(), reason="bfcl-eval is not installed: make system")


def test_bfcl_gives_its_turns_in_order_and_accepts_its_references(opened):
    env = opened("bfcl/multi_turn", interpreter=BFCL)
    assert env.num_tasks == 800
    for number in range(0, 800, 50):
        assert values(play(env, number, AGENT["oracle"])) == {
            "success": 1,
            "own_state": 1,
            "own_collateral": 1,
        }
        assert values(play(env, number, AGENT["null"]))["success"] == 0


def test_bfcl_supplies_held_back_tools_in_their_turn(opened):
    env = opened("bfcl/multi_turn_miss_func", interpreter=BFCL)
    task = env.make_task(0)
    env.reset(options={"task": task})
    shown = {tool["function"]["name"] for tool in env.tools}
    told = []
    for _ in task.private["turns"][:-1]:
        observation, *_ = env.step("Next.")
        told.append(observation["text"])
    [brought] = [text for text in told if "More tools can be used" in text]
    name = json.loads(brought.split("\n")[1])["name"]
    assert name not in shown


def test_text_of_a_model_is_never_run_by_bfcl(opened, tmp_path):
    env = opened("bfcl/multi_turn_base", interpreter=BFCL)
    env.reset(options={"task": env.make_task(0)})
    target = tmp_path / "made"
    code = f"__import__('pathlib').Path({str(target)!r}).touch()"
    for text in (
        f"mkdir(dir_name={code})",
        f'<tool_call>{{"name": "mkdir", "arguments": {{"dir_name=1) or {code} or dict(a": 1}}}}</tool_call>',
        call_text("mkdir", dir_name=f"x' + {code} + '"),
        f'<tool_call>{{"name": "open", "arguments": {{"file": "{target}", "mode": "w"}}}}</tool_call>',
    ):
        env.step(text)
    assert not target.exists()


def test_a_bfcl_category_that_is_unknown_is_refused_with_the_known(opened):
    with pytest.raises(ConfigError, match="there is no category 'simple'; expected multi_turn, multi_turn_base"):
        opened("bfcl/simple", interpreter=BFCL).make_task(0)

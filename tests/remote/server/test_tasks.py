"""Which tasks clients may ask for: none that reaches out of its sandbox, none that only looks like the server's."""

import dataclasses
import json

import pytest

from agentgym.errors import TaskError
from agentgym.registration import make
from agentgym.remote.server.tasks import chosen_task
from agentgym.remote.wire import CONTENT_HASH, public_task
from agentgym.sandbox.spec import Mount
from agentgym.suite import load_suite
from agentgym.task import Task
from agentgym_swe.terminal.env import SPEC, TerminalEnv

MOUNTED = json.loads(json.dumps(dataclasses.replace(SPEC, mounts=(Mount("/etc", "/mnt", writable=True),)).to_json()))
SCRIPT = {"folder": "/etc", "is_separate": False, "env": {}, "timeout_s": 5.0, "user": "root"}


@pytest.mark.parametrize(
    ("config", "private"),
    [
        ({"sandbox": MOUNTED}, {"script": SCRIPT}),
        ({"sandbox": json.loads(json.dumps(SPEC.to_json()))}, {}),
        ({"files": {}}, {"script": SCRIPT}),
    ],
)
def test_task_that_names_a_sandbox_or_a_folder_is_refused(config, private):
    task = Task("mine", 1, "Look around.", config=config, private=private)
    with pytest.raises(TaskError, match="names its own sandbox or tests"):
        chosen_task(TerminalEnv(sandbox="process"), task.to_json())


def test_files_of_the_host_are_in_no_sandbox_whoever_asks():
    env = TerminalEnv(sandbox="process")
    with pytest.raises(TaskError, match="mounts files of this machine into its sandbox: /etc"):
        env.reset(options={"task": Task("mine", 1, "Look.", config={"sandbox": MOUNTED}, private={"script": SCRIPT})})


def test_task_of_another_content_does_not_pass_for_the_servers():
    known = load_suite("dialogue/guess-number").tasks("test")[0]
    env = make("agentgym/GuessNumber-v0")
    sent = {**public_task(known), CONTENT_HASH: known.content_hash}
    assert chosen_task(env, sent) == known
    easier = dataclasses.replace(known, instruction="Say anything.")
    with pytest.raises(TaskError, match="another problem on the server"):
        chosen_task(env, {**public_task(easier), CONTENT_HASH: easier.content_hash})


def test_limits_of_a_client_stand_where_no_part_of_a_task_is_private():
    known = load_suite("dialogue/maze").tasks("test")[0]
    assert not known.private
    env = make("agentgym/Maze-v0")
    short = dataclasses.replace(known, limits=dataclasses.replace(known.limits, max_turns=1))
    assert chosen_task(env, public_task(short)) == short
    with pytest.raises(TaskError, match="differs from the one that the server has"):
        chosen_task(env, public_task(dataclasses.replace(known, instruction="Stay.")))

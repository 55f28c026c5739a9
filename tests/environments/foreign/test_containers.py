"""Rows of every form about a repository of ours, played in real containers of an image of ours."""

import dataclasses
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

from agentgym.authoring.players import call_text
from agentgym.errors import InfrastructureError, TaskError
from agentgym.reward import BLAME
from agentgym.sandbox.pool import PoolConfig, SandboxPool
from agentgym.sandbox.source import provider_named
from agentgym.testing.episodes import Record, play_actions, play_script
from agentgym_swe.acts import use_told
from agentgym_swe.foreign import ground
from agentgym_swe.foreign.env import RIGHT, InstanceEnv
from agentgym_swe.foreign.scripts import SCRIPTS
from agentgym_swe.workshop import Tools
from tests.environments.foreign.bench import FIX, build, rows
from tests.environments.in_containers import needs_image

pytestmark = needs_image("swe")
Made = Callable[..., InstanceEnv]
SUBMIT = call_text("submit")
SOURCE = "src/tally/__init__.py"
MEND = f"sed -i 's/+ 2/+ 1/' {SOURCE}"


@pytest.fixture(scope="module")
def tag() -> str:
    return build()


@pytest.fixture(scope="module")
def pool() -> Iterator[SandboxPool]:
    with SandboxPool(provider_named("docker"), PoolConfig(ready=0)) as made:
        yield made
        assert made.stats().leased == 0


@pytest.fixture
def made(tag: str, pool: SandboxPool, tmp_path: Path) -> Iterator[Made]:
    """Makes an environment of one row, with changes to it and options."""
    envs: list[InstanceEnv] = []

    def make(form: str = "swebench", changes: dict[str, Any] | None = None, **options: Any) -> InstanceEnv:
        path = tmp_path / "rows.jsonl"
        path.write_text(json.dumps({**rows(tag)[form], **(changes or {})}) + "\n")
        envs.append(InstanceEnv(f"{form}/jsonl", str(path), **{"image": tag, "sandbox": pool, **options}))
        return envs[-1]

    yield make
    for env in envs:
        env.close()


def verdict(record: Record) -> dict[str, Any]:
    [detail] = [event.detail for event in record.steps[-1].events if event.component == "success"]
    assert detail is not None
    return dict(detail)


def judged(env: InstanceEnv, *commands: str) -> dict[str, Any]:
    """The verdict after commands of the agent's."""
    actions = [*(call_text("shell", command=command) for command in commands), SUBMIT]
    return verdict(play_actions(env, env.make_task(0), actions))


@pytest.mark.parametrize("form", ["swebench", "swegym", "swesmith", "r2egym", "swerebench"])
def test_reference_earns_1_and_nothing_earns_0(made: Made, form: str) -> None:
    env = made(form)
    task = env.make_task(0)
    record = play_script(env, task, SCRIPTS["oracle"](task, 0))
    assert (record.success, verdict(record)["kind"]) == (True, "solved"), verdict(record)
    assert verdict(record)["model_patch"].startswith(f"diff --git a/{SOURCE} b/{SOURCE}\n")
    nothing = play_script(env, task, SCRIPTS["null"](task, 0))
    assert (nothing.reward, verdict(nothing)["kind"]) == (0.0, "unchanged")


def test_agent_finds_no_history_and_no_tests_that_judge(made: Made) -> None:
    env = made("swesmith")
    env.reset(options={"task": env.make_task(0)})
    asked = {
        "commits": "git rev-list --all --reflog | wc -l",
        "objects": "git count-objects -v | grep -E '^(count|in-pack):' | tr '\\n' ' '",
        "repaired": "git cat-file --batch-all-objects --batch | grep -ac 'word, 0) + 1'",
        "names": "git tag; git stash list; git remote; git branch --format='%(refname:short)'",
        "lost": "git fsck --lost-found --no-progress; ls .git/lost-found 2>/dev/null; true",
        "notes": "git status --short",
        "tests": "ls tests",
    }
    found = {}
    for name, command in asked.items():
        observation = env.step(call_text("shell", command=command))[0]
        found[name] = observation["text"].strip()
    assert found["commits"] == "1"
    assert found["objects"].endswith("in-pack: 0")
    assert found["repaired"].splitlines()[0] == "0"
    assert (found["names"], found["lost"], found["notes"]) == ("main", "(no output)", "(no output)")
    assert found["tests"] == "test_plain.py"


def test_changes_count_whatever_the_agent_does_to_its_repository(made: Made) -> None:
    env = made("swerebench")
    assert judged(env, MEND, "git commit -qam mended; git tag mine; rm -rf .git; git init -q")["kind"] == "solved"
    gone = judged(env, MEND, f"rm -rf {ground.SHADOW}")
    assert (gone["kind"], gone["reasons"][0].partition(";")[0]) == ("refused", "the changes cannot be read")


def test_wrong_changes_are_typed_and_blamed(made: Made) -> None:
    env = made("swebench")
    record = play_actions(env, env.make_task(0), [call_text("shell", command=f"sed -i 's/+ 2/+ 3/' {SOURCE}"), SUBMIT])
    wrong = verdict(record)
    assert (wrong["kind"], wrong["parts"]) == ("failed", {"applies": 1.0, "fixed": 0.0, "kept": 1.0})
    [blame] = [event.detail for event in record.steps[-1].events if event.component == BLAME]
    assert (blame["who"], blame["why"]) == ("agent", "failed")
    large = judged(env, "yes | head -c 3000000 > big.txt")
    assert large["kind"] == "refused"
    assert "bytes; at most 1000000 are judged" in large["reasons"][0]
    cheated = judged(
        env, "echo 'def test_counts(): pass' > tests/test_more.py; echo > conftest.py; printf '\\0' > x.bin"
    )
    assert (cheated["kind"], sorted(cheated["left_out"])) == (
        "unchanged",
        ["conftest.py", "tests/test_more.py", "x.bin"],
    )


def test_code_that_ends_hangs_grows_or_fills_the_disk_is_typed(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    small = dataclasses.replace(ground.LIMITS, memory_mib=256)
    monkeypatch.setattr(ground, "LIMITS", small)
    env, hasty = made("swerebench", timeout_s=40, disk_mib=32), made("swerebench", timeout_s=15)
    filling = "f = open('/var/tmp/x', 'wb'); [f.write(bytes(1 << 20)) for _ in range(96)]; f.flush()"
    lines = {
        "unrecorded": "import os; os._exit(0)",
        "died": "x = [bytes(range(256)) * 4096 for _ in range(1000)]",
        "filled": f"import time; {filling}; time.sleep(900)",
        "hung": "import time; time.sleep(900)",
    }
    for kind, line in lines.items():
        found = judged(hasty if kind == "hung" else env, f"echo {json.dumps(line)} >> {SOURCE}")
        assert (found["kind"], found["parts"]["fixed"]) == (kind, 0.0), found


def test_row_whose_tests_say_nothing_even_with_its_reference_is_no_failure_of_the_agent(made: Made) -> None:
    env = made("swerebench", {"install_config": {"test_cmd": "no-such-runner -m unittest"}})
    with pytest.raises(InfrastructureError, match="do not say how they ended, with its reference either"):
        judged(env, MEND)


def test_tests_that_the_reference_does_not_pass_can_be_excused(made: Made) -> None:
    kept = [*rows("")["swegym"]["PASS_TO_PASS"], "tests/test_tally.py::test_one_day", "tests/test_tally.py::test_slow"]
    excused = judged(made("swegym", {"PASS_TO_PASS": kept}, excuses=True, record="log"), MEND)
    assert (excused["kind"], excused["excused"]) == ("solved", kept[-2:])


def test_blocks_stand_for_calls(made: Made) -> None:
    env = made("swerebench", use="blocks")
    actions = [f"I mend it.\n```bash\n{MEND} && git diff --stat\n```", "```bash\nsubmit\n```"]
    record = play_actions(env, env.make_task(0), actions)
    assert (record.success, record.steps[-1].text) == (True, RIGHT)
    assert [message["role"] for message in record.steps[0].messages] == ["user"]
    assert SOURCE in record.steps[0].text


@pytest.mark.parametrize("use", get_args(Tools))
def test_first_message_tells_which_tools_there_are(made: Made, use: Tools) -> None:
    env = made("swerebench", use=use)
    assert use_told(env.reset(options={"task": env.make_task(0)})[1]["messages"]) == use


def test_missing_image_and_rows_that_do_not_fit_are_named(made: Made, tag: str) -> None:
    missing = made(image="nobody/has:{id}")
    with pytest.raises(TaskError, match=r"image nobody/has:ours_1776_tally-1 is not there.*docker pull.*image=TAG"):
        missing.reset(options={"task": missing.make_task(0)})
    other = made("swebench", {"test_patch": FIX.replace("+ 2", "+ 7")})
    with pytest.raises(TaskError, match=f"test_patch of ours__tally-1 does not fit the repository of {tag}"):
        other.reset(options={"task": other.make_task(0)})
    empty = made(folder="/nowhere")
    with pytest.raises(TaskError, match="has nothing in /nowhere; name the repository's folder"):
        empty.reset(options={"task": empty.make_task(0)})

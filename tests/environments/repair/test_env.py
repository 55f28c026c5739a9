from dataclasses import replace
from typing import Any

import pytest

from agentgym.authoring.players import call_text
from agentgym.errors import ConfigError, TaskError
from agentgym.task import Task
from agentgym.testing.episodes import play_actions, play_script
from agentgym_swe.repair.env import RIGHT, WRONG, RepairEnv
from agentgym_swe.repair.hints import hint
from agentgym_swe.repair.scripts import SCRIPTS
from agentgym_swe.repair.state import Beginning
from agentgym_swe.repair.trying import HIDDEN, Trier
from tests.environments.repair.conftest import FREQUENCIES, RELAXED, Plant

FIX = call_text("edit", command="replace", path="toolz/itertoolz.py", old="d[item] += 2", new="d[item] += 1")
SUBMIT = call_text("submit")


def said(env: RepairEnv, name: str, **arguments: object) -> str:
    return str(env.step(call_text(name, **arguments))[0]["text"])


def test_demonstrator_earns_every_part_and_null_nothing(env: RepairEnv, task: Task) -> None:
    demo = SCRIPTS["demo"](task, 0)
    demo._quality = 1.0  # type: ignore[attr-defined]
    record = play_script(env, task, demo)
    parts = {event.component: event.value for step in record.steps for event in step.events}
    assert record.success
    assert record.reward == 1.0
    assert parts == dict.fromkeys(parts, 1.0)
    assert set(parts) == {"success", *env.reward_weights} - {"format", "blame"}
    null = play_script(env, task, SCRIPTS["null"](task, 0))
    assert (null.success, null.reward) == (False, 0.0)


def test_agent_sees_the_broken_state_alone_without_the_tests_that_fail(env: RepairEnv, task: Task) -> None:
    env.reset(options={"task": task})
    assert said(env, "shell", command="git log --oneline | wc -l; git status --short").split() == ["1"]
    assert "test_frequencies" not in said(env, "search", pattern="def test_frequencies|def test_countby")
    assert "d[item] += 1" not in said(env, "shell", command="grep -rn 'item. += 1' . /tmp /home 2>/dev/null; git show")
    ran = said(env, "run_tests")
    assert ran.removesuffix(HIDDEN).endswith("passed")
    assert ran.endswith(HIDDEN)
    other = said(env, "run_tests", which="named", names=["toolz/tests/test_utils.py"])
    assert HIDDEN not in other


def test_agent_is_told_why_no_test_can_be_run() -> None:
    start = Beginning({}, (), (), ("tests",), hides_failures=True)
    trier = Trier((), start)
    nowhere: Any = None  # nothing is run in it
    assert 'are hidden. Run which="all" for the others' in trier.run(nowhere, "relevant", ())
    assert "none that you can see" in Trier((), replace(start, tests=())).run(nowhere, "all", ())


def test_commit_is_the_one_that_git_makes(env: RepairEnv, task: Task) -> None:
    """Names of commits are hashes of what is in them, who made them and when."""
    env.reset(options={"task": task})
    again = "rm -rf .git && git init -q -b main . && git add -A -f . && git commit -q -m Import"
    seen = said(
        env, "shell", command=f"git fsck --full && git status -s && git rev-parse HEAD && {again} && git rev-parse HEAD"
    )
    ours, theirs = seen.split()
    assert ours == theirs


@pytest.mark.parametrize(("visible", "found"), [("all", "2 failed"), ("none", "there are none")])
def test_tests_that_the_agent_sees_are_chosen(task: Task, visible: str, found: str) -> None:
    env = RepairEnv(visible, sandbox="bubblewrap", relaxed=RELAXED)  # type: ignore[arg-type]
    env.reset(options={"task": task})
    assert found in said(env, "run_tests")
    env.close()


def test_shell_alone_can_mend(task: Task) -> None:
    env = RepairEnv(use="shell", sandbox="bubblewrap", relaxed=RELAXED)
    assert [each["function"]["name"] for each in env.tools] == ["shell", "submit"]
    mend = call_text("shell", command="sed -i 's/item. += 2/item] += 1/' toolz/itertoolz.py")
    assert play_actions(env, task, [mend, SUBMIT]).success
    env.close()


def test_anchor_is_that_of_the_files_and_forks_go_their_own_way(env: RepairEnv, task: Task) -> None:
    env.reset(options={"task": task})
    before = env.anchor()
    said(env, "view", path="toolz")
    assert env.anchor() == before
    env.step(FIX)
    assert env.anchor() != before
    twin = env.fork()
    assert twin.anchor() == env.anchor()
    assert "undone" in said(env, "edit", command="undo")
    assert env.anchor() == before
    assert twin.step(SUBMIT)[0]["text"] == RIGHT
    assert env.step(SUBMIT)[0]["text"] == WRONG
    twin.close()


def test_shares_of_fixed_tests_add_up_step_by_step(task: Task) -> None:
    env = RepairEnv(rewards="steps", sandbox="bubblewrap", relaxed=RELAXED)
    env.reset(options={"task": task})
    assert env.progress() == 0.0
    fixed = []
    for action in (FIX, call_text("edit", command="undo"), FIX, SUBMIT):
        *_, info = env.step(action)
        assert env.step_s > 0
        fixed.append(sum(event.value for event in info["reward_events"] if event.component == "fixed"))
    assert fixed == [1.0, -1.0, 1.0, 0.0]
    env.close()


def test_what_does_not_travel_is_said(env: RepairEnv, task: Task) -> None:
    env.reset(options={"task": task})
    said(env, "shell", command="echo 'x = 1' > conftest.py; ln -s / toolz/out.py; echo > toolz/tests/test_itertoolz.py")
    text = env.step(SUBMIT)[0]["text"]
    assert text.startswith(WRONG)
    for path in ("conftest.py (part of the tests)", "toolz/out.py (no regular file)", "toolz/tests/test_itertoolz.py"):
        assert path in text


def test_outputs_are_cut_by_lines_and_say_how_to_see_the_rest(env: RepairEnv, task: Task) -> None:
    env.reset(options={"task": task})
    shown = said(env, "shell", command="seq 1000; printf 'x%.0s' $(seq 900)").splitlines()
    assert "[lines 101 to 901 of 1001 left out; run the command again with `| sed -n '101,901p'` to see them]" in shown
    assert shown[-1].endswith("[… 400 more characters of this line]")
    assert "view them with start=201" in said(env, "view", path="toolz/itertoolz.py")


def test_tests_are_run_again_after_their_process_was_killed(env: RepairEnv, task: Task) -> None:
    env.reset(options={"task": task})
    named = {"which": "named", "names": ["toolz/tests/test_recipes.py"]}
    assert "passed" in said(env, "run_tests", **named)
    said(env, "shell", command="pkill -9 -x python3; kill -9 -1")
    assert "passed" in said(env, "run_tests", **named)
    assert "no test" in said(env, "run_tests", which="named", names=["-p"])


def test_malformed_choices_and_tasks_are_refused(env: RepairEnv, task: Task) -> None:
    with pytest.raises(ConfigError, match="visible_tests must be one of others, all, none"):
        RepairEnv("some")  # type: ignore[arg-type]
    with pytest.raises(TaskError, match="lacks package, digest, edits, failing, relevant"):
        env.reset(options={"task": Task("empty", 0)})
    other = Task.from_json({**task.to_json(), "config": {**task.config, "digest": "0" * 16}})
    with pytest.raises(TaskError, match="another state of toolz"):
        env.reset(options={"task": other})


def test_hints_name_plan_place_check_and_the_last_fault(env: RepairEnv, task: Task) -> None:
    text = hint(task, {})
    assert all(part in text for part in ("Plan:", "`frequencies` in toolz/itertoolz.py", FREQUENCIES[0]))
    assert "change the one place that is wrong" in text
    assert "Last attempt" not in text
    blame = next(event for event in play_actions(env, task, [SUBMIT]).steps[-1].events if event.component == "blame")
    assert hint(task, blame.detail or {}).endswith("Last attempt: unchanged; no source was changed.")


def test_hints_name_both_faults_of_a_double_and_ask_for_what_is_to_be_written(task: Task) -> None:
    private = {**task.private, "functions": ["toolz.itertoolz.frequencies", "toolz.itertoolz.nth"]}
    double = replace(task, config={**task.config, "kind": "double"}, private=private)
    assert "the faults are in `frequencies` and `nth` in toolz/itertoolz.py" in hint(double, {})
    assert "change both places" in hint(double, {})
    assert "write the function" in hint(replace(task, config={**task.config, "kind": "implement"}), {})


def test_the_issue_is_the_variant_that_is_asked_for_where_there_is_one(task: Task) -> None:
    varied = replace(task, private={**task.private, "issues": {"less": "It counts."}})
    for issue, text in (("less", "It counts.\n"), ("more", "It counts wrong.\n"), ("plain", "It counts wrong.\n")):
        env = RepairEnv(issue=issue, sandbox="bubblewrap", relaxed=RELAXED)  # type: ignore[arg-type]
        assert str(env.reset(options={"task": varied})[0]["text"]).startswith(text)
        env.close()
    with pytest.raises(ConfigError, match="issue must be one of plain, less, more"):
        RepairEnv(issue="most")  # type: ignore[arg-type]


def test_the_tests_that_a_task_shows_count_unless_the_option_says_otherwise(env: RepairEnv, task: Task) -> None:
    env.reset(options={"task": replace(task, config={**task.config, "visible_tests": "all"})})
    assert "2 failed" in said(env, "run_tests")


def test_each_broken_function_is_found_where_it_is_defined(env: RepairEnv, plant: Plant) -> None:
    task = plant()
    names = ["toolz.functoolz.Compose.__call__", "toolz.itertoolz.frequencies"]
    edits = [["toolz/functoolz.py", 0, 0, "\n"], *task.config["edits"]]
    private = {**task.private, "functions": names}
    env.reset(options={"task": replace(task, config={**task.config, "edits": edits}, private=private)})

    def found(**arguments: object) -> list[float]:
        events = env.step(call_text("shell", **arguments))[-1]["reward_events"]
        return [event.value for event in events if event.component == "found_function"]

    assert found(command="grep -n 'def __call__' toolz/functoolz.py") == [], "several functions begin so"
    assert found(command="sed -n '/^class Compose/,/^class juxt/p' toolz/functoolz.py") == [0.5]
    assert found(command="cat toolz/itertoolz.py | sed -n '/^def frequencies/,$p'") == [0.5]
    assert found(command="cat toolz/itertoolz.py | sed -n '/^def frequencies/,$p'") == []

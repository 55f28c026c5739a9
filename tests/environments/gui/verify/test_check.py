"""Private parts of desktop tasks: what is malformed is said before anything is read, with the goal that is wrong."""

from contextlib import nullcontext

import pytest

from agentgym.errors import TaskError
from agentgym.suite import load_suite
from agentgym.task import Task
from agentgym_gui.desktop.env import DesktopEnv
from agentgym_gui.templates.all_templates import TEMPLATES
from agentgym_gui.verify.apart.asking import check_apart
from agentgym_gui.verify.check import require_sound
from agentgym_gui.verify.state import State

GOAL = {"name": "note", "read": "text", "path": "note.txt", "contains": "done"}


def private(**goal):
    made = {key: value for key, value in {**GOAL, **goal}.items() if value is not None}
    return {"goals": [made], "may_change": ["note.txt"]}


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (private(read="txt"), "the goal 'note': unknown reader 'txt'; did you mean text"),
        (private(read=5), "the goal 'note': unknown reader '5'"),
        (private(path=5), "the goal 'note': the reader text needs a text as 'path': got 5"),
        (private(path=None), "the goal 'note': the reader text needs a text as 'path': got None"),
        (private(path="../x"), "relative to the home and stays in it: got '../x'"),
        (private(read="cell"), "the goal 'note': the reader cell needs a text as 'cell'"),
        (private(read="query", sql="select 1", values=5), "the reader query needs a list as 'values'"),
        (private(read="json", keys="name"), "the reader json needs a list as 'keys': got 'name'"),
        (private(contains=None, near=5), "the goal 'note': 'near' compares with a number and a tolerance: got '5'"),
        (private(contains=None, matches="("), "the goal 'note': 'matches' compares with a regular expression"),
        (private(contains=None, count="2"), "'count' compares with a whole number"),
        (private(contains=None), "a goal needs a name and one of equals"),
        (private(name=5), "a goal needs a name and one of equals"),
        ({"goals": None}, "goals of the private part must be a list of goals: got 'None'"),
        ({"goals": [5]}, "goals of the private part must be a list of goals"),
        ({}, "a feasible task needs goals"),
        ({**private(), "feasible": False}, "an infeasible one has none: got 1 of them"),
        ({**private(), "may_chnage": []}, "the private part has no key 'may_chnage'; did you mean may_change?"),
        (private(read="cells", shet="May"), "the goal 'note': a goal has no key 'shet'; did you mean sheet?"),
        (private(sheet="May"), "the goal 'note': a goal has no key 'sheet'"),
        (private(path="~/note.txt"), "relative to the home and stays in it: got '~/note.txt'"),
        (private(read="setting", path=None, setting="word-wrap"), "begins with xfconf/ or gsettings/: got 'word-wrap'"),
        ({**private(), "may_change": ["~/note.txt"]}, "relative to the home, such as notes/*.txt: got '~/note.txt'"),
        ({**private(), "settings": ["org.x/word-wrap"]}, "begin with xfconf/ or gsettings/: got 'org.x/word-wrap'"),
        ({**private(), "may_change": 5}, "may_change of the private part must be a list of patterns: got '5'"),
        ({**private(), "settings": [5]}, "settings of the private part must be a list of patterns"),
        ({**private(), "forbidden": [{"name": "x"}]}, "a goal needs a name and one of"),
        ({**private(), "feasible": "no"}, "feasible of the private part must be true or false: got 'no'"),
    ],
)
def test_malformed_private_part_is_a_fault_of_the_task(tmp_path, wrong, why):
    with pytest.raises(TaskError) as refused:
        check_apart(wrong, State(tmp_path), State(tmp_path))
    assert why in str(refused.value)


@pytest.mark.parametrize(
    ("setting", "why"),
    [
        (
            "gsettings/org.x.view/word-warp",
            r"^task 't': the goal 'note': the desktop has no .*did you mean .*word-wrap\?",
        ),
        ("gsettings/org.x.view/word-wrap", ""),
        ("xfconf/xfwm4/general/new", ""),
    ],
)
def test_a_goal_on_a_key_of_gsettings_that_is_not_there_is_refused(tmp_path, setting, why):
    env = DesktopEnv()
    env.task = Task("t", 0, private=private(read="setting", path=None, setting=setting))
    before = State(tmp_path, {"gsettings/org.x.view/word-wrap": "false"})
    with pytest.raises(TaskError, match=why) if why else nullcontext():
        env.require_start(before)


def test_all_templates_and_suites_are_sound():
    for template in TEMPLATES.values():
        require_sound(template.plan(3).private())
    for name in ("gui/desktop", "gui/desktop-small", "gui/desktop-office", "gui/desktop-bus", "gui/phone"):
        suite = load_suite(name)
        for split in suite.splits:
            for task in suite.tasks(split):
                require_sound(task.private)

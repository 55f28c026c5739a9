"""Tasks of a desktop: bad ones are refused with the key that is wrong."""

from __future__ import annotations

import pytest

from agentgym.errors import TaskError
from agentgym.task import Task
from agentgym_gui.desktop.task import file_fields, read_task
from agentgym_gui.templates.all_templates import TEMPLATES
from agentgym_gui.templates.tasks import task_of


def task(**config) -> Task:
    return Task("t", 0, config=config)


@pytest.mark.parametrize(
    ("config", "why"),
    [
        ({"colour": 1}, "unknown keys ['colour']"),
        ({"files": {"../x": "a"}}, "relative to the home"),
        ({"files": {"/etc/x": "a"}}, "relative to the home"),
        ({"files": {"a": 3}}, "file 'a' must be a text"),
        ({"files": {"a": {"base64": "?"}}}, "no base64"),
        ({"settings": {"Theme": "x"}}, "xfconf/channel/property"),
        ({"start": ["mousepad"]}, "a list of command lines"),
        ({"start": [[]]}, "a list of command lines"),
        ({"unsaved": "asdf"}, "unsaved must be a list of {'keys': …} and {'text': …}: got 'asdf'"),
        ({"unsaved": [{"click": "5"}]}, "unsaved must be a list"),
        ({"unsaved": [{"keys": "ctrl+Nowhere"}]}, "unsaved: There is no key 'Nowhere'"),
        ({"unsaved": [{"text": 5}]}, "unsaved: "),
        ({"screen": {"width": 9}}, "width of a screen must be from 64"),
        ({"screen": {"theme": "Neon"}}, "'theme' must be one of"),
        ({"files": {"~/x": "a"}}, "relative to the home"),
        ({"files": {"a/": ""}}, "relative to the home"),
        ({"files": {"a": "", "a/b/c": ""}}, "'a' as a file, and as the folder of 'a/b/c'"),
        ({"files": {"a": "\ud800"}}, "file 'a' has half of a surrogate pair"),
        ({"popup": {"title": "T", "text": "x", "buttons": ["OK"]}}, "at least two buttons"),
        ({"popup": {"title": "T", "text": "x", "buttons": list("abc"), "asks_password": True}}, "has two buttons"),
        ({"template": "mousepad.none"}, "needs plan_seed"),
        ({"clipboard": 3}, "clipboard must be a text"),
        ({"popup": "x"}, "popup must be an object with names: got 'x'"),
        ({"popup": {"title": "T", "text": "x", "buttons": 5}}, "the buttons of a popup must be a list of texts: got 5"),
        ({"popup": {"title": "T", "text": "x", "buttons": [5]}}, "'buttons' must be text, got 5"),
        ({"files": {5: "a"}}, "files must be an object with names"),
        ({"settings": {5: "a"}}, "settings must be an object with names"),
        ({"template": 5, "plan_seed": 1, "files": "x"}, "template must be a text: got int"),
        ({"template": "mousepad.none", "plan_seed": 1, "files": "x"}, "unknown template 'mousepad.none'"),
        ({"template": "mousepad.add_line", "plan_seed": "1", "files": "x"}, "plan_seed must be a whole number"),
        ({"screen": 5}, "screen must be an object with names: got '5'"),
        ({"screen": {"clock": "2026-13-99 10:00:00"}}, "'clock' must be a time that there is"),
    ],
)
def test_malformed_task_is_refused_with_what_is_wrong(config, why):
    with pytest.raises(TaskError) as refused:
        read_task(task(**config))
    assert why in str(refused.value)


def test_files_come_back_as_they_were():
    files = {"a/b.txt": "grün\n".encode(), "c.png": bytes(range(256))}
    read = read_task(task(files={path: file_fields(content) for path, content in files.items()}))
    assert read.files == files


def test_templates_make_tasks_that_can_be_laid_out():
    read = [read_task(task_of(name, 1)) for name in list(TEMPLATES)[::6]]
    assert all(each.start for each in read)

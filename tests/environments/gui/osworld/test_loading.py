"""Task files in OSWorld's form: what is loaded, what is refused and why, and how ends are scored."""

import json
import shutil
import uuid

import pytest

from agentgym.errors import InfrastructureError, TaskError
from agentgym_gui.osworld.env import OSWorldEnv
from agentgym_gui.osworld.examples import NAMES, SEED, write_examples
from agentgym_gui.osworld.getters import tree_of
from agentgym_gui.osworld.grading import _call, joined, score
from agentgym_gui.osworld.loading import load_osworld, read_osworld_task
from agentgym_gui.osworld.machine import FolderMachine
from agentgym_gui.osworld.steps import PutFile, Run, Window, read_steps
from agentgym_gui.osworld.unsupported import UnsupportedError
from agentgym_gui.templates.all_templates import TEMPLATES
from agentgym_gui.templates.plan import Ending
from agentgym_gui.templates.staging import lay_ending

RULE = {"type": "rule", "rules": {"expected": "x"}}
FILE = {"type": "vm_file", "path": "/home/user/a.txt", "dest": "a.txt"}


class Home(FolderMachine):
    """A folder that answers the one command of our examples: whether a path is there."""

    def __init__(self, home):
        super().__init__(home)
        self.home = home

    def run(self, argv):
        path = argv[2].split("'")[1].removeprefix("/home/user/")
        return ("there\n" if (self.home / path).exists() else "gone\n"), ""


@pytest.fixture(scope="module")
def examples(tmp_path_factory):
    folder = tmp_path_factory.mktemp("examples")
    assert write_examples(folder) == 30
    return folder


def value(task, machine, *, failed=False):
    """The score without a process for each, which takes long to start."""
    if not task.feasible or failed:
        return score(task, machine, failed=failed)[0]
    return joined({"calls": [_call(each, task, machine) for each in task.checks], "is_any": task.is_any})[0]


def written(folder, **fields):
    task = {"id": "1", "instruction": "Do it.", "config": [], "related_apps": ["os"]}
    task["evaluator"] = {"func": "compare_config", "result": FILE, "expected": RULE}
    path = folder / f"{uuid.uuid4()}.json"
    path.write_text(json.dumps({**task, **fields}))
    return path


def refusal(folder, **fields):
    with pytest.raises(UnsupportedError) as caught:
        read_osworld_task(written(folder, **fields), folder)
    return str(caught.value)


def test_own_tasks_are_loaded_and_pay_for_their_end_alone(examples, tmp_path):
    loaded = load_osworld(examples / "tasks", examples / "cache")
    assert (len(loaded.tasks), loaded.refused) == (30, ())
    by_name = {file.stem: task for file, task in loaded.tasks.items()}
    for name in NAMES:
        plan, task = TEMPLATES[name].plan(SEED), by_name[name.replace(".", "-")]
        for number, ending in enumerate((plan.ending, Ending())):
            home = tmp_path / f"{name}-{number}"
            state = lay_ending(plan, ending, home)
            assert value(task, Home(home), failed=state.failed) == float(number == 0), name


def test_a_missing_cached_file_is_named(examples, tmp_path):
    cache = tmp_path / "cache"
    shutil.copytree(examples / "cache", cache)
    next(cache.rglob("gold_*.txt")).unlink()
    refused = load_osworld(examples / "tasks", cache).refused
    assert len(refused) == 1
    assert "which is not in" in refused[0].reason


def test_reasons_name_what_is_not_played(tmp_path):
    assert "chrome, which is not on the desktop" in refusal(tmp_path, related_apps=["chrome"])
    assert "with office" in refusal(tmp_path, related_apps=["libreoffice_calc"])
    assert "needs an account" in refusal(tmp_path, config=[{"type": "login", "parameters": {}}])
    assert "no step 'dance'" in refusal(tmp_path, config=[{"type": "dance", "parameters": {}}])
    assert "network" in refusal(tmp_path, proxy=True)
    keys = {"type": "execute", "parameters": {"command": ["python", "-c", "import pyautogui"]}}
    assert "in the agent's place" in refusal(tmp_path, config=[keys])
    root = {"type": "execute", "parameters": {"command": "sudo apt install x"}}
    assert "rights of root" in refusal(tmp_path, config=[root])


@pytest.mark.parametrize(
    ("evaluator", "reason"),
    [
        ({"func": "no_such", "result": FILE}, "metric no_such"),
        ({"func": "exact_match", "result": {"type": "vlc_config"}, "expected": RULE}, "needs VLC"),
        ({"func": "exact_match", "result": {"type": "vm_file"}, "expected": RULE}, "malformed"),
        ({"func": ["exact_match", "compare_csv"], "result": [FILE]}, "list of 2"),
        ({"func": ["exact_match"], "result": [FILE], "conj": "xor"}, "joined by 'xor'"),
        ({"func": "compare_table", "result": FILE, "options": {"rules": [{"type": "pivot_table"}]}}, "pivot_table"),
        ({"func": "compare_table", "result": FILE, "options": {"rules": ["x"]}}, "list of rules"),
        ({"func": "compare_pptx_files", "result": FILE, "options": {"examine_top_position": True}}, "top_position"),
        ({}, "names no func"),
        ("x", "names no func"),
    ],
)
def test_evaluators_are_checked_before_play(tmp_path, evaluator, reason):
    assert reason in refusal(tmp_path, evaluator=evaluator)


def of_table(**rule):
    return {"evaluator": {"func": "compare_table", "result": FILE, "options": {"rules": [rule]}}}


def of_file(**fields):
    return {"evaluator": {"func": "compare_text_file", "result": FILE, "expected": FILE, **fields}}


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"id": ["a"]}, "its id must be a text without slashes: got \"['a']\""),
        ({"id": "../../etc"}, "without slashes"),
        ({"id": ".."}, "without slashes"),
        ({"id": "a\0b"}, "without slashes"),
        ({"instruction": 5}, "its instruction must be a text: got '5'"),
        ({"instruction": " \n"}, "its instruction is empty"),
        ({"related_apps": 5}, "a list of names: got '5'"),
        ({"related_apps": [{}]}, "a list of names"),
        ({"config": [5]}, "a step is an object with a type: got 5"),
        ({"config": [{"type": [1]}]}, "a step is an object with a type"),
        ({"config": [{"type": "launch", "parameters": {"command": {"a": 1}}}]}, "a text or a list of words"),
        ({"config": [{"type": "launch", "parameters": ["x"]}]}, "the step launch is malformed"),
        (
            {"config": [{"type": "download", "parameters": {"files": [{"url": 5, "path": "/home/user/a"}]}}]},
            "the step download is malformed: TypeError: a text is expected: got '5'",
        ),
        (of_file(func={"a": 1}), "the metric {'a': 1} is not computed"),
        (of_file(func=5), "the metric 5 is not computed"),
        (of_file(func=[{}], result=[FILE], expected=[FILE]), "the metric {} is not computed"),
        (of_file(result={"type": ["x"]}), "the getter ['x'] is not played"),
        (of_file(result={"type": "vm_file", "path": 5}), "the getter vm_file is malformed"),
        (of_file(result={"type": "vm_command_line", "command": 5}), "a text or a list of words"),
        (of_file(func="exact_match", expected={"type": "rule", "rules": 5}), "exact_match expects must be an object"),
        (of_table(type=["x"]), "a type each"),
        (of_table(type="style", props=5), "the props of a rule must be a list: got '5'"),
        (of_table(type="chart", chart_props=None), "the chart_props of a rule must be a list"),
    ],
)
def test_a_malformed_file_is_refused_and_the_others_are_loaded(tmp_path, fields, reason):
    wrong = written(tmp_path, **fields)
    right = written(tmp_path)
    loaded = load_osworld(tmp_path, tmp_path)
    assert list(loaded.tasks) == [right]
    assert [each.path for each in loaded.refused] == [wrong]
    assert reason in loaded.refused[0].reason


def test_a_second_file_of_an_id_is_refused(tmp_path):
    written(tmp_path), written(tmp_path)
    loaded = load_osworld(tmp_path, tmp_path)
    assert len(loaded.tasks) == 1
    assert "its id 1 is that of" in loaded.refused[0].reason


@pytest.mark.parametrize(
    ("fields", "image"),
    [
        ({}, "agentgym/desktop"),
        ({"related_apps": ["os", "libreoffice_calc"]}, "agentgym/desktop-office"),
        ({"config": [{"type": "open", "parameters": {"path": "/home/user/a.docx"}}]}, "agentgym/desktop-office"),
        ({"config": [{"type": "open", "parameters": {"path": "/home/user/a.csv"}}]}, "agentgym/desktop"),
        ({"config": [{"type": "launch", "parameters": {"command": "soffice --calc"}}]}, "agentgym/desktop-office"),
    ],
)
def test_a_task_with_libreoffice_gets_the_desktop_that_has_it(tmp_path, fields, image):
    env = OSWorldEnv(str(written(tmp_path, **fields)), applications=["libreoffice_calc"])
    assert env.sandbox_spec(env.make_task(0)).image == image


def test_files_that_are_no_tasks_are_refused(tmp_path):
    for number, text in enumerate(("{", "[]", '{"id": 1}', "\ud800".encode("utf-8", "surrogatepass"), "[" * 100_000)):
        (tmp_path / f"{number}.json").write_bytes(text if isinstance(text, bytes) else text.encode())
    loaded = load_osworld(tmp_path, tmp_path)
    assert (len(loaded.tasks), len(loaded.refused)) == (0, 5)
    with pytest.raises(TaskError, match="there is no file or folder"):
        load_osworld(tmp_path / "nothing", tmp_path)


def test_steps_become_plain_ones():
    url = "https://files.example.org/a/data.csv?download=true"
    config = [
        {"type": "download", "parameters": {"files": [{"url": url, "path": "/home/user/data.csv"}]}},
        {"type": "sleep", "parameters": {"seconds": 2}},
        {"type": "command", "parameters": {"command": "echo {SCREEN_WIDTH}", "shell": True}},
        {"type": "close_window", "parameters": {"window_name": "Files", "strict": True}},
    ]
    put, run, window = read_steps(config)
    assert put == PutFile("/home/user/data.csv", "data.csv", url)
    assert run == Run(("sh", "-c", "echo 1280"))
    assert window == Window("Files", is_closed=True, is_whole=True)


def test_cached_files_are_found_under_the_name_that_osworld_gives_them(tmp_path):
    url = "https://files.example.org/data.csv"
    (tmp_path / "1").mkdir()
    (tmp_path / "1" / f"{uuid.uuid5(uuid.NAMESPACE_URL, url)}_data.csv").write_text("a,b\n")
    step = {"type": "download", "parameters": {"files": [{"url": url, "path": "/home/user/data.csv"}]}}
    assert read_osworld_task(written(tmp_path, config=[step]), tmp_path).cache.files["data.csv"] == b"a,b\n"


def test_keys_pressed_before_grading_are_left_out_and_noted(tmp_path):
    presses = {"type": "execute", "parameters": {"command": ["python", "-c", "import pyautogui; pyautogui.hotkey()"]}}
    evaluator = {"func": "compare_config", "result": FILE, "expected": RULE, "postconfig": [presses]}
    task = read_osworld_task(written(tmp_path, evaluator=evaluator), tmp_path)
    assert task.post_steps == ()
    assert "saving is the agent's work" in task.notes[0]


def test_metrics_are_joined_as_the_task_says(tmp_path):
    (tmp_path / "a.txt").write_text("x")
    other = {"type": "rule", "rules": {"expected": "y"}}
    both = {"func": ["compare_config"] * 2, "result": [FILE, FILE], "expected": [RULE, other]}
    any_of = read_osworld_task(written(tmp_path, evaluator={**both, "conj": "or"}), tmp_path)
    all_of = read_osworld_task(written(tmp_path, evaluator=both), tmp_path)
    machine = FolderMachine(tmp_path)
    assert score(any_of, machine, failed=False) == (1.0, "compare_config: 1")
    assert score(all_of, machine, failed=False) == (0.0, "compare_config: 1, compare_config: 0")
    assert score(any_of, machine, failed=True)[0] == 0.0


def test_a_result_that_is_no_document_is_worth_nothing(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"\xff\xfe\x00")
    for metric in ("compare_docx_lines", "compare_pptx_files", "compare_images", "compare_zip_files"):
        evaluator = {"func": metric, "result": FILE, "expected": FILE}
        task = read_osworld_task(written(tmp_path, evaluator=evaluator), tmp_path)
        assert value(task, FolderMachine(tmp_path)) == 0.0


def test_a_folder_refuses_commands_and_what_lies_outside(tmp_path):
    machine = FolderMachine(tmp_path)
    with pytest.raises(InfrastructureError, match="runs no commands"):
        machine.run(["ls"])
    assert machine.read_file("/etc/passwd") is None
    assert machine.read_file("/home/user/../../etc/passwd") is None


def test_tree_of_a_folder_is_as_osworld_gives_it(tmp_path):
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/b/c.txt").write_text("")
    (tmp_path / "a/d.txt").write_text("")
    names = FolderMachine(tmp_path).names("/home/user/a")
    assert names == ["b/", "b/c.txt", "d.txt"]
    tree = tree_of("/home/user/a", names)
    assert tree["children"][0] == {
        "type": "directory",
        "name": "b",
        "children": [{"type": "file", "name": "c.txt"}],
    }

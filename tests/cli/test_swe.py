import json
from types import SimpleNamespace

import pytest

from agentgym.authoring.task_files import write_split
from agentgym.cli.main import main
from agentgym.task import Task
from agentgym_swe.foreign import ground, rows
from agentgym_swe.repair import hunting


@pytest.fixture
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def test_swe_list_shows_licences_and_what_is_prepared(empty_cache, capsys):
    assert main(["swe", "list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert len(listed) >= 24
    assert sum(each["use"] == "test alone" for each in listed) == 8
    assert {each["licence"] for each in listed} <= {"MIT", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0"}
    assert all(each["tests"] is None for each in listed)
    assert sum(each["tasks"] for each in listed) == 606


@pytest.mark.parametrize(
    ("args", "code", "expected"),
    [
        (["prepare", "tolz"], 2, "did you mean toolz?"),
        (
            ["make", "toolz"],
            2,
            "run `agentgym swe prepare toolz`, or `agentgym swe prepare` for all 26 that are missing",
        ),
        (
            ["prepare", "flask"],
            2,
            "Tasks are made of these packages alone: `agentgym swe list` shows them, and another",
        ),
        (
            ["hunt", "toolz", "--sandbox", "podman"],
            2,
            "--sandbox must be docker or bubblewrap, which can hold a package",
        ),
        (["remove"], 2, "name the packages to remove"),
        (["hunt", "--out", "no-folder"], 2, "no-folder holds no task in train.jsonl, validation.jsonl, test.jsonl"),
    ],
)
def test_swe_explains_what_cannot_be(args, code, expected, empty_cache, capsys):
    assert main(["swe", *args]) == code
    assert expected in capsys.readouterr().err


@pytest.mark.parametrize(
    ("action", "has", "lacks"),
    [("make", "--yields", "--image"), ("rows", "--image", "--out"), ("list", "--json", "--sandbox")],
)
def test_help_of_an_action_shows_its_options_alone(action, has, lacks, capsys):
    assert main(["swe", action, "--help"]) == 0
    text = capsys.readouterr().out
    assert has in text
    assert lacks not in text


def test_an_error_of_an_action_names_the_action(capsys):
    assert main(["swe", "remove"]) == 2
    assert capsys.readouterr().err.startswith("agentgym swe remove: name the packages")
    assert main(["swe", "remov"]) == 2
    assert capsys.readouterr().err.startswith("agentgym swe: unknown action 'remov'")


def test_swe_refuses_an_option_of_another_action(capsys):
    assert main(["swe", "list", "--image", "x"]) == 2
    assert "--image" in capsys.readouterr().err


@pytest.fixture
def hunted(monkeypatch):
    """What is hunted, without sandboxes."""
    tasks = []

    def hunt_tasks(env, asked, report):
        tasks.extend(asked)
        yield hunting.Hunted("inflection", "docker", len(asked), 0, 1, 1, 1, ())

    monkeypatch.setattr(hunting, "hunting_env", lambda sandbox: SimpleNamespace(close=lambda: None))
    monkeypatch.setattr(hunting, "hunt_tasks", hunt_tasks)
    return tasks


def test_a_hunt_says_whose_tasks_it_hunts(hunted, capsys):
    assert main(["swe", "hunt", "inflection"]) == 0
    assert {task.config["package"] for task in hunted} == {"inflection"}
    assert f"hunting the originals of {len(hunted)} tasks of the suite swe/repair" in capsys.readouterr().err


def test_a_hunt_in_a_folder_hunts_its_tasks_and_writes_a_missing_page(hunted, empty_cache, tmp_path, capsys):
    config = {"package": "inflection", "digest": "0" * 16, "edits": [["inflection/a.py", 0, 0, ""]], "kind": "fault"}
    failing = ["test_inflection.py::test_one"]
    task = Task("own", 0, instruction="It is wrong.", config=config, private={"failing": failing, "relevant": []})
    write_split(tmp_path / "own", "test", [task])
    assert main(["swe", "hunt", "inflection", "--out", str(tmp_path / "own")]) == 0
    assert [each.id for each in hunted] == ["own"]
    assert f"hunting the originals of 1 task of {tmp_path / 'own'}" in capsys.readouterr().err
    assert "| inflection | docker | 1 |" in (tmp_path / "own" / "README.md").read_text()
    (tmp_path / "own" / "README.md").write_text("no markers")
    assert main(["swe", "hunt", "--out", str(tmp_path / "own")]) == 2
    assert "lacks the markers of the part 'hunt'" in capsys.readouterr().err
    assert len(hunted) == 1


def test_a_row_whose_image_is_missing_is_not_counted_as_one_that_can_be_played(monkeypatch, capsys):
    found = [SimpleNamespace(id=str(number), image=image) for number, image in enumerate("aab")]
    monkeypatch.setattr(rows, "load_rows", lambda *_: rows.Loaded(tuple(found), (rows.Refused(4, "", "flawed"),)))
    monkeypatch.setattr(ground, "missing_images", lambda images: {"a"})
    assert main(["swe", "rows", "swebench", "own.jsonl"]) == 1
    assert "can be played: 1 row; without their image: 2 rows; refused: 1 row" in capsys.readouterr().err

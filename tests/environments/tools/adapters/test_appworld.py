"""AppWorld's driver against a package and a folder of its shape."""

import json

import pytest

from agentgym.errors import ConfigError
from agentgym.registration import make_game
from agentgym_tools.adapters.scripts import playing
from tests.environments.tools.adapters.playing import AGENT, play


@pytest.fixture
def appworld_folder(tmp_path):
    data = tmp_path / "appworld" / "data"
    (data / "datasets").mkdir(parents=True)
    (data / "datasets/train.txt").write_text("a_1\n")
    (data / "tasks/a_1/ground_truth").mkdir(parents=True)
    (data / "tasks/a_1/specs.json").write_text(json.dumps({"instruction": "Put Dune at 3.", "db_version": "0.1.0"}))
    calls = [
        {"method": "post", "url": "http://localhost/shelf/books/Dune", "data": {"place": 3}},
        {"method": "post", "url": "/supervisor/task", "data": {}},
    ]
    (data / "tasks/a_1/ground_truth/api_calls.json").write_text(json.dumps(calls))
    docs = {
        "shelf": {"put": {"path": "/shelf/books/{book}", "method": "POST", "names": ["book", "place"]}},
        "supervisor": {"complete_task": {"path": "/supervisor/task", "method": "POST", "names": ["status"]}},
    }
    (data / "api_docs/standard").mkdir(parents=True)
    for app, apis in docs.items():
        (data / f"api_docs/standard/{app}.json").write_text(json.dumps(apis))
    return data.parent


def test_appworld_is_played_by_calls_and_judged_by_its_tests(opened, interpreter, appworld_folder):
    left = appworld_folder / "experiments/outputs/agentgym-999999999"
    left.mkdir(parents=True)
    env = opened("appworld/train", interpreter=interpreter("appworld", "0.1.3"), folder=str(appworld_folder))
    found = play(env, 0, AGENT["oracle"])
    assert found["success"]
    assert not left.exists()
    assert "Put Dune at 3." in found["messages"][0]["content"]
    wrong = play(
        env,
        0,
        playing(
            [
                {"calls": [{"name": "shelf__put", "arguments": {"book": "x", "place": "3"}}], "say": ""},
                {"calls": [{"name": "supervisor__complete_task", "arguments": {}}], "say": ""},
            ]
        ),
    )
    assert not wrong["success"]
    assert wrong["score"] == 0.5
    assert "place must be a number" in str(wrong["messages"])
    assert wrong["events"]["success"].detail["failed"] == ["the book is at 3"]


def test_a_folder_without_data_and_data_of_another_version_are_refused(interpreter, appworld_folder, tmp_path):
    python = interpreter("appworld", "0.1.3")
    game = make_game("appworld/train", interpreter=python, folder=str(tmp_path))
    with pytest.raises(ConfigError, match=r"has no data of AppWorld.*download data"):
        game.make_task(0)
    game = make_game("appworld/dev", interpreter=python, folder=str(appworld_folder))
    with pytest.raises(ConfigError, match=r"there is no dataset 'dev'.*expected train"):
        game.make_task(0)
    specs = appworld_folder / "data/tasks/a_1/specs.json"
    specs.write_text(json.dumps({"instruction": "", "db_version": "0.2.0"}))
    game = make_game("appworld/train", interpreter=python, folder=str(appworld_folder))
    with pytest.raises(ConfigError, match=r"data of version 0.2.0, the package works with 0.1.0"):
        game.make_task(0)

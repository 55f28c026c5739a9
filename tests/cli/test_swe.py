import json

import pytest

from agentgym.cli.main import main


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
        (["make", "toolz"], 2, "run `agentgym swe prepare toolz`"),
        (["remove"], 2, "name the packages to remove"),
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


def test_swe_refuses_an_option_of_another_action(capsys):
    assert main(["swe", "list", "--image", "x"]) == 2
    assert "--image" in capsys.readouterr().err

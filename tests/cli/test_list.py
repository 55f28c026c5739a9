"""`agentgym list`."""

import json
from importlib.metadata import EntryPoint

import pytest

from agentgym import entry_points, registration
from agentgym.cli.main import main
from agentgym.registration import EnvSpec


@pytest.fixture
def broken_package(monkeypatch: pytest.MonkeyPatch) -> None:
    announced = [EntryPoint("broken", "no_such_module:register", entry_points.ENTRY_POINT_GROUP)]
    monkeypatch.setattr(entry_points, "entry_points", lambda group: announced)
    monkeypatch.setattr(entry_points, "_is_loaded", False)
    monkeypatch.setattr(entry_points, "_failures", [])


def test_list_json_has_the_declared_keys(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    lookup = next(row for row in rows if row["id"] == "agentgym/Lookup-v0")
    assert lookup == {
        "id": "agentgym/Lookup-v0",
        "family": "tools",
        "suites": ["tools/lookup"],
        "roles": [],
        "deterministic": True,
        "runtimes": ["local", "served"],
        "adapts": "",
        "missing_extra": "",
    }


def test_list_family_keeps_only_that_family(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--family", "dialogue", "--json"]) == 0
    assert {row["family"] for row in json.loads(capsys.readouterr().out)} == {"dialogue"}


def test_list_unknown_family_is_refused_with_a_suggestion(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--family", "tool"]) == 2
    assert "did you mean tools" in capsys.readouterr().err


def test_list_prints_a_table_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 0
    out = capsys.readouterr().out
    assert "agentgym/Wordle-v0" in out
    assert "dialogue/wordle" in out


@pytest.mark.usefixtures("broken_package")
def test_list_names_a_broken_package_and_lists_the_rest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--json"]) == 0
    captured = capsys.readouterr()
    assert "agentgym/Lookup-v0" in {row["id"] for row in json.loads(captured.out)}
    assert "no_such_module:register" in captured.err


def test_list_marks_adapted_environments_and_names_the_extra_that_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(registration, "find_spec", lambda package: None)
    adapted = EnvSpec("test/Adapted-v0", "m:E", "m:S", "adapted-family", adapts="elsewhere", extra="games")
    monkeypatch.setattr(registration, "_specs", {adapted.id: adapted})
    assert main(["list"]) == 0
    captured = capsys.readouterr()
    assert "elsewhere (missing: extra games)" in captured.out.replace("\n", " ")
    assert "pip install 'agentgymnasium[games]'" in captured.err
    assert main(["list", "--json"]) == 0
    row = json.loads(capsys.readouterr().out)[0]
    assert (row["adapts"], row["missing_extra"]) == ("elsewhere", "games")

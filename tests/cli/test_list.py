"""`agentgym list`."""

import json
from importlib.metadata import EntryPoint

import pytest

from agentgym import entry_points
from agentgym.cli.main import main
from agentgym.registration import EnvSpec, env_spec, registry, specs


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
        "room": "",
        "suites": ["tools/lookup"],
        "roles": [],
        "deterministic": True,
        "runtimes": ["local", "served"],
        "adapts": "",
        "missing_extra": "",
        "needs": [],
    }


def test_list_names_what_an_environment_of_another_interpreter_needs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--json"]) == 0
    rows = {row["id"]: row for row in json.loads(capsys.readouterr().out)}
    namespaces = {name.partition("/")[0] for name in rows}
    assert {"bfcl", "agentdojo", "tau2", "acebench", "appworld", "browsergym"} <= namespaces
    assert [(need["option"], need["variable"]) for need in rows["tau2/airline"]["needs"]] == [
        ("interpreter", "AGENTGYM_TAU2_PYTHON"),
        ("folder", "AGENTGYM_TAU2_FOLDER"),
    ]
    assert rows["browsergym/openended"]["missing_extra"] == ""  # its package lies in that interpreter
    assert main(["list", "--family", "web"]) == 0
    captured = capsys.readouterr()
    assert "adapts browsergym, option python" in captured.out
    assert "option python: an interpreter for BrowserGym; give it with --env-option python=PATH" in captured.err


def test_list_family_keeps_only_that_family(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--family", "dialogue", "--json"]) == 0
    assert {row["family"] for row in json.loads(capsys.readouterr().out)} == {"dialogue"}


def test_list_unknown_family_is_refused_with_a_suggestion(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--family", "tool"]) == 2
    assert "did you mean tools" in capsys.readouterr().err


def test_list_prints_every_environment_below_its_family_and_room(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 0
    heading, places = "", {}
    for line in capsys.readouterr().out.splitlines()[1:]:
        if not line.startswith(" "):
            heading = line.strip().removesuffix(", adapted")
        elif not line.startswith("   "):
            places[line.split()[0]] = heading
    assert places == {spec.id: f"{spec.family}: {spec.room}".removesuffix(": ") for spec in specs()}


@pytest.mark.usefixtures("broken_package")
def test_list_names_a_broken_package_and_lists_the_rest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--json"]) == 0
    captured = capsys.readouterr()
    assert "agentgym/Lookup-v0" in {row["id"] for row in json.loads(captured.out)}
    assert "no_such_module:register" in captured.err


def test_list_marks_adapted_environments_and_names_the_extra_that_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(env_spec, "find_spec", lambda package: None)
    adapted = EnvSpec("test/Adapted-v0", "m:E", "m:S", "adapted-family", adapts="elsewhere", extra="games")
    monkeypatch.setattr(registry, "_specs", {adapted.id: adapted})
    assert main(["list"]) == 0
    captured = capsys.readouterr()
    assert "extra games (missing), adapts elsewhere" in captured.out
    assert "pip install 'agentgymnasium[games]'" in captured.err
    assert main(["list", "--json"]) == 0
    row = json.loads(capsys.readouterr().out)[0]
    assert (row["adapts"], row["missing_extra"]) == ("elsewhere", "games")


def test_list_names_an_extra_only_where_it_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("agentgym.cli.doctor.requires", lambda _: ["pytest; extra == 'web'"])
    assert main(["list", "--family", "web"]) == 0
    assert "extra web" not in capsys.readouterr().out
    monkeypatch.setattr("agentgym.cli.doctor.requires", lambda _: ["no-such-distribution>=1; extra == 'web'"])
    assert main(["list", "--family", "web"]) == 0
    captured = capsys.readouterr()
    assert "extra web (missing)" in captured.out
    assert "pip install 'agentgymnasium[web]'" in captured.err


def test_list_in_a_file_breaks_no_name_and_says_what_runtime_takes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 0
    captured = capsys.readouterr()
    words = set(captured.out.replace(",", " ").split())
    assert {name for spec in specs() for name in (spec.id, *spec.suites, *spec.roles)} <= words
    assert "workspace" in captured.err
    assert all(f"--runtime {each}" in captured.err for each in ("local", "docker, bubblewrap, process"))


def test_a_room_s_adapted_environments_have_a_heading_of_their_own(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--family", "web"]) == 0
    headings = [line.strip() for line in capsys.readouterr().out.splitlines() if line.startswith("web")]
    assert headings.count("web: formats") == headings.count("web: formats, adapted") == 1


def test_list_finds_environments_by_a_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "DESK-bank", "--json"]) == 0
    assert [row["id"] for row in json.loads(capsys.readouterr().out)] == ["agentgym/BankDesk-v0"]
    assert main(["list", "desk-bnk"]) == 2
    assert "unknown environment or suite 'desk-bnk'; did you mean tools/desk-bank" in capsys.readouterr().err

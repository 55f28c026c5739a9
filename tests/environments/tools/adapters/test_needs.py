"""`agentgym check` of environments that need an interpreter: said where nobody names one, else checked."""

import json

import pytest

from agentgym.cli.main import main
from agentgym.registration import spec
from agentgym.testing import check_env


@pytest.fixture(autouse=True)
def _nothing_named(monkeypatch):
    for name in ("BFCL_PYTHON", "TAU2_PYTHON", "TAU2_FOLDER", "AGENTDOJO_PYTHON"):
        monkeypatch.delenv(f"AGENTGYM_{name}", raising=False)


def test_check_says_what_is_needed_and_does_not_fail(capsys):
    assert main(["check", "bfcl/multi_turn_base", "tau2/airline", "--json"]) == 0
    out, err = capsys.readouterr()
    found = [(each["subject"], [one["status"] for one in each["results"]]) for each in json.loads(out)]
    assert found == [("bfcl/multi_turn_base", ["skipped"]), ("tau2/airline", ["skipped"])]
    assert "bfcl/multi_turn_base: needs an interpreter for BFCL (bfcl-eval 2026.3.23), named by the option" in err
    assert "the folder of tau2-bench, named by the option folder or AGENTGYM_TAU2_FOLDER: not checked" in err
    assert "passed" not in err


def test_needs_are_met_by_options_and_by_variables(monkeypatch):
    tau2 = spec("tau2/airline")
    assert [need.option for need in tau2.unmet_needs({})] == ["interpreter", "folder"]
    assert [need.option for need in tau2.unmet_needs({"interpreter": "python"})] == ["folder"]
    monkeypatch.setenv("AGENTGYM_TAU2_FOLDER", "somewhere")
    assert tau2.unmet_needs({"interpreter": "python"}) == []
    assert spec("agentgym/Lookup-v0").unmet_needs({}) == []


def test_a_named_interpreter_is_used_by_every_kind_of_check(interpreter):
    options = {"interpreter": interpreter("agentdojo", "0.1.35")}
    ways = ("gymnasium", "sync_vector", "light_import", "oracle", "hostile_actions")
    report = check_env("agentdojo/mail", options=options, only=ways)
    assert [each.status for each in report.results] == ["passed"] * len(ways)


def test_a_named_interpreter_without_the_package_is_refused(interpreter, capsys):
    assert main(["check", "agentdojo/mail", "--env-option", f"interpreter={interpreter('none', '1')}"]) == 2
    assert "has no package agentdojo" in capsys.readouterr().err


@pytest.mark.parametrize("args", [["--all"], ["--family", "tools"], ["tools/lookup"]])
def test_options_without_an_environment_are_refused(args, capsys):
    assert main(["check", *args, "--env-option", "interpreter=python"]) == 2
    assert "--env-option belongs to environments that are named" in capsys.readouterr().err

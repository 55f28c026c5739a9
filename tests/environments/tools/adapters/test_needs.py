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
    assert [[each["status"] for each in report["results"]] for report in json.loads(out)] == [["skipped"], ["skipped"]]
    assert "bfcl/multi_turn_base: needs an interpreter for BFCL (bfcl-eval 2026.3.23), named by the option" in err
    assert (
        "or AGENTGYM_TAU2_PYTHON; the folder of tau2-bench, named by the option folder or AGENTGYM_TAU2_FOLDER" in err
    )
    assert "not checked" in err
    assert "passed" not in err


def test_needs_are_met_by_options_and_by_variables(monkeypatch):
    tau2 = spec("tau2/airline")
    assert [need.option for need in tau2.unmet_needs({})] == ["interpreter", "folder"]
    assert [need.option for need in tau2.unmet_needs({"interpreter": "python"})] == ["folder"]
    monkeypatch.setenv("AGENTGYM_TAU2_FOLDER", "somewhere")
    assert tau2.unmet_needs({"interpreter": "python"}) == []
    assert spec("agentgym/Lookup-v0").unmet_needs({}) == []


def test_a_named_interpreter_is_used_by_every_check(interpreter, capsys):
    python = interpreter("agentdojo", "0.1.35")
    assert main(["check", "agentdojo/mail", "--env-option", f"interpreter={python}", "--json"]) == 0, (
        capsys.readouterr()
    )
    [report] = json.loads(capsys.readouterr().out)
    statuses = {each["name"]: each["status"] for each in report["results"]}
    assert statuses["gymnasium"] == statuses["light_import"] == statuses["oracle"] == statuses["secrecy"] == "passed"


def test_a_named_interpreter_without_the_package_is_refused(interpreter, capsys):
    assert main(["check", "agentdojo/mail", "--env-option", f"interpreter={interpreter('none', '1')}"]) == 2
    assert "has no package agentdojo" in capsys.readouterr().err


def test_options_without_an_environment_are_refused(capsys):
    for args in (["--all"], ["--family", "tools"], ["tools/lookup"]):
        assert main(["check", *args, "--env-option", "interpreter=python"]) == 2
        assert "--env-option belongs to environments that are named" in capsys.readouterr().err


def test_check_env_of_something_that_cannot_be_made_still_fails():
    report = check_env("bfcl/multi_turn_base", options={"interpreter": "/bin/true"}, only=["oracle"])
    assert not report.passed

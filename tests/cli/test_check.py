"""`agentgym check`."""

import json
import logging
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from agentgym.action import Action
from agentgym.cli.main import main
from agentgym.env import EnvReply
from agentgym.errors import TaskError
from agentgym.registration import EnvSpec, registry
from agentgym.testing import CheckReport, CheckResult
from agentgym.testing.episodes import play_actions
from tests.toys.env import ToyEnv, toy_task

GUESS = "agentgym/GuessNumber-v0"


def test_check_environment_brings_its_suite(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", GUESS, "--json"]) == 0
    captured = capsys.readouterr()
    reports = json.loads(captured.out)
    assert [report["subject"] for report in reports] == [GUESS, "dialogue/guess-number"]
    assert {result["status"] for report in reports for result in report["results"]} <= {"passed", "skipped"}
    assert f"[1/2] {GUESS}: passed in " in captured.err
    assert "[2/2] dialogue/guess-number: passed in " in captured.err


def test_check_of_several_ends_with_what_each_came_to_and_what_took_longest(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    results = [CheckResult("seeds", "passed", "", 1.0), CheckResult("replay", "failed", "differs", 2.5)]
    monkeypatch.setattr("agentgym.cli.check.check_env", lambda name, **_: CheckReport(name, results))
    monkeypatch.setattr("agentgym.cli.check.check_suite", lambda name, **_: CheckReport(name, results[:1]))
    assert main(["check", GUESS]) == 1
    table = capsys.readouterr().out.partition("all together\n")[2]
    assert [line.split() for line in table.splitlines()[1:]] == [
        [GUESS, "failed", "3.5", "s", "replay,", "2.5", "s"],
        ["dialogue/guess-number", "passed", "1.0", "s", "seeds,", "1.0", "s"],
        ["all", "1", "of", "2", "failed", "4.5", "s"],
    ]


def test_check_suite_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "dialogue/guess-number"]) == 0
    out = capsys.readouterr().out
    assert "disjoint_splits" in out
    assert GUESS not in out


def test_check_failure_sets_the_exit_code(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    failed = CheckReport(GUESS, [CheckResult("seeds", "failed", "step 3 differs [bold]", 0.1)])
    monkeypatch.setattr("agentgym.cli.check.check_env", lambda _, **given: failed)
    assert main(["check", GUESS]) == 1
    captured = capsys.readouterr()
    assert "step 3 differs [bold]" in captured.out
    assert f"{GUESS}: FAILED" in captured.err


def test_check_all_covers_every_registered_environment_and_suite(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    specs = [EnvSpec(f"x/{name}-v0", "m:C", "m:S", "x", ("x/both",)) for name in ("A", "B")]
    monkeypatch.setattr("agentgym.cli.check.specs", lambda: specs)
    for name in ("check_env", "check_suite"):
        monkeypatch.setattr(f"agentgym.cli.check.{name}", lambda subject, **_: CheckReport(subject, []))
    assert main(["check", "--all", "--json"]) == 0
    subjects = [report["subject"] for report in json.loads(capsys.readouterr().out)]
    assert subjects == ["x/A-v0", "x/B-v0", "x/both"]


@pytest.mark.parametrize("args", [[], [GUESS, "--all"], ["--family", "tools", "--all"]])
def test_check_needs_one_choice(args: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", *args]) == 2
    assert "nothing to check" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "expected"),
    [(["dialogue/guess-numer"], "did you mean dialogue/guess-number"), (["--family", "tol"], "did you mean tools")],
)
def test_check_unknown_name_is_refused_with_a_suggestion(
    args: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", *args]) == 2
    assert expected in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ([GUESS, "--runtime", "frob"], "unknown runtime 'frob'; known: bubblewrap, docker, local, process"),
        (["agentgym/Python-v0", "--runtime", "local"], "needs a sandbox"),
        (["dialogue/guess-number", "--runtime", "docker"], "a suite has no runtime"),
    ],
)
def test_check_refuses_a_runtime_that_cannot_be_before_it_checks_anything(
    args: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", *args]) == 2
    captured = capsys.readouterr()
    assert expected in captured.err
    assert captured.out == ""


def test_check_of_a_family_leaves_out_what_is_not_installed_and_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    checked: list[str] = []
    monkeypatch.setattr(
        "agentgym.cli.check.check_env", lambda name, **given: checked.append(name) or CheckReport(name, [])
    )
    monkeypatch.setattr("agentgym.cli.check.check_suite", lambda name, **_: CheckReport(name, []))
    monkeypatch.setattr("agentgym.registration.env_spec.find_spec", lambda package: None)
    adapted = EnvSpec("test/Adapted-v0", "m:E", "m:S", "tools", adapts="elsewhere", extra="games")
    monkeypatch.setitem(registry._specs, adapted.id, adapted)
    assert main(["check", "--family", "tools"]) == 0
    assert "agentgym/Lookup-v0" in checked
    assert adapted.id not in checked
    assert "elsewhere is not installed; install it with: pip install 'agentgymnasium[games]'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "checked", "left_out"),
    [
        (["--family", "tools", "--runtime", "docker"], {"agentgym/Lookup-v0", "agentgym/Python-v0"}, None),
        (["--family", "tools", "--runtime", "bubblewrap"], {"agentgym/Python-v0"}, "agentgym/Lookup-v0"),
        (["--family", "tools", "--runtime", "local"], {"agentgym/Lookup-v0"}, "agentgym/Python-v0"),
        (["--all", "--runtime", "docker"], {GUESS, "agentgym/Terminal-v0"}, "agentgym/Chess-v0"),
    ],
)
def test_check_of_many_leaves_out_what_cannot_run_there_and_says_so(
    args: list[str],
    checked: set[str],
    left_out: str | None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked: set[str] = set()
    monkeypatch.setattr("agentgym.cli.check.check_env", lambda name, **_: asked.add(name) or CheckReport(name, []))
    assert main(["check", *args]) == 0
    assert checked <= asked
    assert left_out not in asked
    assert left_out is None or f"not checked: environment '{left_out}'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (["--family", "dialogue", "--runtime", "bubblewrap"], "none of these environments runs in 'bubblewrap'"),
        (["--all", "--runtime", "frob"], "unknown runtime 'frob'"),
    ],
)
def test_check_of_many_refuses_a_runtime_in_which_none_runs(
    args: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", *args]) == 2
    assert expected in capsys.readouterr().err


def test_check_goes_on_after_a_suite_that_cannot_be_read(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def check_suite(name: str, **_: object) -> CheckReport:
        raise TaskError("test.jsonl:3: the line is not valid JSON")

    monkeypatch.setattr("agentgym.cli.check.check_env", lambda name, **_: CheckReport(name, []))
    monkeypatch.setattr("agentgym.cli.check.check_suite", check_suite)
    assert main(["check", GUESS]) == 1
    assert "test.jsonl:3: the line is not valid JSON" in capsys.readouterr().out


def test_check_says_alike_findings_once(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    results = [CheckResult(name, "failed", "call() returned None", 0.1) for name in ("seeds", "replay", "ends")]
    monkeypatch.setattr("agentgym.cli.check.check_env", lambda _, **given: CheckReport(GUESS, results))
    monkeypatch.setattr("agentgym.cli.check.check_suite", lambda name, **_: CheckReport(name, []))
    assert main(["check", GUESS]) == 1
    out = capsys.readouterr().out
    assert out.count("call() returned None") == 1
    assert re.search(r"2 more +failed +0\.2 s +the same as seeds: replay, ends", out)


def test_check_says_which_check_takes_long(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    said: list[str] = []

    def check_env(name: str, on_start: Callable[[str], None], **_: object) -> CheckReport:
        on_start("seeds")
        on_start("replay")
        while len(said) < 2:
            said.extend(capsys.readouterr().err.splitlines())
            time.sleep(0.01)
        return CheckReport(name, [])

    monkeypatch.setattr("agentgym.cli.check.PATIENCE_S", 0.05)
    monkeypatch.setattr("agentgym.cli.check.check_env", check_env)
    monkeypatch.setattr("agentgym.cli.check.check_suite", lambda name, **_: CheckReport(name, []))
    assert main(["check", GUESS]) == 0
    assert said[:2] == [f"{GUESS}: replay is still running"] * 2


def test_check_says_which_step_of_which_task_takes_long(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said: list[str] = []

    class Slow(ToyEnv):
        def respond(self, action: Action) -> EnvReply:
            while self.turn == 1 and not any("step 1" in line for line in said):
                said.extend(capsys.readouterr().err.splitlines())
            return super().respond(action)

    def check_env(name: str, on_start: Callable[[str], None], **_: object) -> CheckReport:
        on_start("seeds")
        play_actions(Slow(), toy_task("toy:far", 3), ["up", "up"])
        return CheckReport(name, [])

    monkeypatch.setattr("agentgym.cli.check.PATIENCE_S", 0.05)
    monkeypatch.setattr("agentgym.cli.check.check_env", check_env)
    monkeypatch.setattr("agentgym.cli.check.check_suite", lambda name, **_: CheckReport(name, []))
    assert main(["check", GUESS]) == 0
    told = next(line for line in said if "step 1" in line)
    assert told.startswith(f"{GUESS}: seeds is still running, in step 1 of task 'toy:far' ({__file__}, line ")


def test_check_says_how_far_a_suite_is(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    said: list[str] = []

    def check_suite(
        name: str, on_start: Callable[[str], None], on_task: Callable[[int, int], None], **_: object
    ) -> CheckReport:
        on_start("scores")
        on_task(3, 40)
        while not said:
            said.extend(capsys.readouterr().err.splitlines())
            time.sleep(0.01)
        return CheckReport(name, [])

    monkeypatch.setattr("agentgym.cli.check.PATIENCE_S", 0.05)
    monkeypatch.setattr("agentgym.cli.check.check_suite", check_suite)
    assert main(["check", "dialogue/wordle"]) == 0
    assert said[0] == "dialogue/wordle: scores is still running, at task 3 of 40"


@pytest.mark.parametrize(("flags", "is_shown"), [([], False), (["--debug"], True)])
def test_check_with_debug_shows_the_traceback_of_a_finding(
    flags: list[str],
    is_shown: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    (tmp_path / "typo_env.py").write_text("def f(:\n")
    monkeypatch.syspath_prepend(tmp_path)
    spec = EnvSpec("test/Typo-v0", "typo_env:Env", "typo_env:SCRIPTS", "test")
    monkeypatch.setitem(registry._specs, spec.id, spec)
    assert main(["check", spec.id, "--json", *flags]) == 1
    captured = capsys.readouterr()
    found = json.loads(captured.out)[0]["results"][0]["detail"]
    assert found.endswith(f"SyntaxError: invalid syntax ({tmp_path}/typo_env.py, line 1)")
    assert ("Traceback (most recent call last)" in captured.err) == is_shown
    assert not logging.getLogger("agentgym").handlers


def test_check_goes_on_after_a_suite_that_there_is_not(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = EnvSpec("test/Toy-v0", "tests.toys.env:ToyEnv", "tests.toys.env:SCRIPTS", "test", ("tools/lokup",))
    monkeypatch.setitem(registry._specs, spec.id, spec)
    monkeypatch.setattr("agentgym.testing.subject.make", lambda *_, **given: ToyEnv())
    assert main(["check", spec.id, "--json"]) == 1
    reports = json.loads(capsys.readouterr().out)
    assert [report["subject"] for report in reports] == [spec.id, "tools/lokup"]
    assert all("did you mean tools/lookup" in report["results"][0]["detail"] for report in reports)

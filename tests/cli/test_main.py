"""The dispatcher: help, errors as one line, exit codes, and a light start."""

import json
import os
import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from agentgym.cli import doctor
from agentgym.cli.main import COMMANDS, main
from agentgym.errors import UnknownNameError, UnsupportedSpecError


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    assert all(f"  {command} " in out for command in COMMANDS)


def test_no_arguments_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "usage:" in captured.err


@pytest.mark.parametrize(
    ("given", "spins"),
    [({}, "10000"), ({"GOMP_SPINCOUNT": "7"}, "7"), ({"OMP_WAIT_POLICY": "active"}, None)],
)
def test_threads_sleep_soon_unless_the_user_says_otherwise(
    given: dict[str, str], spins: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "environ", given)
    main(["--version"])
    assert os.environ.get("GOMP_SPINCOUNT") == spins


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--help"]) == 0
    assert f"usage: agentgym {command}" in capsys.readouterr().out


@pytest.mark.parametrize("command", COMMANDS)
def test_help_names_values_plainly_and_shows_no_empty_defaults(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "1000")  # so that only the help's own lines break
    main([command, "--help"])
    out = capsys.readouterr().out
    assert not re.findall(r"\{None|\bSTR\b|FLOAT|\[\[|\(default: (?:''|None|False)?\)", out)
    assert "\n\n\n" not in out
    assert not re.findall(r"^│ {10,}\S.*", out, re.M), "a description is broken into lines"


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("check", "local, docker, bubblewrap or process"),
        ("images", "Build, list, check or remove"),
        ("play", "The partner self works only in eval and record"),
        ("attribute", "--purpose {train,validation,test,demo}"),
        ("eval", "--limit INT"),
        ("serve", "--env-option KEY=VALUE ..."),
    ],
)
def test_help_says_what_an_option_takes(command: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    main([command, "--help"])
    assert words in re.sub(r"[\s│]+", " ", capsys.readouterr().out)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["eval", "--suite", "s", "--policy", "p", "--limit", "abc"], "--limit must be a whole number, got 'abc'"),
        (["eval", "--suite", "s", "--policy", "p", "--top-p", "abc"], "--top-p must be a number, got 'abc'"),
        (["attribute", "r", "--purpose", "x"], "--purpose must be train, validation, test or demo, got 'x'"),
        (["images", "x"], "action must be build, list, check or prune, got 'x'"),
    ],
)
def test_a_value_that_cannot_be_read_is_refused_in_one_sentence(
    args: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(args) == 2
    assert capsys.readouterr().err == f"agentgym {args[0]}: {said}\n"


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("check", "[ENV|SUITE ...]"),
        ("compare", "RESULT RESULT"),
        ("images", "{build,list,check,prune} [NAME ...]"),
        ("serve", "ENV"),
        ("new", "NAME"),
        ("play", "ENV"),
        ("report", "FOLDER"),
    ],
)
def test_help_names_positional_arguments(command: str, arguments: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--help"]) == 0
    usage = rf"usage: agentgym {command} \[-h\] (\[OPTIONS\] )?{re.escape(arguments)}( \[--|\n)"
    assert re.match(usage, capsys.readouterr().out)


def test_unknown_option_of_training_is_answered_with_how_settings_are_written(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["train", "lookup.toml", "--iterations", "2"]) == 2
    assert "written without dashes, such as run.iterations=2" in capsys.readouterr().err


def test_a_limit_that_a_sandbox_cannot_enforce_is_wrong_usage(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> int:
        raise UnsupportedSpecError("sandbox provider 'bubblewrap' cannot enforce the limits cpus here")

    monkeypatch.setattr(doctor, "run", refuse)
    assert main(["doctor"]) == 2


def test_unknown_command_suggests_a_close_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lst"]) == 2
    captured = capsys.readouterr()
    assert captured.err == "agentgym lst: unknown command 'lst'; did you mean list?\n"
    assert captured.out == ""


def test_unknown_option_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--jsn"]) == 2
    captured = capsys.readouterr()
    assert "--json" in captured.err
    assert captured.out == ""


def test_debug_shows_the_traceback() -> None:
    with pytest.raises(UnknownNameError, match="did you mean list"):
        main(["lst", "--debug"])


def test_closed_pipe_ends_without_a_traceback() -> None:
    script = f"{sys.executable} -m agentgym.cli.main list --json | head -c 1"
    ended = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert ended.stdout == "["
    assert ended.stderr == ""


def test_list_starts_fast_and_imports_no_torch(tmp_path: Path) -> None:
    code = (
        "import sys; from agentgym.cli.main import main; code = main(['list', '--json']);"
        "sys.exit(code or sorted({'torch', 'transformers', 'agentgym_rl'} & set(sys.modules)) or 0)"
    )
    seconds = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        ended = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, timeout=60, check=False
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        assert ended.returncode == 0, ended.stderr
        assert json.loads(ended.stdout)
    assert list(tmp_path.iterdir()) == []
    assert min(seconds) < 2, seconds  # of processor time; 0.4 s on a quiet machine

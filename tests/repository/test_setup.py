"""Makefile, constraints and set-up scripts: pinned, quick the second time, and free of anybody's machine."""

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def pinned() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.split("==") for line in lines if line and not line.startswith("#"))
    return {name.lower().replace("_", "-"): version for name, version in pairs}


def required(extra: str) -> set[str]:
    names = set()
    for requirement in PROJECT["optional-dependencies"][extra]:
        name, extras = re.fullmatch(r"([\w.-]+)(?:\[([\w,]+)\])?.*", requirement).groups()
        names |= set().union(*map(required, extras.split(","))) if name == PROJECT["name"] else {name}
    return names


def run(*command: str, cwd: Path, path: str) -> str:
    # Not as a part of the `make test` that may run this: it would add its own lines to what make prints.
    of_make = {"MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "PYTEST_ARGS"}
    env = {name: value for name, value in os.environ.items() if name not in of_make}
    env["PATH"] = path
    ended = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def program(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(f"#!/bin/sh\n{text}\n")
    (folder / name).chmod(0o755)


def test_constraints_pin_everything_that_make_installs() -> None:
    base = {re.split(r"[<>=\[]", requirement)[0] for requirement in PROJECT["dependencies"]}
    assert (base | required("dev")) - pinned().keys() == set()


def test_torch_is_pinned_to_one_version_everywhere() -> None:
    assert "torch==2.13.0" in PROJECT["optional-dependencies"]["train"]
    assert pinned()["torch"] == "2.13.0"


def test_all_holds_every_extra_but_chess_and_dev() -> None:
    extras = PROJECT["optional-dependencies"].keys() - {"all", "chess", "dev"}
    assert required("all") == set().union(*map(required, extras))


@pytest.mark.parametrize(
    "name",
    [
        "Makefile",
        "constraints.txt",
        "pyproject.toml",
        ".ci/run",
        "scripts/install_system.sh",
        "scripts/start_engine.sh",
    ],
)
def test_set_up_names_no_host_and_no_machine(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    of_every_debian = (
        r"dev/null|bin/sh|usr/sbin|usr/games|usr/lib/postgresql|proc/|run/agentgym|run/systemd|var/run/docker"
    )
    assert not re.findall(rf"https?://|file://|index-url|find-links|(?<![\w.)/])/(?!{of_every_debian})\w+/\w+", text)


def test_make_help_names_every_target() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    assert targets
    shown = run("make", "help", cwd=ROOT, path=os.environ["PATH"])
    assert [name for name in targets[1].split() if name != "help" and f"make {name}" not in shown] == []


def test_make_install_does_nothing_the_second_time(tmp_path: Path) -> None:
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / ".installed").touch()
    assert "Nothing to be done" in run("make", "install", cwd=tmp_path, path=os.environ["PATH"])


def test_make_test_of_one_folder_sets_nothing_up(tmp_path: Path) -> None:
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / ".installed").touch()
    everything = run("make", "-n", "test", cwd=tmp_path, path=os.environ["PATH"])
    one = run("make", "-n", "test", "PYTEST_ARGS=tests/cli", cwd=tmp_path, path=os.environ["PATH"])
    assert "install_system.sh" in everything
    assert "--numprocesses" in everything
    assert "install_system.sh" not in one
    assert one.rstrip().endswith("python -m pytest tests/cli")


def test_make_install_refuses_an_old_python(tmp_path: Path) -> None:
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path)
    program(tmp_path, "old", '[ "$1" = --version ] && echo Python 3.9.2; exit 1')
    ended = subprocess.run(
        ["make", "install", "PYTHON=./old"], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode == 2
    assert "needs Python 3.11 or later, but ./old is Python 3.9.2" in ended.stderr
    assert not (tmp_path / ".venv").exists()


def test_ci_runs_check_and_test_and_stops_at_a_failure(tmp_path: Path) -> None:
    program(tmp_path, "make", f'echo "$@" >> {tmp_path}/called; [ "$1" != "$FAIL" ]')
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    run(str(ROOT / ".ci" / "run"), cwd=tmp_path, path=path)
    assert (tmp_path / "called").read_text().split() == ["check", "test"]
    (tmp_path / "called").unlink()
    env = {**os.environ, "PATH": path, "FAIL": "check"}
    assert subprocess.run([str(ROOT / ".ci" / "run")], cwd=tmp_path, env=env, timeout=60, check=False).returncode != 0
    assert (tmp_path / "called").read_text().split() == ["check"]

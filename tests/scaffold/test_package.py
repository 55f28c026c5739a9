"""`write_package`: what it writes works on its own, and nothing is overwritten or left behind."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from agentgym.cli.main import main
from agentgym.errors import ConfigError
from agentgym.scaffold import write_package


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_package("treasure-hunt", tmp_path_factory.mktemp("packages"))


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_package("table-booking", tmp_path_factory.mktemp("packages"), "web")


def run(folder: Path, *command: str) -> str:
    """What a command prints, run in the folder with this interpreter's programs first on PATH."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    ended = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=250, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def test_package_passes_its_own_make_test(package: Path) -> None:
    assert " passed" in run(package, "make", "test", f"PYTHON={sys.executable}")


PRINT_CHECKS = """
import {package}
from agentgym.testing import check_env, check_suite
{package}.register()
print({report})
"""


def test_package_passes_every_check_and_none_has_a_note(package: Path) -> None:
    report = "check_env('treasure-hunt/TreasureHunt-v0'), check_suite('treasure-hunt/basic'), sep='\\n'"
    told = run(package, sys.executable, "-c", PRINT_CHECKS.format(package="treasure_hunt", report=report)).splitlines()
    assert {"passed  anchors", "passed  progress", "passed  documents"} <= set(told)
    notable = [line.split()[:2] for line in told if not re.fullmatch(r"passed  \w+|treasure-hunt/.*", line)]
    assert notable == [["skipped", "legal_actions"], ["skipped", "difficulty"]]


def test_package_of_pages_plays_in_a_browser_and_withstands_its_cheats(pages: Path) -> None:
    assert " passed" in run(pages, sys.executable, "-m", "pytest", "-q", "tests/test_rules.py")
    checks = "check_env('table-booking/TableBooking-v0', only=['oracle', 'cheats', 'seeds'])"
    suite = "check_suite('table-booking/basic', only=['documents', 'strata', 'disjoint_splits', 'cheats'])"
    report = f"{checks}, {suite}, sep='\\n'"
    told = run(pages, sys.executable, "-c", PRINT_CHECKS.format(package="table_booking", report=report)).splitlines()
    assert [line for line in told if not re.fullmatch(r"passed  \w+|table-booking/.*", line)] == []
    assert len(told) == 9


def test_number_of_tasks_that_the_readme_does_not_state_is_noticed(tmp_path: Path) -> None:
    package = write_package("coin-hunt", tmp_path)
    generator = package / "coin_hunt" / "generate.py"
    generator.write_text(generator.read_text().replace('"three-boxes": 600', '"three-boxes": 300'))
    run(package, "make", "tasks", f"PYTHON={sys.executable}")
    report = "check_suite('coin-hunt/basic', only=['documents'])"
    told = run(package, sys.executable, "-c", PRINT_CHECKS.format(package="coin_hunt", report=report))
    assert "states 600 train tasks, got 300: mend its line" in told


def test_contract_checks_stay_when_the_game_is_replaced(tmp_path: Path) -> None:
    package = write_package("coin-hunt", tmp_path)
    for name in ("env.py", "generate.py"):
        path = package / "coin_hunt" / name
        path.write_text(path.read_text().replace("hunt_task", "coin_task"))
    (package / "tests" / "test_rules.py").unlink()
    assert "2 passed" in run(package, sys.executable, "-m", "pytest", "-q", "-k", "generator or train_tasks")


@pytest.mark.parametrize("kind", ["package", "pages"])
def test_package_leaves_no_placeholder(kind: str, request: pytest.FixtureRequest) -> None:
    for path in request.getfixturevalue(kind).rglob("*"):
        if path.is_file() and path.name not in ("Makefile", "index.html"):
            assert "$" not in path.read_text(encoding="utf-8"), path


TYPES = """
[mypy]
strict = true

# gymnasium imports these where they are installed; to check them, too, takes longer than all the rest.
[mypy-torch.*,matplotlib.*,pygame.*]
follow_imports = skip
"""


def test_package_is_lint_free_and_typed(package: Path, tmp_path: Path) -> None:
    config = str(Path(__file__).parents[2] / "pyproject.toml")
    run(package, sys.executable, "-m", "ruff", "check", "--config", config, "--ignore", "D103,INP001,S101", ".")
    run(package, sys.executable, "-m", "ruff", "format", "--check", "--config", config, ".")
    types = tmp_path / "mypy.ini"
    types.write_text(TYPES)
    run(package, sys.executable, "-m", "mypy", "--config-file", str(types), "treasure_hunt")


def test_package_of_pages_is_lint_free(pages: Path) -> None:
    config = str(Path(__file__).parents[2] / "pyproject.toml")
    run(pages, sys.executable, "-m", "ruff", "check", "--config", config, "--ignore", "D103,INP001,S101", ".")
    run(pages, sys.executable, "-m", "ruff", "format", "--check", "--config", config, ".")


def test_kind_that_there_is_not_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no kind of package 'gui'; expected one of tools, web"):
        write_package("coin-hunt", tmp_path, "gui")  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_existing_folder_is_not_overwritten(tmp_path: Path) -> None:
    kept = tmp_path / "treasure-hunt" / "README.md"
    kept.parent.mkdir()
    kept.write_text("mine")
    with pytest.raises(ConfigError, match="is not overwritten"):
        write_package("treasure-hunt", tmp_path)
    assert kept.read_text() == "mine"
    assert list(tmp_path.rglob("*")) == [kept.parent, kept]


@pytest.mark.parametrize("name", ["", "Treasure", "treasure_hunt", "../escape", "-x", "x-", "a--b", "9lives", "x" * 41])
def test_malformed_name_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="expected lower-case words"):
        write_package(name, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["numpy", "json", "class", "agentgym", "agentgym-more"])
def test_name_that_hides_another_package_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is taken"):
        write_package(name, tmp_path)


@pytest.mark.parametrize("name", ["tools", "dialogue"])
def test_name_of_a_family_that_there_is_already_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="exists already"):
        write_package(name, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_failing_generator_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(ConfigError, match="it was removed again"):
        write_package("treasure-hunt", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_new_prints_the_folder_and_what_comes_next(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", "coin-hunt", "--dir", str(tmp_path)]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0] == str(tmp_path / "coin-hunt")
    assert (tmp_path / "coin-hunt" / "coin_hunt" / "env.py").is_file()
    assert main(["new", "coin-hunt", "--dir", str(tmp_path)]) == 2

"""`agentgym doctor`: what is there, what is missing and what to do about it."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from agentgym import entry_points, suite
from agentgym.cli.doctor import diagnose
from agentgym.cli.main import main


def findings() -> dict[str, tuple[str, str, str]]:
    return {finding.name: (finding.status, finding.detail, finding.fix) for finding in diagnose()}


def test_doctor_json_finds_python_torch_and_the_suites(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert rows["Python"]["status"] == "ok"
    assert rows["extra train"]["status"] == "ok"
    assert "2.13.0" in rows["torch"]["detail"]
    assert "train" in rows["suite dialogue/guess-number"]["detail"]


def test_doctor_names_the_command_that_brings_a_missing_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("AGENTGYM_BROWSER", raising=False)
    status, detail, fix = findings()["Chromium"]
    assert (status, detail[:24]) == ("missing", "no Chromium was found, l")
    assert "sudo apt-get install chromium-headless-shell" in fix


def test_doctor_says_which_browser_was_found_and_whether_it_is_sandboxed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AGENTGYM_BROWSER", raising=False)
    status, detail, _ = findings()["Chromium"]
    assert status == "ok"
    assert re.search(r"/\S+, version \d+\.[\d.]+, with(out)? its own sandbox", detail)


def test_doctor_fails_on_a_browser_that_is_too_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = tmp_path / "old"
    old.write_text("#!/bin/sh\necho Chromium 80.0.3987.1\n")
    old.chmod(0o755)
    monkeypatch.setenv("AGENTGYM_BROWSER", str(old))
    status, detail, fix = findings()["Chromium"]
    assert (status, detail) == ("fault", f"the browser {old} is version 80.0.3987.1; expected 120 or later")
    assert "AGENTGYM_BROWSER" in fix


def test_doctor_names_the_command_that_brings_a_missing_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agentgym.cli.doctor.requires", lambda _: ["no-such-distribution>=1; extra == 'mcp'"])
    status, detail, fix = findings()["extra mcp"]
    assert (status, fix) == ("missing", "pip install 'agentgymnasium[mcp]'")
    assert "no-such-distribution" in detail


def test_doctor_fails_on_a_runs_folder_that_is_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "runs").write_text("a file")
    monkeypatch.chdir(tmp_path)
    assert findings()["runs folder"][0] == "fault"
    assert main(["doctor", "--json"]) == 1
    assert "cannot be written to" in capsys.readouterr().out


def test_doctor_reports_a_broken_package_beside_the_environments(monkeypatch: pytest.MonkeyPatch) -> None:
    announced = [EntryPoint("broken", "no_such_module:register", entry_points.ENTRY_POINT_GROUP)]
    monkeypatch.setattr(entry_points, "entry_points", lambda group: announced)
    monkeypatch.setattr(entry_points, "_is_loaded", False)
    monkeypatch.setattr(entry_points, "_failures", [])
    found = [finding for finding in diagnose() if finding.name == "environments"]
    assert [finding.status for finding in found] == ["ok", "fault"]
    assert "no_such_module:register" in found[1].detail


@pytest.fixture
def broken_suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "dialogue" / "broken-by-test"
    folder.mkdir(parents=True)
    (folder / "suite.toml").write_text("name = 3 = 4")
    monkeypatch.setattr(suite, "_extra_roots", [tmp_path])
    suite._folders.cache_clear()
    yield folder
    suite._folders.cache_clear()


def test_doctor_reports_a_broken_suite_with_its_file(broken_suite: Path) -> None:
    status, detail, _ = findings()["suite dialogue/broken-by-test"]
    assert status == "fault"
    assert str(broken_suite / "suite.toml") in detail


def test_doctor_says_why_there_is_no_engine_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    assert main(["doctor", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert rows["container engine"]["status"] == "missing"
    assert "not running: there is no such socket" in rows["container engine"]["detail"]
    assert {"bubblewrap", "user namespaces", "C compiler", "Podman", "Chromium", "extra docker"} <= rows.keys()


def test_doctor_fails_on_an_address_that_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "localhost")
    status, detail, fix = findings()["container engine"]
    assert status == "fault"
    assert "'localhost' is no address" in detail
    assert "unix:///PATH" in fix


def test_doctor_counts_environments_and_leaves_their_names_to_list() -> None:
    status, detail, _ = findings()["environments"]
    assert status == "ok"
    assert "agentgym list" in detail
    assert "agentgym/Wordle-v0" not in detail
    assert len(detail) < 160


def test_doctor_imports_no_torch() -> None:
    code = (
        "import sys\nfrom agentgym.cli.main import main\nmain(['doctor', '--json'])\n"
        "sys.exit(sorted({'torch', 'transformers'} & set(sys.modules)) or 0)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == 0, ended.stderr
    rows = {row["name"]: row for row in json.loads(ended.stdout)}
    assert re.fullmatch(r"2\.13\.0\S*, .+, \d+ threads", rows["torch"]["detail"])


def test_doctor_names_the_gpus_that_the_driver_knows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(2):
        (tmp_path / f"0000:{number}").mkdir()
        (tmp_path / f"0000:{number}" / "information").write_text("Model: \t\t NVIDIA H100\nIRQ: 3\n")
    monkeypatch.setattr("agentgym.cli.doctor._GPUS", tmp_path)
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    assert findings()["torch"][1].endswith(", NVIDIA H100, NVIDIA H100, 3 threads")


def test_doctor_says_how_many_packages_of_repairs_are_prepared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    status, detail, fix = findings()["suite swe/repair"]
    assert (status, fix) == ("missing", "agentgym swe prepare")
    assert detail.endswith(" test; 0 of 25 packages are prepared")
    monkeypatch.setattr("agentgym_swe.repositories.layer.find_layer", lambda package: package)
    status, detail, fix = findings()["suite swe/repair"]
    assert (status, fix) == ("ok", "")
    assert detail.endswith("; 25 of 25 packages are prepared")

"""The wheel holds the packages, the suites and the command; the editable install finds the checkout's data."""

import json
import site
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

import agentgym
from agentgym.data_folder import data_folder

ROOT = Path(__file__).parents[2]


def run(*command: str, cwd: Path) -> str:
    ended = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=200, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder), cwd=ROOT)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Programs of a fresh environment with the wheel in it; the dependencies are those of this interpreter."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder)
    programs = folder / "bin"
    run(
        *(sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(programs / "python")),
        *("install", "--no-deps", "--no-index", "--quiet", str(wheel)),
        cwd=folder,
    )
    purelib = sysconfig.get_path("purelib", vars={"base": str(folder), "platbase": str(folder)})
    ours = [path for path in (*site.getsitepackages(), sysconfig.get_path("purelib")) if Path(path).is_dir()]
    Path(purelib, "dependencies.pth").write_text("\n".join(ours))
    return programs


def test_wheel_holds_packages_data_and_type_marker_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names if ".dist-info/" not in name}
    expected = {folder.name for group in ("environments", "trainers") for folder in (ROOT / group).glob("agentgym_*")}
    assert tops == {"agentgym"} | expected
    for name in (
        "agentgym/py.typed",
        "agentgym/_data/tasks/dialogue/guess-number/test.jsonl",
        "agentgym/_data/containers/README.md",
        "agentgym/scaffold/template/env.py.template",
    ):
        assert name in names
    assert not [name for name in names if "__pycache__" in name]


def test_wheel_lists_environments_and_reads_their_suites(installed: Path, tmp_path: Path) -> None:
    listed = json.loads(run(str(installed / "agentgym"), "list", "--json", cwd=tmp_path))
    assert "agentgym/Lookup-v0" in {row["id"] for row in listed}
    code = (
        "import agentgym; print(agentgym.__file__);"
        "print(len(agentgym.load_suite('dialogue/guess-number').tasks('test')))"
    )
    file, num_tasks = run(str(installed / "python"), "-c", code, cwd=tmp_path).split()
    assert Path(file).is_relative_to(installed.parent)
    assert int(num_tasks) > 0


def test_editable_install_reads_the_checkout(tmp_path: Path) -> None:
    code = "import agentgym.data_folder as d; print(d.data_folder('tasks'))"
    assert Path(run(sys.executable, "-c", code, cwd=tmp_path).strip()) == data_folder("tasks") == ROOT / "tasks"


def test_versions_agree(wheel: Path) -> None:
    assert wheel.name.startswith(f"agentgymnasium-{agentgym.__version__}-")

"""README and tutorials: the tree is the folders', links lead somewhere, examples run as they stand."""

import os
import re
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
UNLISTED = {"runs", "dist", "build"}
LISTED_WITH_PARTS = ("agentgym", "environments", "tasks", "trainers")


def section(page: str, heading: str) -> str:
    text = (ROOT / page).read_text(encoding="utf-8")
    found = re.search(rf"^(#+) {re.escape(heading)}\n(.*?)(?=^#{{1,3}} |\Z)", text, re.MULTILINE | re.DOTALL)
    assert found, f"{page} has no section {heading!r}"
    return found[2]


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def folders(parent: Path) -> set[str]:
    """Folders with anything of ours in them."""
    return {
        child.name
        for child in parent.iterdir()
        if child.is_dir()
        and not child.name.startswith((".", "_"))
        and child.name not in UNLISTED
        and any(path.is_file() and "__pycache__" not in path.parts for path in child.rglob("*"))
    }


def test_readme_tree_is_that_of_the_folders() -> None:
    listed: dict[str, set[str]] = {"": set()}
    top = ""
    for line in section("README.md", "The tree").splitlines():
        if entry := re.fullmatch(r" {4}(\w+)/(?: .*)?", line):
            top = entry[1]
            listed[""].add(top)
        elif entry := re.fullmatch(r" {6}(\w+)/(?: .*)?", line):
            listed.setdefault(top, set()).add(entry[1])
    assert listed[""] == folders(ROOT)
    for parent in LISTED_WITH_PARTS:
        assert listed[parent] == folders(ROOT / parent), parent


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_to_files(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        if not target.startswith(("http://", "https://")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_contents_name_every_page_and_folder() -> None:
    contents = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    pages = {page.name for page in (ROOT / "docs").glob("*.md")} - {"README.md"}
    parts = {f"{name}/" for name in folders(ROOT / "docs")} - {"images/"}
    assert {name for name in pages | parts if f"]({name})" not in contents} == set()


@pytest.mark.parametrize("job", ["Register an environment", "Train an agent", "Evaluate an agent"])
def test_readme_jobs_take_at_most_fifteen_lines(job: str) -> None:
    for block in blocks(section("README.md", job), r"\w+"):
        assert len(block.splitlines()) <= 15


@pytest.fixture
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Programs of a fresh environment that sees this interpreter's packages, so that an example may install into it."""
    folder = tmp_path_factory.mktemp("venv")
    venv.create(folder, symlinks=True)
    paths = [sysconfig.get_path("purelib"), *(str(ROOT / part) for part in (".", "environments", "trainers"))]
    Path(sysconfig.get_path("purelib", vars={"base": str(folder)}), "ours.pth").write_text("\n".join(paths))
    for name, module in (("agentgym", "agentgym.cli.main"), ("pip", "pip")):
        (folder / "bin" / name).write_text(f'#!/bin/sh\nexec "{folder}/bin/python" -P -m {module} "$@"\n')
        (folder / "bin" / name).chmod(0o755)
    return folder / "bin"


def run_examples(programs: Path, folder: Path, text: str) -> None:
    """Run the shell blocks as one script, then the Python blocks, in a folder that sees the checkout's trainers."""
    if not (folder / "trainers").exists():
        (folder / "trainers").symlink_to(ROOT / "trainers")
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "PYTHON"))}
    # No network: what the example would fetch is there already.
    env |= {"PIP_NO_BUILD_ISOLATION": "0", "PIP_NO_DEPS": "1", "PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull}
    env |= {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "OMP_NUM_THREADS": "1", "COLUMNS": "120"}
    commands = [["bash", "-euo", "pipefail", "-c", "\n".join(blocks(text, "sh"))]]
    commands += [[str(programs / "python"), "-c", block] for block in blocks(text, "python")]
    for command in commands:
        ended = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=280, check=False)
        assert ended.returncode == 0, ended.stdout[-3000:] + ended.stderr[-3000:]


@pytest.mark.slow
@pytest.mark.parametrize("job", ["Register an environment", "Train an agent", "Evaluate an agent"])
def test_readme_job_runs_as_it_stands(job: str, programs: Path, tmp_path: Path) -> None:
    run_examples(programs, tmp_path, section("README.md", job))


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    [
        "register-an-environment.md",
        "train-an-agent.md",
        "evaluate-an-agent.md",
        "evaluation.md",
        "algorithms/attribution.md",
        "algorithms/offline.md",
    ],
)
def test_page_runs_as_it_stands(page: str, programs: Path, tmp_path: Path) -> None:
    run_examples(programs, tmp_path, (ROOT / "docs" / page).read_text(encoding="utf-8"))


def test_changelog_lines_are_short() -> None:
    for line in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines():
        assert len(line.removeprefix("- ").split()) <= 25, line


def test_examples_are_run_with_this_interpreter(programs: Path) -> None:
    command = [str(programs / "python"), "-c", "import sys; print(sys.version_info[:2])"]
    assert subprocess.check_output(command, text=True).strip() == str(sys.version_info[:2])


def test_readme_python_example_plays_an_action_that_is_valid(capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = blocks(section("README.md", "Evaluate an agent"), "python")
    exec(compile(example, "README.md", "exec"), {})
    shown = capsys.readouterr().out
    assert "invalid" not in shown
    assert shown.startswith(("higher", "lower"))

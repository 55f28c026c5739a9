"""README, tutorials and pages: the tree is the folders', links lead somewhere, commands are accepted, examples run."""

import functools
import os
import re
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tyro

from agentgym.attribution import METHODS, PREDICTED
from agentgym.attribution.forks import Forks
from agentgym.cli import main as command_line
from agentgym_rl.run.config import load_config
from agentgym_rl.run.learners import PRESETS
from tests.repository.documented import CUT_PAGES, DOCUMENTED, README_JOBS, WHOLE_PAGES
from tests.warm.python import WarmPython

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "environments").rglob("*.md")])
COMPARISON = ROOT / "docs" / "algorithms" / "comparison.md"
ALGORITHMS = sorted(set((ROOT / "docs" / "algorithms").glob("*.md")) - {COMPARISON})
HEADINGS = ["Idea", "Usage", "Logged metrics", "Details and deviations", "Results"]
CONFIGS = "trainers/agentgym_rl/configs"
UNLISTED = {"runs", "dist", "build"}
LISTED_WITH_PARTS = ("agentgym", "environments", "tasks", "trainers")


def section(page: str, heading: str) -> str:
    text = (ROOT / page).read_text(encoding="utf-8")
    found = re.search(rf"^(#+) {re.escape(heading)}\n(.*?)(?=^#{{1,3}} |\Z)", text, re.MULTILINE | re.DOTALL)
    assert found, f"{page} has no section {heading!r}"
    return found[2]


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def headings(text: str, marks: str = "#{1,6}") -> list[str]:
    return re.findall(rf"^{marks} (.+)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE)


def anchor(heading: str) -> str:
    """What a link to a heading says behind its `#`."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


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


def test_tree_of_the_architecture_is_that_of_the_folders() -> None:
    listed: dict[str, set[str]] = {"": set()}
    top = ""
    for line in section("docs/architecture.md", "The tree").splitlines():
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
    for target, heading in re.findall(r"\]\(([^)#\s]*)#?([^)\s]*)\)", page.read_text(encoding="utf-8")):
        if not target.startswith(("http://", "https://")):
            file = page.parent / target if target else page
            assert file.exists(), f"{page.name} links to {target}"
            if heading:
                known = [anchor(each) for each in headings(file.read_text(encoding="utf-8"))]
                assert heading in known, f"{page.name} links to {target}#{heading}; there are {known}"


@pytest.mark.parametrize("page", ALGORITHMS, ids=lambda page: page.stem)
def test_pages_of_algorithms_have_the_same_headings(page: Path) -> None:
    assert headings(page.read_text(encoding="utf-8"), "##") == HEADINGS


def index_rows() -> list[tuple[str, list[str], str]]:
    """Of the index of algorithms: usual name, names in code, and the text of the sections that are linked to."""
    rows = []
    for line in section("docs/README.md", "Algorithms by name").splitlines():
        if "](" in line:
            name, code, links = (cell.strip() for cell in line.strip("|").split("|"))
            texts = []
            for page, heading in re.findall(r"\]\(([^)#]+)#([^)]+)\)", links):
                path = Path("docs") / page
                titles = headings((ROOT / path).read_text(encoding="utf-8"))
                texts.append(section(path.as_posix(), next(each for each in titles if anchor(each) == heading)))
            rows.append((name, re.findall(r"`([^`]+)`", code), "\n".join(texts)))
    return rows


def test_index_of_algorithms_is_in_order_and_leads_to_where_they_are_described() -> None:
    rows = index_rows()
    names = [name for name, _, _ in rows]
    assert names == sorted(names, key=str.casefold)
    for name, codes, text in rows:
        assert codes, name
        for code in codes:
            assert re.search(rf"\b{re.escape(code)}\b", text), f"{name}: {code} is not where the index says"


def test_index_of_algorithms_has_every_preset_and_method() -> None:
    listed = {code for _, codes, _ in index_rows() for code in codes}
    assert {*PRESETS, *METHODS, *PREDICTED, Forks.name} - listed == set()


def test_every_shipped_run_is_in_the_table_of_shipped_runs() -> None:
    table = section("docs/train-an-agent.md", "The shipped runs")
    named = {Path(name).name for name in re.findall(r"`([^`]+\.toml)`", table)}
    assert named == {path.name for path in (ROOT / CONFIGS).glob("*.toml")}


def test_contents_name_every_page() -> None:
    contents = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    pages = {page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")} - {"README.md"}
    pages = {page for page in pages if not page.startswith("reference/")}  # the site's navigation lists these
    assert {page for page in pages if f"]({page}" not in contents} == set()


def named_tests() -> list[tuple[Path, str]]:
    """File and function of each test that the page of traps names; a name alone is of the file before it in its row."""
    found = []
    for row in re.findall(r"^\| D-.*$", (ROOT / "docs" / "traps.md").read_text(encoding="utf-8"), re.MULTILINE):
        path = ""
        for file, name in re.findall(r"`([^`:]*)::(\w+)`", row):
            path = file or path
            found.append((ROOT / "tests" / "trainers" / "rl" / path, name))
    return found


def test_traps_name_tests_that_exist() -> None:
    named = named_tests()
    assert len(named) > 100
    missing = [
        f"{path}::{name}"
        for path, name in named
        if not path.is_file() or f"\ndef {name}(" not in path.read_text(encoding="utf-8")
    ]
    assert missing == []


def test_reliability_names_tests_that_exist() -> None:
    named = set(re.findall(r"`(test_\w+)", (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")))
    files = (path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    known = {name for text in files for name in re.findall(r"^def (test_\w+)\(", text, re.MULTILINE)}
    assert len(named) > 20
    assert named - known == set()


@pytest.mark.parametrize("job", README_JOBS)
def test_readme_jobs_take_at_most_fifteen_lines(job: str) -> None:
    for block in blocks(section("README.md", job), r"\w+"):
        assert len(block.splitlines()) <= 15


@pytest.fixture
def programs(tmp_path_factory: pytest.TempPathFactory, warm_python: WarmPython) -> Path:
    """Programs of a fresh environment that sees this interpreter's packages, so that an example may install into it.

    `agentgym` and `warm`, for examples in Python, start with the trainer imported.
    """
    folder = tmp_path_factory.mktemp("venv")
    venv.create(folder, symlinks=True)
    paths = [sysconfig.get_path("purelib"), *(str(ROOT / part) for part in (".", "environments", "trainers"))]
    Path(sysconfig.get_path("purelib", vars={"base": str(folder)}), "ours.pth").write_text("\n".join(paths))
    pip = folder / "bin" / "pip"
    pip.write_text(f'#!/bin/sh\nexec "{folder}/bin/python" -P -m pip "$@"\n')
    pip.chmod(0o755)
    warm_python.write_program(folder / "bin" / "agentgym", "-m", "agentgym.cli.main", prefix=folder)
    warm_python.write_program(folder / "bin" / "warm", prefix=folder)
    return folder / "bin"


def run_examples(programs: Path, folder: Path, text: str, languages: tuple[str, ...] = ("sh", "python")) -> None:
    """Run the shell blocks as one script, then the Python blocks, in a folder that sees the checkout's trainers."""
    if not (folder / "trainers").exists():
        (folder / "trainers").symlink_to(ROOT / "trainers")
    others = ("MAKE", "PIP_", "PYTEST", "PYTHON")  # MAKEFLAGS too would tell make another PYTHON
    env = {name: value for name, value in os.environ.items() if not name.startswith(others)}
    # No network: what the example would fetch is there already.
    env |= {"PIP_NO_BUILD_ISOLATION": "0", "PIP_NO_DEPS": "1", "PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull}
    env |= {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "OMP_NUM_THREADS": "1", "COLUMNS": "120"}
    commands = [["bash", "-euo", "pipefail", "-c", "\n".join(blocks(text, "sh"))]]
    if "python" in languages:
        commands += [[str(programs / "warm"), "-c", block] for block in blocks(text, "python")]
    for command in commands:
        ended = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=280, check=False)
        assert ended.returncode == 0, ended.stdout[-3000:] + ended.stderr[-3000:]


@pytest.mark.slow
@pytest.mark.parametrize("job", README_JOBS)
def test_readme_job_runs_as_it_stands(job: str, programs: Path, tmp_path: Path) -> None:
    run_examples(programs, tmp_path, section("README.md", job))


@pytest.mark.slow
@pytest.mark.parametrize("page", WHOLE_PAGES)
def test_page_runs_as_it_stands(page: str, programs: Path, tmp_path: Path) -> None:
    run_examples(programs, tmp_path, cut((ROOT / page).read_text(encoding="utf-8")))


SMALL = "run.iterations=2 validation.every=2 validation.tasks=2 validation.test_tasks=2 "
CLONED = "warm_start.demonstrations=8 warm_start.epochs=1 "
CRITIC = "algorithm.critic.updates=2 algorithm.critic.warmup=1 algorithm.actor.updates=1 "
GROUPS = "group.tasks=2 group.size=4"
CUTS = {
    "archer": SMALL + CLONED + CRITIC + "group.tasks=4",
    "discrete_sac": SMALL + CLONED + CRITIC + "group.tasks=4",
    "guess_number": SMALL + CLONED + "warm_start.has_control=false group.tasks=4",
    "guess_number_bands": SMALL + CLONED + GROUPS,
    "her": SMALL + CLONED + GROUPS,
    "lookup": "group.tasks=2 group.size=4 warm_start.demonstrations=16 warm_start.epochs=1 validation.test_tasks=4",
    "offline": SMALL.replace("=2 validation.every=2", "=1 validation.every=1")
    + "algorithm.updates=2 algorithm.batch=8",
    "maze_partial": SMALL + CLONED + GROUPS,
    "maze_partial_horizon": SMALL + CLONED + GROUPS,
    "spear": SMALL + CLONED + GROUPS,
    "step_agent": SMALL + CLONED + "algorithm.updates=2",
    "train": CLONED + "validation.test_tasks=4",
}
"""Overrides that leave little of a shipped or scaffolded run, put behind those of a page."""


def cut(text: str) -> str:
    """A page whose training runs, recordings and evaluations are short, and are the page's in all else."""
    text = text.replace("\\\n", "")
    if named := re.search(r"^CONFIG=(.*)$", text, re.MULTILINE):
        text = text.replace("$CONFIG", named[1])
    runs = rf"^( *agentgym train (?:{CONFIGS}/)?(\w+)\.toml.*)$"
    short = re.sub(runs, lambda run: with_overrides(run[1], CUTS.get(run[2], "")), text, flags=re.MULTILINE)
    short = re.sub(r"--episodes \d+", "--episodes 40", short)
    short = re.sub(r"^(agentgym eval .*) --limit \d+", r"\1", short, flags=re.MULTILINE)
    return re.sub(r"^(agentgym eval [^>#\n]*)", r"\1 --limit 20 ", short, flags=re.MULTILINE)


def with_overrides(command: str, overrides: str) -> str:
    """A command with overrides in place of its own for the same keys."""
    keys = {override.partition("=")[0] for override in overrides.split()}
    return " ".join([*(word for word in command.split(" ") if word.partition("=")[0] not in keys), overrides])


@pytest.mark.slow
def test_blocks_of_a_console_run_cut_short(programs: Path, tmp_path: Path) -> None:
    """They are those of long runs, which a reader would not start in passing."""
    pages = {command.page for command in DOCUMENTED if command.place == "console"}
    assert pages == {"docs/algorithms/offline.md"}
    for page in pages:
        [block] = blocks(cut((ROOT / page).read_text(encoding="utf-8")), "console")
        run_examples(programs, tmp_path, f"```sh\n{block}```")


@pytest.mark.slow
@pytest.mark.parametrize("page", CUT_PAGES)
def test_page_of_an_algorithm_runs_cut_short(page: str, programs: Path, tmp_path: Path) -> None:
    run_examples(programs, tmp_path, cut((ROOT / page).read_text(encoding="utf-8")), CUT_PAGES[page])


RECORDER = """#!/bin/sh
for word in "$@"; do printf '%s\\0' "$word"; done >> "$RECORD"
printf '\\n' >> "$RECORD"
"""


def commands_of(page: Path, folder: Path) -> list[list[str]]:
    """The words of every `agentgym` command of a page as a shell makes them; nothing else is run."""
    bin_folder, record = folder / "bin", folder / "record"
    bin_folder.mkdir()
    record.touch()
    (bin_folder / "agentgym").write_text(RECORDER)
    (bin_folder / "agentgym").chmod(0o755)
    text = page.read_text(encoding="utf-8")
    script = "command_not_found_handle() { :; }\n" + "\n".join(blocks(text, "(?:sh|console)"))
    env = {"PATH": str(bin_folder), "RECORD": str(record)}
    subprocess.run(["/bin/bash", "-c", script], cwd=folder, env=env, capture_output=True, timeout=60, check=False)
    return [line.split("\0")[:-1] for line in record.read_text(encoding="utf-8").split("\n")[:-1]]


def only_parsed(function: Callable[..., int], **options: Any) -> int:
    """What tyro makes of a command line, without the command; of a training run, with its configuration read."""

    @functools.wraps(function)
    def stub(*args: Any, **keywords: Any) -> int:
        if function.__module__ == "agentgym.cli.train" and args[0] and (ROOT / args[0][0]).is_file():
            load_config(ROOT / args[0][0], args[0][1:])
        return 0

    return tyro.cli(stub, **options)  # type: ignore[no-any-return]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_commands_are_accepted_by_the_command_line(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    named = len(re.findall(r"^agentgym ", "\n".join(blocks(page.read_text(encoding="utf-8"), "(?:sh|console)")), re.M))
    commands = commands_of(page, tmp_path)
    assert len(commands) >= named
    monkeypatch.setattr(command_line, "tyro", Parsing)
    for command in commands:
        assert command_line.main(command) == 0, f"agentgym {' '.join(command)}\n{''.join(capsys.readouterr())}"


class Parsing:
    """Stands in for tyro in the command line."""

    cli = staticmethod(only_parsed)
    conf = tyro.conf


@pytest.mark.parametrize("page", ALGORITHMS, ids=lambda page: page.stem)
def test_commands_of_algorithms_name_shipped_configurations(page: Path, tmp_path: Path) -> None:
    trained = [words for words in commands_of(page, tmp_path) if words[0] == "train"]
    for words in trained:
        assert any((ROOT / word).is_file() for word in words[1:]), words


@pytest.mark.parametrize("name", sorted(path.name for path in (ROOT / CONFIGS).glob("*.toml")))
def test_shipped_configurations_are_named_by_a_page(name: str) -> None:
    pages = [*PAGES, *(ROOT / "tasks").rglob("README.md")]
    assert any(re.search(rf"(?<!\w){re.escape(name)}", page.read_text(encoding="utf-8")) for page in pages), name


@pytest.mark.parametrize("page", ALGORITHMS, ids=lambda page: page.stem)
def test_tables_of_algorithms_are_accepted(page: Path, tmp_path: Path) -> None:
    tables = blocks(page.read_text(encoding="utf-8"), "toml")
    for number, text in enumerate(tables):
        (tmp_path / f"{number}.toml").write_text(text)
        load_config(tmp_path / f"{number}.toml", ["run.suite=dialogue/maze-partial", "run.iterations=30"])


def test_configuration_on_the_page_of_repair_is_whole(tmp_path: Path) -> None:
    [block] = blocks((ROOT / "docs/environments/repair.md").read_text(encoding="utf-8"), "toml")
    (tmp_path / "repair.toml").write_text(block, encoding="utf-8")
    assert load_config(tmp_path / "repair.toml", []).run.iterations == 100


def test_changelog_lines_are_short() -> None:
    for line in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines():
        assert len(line.removeprefix("- ").split()) <= 25, line


def test_examples_are_run_with_this_interpreter(programs: Path) -> None:
    command = [str(programs / "warm"), "-c", "import sys; print(sys.version_info[:2])"]
    assert subprocess.check_output(command, text=True).strip() == str(sys.version_info[:2])


def test_readme_python_example_prints_what_readme_says(capsys: pytest.CaptureFixture[str]) -> None:
    text = section("README.md", "A first look")
    [example], [printed] = blocks(text, "python"), blocks(text, "text")
    exec(compile(example, "README.md", "exec"), {})
    assert capsys.readouterr().out == printed


TABLES = re.compile(r"<!-- (?:environments|suites): ([\w-]+)")


@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "environments").glob("*.md")), ids=lambda page: page.stem)
def test_page_with_a_table_of_the_site_says_what_prints_it_in_a_checkout(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    printed = re.findall(r"In a checkout, `agentgym list --family (\w+)`", text)
    assert sorted(printed) == sorted(TABLES.findall(text))

"""Adding an environment to this repository: its folder, its suite and an entry in its family's `specs.py` are enough.

The environment is the one that `agentgym new` writes, put into a copy of the checkout.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from string import Template

import pytest

ROOT = Path(__file__).parents[2]
TEMPLATES = ROOT / "agentgym" / "scaffold" / "template"
ENV_ID, SUITE = "agentgym/TreasureHunt-v0", "tools/treasure-hunt"
VALUES = {
    "name": "treasure-hunt",
    "package": "agentgym_tools.treasure_hunt",
    "class_name": "TreasureHunt",
    "title": "Treasure hunt",
    "env_id": ENV_ID,
    "suite": SUITE,
}
ENTRY = f"""SPECS: tuple[EnvSpec, ...] = (
    EnvSpec(
        "{ENV_ID}",
        "agentgym_tools.treasure_hunt.env:TreasureHuntEnv",
        "agentgym_tools.treasure_hunt.scripts:SCRIPTS",
        "tools",
        ("{SUITE}",),
        runtimes=("local", "served"),
    ),
"""
USE = f"""
from pathlib import Path
import agentgym
from agentgym.cli.main import main
from agentgym.registration.tables import fill_markers
from agentgym_tools.treasure_hunt.generate import SUITES

assert Path(agentgym.__file__).is_relative_to(Path.cwd())
SUITES["{SUITE}"](Path("tasks/{SUITE}"), "{SUITE}")
assert main(["list", "--family", "tools"]) == 0
assert main(["check", "{ENV_ID}"]) == 0
print(fill_markers(Path("docs/environments/tools.md").read_text()))
"""


def write(template: str, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(Template((TEMPLATES / f"{template}.template").read_text()).substitute(VALUES))


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of what an environment is a part of; suites that stay as they are are links."""
    for name in ("agentgym", "environments", "docs/environments"):
        shutil.copytree(ROOT / name, tmp_path / name)
    for suite in (ROOT / "tasks").glob("*/*"):
        link = tmp_path / "tasks" / suite.relative_to(ROOT / "tasks")
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(suite)
    return tmp_path


def test_an_environment_is_listed_checked_and_documented_by_its_folder_suite_and_entry(checkout: Path) -> None:
    package = checkout / "environments" / "agentgym_tools" / "treasure_hunt"
    for name in ("env", "scripts", "vocabulary", "generate"):
        write(f"{name}.py", package / f"{name}.py")
    (package / "__init__.py").write_text('"""A treasure hunt."""\n')
    (package / "README.md").write_text(f"# {ENV_ID}\n\nSixteen boxes, one treasure.\n")
    write("suite.toml", checkout / "tasks" / SUITE / "suite.toml")
    write("suite_readme.md", checkout / "tasks" / SUITE / "README.md")
    specs = package.with_name("specs.py")
    specs.write_text(specs.read_text().replace("SPECS: tuple[EnvSpec, ...] = (\n", ENTRY))

    path = os.pathsep.join((str(checkout), str(checkout / "environments")))
    done = subprocess.run(
        [sys.executable, "-c", USE],
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    listed, _, rest = done.stdout.partition("check  ")
    checks, _, page = rest.partition("# Tool-use environments")
    assert ENV_ID in listed
    assert SUITE in listed
    assert "passed" in checks
    assert f"| `{ENV_ID}` | `{SUITE}` |" in page
    assert f"| `{SUITE}` | Follow two clues" in page
    card = page.partition(f"## {ENV_ID}\n")[2]
    assert "Sixteen boxes, one treasure." in card
    assert "**Observation**" in card

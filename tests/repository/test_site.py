"""The documentation builds as a site without a warning, and holds what the pages promise."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import agentgym

ROOT = Path(__file__).parents[2]


def build(target: Path, *options: str) -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join(str(ROOT / part) for part in (".", "environments", "trainers"))
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(target), *options],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": paths, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site; a warning, such as a link or an anchor that leads nowhere, fails the build."""
    folder = tmp_path_factory.mktemp("site")
    ended = build(folder)
    assert ended.returncode == 0, ended.stdout[-3000:] + ended.stderr[-3000:]
    return folder


@pytest.mark.slow
def test_site_has_the_reference_of_every_public_name(site: Path) -> None:
    page = (site / "reference" / "agentgym.html").read_text(encoding="utf-8")
    missing = [name for name in agentgym.__all__ if f'id="agentgym.{name}"' not in page]
    assert missing == ["errors", "tool"]  # a module with its own page, and a function named as its module
    assert 'id="agentgym.tools.tool.tool"' in (site / "reference" / "env.html").read_text(encoding="utf-8")
    assert 'id="agentgym.errors.ConfigError"' in (site / "reference" / "errors.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_site_shows_the_help_of_commands(site: Path) -> None:
    page = (site / "reference" / "commands.html").read_text(encoding="utf-8")
    assert "How many episodes to play of each task." in page


@pytest.mark.slow
def test_site_fills_the_tables_of_environments(site: Path) -> None:
    pages = [path.read_text(encoding="utf-8") for path in sorted((site / "environments").glob("*.html"))]
    assert not [page for page in pages if "<!-- environments:" in page]


@pytest.mark.slow
def test_site_loads_nothing_from_elsewhere(site: Path) -> None:
    page = (site / "index.html").read_text(encoding="utf-8")
    assert 'src="http' not in page
    assert 'rel="stylesheet" href="http' not in page


@pytest.mark.parametrize("package", sorted(path.parent.name for path in (ROOT / "agentgym").glob("*/__init__.py")))
def test_every_package_has_a_page_of_reference(package: str) -> None:
    pages = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "reference").glob("*.md"))
    assert f"::: agentgym.{package}" in pages or package in ("cli", "scaffold")

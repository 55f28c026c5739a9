"""The page on the architecture agrees with the folders and with what the layout check enforces.

`python -m tests.repository.test_architecture` writes its tables.
"""

import ast
import re
from pathlib import Path

from scripts.check_layout import HIGHEST_FOR_ENVIRONMENTS, LAYERS
from scripts.check_rooms import TRAINER, TRAINER_ROOMS

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "architecture.md"
NAMED = re.compile(r"`((?:agentgym|environments|trainers|scripts|examples|tasks)/[a-z0-9_./-]+(?:/|\.\w+))`")
"""A file or folder of this repository between backticks."""


def layers() -> str:
    """The table of layers; environments import from the first ones alone."""
    lines = ["| layer | modules and packages of `agentgym` | may environments import it? |", "| --- | --- | --- |"]
    for number, names in enumerate(LAYERS):
        listed = ", ".join(f"`{name or 'agentgym'}`" for name in names)
        lines.append(f"| {number + 1} | {listed} | {'yes' if number <= HIGHEST_FOR_ENVIRONMENTS else 'no'} |")
    return "\n".join(lines)


def rooms() -> str:
    """The table of the trainer's rooms, each with the first line of its docstring."""
    lines = [f"| room of `{TRAINER}` | what it holds |", "| --- | --- |"]
    for room in TRAINER_ROOMS:
        text = (ROOT / "trainers" / TRAINER / room / "__init__.py").read_text(encoding="utf-8")
        lines.append(f"| `{room}` | {(ast.get_docstring(ast.parse(text)) or '').splitlines()[0]} |")
    return "\n".join(lines)


def completed(page: str) -> str:
    """The page with the tables that belong between its markers."""
    for name, table in (("layers", layers()), ("rooms", rooms())):
        begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
        assert begin in page, f"{PAGE.name} has no marker {begin}"
        before, rest = page.split(begin)
        page = f"{before}{begin}\n\n{table}\n\n{end}{rest.split(end)[1]}"
    return page


def test_tables_of_the_page_are_those_of_the_check() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == completed(page), "write the tables: python -m tests.repository.test_architecture"


def test_files_that_pages_name_exist() -> None:
    for page in (ROOT / "docs").rglob("*.md"):
        for path in NAMED.findall(page.read_text(encoding="utf-8")):
            assert (ROOT / path).exists(), f"{page.name} names {path}, which does not exist"


if __name__ == "__main__":
    PAGE.write_text(completed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")

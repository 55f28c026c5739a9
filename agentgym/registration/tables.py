"""Markdown for the documentation of environments, rendered from their specs, class docstrings, READMEs and suites.

Pages hold markers such as `<!-- environments: tools -->`; `fill_markers` replaces them when the site is built, so that
no page lists environments by hand.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path

from agentgym.errors import UnknownNameError
from agentgym.registration.env_spec import EnvSpec, load_named
from agentgym.registration.registry import listing_order, specs
from agentgym.suite import Suite, load_suite

_MARKER = re.compile(r"<!-- (environments|suites|difficulty|cards): ([\w-]+)(?:/([\w-]+))? -->")
_HEADING = re.compile(r"(?P<name>[A-Z][A-Za-z ]+):\s*$")


def fill_markers(page: str) -> str:
    """A page of the documentation with each marker replaced by what it stands for.

    A marker is `<!-- KIND: FAMILY -->` or `<!-- KIND: FAMILY/ROOM -->` with one of four kinds: environments
    (`environment_table`), suites (`suite_table`), difficulty (`difficulty_table`) and cards (`environment_card` of
    each class of environments; of a whole family without those that adapt another package's).

    Args:
        page: Markdown.

    Raises:
        UnknownNameError: There is no such family or room.
        ContractError: An environment of `cards` cannot be imported.
    """
    return _MARKER.sub(lambda marker: _RENDER[marker[1]](marker[2], marker[3] or ""), page)


def environment_table(family: str, room: str = "") -> str:
    """A Markdown table of the environments of a family: suites, roles and what they need.

    Environments that share a class and have no suite, such as the levels of an adapted package, share a row.

    Args:
        family: Such as "tools".
        room: Only this room of the family; "" for all.

    Raises:
        UnknownNameError: There is no such family or room.
    """
    rows: dict[tuple[str, str], list[EnvSpec]] = {}
    for spec in _chosen(family, room):
        rows.setdefault((spec.entry_point, spec.id if spec.suites else spec.adapts), []).append(spec)
    return _table(
        ("id", "suites", "roles, the default first", "runs", "needs"),
        (
            (
                _ids(alike),
                _listed(alike[0].suites),
                ", ".join(alike[0].roles),
                ", ".join(alike[0].runtimes),
                _needs(alike[0]),
            )
            for alike in rows.values()
        ),
    )


def suite_table(family: str, room: str = "") -> str:
    """A Markdown table of the suites of a family; arguments and errors as of `environment_table`."""
    suites = [load_suite(name) for spec in _chosen(family, room) for name in spec.suites]
    return _table(
        ("suite", "task", "strata of the test split, the headline first", "random policy"),
        ((f"`{suite.name}`", suite.description, _strata(suite), _random(suite)) for suite in suites),
    )


def difficulty_table(family: str, room: str = "") -> str:
    """A Markdown table of the options that make tasks harder; arguments and errors as of `environment_table`."""
    return _table(
        ("id", "options, from the easiest to the hardest value"),
        (
            (
                f"`{spec.id}`",
                "; ".join(f"`{name}` {', '.join(map(str, values))}" for name, values in spec.difficulty.items()),
            )
            for spec in _chosen(family, room)
            if spec.difficulty
        ),
    )


def environment_card(spec: EnvSpec) -> str:
    """The section of one environment: its README, if its package has one, and the card of its class docstring.

    Args:
        spec: The environment.

    Raises:
        ContractError: It cannot be imported.
    """
    parts = [f"## {spec.id}", _readme(spec), _card(inspect.getdoc(load_named(spec, "entry_point")) or "")]
    return "\n\n".join(part for part in parts if part)


def _cards(family: str, room: str) -> str:
    """A card for each class of a family or room, under the first of its ids; a family's are without adapted ones."""
    classes: dict[str, EnvSpec] = {}
    for spec in _chosen(family, room):
        if room or not spec.adapts:
            classes.setdefault(spec.entry_point, spec)
    return "\n\n".join(map(environment_card, classes.values()))


_RENDER: dict[str, Callable[[str, str], str]] = {
    "environments": environment_table,
    "suites": suite_table,
    "difficulty": difficulty_table,
    "cards": _cards,
}


def _chosen(family: str, room: str) -> list[EnvSpec]:
    of_family = specs(family)
    if not of_family:
        raise UnknownNameError("family", family, {spec.family for spec in specs()})
    rooms = {spec.room for spec in of_family}
    if room and room not in rooms:
        raise UnknownNameError("room", room, rooms, owner=f"the family {family!r}")
    return sorted((spec for spec in of_family if room in ("", spec.room)), key=listing_order)


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table without the columns that are empty in every row."""
    cells = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    kept = [number for number in range(len(columns)) if any(row[number] for row in cells)]
    lines = [[columns[number] for number in kept], ["---"] * len(kept), *([row[n] for n in kept] for row in cells)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _ids(alike: Sequence[EnvSpec]) -> str:
    others = len(alike) - 1
    return f"`{alike[0].id}`" + (f" and {others} other{'s' * (others > 1)} like it" if others else "")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _needs(spec: EnvSpec) -> str:
    needs = [f"extra `{spec.extra}`"] if spec.extra else []
    needs += [f"adapts {spec.adapts}"] if spec.adapts else []
    return ", ".join([*needs, *(f"the option `{need.option}`: {need.what}" for need in spec.needs)])


def _strata(suite: Suite) -> str:
    others = [stratum for stratum in suite.splits.get("test", ()) if stratum != suite.headline]
    return "; ".join(f"`{stratum}`: {suite.strata[stratum]}" for stratum in (suite.headline, *others))


def _random(suite: Suite) -> str:
    score = suite.scores.get("random")
    return "" if score is None or score.success is None else f"{score.success:.2f}"


def _readme(spec: EnvSpec) -> str:
    """The README beside an environment's module, without its title and one level deeper."""
    module = find_spec(spec.entry_point.partition(":")[0])
    path = Path(module.origin).with_name("README.md") if module is not None and module.origin else None
    if path is None or not path.is_file():
        return ""
    text = re.sub(r"\A# .*\n+", "", path.read_text(encoding="utf-8"))
    return re.sub(r"^(#+ )", r"#\1", text, flags=re.MULTILINE).strip()


def _card(docstring: str) -> str:
    """A class docstring as Markdown: each of its headings in bold, and the text below it unindented."""
    lines = []
    for line in docstring.splitlines():
        heading = _HEADING.fullmatch(line)
        lines.append(f"\n**{heading['name']}**\n" if heading else line.removeprefix("    "))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()

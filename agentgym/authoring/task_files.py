"""Drawing the tasks of suites and writing their files, byte for byte the same on every run.

Every environment has a module `generate` with a table of its suites, which `write_suites` makes a command of. Reading
the files is the work of `agentgym.suite`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from agentgym.data_folder import data_folder
from agentgym.errors import AgentGymError, ConfigError, UnknownNameError
from agentgym.task import Split, Task

_IMPLIED = ("suite", "split")
"""Keys that the reader fills in from where the file lies."""
MAX_DRAWS = 10_000
"""Number of draws without anything new after which drawing gives up."""
MakeTask = Callable[[str, int, Split, str], Task]
"""Makes a task of its id, number, split and stratum."""
Suites = Mapping[str, Callable[[Path, str], None]]
"""By the name of each suite, such as "dialogue/taboo", what writes its files into a folder, given the name."""
First = Mapping[str, int] | None
"""By stratum how many of its first tasks are drawn, and of the others none; None draws all."""
Drawn = TypeVar("Drawn")
Key = TypeVar("Key", bound=Hashable)


def write_suites(suites: Suites, root: Path | None = None) -> None:
    """The command line of a module `generate`: `python -m MODULE [SUITE [FOLDER]]`.

    Without arguments it writes all suites of the module, each into its own folder. `SUITE` writes one of them, into
    `FOLDER` where that is named.

    Args:
        suites: The suites of the module.
        root: The folder of all suites, as <family>/<suite>; None is that of agentgym.
    """
    arguments = sys.argv[1:]
    root = data_folder("tasks") if root is None else root
    try:
        if len(arguments) > 2:
            raise ConfigError(f"expected at most a suite and a folder, got {len(arguments)} arguments: {arguments}")
        if arguments and arguments[0] not in suites:
            raise UnknownNameError("suite", arguments[0], suites)
        for suite in arguments[:1] or suites:
            suites[suite](Path(arguments[1]) if len(arguments) == 2 else root / suite, suite)
    except AgentGymError as error:
        sys.exit(f"error: {error}")


def draw_unseen(draw: Callable[[], Drawn], seen: set[Key], key: Callable[[Drawn], Key]) -> Drawn:
    """Draw until something new comes.

    Args:
        draw: Draws something.
        seen: Keys of everything drawn before; the key of the result is added.
        key: What makes two draws the same.

    Raises:
        ConfigError: Nothing new came in `MAX_DRAWS` draws.
    """
    for _ in range(MAX_DRAWS):
        drawn = draw()
        found = key(drawn)
        if found not in seen:
            seen.add(found)
            return drawn
    raise ConfigError(
        f"a generator drew nothing new in {MAX_DRAWS} draws, with {len(seen)} drawn before; expected more to choose "
        "from: ask for fewer tasks"
    )


def write_suite(
    folder: Path, suite: str, counts: Mapping[Split, Mapping[str, int]], make: MakeTask, first: First = None
) -> None:
    """Write all splits of a suite into a folder, its tasks made in the order of the splits and strata.

    Args:
        folder: The folder.
        suite: The suite's name, with which the ids of its tasks begin.
        counts: By split how many tasks each stratum has; they are numbered from 0 in each split.
        make: Makes a task.
        first: Which of them are drawn; None draws all.
    """
    for split, wanted in counts.items():
        numbers = [(stratum, index) for stratum, drawn in numbered_strata(wanted, first) for index in drawn]
        tasks = [make(numbered_id(suite, split, index), index, split, stratum) for stratum, index in numbers]
        write_split(folder, split, tasks)


def numbered_strata(strata: Mapping[str, int], first: First = None) -> Iterator[tuple[str, range]]:
    """The strata of a split that are drawn.

    Args:
        strata: How many tasks each has, in their order in the split.
        first: Which of them are drawn; None draws all.

    Yields:
        A stratum and the numbers that its drawn tasks have among those of the split.
    """
    start = 0
    for stratum, count in strata.items():
        drawn = count if first is None else min(count, first.get(stratum, 0))
        if drawn:
            yield stratum, range(start, start + drawn)
        start += count


def numbered_id(suite: str, split: Split, index: int) -> str:
    """The id of a task of a suite, such as "dialogue/taboo:test-00007"."""
    return f"{suite}:{split}-{index:05}"


def write_split(folder: Path, split: Split, tasks: Iterable[Task], *, with_empty: bool = False) -> None:
    """Write one task a line into `<split>.jsonl`.

    Args:
        folder: The folder; created if it is missing.
        split: The split.
        tasks: Its tasks, in the order of the lines.
        with_empty: Whether empty and false fields are written too; the reader fills them in.
    """
    folder.mkdir(parents=True, exist_ok=True)
    text = "".join(f"{to_line(task, with_empty=with_empty)}\n" for task in tasks)
    (folder / f"{split}.jsonl").write_text(text, encoding="utf-8", newline="\n")


def to_line(task: Task, *, with_empty: bool = False) -> str:
    """A task as a line of a task file, without the end of the line; see `write_split`."""
    fields: dict[str, Any] = task.to_json()
    kept = {
        key: value for key, value in fields.items() if key not in _IMPLIED and (value or key == "seed" or with_empty)
    }
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":"))

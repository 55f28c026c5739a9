"""The repositories of tasks: drawn from a number, with commits of several people, branches, tags and open changes."""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import lru_cache

from agentgym_tools.mcp.repository.model import Repository

CLEAN, MODIFIED, STAGED = "clean", "modified", "staged"
"""How the folder stands: as committed; with changes; with changes of which some are staged."""
PEOPLE = ("Ada Birk", "Bruno Fenn", "Cleo Kerr", "Dario Lund", "Edda Hollis", "Falk Ivers")
SIDES = ("winter", "draft", "trial", "review", "spring", "archive")
TOPICS: Mapping[str, tuple[str, ...]] = {
    "garden": ("tomatoes", "beans", "plums", "roses", "kale", "figs", "mint", "leeks"),
    "kitchen": ("bread", "soup", "pasta", "salad", "curry", "pie", "stew", "rice"),
    "fleet": ("vans", "trucks", "bikes", "buses", "trams", "boats", "carts", "cabs"),
    "studio": ("drums", "piano", "violin", "organ", "flute", "cello", "harp", "horn"),
}
"""By folder what its files are about."""
KEYS = ("price", "stock", "weight", "rank", "limit", "order")
_VERBS = ("Correct", "Raise", "Lower", "Review", "Measure", "Update", "Settle", "Count")
_FIRST_DAY = 1_735_732_800  # 2025-01-01 12:00 UTC
_DAY = 86_400


@lru_cache(maxsize=256)
def draw_repository(number: int, mode: str) -> Mapping[str, Repository]:
    """The repository of a number, by its folder; not to be changed.

    Args:
        number: Any; different numbers give different repositories.
        mode: `CLEAN`, `MODIFIED` or `STAGED`.
    """
    rng = random.Random(f"git scene {number} {mode}")
    folder, made = _Drawing(rng).made(mode)
    return {folder: made}


class _Drawing:
    """One repository while it is drawn."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._repository = Repository()
        self._day = 0
        self._said: set[str] = set()
        self._folder = rng.choice(list(TOPICS))
        self._people = rng.sample(PEOPLE, 3)
        self._values: dict[str, dict[str, int]] = {}

    def made(self, mode: str) -> tuple[str, Repository]:
        """The folder's name and the repository."""
        rng, repository = self._rng, self._repository
        for name in rng.sample(TOPICS[self._folder], 5):
            path = f"{name}.txt" if rng.random() < 0.6 else f"old/{name}.txt"
            self._values[path] = {key: rng.randint(10, 999) for key in rng.sample(KEYS, 3)}
            self._write(path)
        repository.stage(*repository.work)
        self._commit(f"Start the {self._folder}")
        sides = rng.sample(SIDES, 2)
        forks = sorted(rng.sample(range(1, 5), 2))
        for step in range(6):
            self._edit()
            for side, fork in zip(sides, forks, strict=True):
                if step == fork:
                    repository.branch(side)
            if step in (2, 4):
                repository.tag(f"v{step // 2}")
        for side in sides:
            self._grow(side)
        if mode != CLEAN:
            self._leave_open(mode)
        return self._folder, repository

    def _grow(self, side: str) -> None:
        """Commits of a side branch; the values there are those of the side."""
        repository, kept = self._repository, self._values
        repository.switch(side)
        self._values = {path: values_of(text) for path, text in repository.work.items()}
        for _ in range(self._rng.randint(1, 2)):
            self._edit()
        repository.switch("main")
        self._values = kept

    def _leave_open(self, mode: str) -> None:
        rng, repository = self._rng, self._repository
        paths = rng.sample(sorted(self._values), 3)
        for path in paths:
            self._change(path)
        if mode == STAGED:
            repository.stage(*paths[: rng.randint(1, 2)])
        new = next(name for name in TOPICS[self._folder] if not any(name in path for path in self._values))
        repository.write(f"{new}.txt", f"# {new}\n{rng.choice(KEYS)}: {rng.randint(10, 999)}\n")

    def _edit(self) -> None:
        path = self._rng.choice(sorted(self._values))
        key = self._change(path)
        self._repository.stage(path)
        name = path.rpartition("/")[2].removesuffix(".txt")
        verbs = [verb for verb in _VERBS if f"{verb} {key} of {name}" not in self._said]
        self._commit(f"{self._rng.choice(verbs)} {key} of {name}")

    def _change(self, path: str) -> str:
        key = self._rng.choice(sorted(self._values[path]))
        old = self._values[path][key]
        self._values[path][key] = self._rng.choice([value for value in range(10, 1000) if value != old])
        self._write(path)
        return key

    def _write(self, path: str) -> None:
        name = path.rpartition("/")[2].removesuffix(".txt")
        lines = [f"# {name}", *(f"{key}: {value}" for key, value in self._values[path].items())]
        self._repository.write(path, "\n".join(lines) + "\n")

    def _commit(self, message: str) -> None:
        self._said.add(message)
        self._day += self._rng.randint(1, 9)
        name = self._rng.choice(self._people)
        author = f"{name} <{name.split()[0].lower()}@mail.test>"
        self._repository.commit(message, author, _FIRST_DAY + self._day * _DAY)


def values_of(text: str) -> dict[str, int]:
    """The values that a file states, by key."""
    pairs = [line.split(": ") for line in text.splitlines() if ": " in line]
    return {key: int(value) for key, value in pairs}

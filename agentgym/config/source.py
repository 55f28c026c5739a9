"""Where the values of a configuration were given: a line of a file, or an override beside it."""

from __future__ import annotations

import dataclasses
from pathlib import Path


@dataclasses.dataclass(frozen=True)
class Source:
    """Where a configuration was read from, for messages.

    Attributes:
        path: The file; None where there is none.
        text: Its text.
        overridden: Dotted keys that were given beside it.
    """

    path: Path | None = None
    text: str = ""
    overridden: frozenset[str] = frozenset()

    def place(self, key: str) -> str:
        """Where a dotted key stands, such as `run.toml:12: key 'run.seed'`."""
        if (override := self._override_of(key)) is not None:
            return f"override {override!r}"
        return f"{self._line(key)}key {key!r}"

    def beside(self, key: str) -> str:
        """Where a dotted key stands, for a message that names the key itself: `run.toml:12: `; "" where it is clear."""
        override = self._override_of(key)
        return self._line(key) if override is None else f"override {override!r}: "

    def _line(self, key: str) -> str:
        if self.path is None:
            return ""
        line = _line_of(self.text, key) or _line_of(self.text, key.rpartition(".")[0])  # an inline table's
        return f"{self.path}{f':{line}' if line else ''}: "

    def _override_of(self, key: str) -> str | None:
        """The override that gave a key, or made the table of that name, which the file has not."""
        if key in self.overridden:
            return key
        below = sorted(given for given in self.overridden if given.startswith(f"{key}."))
        return below[0] if below and _line_of(self.text, key) is None and not _has_table(self.text, key) else None


def _line_of(text: str, key: str) -> int | None:
    table, _, last = key.rpartition(".")
    current = ""
    for number, line in enumerate(text.splitlines(), start=1):
        stripped = line.strip()
        if stripped.startswith("["):
            current = stripped.strip("[] ")
            if current == key:
                return number
        elif current == table and stripped.split("=")[0].strip() == last:
            return number
    return None


def _has_table(text: str, key: str) -> bool:
    names = (line.strip().strip("[] ") for line in text.splitlines() if line.strip().startswith("["))
    return any(name == key or name.startswith(f"{key}.") for name in names)

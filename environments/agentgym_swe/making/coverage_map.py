"""Which tests run which line of a package, measured once and kept beside the layer."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from agentgym.sandbox.once import cache_folder, only_one
from agentgym_swe.repositories.layer import Layer

FORMAT = 2


@dataclass(frozen=True)
class CoverageMap:
    """What each test runs.

    Attributes:
        layer: The package.
        lines: By file and line the tests, as a bit set over `layer.tests`; the bit behind them is set where a line runs
            before any test does.
    """

    layer: Layer
    lines: dict[str, dict[int, int]]

    def tests_of(self, file: str, lines: Iterable[int]) -> tuple[str, ...]:
        """Tests that run one of some lines, in pytest's order."""
        bits = 0
        for line in lines:
            bits |= self.lines.get(file, {}).get(line, 0)
        return tuple(test for number, test in enumerate(self.layer.tests) if bits >> number & 1)

    def is_early(self, places: Iterable[tuple[str, Iterable[int]]]) -> bool:
        """Whether one of some lines, by file, runs while files are imported and tests collected."""
        last = len(self.layer.tests)
        return any(self.lines.get(file, {}).get(line, 0) >> last for file, lines in places for line in lines)


Lines = dict[str, dict[str, str]]
"""By file and line the tests, as a bit set in hex."""


def coverage_map(layer: Layer, measure: Callable[[], Lines]) -> CoverageMap:
    """The map of a layer, from the cache or measured now.

    Args:
        layer: The package.
        measure: Finds out what each test runs.

    Raises:
        SandboxError: No sandbox can be started.
    """
    folder = cache_folder() / "swe" / "maps"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{layer.name}-{layer.digest[:16]}-{len(layer.tests)}-{FORMAT}.json"
    with only_one(str(path)):
        if not path.is_file():
            unfinished = path.with_suffix(".new")
            unfinished.write_text(json.dumps(measure()), encoding="utf-8")
            unfinished.rename(path)
        return read_lines(layer, json.loads(path.read_text(encoding="utf-8")))


def read_lines(layer: Layer, raw: Lines) -> CoverageMap:
    """Make a map from what was measured."""
    bits = {file: {int(line): int(tests, 16) for line, tests in lines.items()} for file, lines in raw.items()}
    return CoverageMap(layer, bits)

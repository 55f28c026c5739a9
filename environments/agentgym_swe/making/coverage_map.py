"""Which tests run which line of a package, measured once and kept beside the layer."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from agentgym.sandbox.once import cache_folder, only_one
from agentgym_swe.repositories.layer import Layer
from agentgym_swe.room import Wanted, open_room

FORMAT = 1


@dataclass(frozen=True)
class CoverageMap:
    """What each test runs.

    Attributes:
        layer: The package.
        lines: By file and line the tests, as a bit set over `layer.tests`.
    """

    layer: Layer
    lines: dict[str, dict[int, int]]

    def tests_of(self, file: str, lines: Iterable[int]) -> tuple[str, ...]:
        """Tests that run one of some lines, in pytest's order."""
        bits = 0
        for line in lines:
            bits |= self.lines.get(file, {}).get(line, 0)
        return tuple(test for number, test in enumerate(self.layer.tests) if bits >> number & 1)


Lines = dict[str, dict[str, str]]
"""By file and line the tests, as a bit set in hex."""


def coverage_map(layer: Layer, sandbox: Wanted = None) -> CoverageMap:
    """The map of a layer, from the cache or measured now.

    Raises:
        SandboxError: No sandbox can be started.
    """
    folder = cache_folder() / "swe" / "maps"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{layer.name}-{layer.digest[:16]}-{len(layer.tests)}-{FORMAT}.json"
    with only_one(str(path)):
        if not path.is_file():
            lines, _ = measure_lines(layer, sandbox)
            unfinished = path.with_suffix(".new")
            unfinished.write_text(json.dumps(lines), encoding="utf-8")
            unfinished.rename(path)
        return read_lines(layer, json.loads(path.read_text(encoding="utf-8")))


def measure_lines(layer: Layer, sandbox: Wanted = None) -> tuple[Lines, float]:
    """What each test runs, and the CPU seconds of finding it out.

    Raises:
        SandboxError: No sandbox can be started.
    """
    with open_room(layer.folder, sandbox) as room:
        asked = {"path": layer.python_path, "tests": layer.run, "only": layer.tests, "files": layer.sources}
        answer = room.call("coverage_run", asked)
    return answer["lines"], answer["seconds"]


def read_lines(layer: Layer, raw: Lines) -> CoverageMap:
    """The map that `measure_lines` measured."""
    bits = {file: {int(line): int(tests, 16) for line, tests in lines.items()} for file, lines in raw.items()}
    return CoverageMap(layer, bits)

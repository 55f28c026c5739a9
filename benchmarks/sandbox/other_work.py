"""How far other work on the machine moved both sides: each side's time now beside its time in the kept figures.

A time of ours alone says little on a busy machine. Where the peer, measured in the same minute, slowed down by as
much, the machine did it; the ratio of both then says what a quiet machine would.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.measure import Spread, machine

KEPT = Path(__file__).parent.parent / "results" / "sandbox-cpu.json"
_SAME = ("cpu", "cores")
Found = Mapping[str, Sequence[Mapping[str, float]]]


@dataclass(frozen=True)
class KeptFigures:
    """Figures of an earlier run on such a machine.

    Attributes:
        figures: As in the report; empty where there is no such run.
    """

    figures: Mapping[str, Any]

    @classmethod
    def read(cls, path: Path = KEPT) -> KeptFigures:
        """The committed figures, where they were taken on a machine like this one; else none."""
        if not path.is_file():
            return cls({})
        kept = json.loads(path.read_text(encoding="utf-8"))
        here = machine()
        is_same = not kept["quick"] and all(kept["machine"][name] == here[name] for name in _SAME)
        return cls(kept["figures"] if is_same else {})

    def note(self, group: str, sides: Found, figure: str, named: Sequence[str]) -> str:
        """How much slower each side was than in the kept figures, in words.

        Args:
            group: Of figures, such as "commands".
            sides: What was measured now.
            figure: Which figure of a side, such as "p50_ms".
            named: The sides, ours first.

        Returns:
            A text such as "slower than kept: ours 1.8 times, SDK exec_run 2.1 times"; "" where nothing is kept.
        """
        moved = []
        for side in named:
            kept = self.figures.get(group, {}).get(side, {}).get(figure)
            if kept is None:
                return ""
            now = Spread.of([each[figure] for each in sides[side]]).median
            moved.append(f"{side} {now / kept['median']:.2g} times")
        return f"time against the kept run: {', '.join(moved)}"

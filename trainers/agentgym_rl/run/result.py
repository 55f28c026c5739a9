"""What a finished run hands back, and its summary.json."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agentgym.errors import StoreError
from agentgym_rl.run.run_folder import SUMMARY


@dataclass(frozen=True)
class TrainResult:
    """The result of a run.

    Attributes:
        folder: The run's folder.
        held_out: The result on the test split for each stage, as JSON; empty if there was no test.
        report: The report page.
        seconds: Wall time of the whole job, in all the processes that worked on it.
        notes: Why the run did not learn, if it did not.
    """

    folder: Path
    held_out: dict[str, Any] = field(default_factory=dict)
    report: Path | None = None
    seconds: float = 0.0
    notes: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """What summary.json holds."""
        return {"held_out": self.held_out, "seconds": self.seconds, "notes": self.notes}

    def write_summary(self) -> None:
        """Write summary.json into the run's folder.

        Raises:
            StoreError: It cannot be written.
        """
        path = self.folder / SUMMARY
        try:
            path.write_text(json.dumps(self.to_json(), indent=2))
        except OSError as error:
            raise StoreError(f"cannot write {path}: {error}; free space and resume the run") from error


def headline_first(result: dict[str, Any], headline: str) -> dict[str, Any]:
    """The result of an evaluation with the headline stratum's rates in front.

    Args:
        result: As JSON.
        headline: The stratum's name.
    """
    stratum = result["strata"].get(headline)
    if stratum is None:
        return result
    return {**result, "all_strata": {"success": result["success"], "score": result["score"]}, **stratum}

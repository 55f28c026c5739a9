"""BFCL's checker without the adapter, in its own interpreter: the verdict on given calls.

The reference is taken as its file has it; other calls are written as Python calls with named arguments.
"""

from __future__ import annotations

import itertools
import json
from importlib import import_module
from pathlib import Path
from typing import Any

_EVAL = "bfcl_eval.eval_checker.multi_turn_eval"


class Driver:
    """All multi-turn entries."""

    VERBS = ("verdict",)

    def __init__(self, settings: dict[str, Any]) -> None:
        self._check = import_module(f"{_EVAL}.multi_turn_checker").multi_turn_checker
        self._kept = vars(import_module(f"{_EVAL}.multi_turn_utils"))
        data = (
            Path(import_module("bfcl_eval.constants.executable_backend_config").__file__ or "").parent.parent / "data"
        )
        self._entries: dict[str, tuple[dict[str, Any], list[list[str]]]] = {}
        for file in sorted(data.glob("BFCL_v4_multi_turn_*.json")):
            truths = {each["id"]: each["ground_truth"] for each in _lines(data / "possible_answer" / file.name)}
            self._entries |= {each["id"]: (each, truths[each["id"]]) for each in _lines(file)}
        self._numbers = itertools.count()

    def verdict(self, task_id: str, turns: list[dict[str, Any]] | None) -> bool:
        """Whether the checker accepts the calls; None stands for the reference as its file has it."""
        entry, truth = self._entries[task_id]
        if turns is None:
            said = [[texts] if texts else [] for texts in truth]
        else:
            said = [[[_text(call)] for call in turn["calls"]] for turn in turns]
        name = f"alone_{next(self._numbers)}"
        found = self._check(said, truth, entry, task_id.rpartition("_")[0], name)
        for key in [key for key in self._kept if key.startswith(f"{name}_")]:
            del self._kept[key]
        return bool(found["valid"])


def _text(call: dict[str, Any]) -> str:
    return f"{call['name']}({', '.join(f'{name}={value!r}' for name, value in call['arguments'].items())})"


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]

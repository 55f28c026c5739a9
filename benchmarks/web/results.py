"""Results by page of MiniWoB++ in a JSON file that is written after each page, so that a run can go on where it was."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from agentgym_web.miniwob.pages import ALL_PAGES


def read(path: Path) -> dict[str, Any]:
    """The results in a file; without pages if there is no file."""
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"pages": {}}
    return found


def write(results: dict[str, Any], path: Path) -> None:
    """Write a file as a whole, pages in the order of `ALL_PAGES`."""
    order = {page: number for number, page in enumerate(ALL_PAGES)}
    results["pages"] = dict(sorted(results["pages"].items(), key=lambda item: order[item[0]]))
    part = path.with_suffix(".part")
    part.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    os.replace(part, path)

"""Compares pages one after the other, each in a process of its own, and keeps what was found after each page.

What is compared is in `parity`. A run that was stopped goes on where it was.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from agentgym_web.miniwob.oracles.player import all_oracles
from agentgym_web.miniwob.pages import ALL_PAGES
from benchmarks.measure import machine, versions
from benchmarks.report import progress

RESULTS = Path(__file__).parents[1] / "results" / "web_parity-cpu.json"
PACKAGES = ("agentgymnasium", "miniwob", "selenium")
_LONGEST_S = 3600
Piece = tuple[str, str]
"""A peer and a page."""


def run(peers: Sequence[str], pages: Sequence[str], num_workers: int, out: Path = RESULTS, seeds: int = 0) -> None:
    """Compare pages and write what was found.

    Args:
        peers: The peers.
        pages: The pages, which are compared anew; empty for all with an oracle that are not in the file yet.
        num_workers: Pages at a time.
        out: The file.
        seeds: Seeds a page; 0 takes `parity.SEEDS`.
    """
    kept: dict[str, Any] = json.loads(out.read_text(encoding="utf-8")) if out.exists() else {"pages": {}}
    wanted = pages or [page for page in ALL_PAGES if page in all_oracles()]
    pieces = [(peer, page) for peer in peers for page in wanted if pages or peer not in kept["pages"].get(page, {})]
    kept |= {"benchmark": "web parity", "machine": machine(), "versions": versions(PACKAGES)}
    with ThreadPoolExecutor(num_workers) as pool:
        running = {pool.submit(_compared, piece, seeds): piece for piece in pieces}
        for number, future in enumerate(as_completed(running), start=1):
            peer, page = running[future]
            found = future.result()
            kept["pages"].setdefault(page, {})[peer] = found
            write(kept, out)
            progress(f"{number}/{len(pieces)} {peer:10} {page:28} {line_of(found)}")


def line_of(found: dict[str, Any]) -> str:
    """What was found of a page, in a line."""
    if "error" in found:
        return f"ERROR {found['error'][-200:]}"
    reasons = sorted({each["why"] or f"{each['ours']:g} but {each['theirs']:g}" for each in found["differ"]})
    return f"{found['equal']}/{found['episodes']}  {'; '.join(reasons[:3])}".rstrip()


def write(kept: dict[str, Any], out: Path) -> None:
    """Write the file as a whole, pages in the order of the package's table."""
    order = {page: number for number, page in enumerate(ALL_PAGES)}
    kept["pages"] = dict(sorted(kept["pages"].items(), key=lambda item: order[item[0]]))
    part = out.with_suffix(".part")
    part.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    os.replace(part, out)


def _compared(piece: Piece, seeds: int) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.web", "compare", *piece, *(["--seeds", str(seeds)] if seeds else [])]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=_LONGEST_S, check=False)
    except subprocess.TimeoutExpired:
        return {"error": f"not over after {_LONGEST_S} s"}
    if ran.returncode:
        return {"error": " ".join(ran.stderr.split())[-500:]}
    found: dict[str, Any] = json.loads(ran.stdout)
    return found

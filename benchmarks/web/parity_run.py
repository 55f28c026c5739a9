"""Compares pages one after the other, each in a process of its own, and keeps what was found after each page.

What is compared is in `parity`. A run that was stopped goes on where it was. On a busy machine other episodes differ in
each run; those that were the same once count as the same.
"""

from __future__ import annotations

import json
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
from benchmarks.web.results import read, write

FOLDER = Path(__file__).parents[1] / "results"
PACKAGES = ("agentgymnasium", "miniwob", "selenium")
_LONGEST_S = 3600


def results_file(peer: str) -> Path:
    """Where what was found with a peer is kept."""
    return FOLDER / f"web_parity_{peer}-cpu.json"


def run(
    peer: str, pages: Sequence[str], num_workers: int, out: Path, seeds: int = 0, *, is_again: bool = False
) -> None:
    """Compare pages with a peer and write what was found.

    Args:
        peer: The peer.
        pages: The pages to compare, also those in the file; empty compares all with an oracle that are not in it.
        num_workers: Pages at a time.
        out: The file.
        seeds: Seeds a page; 0 takes `parity.SEEDS`.
        is_again: Whether what the file has of the pages counts, too; see `united`.
    """
    facts = {"benchmark": f"web parity {peer}", "machine": machine(), "versions": versions(PACKAGES)}
    known = read(out)["pages"]
    wanted = pages or [page for page in ALL_PAGES if page in all_oracles() and page not in known]
    with ThreadPoolExecutor(num_workers) as pool:
        running = {pool.submit(_compared, peer, page, seeds): page for page in wanted}
        for number, future in enumerate(as_completed(running), start=1):
            page, found = running[future], future.result()
            kept = read(out) | facts  # another call may have added pages to it meanwhile
            before = kept["pages"].get(page)
            found = kept["pages"][page] = united(before, found) if is_again and before else found
            write(kept, out)
            progress(f"{number}/{len(wanted)} {page:28} {line_of(found)}")


def united(before: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    """What two runs with the same seeds found of a page: what differs is what differed in both."""
    if "error" in before or "error" in found:
        return found if "error" in before else before
    differed = {each["seed"] for each in before["differ"]}
    differ = [each for each in found["differ"] if each["seed"] in differed]
    num_once = len(found["differ"]) - len(differ)
    return {
        **found,
        "equal": found["equal"] + num_once,
        "with_waits": found["with_waits"] + num_once,
        "differ": differ,
    }


def line_of(found: dict[str, Any]) -> str:
    """What was found of a page, in a line."""
    if "error" in found:
        return f"ERROR {found['error'][-200:]}"
    reasons = sorted({each["why"] or f"{each['ours']:g} but {each['theirs']:g}" for each in found["differ"]})
    return f"{found['equal']}/{found['episodes']}  {'; '.join(reasons[:3])}".rstrip()


def _compared(peer: str, page: str, seeds: int) -> dict[str, Any]:
    command = [
        sys.executable,
        "-m",
        "benchmarks.web",
        "compare",
        peer,
        page,
        *(["--seeds", str(seeds)] if seeds else []),
    ]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=_LONGEST_S, check=False)
    except subprocess.TimeoutExpired:
        return {"error": f"not over after {_LONGEST_S} s"}
    if ran.returncode:
        return {"error": (ran.stderr.splitlines() or ["no word"])[-1][-500:]}
    found: dict[str, Any] = json.loads(ran.stdout)
    return found

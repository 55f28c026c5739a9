"""What the oracle, a random player and one that does nothing score on all pages of MiniWoB++."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agentgym_web.miniwob.oracles.player import all_oracles
from agentgym_web.miniwob.pages import ALL_PAGES
from agentgym_web.miniwob.scores import score
from agentgym_web.miniwob.scripts import SCRIPTS
from benchmarks.measure import machine, versions
from benchmarks.report import progress
from benchmarks.web.results import read, write

RESULTS = Path(__file__).parents[1] / "results" / "web_players-cpu.json"
PLAYERS = ("oracle", "random", "null")
SEEDS = 20


def run(pages: Sequence[str] = (), num_seeds: int = SEEDS, out: Path = RESULTS) -> None:
    """Score the players and write what was found after each page.

    Args:
        pages: The pages to play, also those in the file; empty plays all that are not in it yet.
        num_seeds: Seeds a page, from 0.
        out: The file.
    """
    kept = read(out) | {"benchmark": "web players", "seeds": num_seeds, "machine": machine()}
    kept["versions"] = versions(("agentgymnasium", "miniwob"))
    for player in PLAYERS:
        able = [page for page in ALL_PAGES if player != "oracle" or page in all_oracles()]
        wanted = [page for page in able if (page in pages if pages else player not in kept["pages"].get(page, {}))]
        for found in score(wanted, SCRIPTS[player], num_seeds):
            row: dict[str, Any] = {name: getattr(found, name) for name in ("success", "reward", "turns")}
            row["failed_seeds"] = [seed for seed, _ in found.failures] if player == "oracle" else []
            kept["pages"].setdefault(found.page, {})[player] = row
            write(kept, out)
            progress(f"{player:7} {found.page:28} {found.success:5.2f} {found.reward:6.2f}")

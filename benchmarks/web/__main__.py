"""The command line of `benchmarks.web`: `python -m benchmarks.web speed | parity | players | page`.

- `speed` takes the figures of one environment and of many beside the peers, see `benchmarks.web.speed`.
- `parity farama` and `parity browsergym` compare rewards with a peer, page by page, see `benchmarks.web.parity`. They
  take `--pages a,b` and `--workers n`, and may be stopped at any time.
- `players` scores the oracle, a random player and one that does nothing on all pages.
- `page` writes the measured tables of docs/environments/web-miniwob.md and web.md, and of
  benchmarks/README.md, from the results.
- `compare PEER PAGE` is one piece of `parity`.
"""

from __future__ import annotations

import argparse
import io
import json
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path

from benchmarks.report import main as report_main
from benchmarks.web import page, parity, parity_run, players, speed


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.web")
    commands = parser.add_subparsers(dest="command", required=True)
    compared = commands.add_parser("compare", help="compare one page with one peer and print JSON")
    compared.add_argument("peer", choices=sorted(parity.SEEDS))
    compared.add_argument("page")
    compared.add_argument("--seeds", type=int, default=0)
    all_pages = commands.add_parser("parity", help="compare all pages with a peer")
    all_pages.add_argument("peer", choices=sorted(parity.SEEDS))
    all_pages.add_argument("--pages", default="", help="play these pages, also if the file has them")
    all_pages.add_argument("--again", action="store_true", help="what the file has of --pages counts, too")
    all_pages.add_argument("--workers", type=int, default=2)
    all_pages.add_argument("--seeds", type=int, default=0)
    all_pages.add_argument(
        "--out", type=Path, default=None, help="the JSON file to add to; default: the one in benchmarks/results"
    )
    speed_rows = commands.add_parser("speed", help="take the figures of the table of speed")
    speed_rows.add_argument("--quick", action="store_true", help="one round, two pages")
    speed_rows.add_argument("--out", type=Path, default=None, help="also write the JSON to this file")
    played = commands.add_parser("players", help="score oracle, random and null on all pages")
    played.add_argument("--pages", default="", help="play these pages, also if the file has them")
    commands.add_parser("page", help="write the tables of the docs from the results")
    chosen = parser.parse_args(argv)
    if chosen.command == "speed":
        return _speed(chosen.quick, chosen.out)
    if chosen.command == "page":
        page.write_pages()
        return 0
    if chosen.command == "compare":
        print(json.dumps(parity.compare(chosen.peer, chosen.page, chosen.seeds or parity.SEEDS[chosen.peer])))
    elif chosen.command == "players":
        players.run([page for page in chosen.pages.split(",") if page])
    else:
        pages = [page for page in chosen.pages.split(",") if page]
        out = chosen.out or parity_run.results_file(chosen.peer)
        parity_run.run(chosen.peer, pages, chosen.workers, out, chosen.seeds, is_again=chosen.again)
    return 0


def _speed(is_quick: bool, out: Path | None) -> int:
    options = ["--json", *(["--quick"] if is_quick else []), *(["--out", str(out)] if out else [])]
    text = io.StringIO()
    with redirect_stdout(text):
        code = report_main("web speed", speed.measure, speed.PACKAGES, options)
    speed.table(json.loads(text.getvalue()))
    return code


if __name__ == "__main__":
    sys.exit(main())

"""The command line of `benchmarks.web`: `python -m benchmarks.web speed | parity | players | page`.

- `speed` takes the figures of one environment and of many beside the peers, see `benchmarks.web.speed`.
- `parity` compares rewards with the peers, page by page, see `benchmarks.web.parity`. It takes `--peers a,b`, `--pages
  a,b` and `--workers n`, and may be stopped at any time.
- `players` scores the oracle, a random player and one that does nothing on all pages.
- `page` writes docs/environments/web-miniwob.md from the results.
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
from benchmarks.web import parity, parity_run, speed


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.web")
    commands = parser.add_subparsers(dest="command", required=True)
    compared = commands.add_parser("compare", help="compare one page with one peer and print JSON")
    compared.add_argument("peer", choices=sorted(parity.SEEDS))
    compared.add_argument("page")
    compared.add_argument("--seeds", type=int, default=0)
    all_pages = commands.add_parser("parity", help="compare all pages with the peers")
    all_pages.add_argument("--peers", default="farama,browsergym")
    all_pages.add_argument("--pages", default="", help="only these, anew")
    all_pages.add_argument("--workers", type=int, default=2)
    all_pages.add_argument("--seeds", type=int, default=0)
    all_pages.add_argument("--out", type=Path, default=parity_run.RESULTS)
    speed_rows = commands.add_parser("speed", help="take the figures of the table of speed")
    speed_rows.add_argument("--quick", action="store_true", help="one round, two pages")
    speed_rows.add_argument("--out", type=Path, default=None, help="also write the JSON to this file")
    chosen = parser.parse_args(argv)
    if chosen.command == "speed":
        return _speed(chosen.quick, chosen.out)
    if chosen.command == "compare":
        print(json.dumps(parity.compare(chosen.peer, chosen.page, chosen.seeds or parity.SEEDS[chosen.peer])))
    else:
        pages = [page for page in chosen.pages.split(",") if page]
        parity_run.run(chosen.peers.split(","), pages, chosen.workers, out=chosen.out, seeds=chosen.seeds)
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

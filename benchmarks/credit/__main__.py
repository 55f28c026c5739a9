"""The command line: `python -m benchmarks.credit [run|tune|chain|archive|report|page]`, by itself the report."""

from __future__ import annotations

import argparse
import json
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from agentgym.errors import ConfigError
from benchmarks.credit.archive import archive
from benchmarks.credit.chain import Plan, work
from benchmarks.credit.page import write_page
from benchmarks.credit.quick import quick_report
from benchmarks.credit.report import reported
from benchmarks.credit.runs import Places, run_piece
from benchmarks.credit.tables import Piece, method_named, methods, tasks
from benchmarks.credit.tuning import tune, tuned
from benchmarks.report import Report, main, own_options

PACKAGES = ("agentgymnasium", "torch", "transformers")
SEEDS = 5
RESULTS = Path("benchmarks/results")


def command(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    name = arguments.pop(0) if arguments and not arguments[0].startswith("-") else "report"
    commands = {"run": run, "tune": run_tuning, "chain": run_chain, "archive": keep, "report": report, "page": page}
    if name not in commands:
        raise ConfigError(f"no command {name!r}; expected one of {', '.join(commands)}")
    return commands[name](arguments)


def run(argv: Sequence[str]) -> int:
    """Run one piece in this process, or read what an earlier call came to; prints its result."""
    parser = _parser("run")
    parser.add_argument("--task", required=True)
    parser.add_argument("--method", required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--chosen", type=json.loads, help="dotted keys and values as JSON; default: what tuning chose")
    parser.add_argument("--trial", action="store_true", help="a trial of tuning: leaves the test split alone")
    own = parser.parse_args(argv)
    method = method_named(own.method)
    chosen = own.chosen if own.chosen is not None else tuned(own.task, own.method) or method.untuned(own.task)
    print(json.dumps(run_piece(Piece(own.task, own.method, own.seed, chosen, own.trial), Places(own.root))))
    return 0


def run_tuning(argv: Sequence[str]) -> int:
    """Run the trials of one method on one task in this process and keep what was chosen; prints it."""
    parser = _parser("tune")
    parser.add_argument("--task", required=True)
    parser.add_argument("--method", required=True)
    own = parser.parse_args(argv)
    print(json.dumps(tune(own.task, own.method, Places(own.root)), indent=1))
    return 0


def run_chain(argv: Sequence[str]) -> int:
    """Run what is missing, a process a piece; may be stopped at any time."""
    parser = _parser("chain")
    _add_choice(parser)
    parser.add_argument("--workers", type=int, default=1, help="processes at once")
    parser.add_argument("--seconds", type=float, help="wall time after which no piece is started")
    parser.add_argument("--untuned", action="store_true", help="run with the settings of the files")
    own = parser.parse_args(argv)
    plan = Plan(_names(own.tasks), _names(own.methods), range(own.seeds), not own.untuned, Places(own.root))
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))  # so that no piece is left running
    return 1 if work(plan, own.workers, own.seconds) else 0


def keep(argv: Sequence[str]) -> int:
    """Put the results of this machine into the files that go with the sources; prints how many those hold."""
    own = _parser("archive").parse_args(argv)
    print(json.dumps(archive(own.root, Places().archive)))
    return 0


def report(argv: Sequence[str]) -> int:
    """Report on the runs that there are; with --quick make two tiny ones first."""
    parser = argparse.ArgumentParser(add_help=False)
    _add_root(parser)
    _add_choice(parser)
    parser.add_argument("--picture", type=Path, help="also draw the learning curves into this SVG file")
    parser.add_argument("--untuned", action="store_true", help="count runs with the settings of the files")
    own, rest = own_options("credit", parser, argv)

    def measure(is_quick: bool) -> Report:
        if is_quick:
            return quick_report()
        plan = Plan(_names(own.tasks), _names(own.methods), range(own.seeds), not own.untuned, Places(own.root))
        return reported(plan, own.picture)

    return main("credit", measure, PACKAGES, rest)


def page(argv: Sequence[str]) -> int:
    """Update the tables of docs/algorithms/comparison.md from the report's JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.credit page")
    parser.add_argument("--results", type=Path, default=RESULTS / "credit-cpu.json")
    parser.add_argument("--page", type=Path, default=Path("docs/algorithms/comparison.md"))
    own = parser.parse_args(argv)
    write_page(json.loads(own.results.read_text()), own.page)
    return 0


def _parser(name: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.credit {name}")
    _add_root(parser)
    return parser


def _add_root(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--root", type=Path, default=Places().root, help="folder of starts, trials and runs")


def _add_choice(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--tasks", default=",".join(tasks()), help="tasks, with commas between")
    parser.add_argument("--methods", default=",".join(methods()), help="methods, with commas between")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="seeds of each, from 0")


def _names(text: str) -> list[str]:
    return [name for name in text.split(",") if name]


if __name__ == "__main__":
    sys.exit(command())

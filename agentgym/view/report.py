"""The report page of a run: one HTML file, no script, no request to anywhere.

Its content security policy allows its own style sheet and embedded pictures, and nothing else.
"""

from __future__ import annotations

import base64
import hashlib
import shlex
from collections.abc import Sequence
from pathlib import Path

from agentgym.store.whole_file import whole_file, writing
from agentgym.view import sections, transcripts
from agentgym.view.blame import blame
from agentgym.view.credit import credit
from agentgym.view.diagnosis import diagnosis
from agentgym.view.markup import Html, join, tag
from agentgym.view.run_data import RunData, read_run

REPORT = "report.html"


def write_report(
    run_folder: Path | str, path: Path | None = None, *, labels: Sequence[str] = (), tasks: Sequence[str] = ()
) -> Path:
    """Draw the report of a run, which may still be going on.

    Args:
        run_folder: The run.
        path: The file to write; None writes `report.html` into the run folder.
        labels: The labels of credit to show, in order; without any, the report chooses.
        tasks: The ids of the tasks whose episodes to show; without any, the report chooses.

    Returns:
        The file.

    Raises:
        StoreError: There is no run in the folder, or the file cannot be written.
        UnknownNameError: The run keeps no credit under one of the labels, or no episode of one of the tasks.
    """
    folder = Path(run_folder)
    target = path or folder / REPORT
    page = render(read_run(folder, labels, tasks))
    with writing(target), whole_file(target) as partial:
        partial.write_text(page, encoding="utf-8")
    return target


def render(run: RunData) -> str:
    """The whole page."""
    style = (Path(__file__).parent / "report.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; form-action 'none'"
    head = join(
        Html('<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'),
        Html(f'<meta http-equiv="Content-Security-Policy" content="{policy}">'),
        Html('<meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">'),
        tag("title", f"{run.name} · agentgym"),
        Html(f"<style>{style}</style>"),
    )
    body = tag(
        "main",
        sections.headline(run),
        sections.stalled(run),
        sections.held_out(run),
        blame(run),
        sections.learning(run),
        credit(run.credit, run.names),
        diagnosis(run),
        _episodes(run),
        sections.outcomes(run),
        sections.times(run),
        sections.algorithm(run),
        tag("footer", "Drawn by agentgym from the run's database. ", str(run.facts.get("commit") or "")),
    )
    return f'<!doctype html>\n<html lang="en"><head>{head}</head><body>{body}</body></html>\n'


def _episodes(run: RunData) -> Html:
    shown, total = len(run.picks), run.counts.get("episodes", 0)
    note = f"{shown:,} of {total:,} episode{'' if total == 1 else 's'}: what the agent read, what it said, and the "
    note += "reward of each turn. A click on an episode opens or folds it."
    if shown < total:
        example = shlex.quote(run.others[0].task_id) if run.others else "ID"
        note += f" {run.how_picked} Others are shown by: agentgym report RUN --task {example} …"
    methods = run.credit.methods if run.credit else ()
    drawn = [transcripts.episode(pick, methods, run.names, is_open=place == 0) for place, pick in enumerate(run.picks)]
    return sections.section("Episodes", *drawn, transcripts.others(run.others, run.names), note=note)

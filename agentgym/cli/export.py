"""`agentgym export RUN --to FOLDER`: a run's episodes as a Hugging Face dataset."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import tyro

from agentgym.cli.output import AsJson, print_json, print_table
from agentgym.store import RunStore
from agentgym.store.parquet import export_dataset


def run(
    folder: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="RUN")],
    *,
    to: Path,
    policy: tuple[str, ...] = (),
    overwrite: bool = False,
    as_json: AsJson = False,
) -> int:
    """Write a run's episodes as Parquet, a file for each split, which `datasets.load_dataset(FOLDER)` reads.

    Args:
        folder: The run's folder: of a recording, an evaluation or a training.
        to: The folder of the dataset.
        policy: Episodes of these policies alone; all where none is given.
        overwrite: Replace the dataset that is in the folder.
        as_json: Print JSON for machines.
    """
    with RunStore.open(folder, read_only=True) as store:
        counts = export_dataset(store, to, policies=policy, overwrite=overwrite)
    if as_json:
        print_json({"run": str(folder), "dataset": str(to), "episodes": counts})
    else:
        print_table(("split", "episodes"), counts.items(), f"dataset {to}")
    return 0

"""`agentgym export RUN --to FOLDER`: writes a run's episodes as a Hugging Face dataset."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import tyro

from agentgym.cli.options import with_options
from agentgym.cli.output import AsJson, print_json, print_table
from agentgym.store import RunStore
from agentgym.store.parquet import export_dataset


@with_options
def run(
    folder: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="RUN")],
    *,
    to: Path,
    policy: tuple[str, ...] = (),
    overwrite: bool = False,
    as_json: AsJson = False,
) -> int:
    """Write a run's episodes as Parquet files, one for each split.

    The Hugging Face function `datasets.load_dataset(FOLDER)` reads them.

    Args:
        folder: The folder of a recording, an evaluation or a training run.
        to: The folder to write the dataset to.
        policy: Export only episodes of these policies. The default is all of them.
        overwrite: Replace a dataset that is already in the folder.
        as_json: Print JSON.
    """
    with RunStore.open(folder, read_only=True) as store:
        counts = export_dataset(store, to, policies=policy, overwrite=overwrite)
    if as_json:
        print_json({"run": str(folder), "dataset": str(to), "episodes": counts})
    else:
        print_table(("split", "episodes"), counts.items(), f"dataset {to}")
    return 0

"""`agentgym export RUN --to PATH`: writes a run's episodes as a dataset, its patches, or its screenshots."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import tyro

from agentgym.cli.options import with_options
from agentgym.cli.output import AsJson, print_json, print_table
from agentgym.store import RunStore
from agentgym.store.parquet import export_dataset
from agentgym.store.predictions import export_predictions
from agentgym.store.screenshots import export_screenshots


@with_options
def run(
    folder: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="RUN")],
    *,
    to: Path,
    form: Literal["dataset", "predictions", "screenshots"] = "dataset",
    policy: tuple[str, ...] = (),
    attempt: int = 0,
    overwrite: bool = False,
    as_json: AsJson = False,
) -> int:
    """Export a run: its episodes as Parquet files, its patches as predictions, or its screenshots.

    The Hugging Face function `datasets.load_dataset(FOLDER)` reads the Parquet files. SWE-bench's harness reads
    the predictions (--form predictions).

    Args:
        folder: The folder of a recording, an evaluation or a training run.
        to: The folder to write the dataset or the screenshots to, or the file to write predictions to.
        form: `dataset` writes all episodes, a Parquet file for each split. `predictions` writes the patches of
            repository tasks, one JSON object a line with instance_id, model_name_or_path and model_patch.
            `screenshots` writes what a person would have seen at each turn, a picture each, and lists them in
            screenshots.jsonl.
        policy: Export only episodes of these policies. The default is all of them.
        attempt: The attempt at each task whose patch is a prediction, from 0.
        overwrite: Replace what is already there.
        as_json: Print JSON.
    """
    with RunStore.open(folder, read_only=True) as store:
        if form == "predictions":
            written = export_predictions(store, to, policies=policy, attempt=attempt, overwrite=overwrite)
            if as_json:
                print_json({"run": str(folder), "file": str(to), **written._asdict()})
            else:
                print_table(("predictions", "empty", "episodes without a patch"), [written], f"file {to}")
            return 0
        if form == "screenshots":
            shots = export_screenshots(store, to, policies=policy, overwrite=overwrite)
            if as_json:
                print_json({"run": str(folder), "folder": str(to), **shots._asdict()})
            else:
                print_table(("screenshots", "episodes", "episodes without any"), [shots], f"folder {to}")
            return 0
        counts = export_dataset(store, to, policies=policy, overwrite=overwrite)
    if as_json:
        print_json({"run": str(folder), "dataset": str(to), "episodes": counts})
    else:
        print_table(("split", "episodes"), counts.items(), f"dataset {to}")
    return 0

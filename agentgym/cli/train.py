"""`agentgym train CONFIG`: a training run from a TOML file and overrides; the trainer is loaded only here."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from agentgym.cli.output import AsJson, note, print_json, print_table
from agentgym.errors import ConfigError, MissingExtraError
from agentgym.suite import load_suite

if TYPE_CHECKING:
    from agentgym_rl.config import TrainConfig
    from agentgym_rl.cost import Cost
    from agentgym_rl.job import TrainResult

_MINUTE_S, _HOUR_S = 60.0, 3600.0


def run(
    settings: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="CONFIG [KEY=VALUE ...]")] = (),
    /,
    *,
    run: Path | None = None,
    resume: bool = False,
    overwrite: bool = False,
    dry_run: bool = False,
    describe: bool = False,
    as_json: AsJson = False,
) -> int:
    """Train an agent, evaluate it on held-out tasks at the end, and write a report.

    Args:
        settings: The configuration file, and overrides such as run.iterations=5, or
            algorithm.minibatches= to take out what the file says; with --resume neither is needed.
        run: Folder of the run; runs/ and the name of the configuration where it is not given.
        resume: Go on with the run in the folder, from its last checkpoint.
        overwrite: Remove the run that is in the folder first.
        dry_run: Run a few demonstrations, one iteration and a few tests in a temporary folder; say what all will cost.
        describe: Print the resolved algorithm as equations and run nothing.
        as_json: Print JSON for machines.
    """
    try:
        from agentgym_rl import checkpoint, cost, distributed, job
        from agentgym_rl import describe as equations
    except ImportError as error:
        if (error.name or "").partition(".")[0].startswith("agentgym"):
            raise
        raise MissingExtraError("training", "train") from error
    config, name = _config(settings, run if resume else None, is_resume=resume)
    load_suite(config.run.suite)  # that there is none of its name is told before anything else
    if describe:
        text = equations.describe(config)
        print_json({"algorithm": text}) if as_json else print(text)
        return 0
    if dry_run:
        with tempfile.TemporaryDirectory() as folder:
            _print_cost(cost.estimate(config, Path(folder)), as_json)
        return 0
    target = run or Path("runs") / name
    try:
        result = job.train(config, target, resume=resume, overwrite=overwrite)
        if distributed.rank() == 0:
            _print_result(result, as_json)
    except KeyboardInterrupt:
        if (target / "config.json").exists():
            newest = checkpoint.newest_iteration(target / "checkpoints")
            start = "from the start" if newest is None else f"after iteration {newest}, the last with a checkpoint,"
            note(f"go on {start} with: agentgym train --run {target} --resume")
        raise
    finally:
        distributed.stop()
    return 0


def arrange(args: Sequence[str]) -> list[str]:
    """The arguments with the configuration and the overrides in front: tyro wants them side by side, users do not."""
    settings: list[str] = []
    options: list[str] = []
    waiting = iter(args)
    for arg in waiting:
        if arg == "--run":
            options += [arg, *(value for value in [next(waiting, None)] if value is not None)]
        else:
            (options if arg.startswith("-") else settings).append(arg)
    return settings + options


def _config(settings: Sequence[str], resumed: Path | None, *, is_resume: bool) -> tuple[TrainConfig, str]:
    """The configuration and a name for it; a resumed run brings its own where none is given."""
    from agentgym_rl.config import load_config
    from agentgym_rl.run_folder import saved_config

    files = [text for text in settings if "=" not in text]
    overrides = [text for text in settings if "=" in text]
    if resumed is not None and not settings:
        return saved_config(resumed), resumed.name
    if not settings and is_resume:
        raise ConfigError("--resume needs the folder of the run: --run FOLDER")
    if resumed is not None and not files:
        raise ConfigError(f"a run goes on with its own configuration: leave out {', '.join(overrides)}")
    if len(files) != 1:
        raise ConfigError(f"expected one configuration file and overrides of the form key=value, got files {files}")
    return load_config(Path(files[0]), overrides), Path(files[0]).stem


def _print_cost(cost: Cost, as_json: bool) -> None:
    if as_json:
        print_json(cost.to_json())
        return
    rows = [(part.name, part.amount, _about(part.seconds), part.measured) for part in cost.parts]
    print_table(("part", "of the run", "takes about", "from"), [*rows, ("all", "", _about(cost.total_s), "")])
    played = f"play {cost.episodes:.0f} episodes and sample about {float(f'{cost.tokens:.1g}'):,.0f} tokens"
    print(
        f"The iterations {played if cost.episodes else 'play nothing: they learn from stored runs'}. "
        "Extrapolated from a short run, whose agent knows little: episodes get shorter or longer as it learns."
    )


def _about(seconds: float) -> str:
    """A rough time in words, of no more digits than an extrapolation has."""
    if seconds < _MINUTE_S:
        return f"{float(f'{seconds:.1g}'):g} s"
    size, unit = (60.0, "min") if seconds < _HOUR_S else (3600.0, "h")
    return f"{float(f'{seconds / size:.2g}'):g} {unit}"


def _print_result(result: TrainResult, as_json: bool) -> None:
    if as_json:
        report = None if result.report is None else str(result.report)
        print_json({"run": str(result.folder), "report": report, **result.to_json()})
        return
    rows = []
    for stage, held_out in result.held_out.items():
        success = held_out["success"]
        mean, limits = f"{success['mean']:.3f}", f"[{success['low']:.3f}, {success['high']:.3f}]"
        rows.append((stage, held_out["headline"], held_out["num_tasks"], mean, limits))
    if rows:
        print_table(("agent", "held-out stratum", "tasks", "success", "95 % interval"), rows)
    print(f"run {result.folder}, {result.seconds:.0f} s; report {result.report}")

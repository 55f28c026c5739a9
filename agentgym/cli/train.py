"""`agentgym train CONFIG`: a training run from a TOML file and overrides; the trainer is loaded only here."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from agentgym.cli.options import with_options
from agentgym.cli.output import AsJson, note, print_json, print_table, require_each_once, show
from agentgym.config import Source, read_tables
from agentgym.errors import ConfigError, MissingExtraError
from agentgym.evaluation.tables import UNKNOWN
from agentgym.policies.model_folder import require_model

if TYPE_CHECKING:
    from agentgym_rl.core.config.pixels import PixelConfig
    from agentgym_rl.core.config.train import TrainConfig
    from agentgym_rl.run.cost import Cost
    from agentgym_rl.run.run_folder import TrainResult

_MINUTE_S, _HOUR_S = 60.0, 3600.0
_WITHOUT = {
    "--resume": "its runs take minutes and keep no checkpoints; start anew with --overwrite",
    "--dry-run": "its updates take a tenth of a second each, and the run says how much time is left",
}
"""Why a trainer of pixels has no such option."""
ON_WRONG_USAGE = (
    "settings of a run are written without dashes, such as run.iterations=2; "
    "agentgym train --help-config run shows those of the table [run]"
)


@with_options
def run(
    settings: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="CONFIG [KEY=VALUE ...]")] = (),
    /,
    *,
    run: Path | None = None,
    resume: bool = False,
    overwrite: bool = False,
    dry_run: bool = False,
    describe: bool = False,
    help_config: str | None = None,
    as_json: AsJson = False,
) -> int:
    """Train an agent, evaluate it on held-out tasks at the end, and write a report.

    Args:
        settings: The configuration file, followed by overrides such as run.iterations=5. An override with nothing after
            its =, such as algorithm.minibatches=, removes what the file says. With --resume, no file is needed.
            Overrides may then extend the run (run.iterations=50), and change run.max_seconds and the tables
            [validation], [watch] and [checkpoint].
        run: The folder of the run. The default is runs/NAME, with the name of the configuration file.
        resume: Continue the run in the folder from its last checkpoint.
        overwrite: Remove a run that is already in the folder.
        dry_run: Try a few demonstrations, one iteration and a few tests in a temporary folder, and estimate the cost
            of the whole run.
        describe: Print the resolved algorithm as equations, and run nothing.
        help_config: Print what a key such as group.size means, or all keys of a table such as group, and run nothing.
        as_json: Print JSON.
    """
    if help_config is not None:
        return _help_config(help_config, as_json)
    with _training_extra():
        config, name = _config(settings, run if resume else None, is_resume=resume)  # names nothing unknown
        from agentgym_rl.core.config.pixels import PixelConfig
    if isinstance(config, PixelConfig):
        refused = {"--resume": resume, "--dry-run": dry_run}
        target = run or Path("runs") / name
        return _run_pixels(config, target, refused, overwrite=overwrite, is_described=describe, as_json=as_json)
    if describe:
        _describe(config, as_json)
        return 0
    if config.model.path:
        require_model(config.model.path, "model.path ")
    with _training_extra():
        from agentgym_rl.core import checkpoint, distributed
        from agentgym_rl.run import cost, job
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
            start = "the start" if newest is None else f"the checkpoint of iteration {newest}"
            note(f"to continue from {start}, run: agentgym train --run {target} --resume")
            if newest is not None:
                note(f"to end it there and evaluate it, run: agentgym train --run {target} --resume run.max_seconds=0")
        raise
    finally:
        distributed.stop()
    return 0


def _run_pixels(
    config: PixelConfig,
    target: Path,
    refused: Mapping[str, bool],
    *,
    overwrite: bool,
    is_described: bool,
    as_json: bool,
) -> int:
    """Run what `trainer = "pixels"` describes, or describe it.

    Args:
        config: The configuration.
        target: The folder of the run.
        refused: Options that this trainer does not have, and whether they were given.
        overwrite: Whether to remove the run in the folder first.
        is_described: Whether to print the equations and run nothing.
        as_json: Whether to print JSON.
    """
    for option in (name for name, is_given in refused.items() if is_given):
        raise ConfigError(f'{option} cannot be used with trainer = "pixels": {_WITHOUT[option]}')
    from agentgym_rl.pixels import describing

    if is_described:
        _show_algorithm(describing.describe(config), as_json)
        return 0
    with _training_extra():
        from agentgym_rl.pixels import job
    try:
        _print_result(job.train(config, target, overwrite=overwrite), as_json)
    except KeyboardInterrupt:
        note(f"such a run keeps no checkpoints; start it anew with --run {target} --overwrite")
        raise
    return 0


def arrange(args: Sequence[str]) -> list[str]:
    """The arguments with the configuration file and its overrides in front, where tyro expects them."""
    settings: list[str] = []
    options: list[str] = []
    waiting = iter(args)
    for arg in waiting:
        if arg in ("--run", "--help-config"):
            options += [arg, *(value for value in [next(waiting, None)] if value is not None)]
        else:
            (options if arg.startswith("-") else settings).append(arg)
    return settings + options


@contextmanager
def _training_extra() -> Iterator[None]:
    """Name the extra to install where a package that training needs is missing."""
    try:
        yield
    except ImportError as error:
        if (error.name or "").partition(".")[0].startswith("agentgym"):
            raise
        raise MissingExtraError("training", "train") from error


def _config(settings: Sequence[str], resumed: Path | None, *, is_resume: bool) -> tuple[TrainConfig | PixelConfig, str]:
    """The configuration and a name for it; a resumed run brings its own where none is given.

    What it names is looked up here, before torch is imported.
    """
    from agentgym_rl.core.config import pixels
    from agentgym_rl.run.config import config_from_tables
    from agentgym_rl.run.names import require_names
    from agentgym_rl.run.saved import CONFIG, saved_config, saved_tables

    files = [text for text in settings if "=" not in text]
    overrides = [text for text in settings if "=" in text]
    require_each_once(overrides)
    if resumed is not None and not files:
        if (resumed / CONFIG).exists() and pixels.is_for_pixels(saved_tables(resumed)):
            raise ConfigError(f"{resumed} cannot be resumed: {_WITHOUT['--resume']}")
        config = saved_config(resumed, overrides)
        require_names(config, Source())
        return config, resumed.name
    if not settings and is_resume:
        raise ConfigError("--resume needs the folder of the run: --run FOLDER")
    if not files:
        raise ConfigError("name a configuration file, such as: agentgym train run.toml run.iterations=5")
    file, *others = [Path(text) for text in sorted(files, key=lambda text: not text.endswith(".toml"))]
    if others and others[0].suffix == ".toml":
        raise ConfigError(f"there are two configuration files, {file} and {others[0]}; name one")
    tables, source = read_tables(file, [*overrides, *map(str, others)])
    if pixels.is_for_pixels(tables, source):
        return pixels.pixel_config(tables, source), file.stem
    config = config_from_tables(tables, source)
    require_names(config, source)
    return config, file.stem


def _help_config(name: str, as_json: bool) -> int:
    with _training_extra():
        from agentgym_rl.run.reference import help_text
    text = help_text(name)
    print_json({"help": text}) if as_json else show(text)
    return 0


def _describe(config: TrainConfig, as_json: bool) -> None:
    from agentgym_rl.run.describe import describe

    _show_algorithm(describe(config), as_json)


def _show_algorithm(text: str, as_json: bool) -> None:
    print_json({"algorithm": text}) if as_json else show(text)


def _print_cost(cost: Cost, as_json: bool) -> None:
    if as_json:
        print_json(cost.to_json())
        return
    rows = [(part.name, part.amount, _about(part.seconds), part.measured) for part in cost.parts]
    print_table(("part", "amount", "takes about", "estimated from"), [*rows, ("all", "", _about(cost.total_s), "")])
    played = f"play {cost.episodes:.0f} episodes and sample about {float(f'{cost.tokens:.1g}'):,.0f} tokens"
    show(
        f"The iterations {played if cost.episodes else 'play nothing, because they learn from stored runs'}. "
        "The times are extrapolated from a short run. Episodes may get shorter or longer as the agent learns."
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
    unknown = [stage for stage, held_out in result.held_out.items() if held_out["trained_on"] == "unknown"]
    if rows:
        print_table(("agent", "held-out stratum", "tasks", "success", "95 % interval"), rows)
    if unknown:
        show(f"trained on ({', '.join(unknown)}): {UNKNOWN}")
    show(f"run {result.folder}, {result.seconds:.0f} s; report {result.report}")

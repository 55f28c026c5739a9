"""What a folder that is named as a model holds, seen without importing torch, which takes seconds.

Loading what is in it is the work of `agentgym.policies.torch.loading`.
"""

from __future__ import annotations

from pathlib import Path

from agentgym.errors import ConfigError

POINTER_FILE = "pixels.json"
"""File beside the weights of a policy that points at pictures."""
_CHECKPOINTS = "checkpoints"


def require_policy(path: Path | str) -> None:
    """Refuse a folder that holds neither a model nor a policy that points at pictures.

    Raises:
        ConfigError: As `require_model`.
    """
    if not (Path(path) / POINTER_FILE).exists():
        require_model(path)


def require_model(path: Path | str, said: str = "") -> None:
    """Refuse a folder that holds no model. For a run or a checkpoint, the error says where its models are.

    Args:
        path: The folder.
        said: What names it, with a space behind, such as "model.path "; "" names the folder alone.

    Raises:
        ConfigError: Says what the folder is, and what to name instead.
    """
    folder = Path(path)
    what, run = _part_of_run(folder)
    if run is None and (folder / "config.json").is_file():
        return
    found = f"{said}{str(path)!r}"
    if run is None:
        raise ConfigError(f"{found} holds no model; expected a folder with config.json, as save_pretrained writes it")
    models = sorted(str(each.parent) for each in run.glob("models/*/config.json"))
    trained = run / "models" / "trained"
    ways = [f"name one of the run's models: {', '.join(models)}"] if models else []
    if not (trained / "config.json").is_file():
        ways.append(
            f"write {trained} from the newest checkpoint, with: agentgym train --run {run} --resume run.max_seconds=0"
        )
    raise ConfigError(f"{found} is {what}, not a model; {'; or '.join(ways)}")


def _part_of_run(folder: Path) -> tuple[str, Path | None]:
    """What a folder is to a training run, and that run's folder; None if it is nothing to one."""
    if folder.parent.name == _CHECKPOINTS and (folder / "manifest.json").is_file():
        return "a checkpoint, from which a run goes on", folder.parent.parent
    if folder.name == _CHECKPOINTS and any(folder.glob("*/manifest.json")):
        return "a run's folder of checkpoints", folder.parent
    if any(folder.glob("models/*/config.json")) or any(folder.glob(f"{_CHECKPOINTS}/*/manifest.json")):
        return "a run", folder
    return "", None

"""Checkpoints: everything that a killed run needs to go on as if nothing had happened.

A checkpoint is a folder of safetensors and JSON, written beside its final name and renamed when it is whole; nothing
is pickled. What is in flight is not kept: groups in flight are started again whole.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.distributed.tensor import DTensor, distribute_tensor

from agentgym.errors import CheckpointError
from agentgym_rl.core import distributed
from agentgym_rl.core.part_state import Part, PartState

MANIFEST = "manifest.json"
_PREFIX = "iteration-"


@dataclass
class TrainerState:
    """What a run is made of beside weights and optimiser.

    Attributes:
        iteration: Iterations that are complete.
        next_group: Index of the first group that was not trained on.
        version: Version of the weights.
        best_score: Best validation score so far.
        best_iteration: When it was reached.
        flat_iterations: Iterations in a row without variance in any group.
        invalid_iterations: Iterations in a row in which all episodes were invalid.
        seconds: Wall time of training so far.
        watermark: Number of the newest episode in the store.
        seen_hashes: Content hashes of all tasks that were trained on, demonstrations included.
    """

    iteration: int = 0
    next_group: int = 0
    version: int = 0
    best_score: float | None = None
    best_iteration: int = 0
    flat_iterations: int = 0
    invalid_iterations: int = 0
    seconds: float = 0.0
    watermark: int = 0
    seen_hashes: set[str] = field(default_factory=set)

    def to_json(self) -> dict[str, Any]:
        """A JSON object."""
        return {**asdict(self), "seen_hashes": sorted(self.seen_hashes)}

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> TrainerState:
        """The inverse of `to_json`."""
        return cls(**{**fields, "seen_hashes": set(fields["seen_hashes"])})


@dataclass(frozen=True)
class _Parts:
    """What the files of a checkpoint hold."""

    manifest: dict[str, Any]
    weights: dict[str, Tensor]
    moments: dict[str, Tensor]
    rng: Tensor
    parts: dict[str, PartState]


def save_checkpoint(
    folder: Path,
    model: nn.Module,
    optimiser: torch.optim.Optimizer,
    state: TrainerState,
    *,
    digest: str,
    keep: int,
    parts: Mapping[str, PartState] | None = None,
) -> Path:
    """Write a checkpoint and drop all but the newest `keep`; under torchrun rank 0 writes.

    Checkpoints of later iterations go first: they are damaged, or of a course that the run did not take.

    Args:
        folder: The run's folder of checkpoints.
        model: Its weights are gathered where they are sharded.
        optimiser: Likewise.
        state: Everything else.
        digest: Digest of the configuration; a checkpoint is loaded under the same one alone.
        keep: How many checkpoints to keep.
        parts: States of parts of the run that have a memory, by name.

    Raises:
        CheckpointError: The folder cannot be written, or the disk is full; nothing half-written stays.
    """
    weights = {name: tensor.cpu().contiguous() for name, tensor in _unique(distributed.full_parameters(model)).items()}
    moments, groups = _optimiser_tensors(optimiser)
    target = folder / f"{_PREFIX}{state.iteration:06d}"
    if distributed.rank() == 0:
        partial = target.with_suffix(".partial")
        try:
            shutil.rmtree(partial, ignore_errors=True)
            partial.mkdir(parents=True)
            save_file(weights, partial / "model.safetensors")
            save_file(moments, partial / "optimiser.safetensors")
            save_file({"torch": torch.get_rng_state()}, partial / "rng.safetensors")
            save_file(_tensors_of_parts(parts or {}), partial / "parts.safetensors")
            records = {name: part.record for name, part in (parts or {}).items()}
            contents = {"state": state.to_json(), "param_groups": groups, "parts": records, "digest": digest}
            contents["files"] = _sums(partial)
            _write_synced(partial / MANIFEST, json.dumps(contents))
            shutil.rmtree(target, ignore_errors=True)
            partial.rename(target)
        except (OSError, SafetensorError) as error:
            shutil.rmtree(partial, ignore_errors=True)
            raise CheckpointError(
                f"cannot write the checkpoint {target}: {error}; free space or mend the folder"
            ) from error
        later = [path for path in folder.glob(f"{_PREFIX}*") if path.name > target.name]
        for useless in [*later, *folder.glob("*.partial")]:
            shutil.rmtree(useless, ignore_errors=True)
        for old in checkpoints(folder)[:-keep]:
            shutil.rmtree(old, ignore_errors=True)
    distributed.broadcast(None)
    return target


def checkpoints(folder: Path) -> list[Path]:
    """The whole checkpoints of a run, oldest first."""
    found = folder.glob(f"{_PREFIX}*")
    return sorted(path for path in found if path.suffix != ".partial" and (path / MANIFEST).is_file())


def newest_iteration(folder: Path) -> int | None:
    """The iteration after which a resumed run goes on; None where there is no checkpoint."""
    found = checkpoints(folder)
    return int(found[-1].name.removeprefix(_PREFIX)) if found else None


def load_newest(
    folder: Path,
    model: nn.Module,
    optimiser: torch.optim.Optimizer,
    *,
    digest: str,
    warn: Callable[[str], None],
    parts: Mapping[str, Part] | None = None,
) -> TrainerState | None:
    """Load the newest checkpoint that is not damaged; None where there is none at all.

    Args:
        folder: The run's folder of checkpoints.
        model: Takes the weights.
        optimiser: Takes its state.
        digest: Digest of the configuration.
        warn: Told of each damaged checkpoint that is passed over.
        parts: Take their states, by name.

    Raises:
        CheckpointError: All checkpoints are damaged, or the newest whole one belongs to another configuration.
    """
    found = checkpoints(folder)
    for path in reversed(found):
        try:
            contents = _read(path)
        except CheckpointError as error:
            warn(str(error))
            continue
        state = _apply(path, contents, model, optimiser, digest)
        for name, part in (parts or {}).items():
            if name not in contents.parts:
                raise CheckpointError(f"the checkpoint {path} holds no state of {name!r}; start the run anew")
            part.restore(contents.parts[name])
        return state
    if found:
        raise CheckpointError(f"none of the {len(found)} checkpoints in {folder} can be read; start the run anew")
    return None


def _read(path: Path) -> _Parts:
    try:
        manifest = json.loads((path / MANIFEST).read_text())
        if manifest["files"] != _sums(path):
            raise CheckpointError(f"the checkpoint {path} is damaged: its files do not match its manifest")
        weights, moments = load_file(path / "model.safetensors"), load_file(path / "optimiser.safetensors")
        rng, tensors = load_file(path / "rng.safetensors")["torch"], load_file(path / "parts.safetensors")
        return _Parts(manifest, weights, moments, rng, _parts(manifest["parts"], tensors))
    except (OSError, KeyError, ValueError, SafetensorError) as error:
        if isinstance(error, CheckpointError):
            raise
        raise CheckpointError(f"the checkpoint {path} cannot be read: {error}") from error


def _apply(path: Path, parts: _Parts, model: nn.Module, optimiser: torch.optim.Optimizer, digest: str) -> TrainerState:
    if parts.manifest["digest"] != digest:
        raise CheckpointError(
            f"the checkpoint {path} was written under another configuration; resume with the run's own, in config.json"
        )
    _load_parameters(model, parts.weights)
    _load_optimiser(optimiser, parts.moments, parts.manifest["param_groups"])
    torch.set_rng_state(parts.rng)
    return TrainerState.from_json(parts.manifest["state"])


def _unique(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Without the second names of tied weights, which safetensors refuses."""
    seen: set[tuple[int, torch.Size]] = set()
    kept = {}
    for name, tensor in tensors.items():
        key = (tensor.data_ptr(), tensor.shape)
        if key not in seen:
            kept[name] = tensor
        if tensor.numel():
            seen.add(key)
    return kept


def _load_parameters(model: nn.Module, weights: Mapping[str, Tensor]) -> None:
    own = dict(model.named_parameters()) | dict(model.named_buffers())
    unknown = sorted(set(weights) - set(own) - set(model.state_dict()))
    if unknown:
        raise CheckpointError(f"the checkpoint holds the weights {unknown[:3]}, which the model has not")
    with torch.no_grad():
        for name, tensor in model.state_dict(keep_vars=True).items():
            if name in weights:
                tensor.copy_(_like(weights[name], tensor))


def _tensors_of_parts(parts: Mapping[str, PartState]) -> dict[str, Tensor]:
    return {
        f"{key}/{name}": tensor.cpu().contiguous()
        for name, part in parts.items()
        for key, tensor in part.tensors.items()
    }


def _parts(records: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> dict[str, PartState]:
    by_part: dict[str, dict[str, Tensor]] = {name: {} for name in records}
    for path, tensor in tensors.items():
        key, _, name = path.partition("/")
        by_part[name][key] = tensor
    return {name: PartState(record, by_part[name]) for name, record in records.items()}


def _like(whole: Tensor, target: Tensor) -> Tensor:
    whole = whole.to(target.device)
    if isinstance(target, DTensor):
        return distribute_tensor(whole, target.device_mesh, target.placements)
    return whole


def _optimiser_tensors(optimiser: torch.optim.Optimizer) -> tuple[dict[str, Tensor], list[dict[str, Any]]]:
    state = optimiser.state_dict()
    tensors = {
        f"{index}.{name}": distributed.whole(tensor).cpu().contiguous()
        for index, moments in state["state"].items()
        for name, tensor in moments.items()
    }
    return tensors, state["param_groups"]


def _load_optimiser(
    optimiser: torch.optim.Optimizer, tensors: Mapping[str, Tensor], groups: list[dict[str, Any]]
) -> None:
    parameters = [parameter for group in optimiser.param_groups for parameter in group["params"]]
    state: dict[int, dict[str, Tensor]] = {}
    for key, tensor in tensors.items():
        index, _, name = key.partition(".")
        target = parameters[int(index)]
        state.setdefault(int(index), {})[name] = tensor if tensor.ndim == 0 else _like(tensor, target)
    optimiser.load_state_dict({"state": state, "param_groups": groups})


def _sums(folder: Path) -> dict[str, str]:
    files = sorted(folder.glob("*.safetensors"))
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def _write_synced(path: Path, text: str) -> None:
    with path.open("w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from torch import nn

from agentgym.errors import CheckpointError
from agentgym_rl.core import checkpoint
from agentgym_rl.core.checkpoint import MANIFEST, TrainerState, checkpoints, load_newest, save_checkpoint
from agentgym_rl.core.part_state import PartState


class Tied(nn.Module):
    def __init__(self, seed: int) -> None:
        super().__init__()
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            self.embedding = nn.Embedding(7, 4)
            self.head = nn.Linear(4, 7, bias=False)
            self.extra = nn.Linear(4, 4)
        self.head.weight = self.embedding.weight

    def step(self, optimiser: torch.optim.Optimizer) -> None:
        optimiser.zero_grad()
        self.head(self.extra(self.embedding(torch.arange(7)))).square().mean().backward()
        optimiser.step()


def parts(seed: int = 0) -> tuple[Tied, torch.optim.AdamW]:
    model = Tied(seed)
    return model, torch.optim.AdamW(model.parameters(), lr=0.1)


def save(folder: Path, iteration: int, model: Tied, optimiser: torch.optim.AdamW, keep: int = 2) -> Path:
    state = TrainerState(iteration=iteration, version=iteration + 1, seen_hashes={"b", "a"}, best_score=0.5)
    return save_checkpoint(folder, model, optimiser, state, digest="d", keep=keep)


def load(
    folder: Path, model: Tied, optimiser: torch.optim.AdamW, digest: str = "d"
) -> tuple[TrainerState | None, list]:
    warnings: list[str] = []
    return load_newest(folder, model, optimiser, digest=digest, warn=warnings.append), warnings


@pytest.fixture
def trained(tmp_path: Path) -> tuple[Path, Tied, torch.optim.AdamW]:
    """Checkpoints of iterations 1 to 3, of which two are kept, and the model after them."""
    model, optimiser = parts()
    for iteration in (1, 2, 3):
        model.step(optimiser)
        save(tmp_path, iteration, model, optimiser)
    return tmp_path, model, optimiser


def test_a_loaded_model_goes_on_as_the_saved_one(trained) -> None:
    folder, model, optimiser = trained
    twin, its_optimiser = parts(seed=9)
    drawn = torch.rand(3)
    save(folder, 3, model, optimiser)
    expected = torch.rand(3)
    state, warnings = load(folder, twin, its_optimiser)
    assert torch.equal(torch.rand(3), expected)
    assert not torch.equal(drawn, expected)
    assert warnings == []
    assert state == TrainerState(iteration=3, version=4, seen_hashes={"a", "b"}, best_score=0.5)
    for each, its in ((model, optimiser), (twin, its_optimiser)):
        each.step(its)
    assert all(torch.equal(a, b) for a, b in zip(model.parameters(), twin.parameters(), strict=True))


def test_a_checkpoint_in_bfloat16_is_gone_on_from_in_float32(tmp_path: Path) -> None:
    old, new = Tied(0).to(torch.bfloat16), Tied(1)
    optimisers = [torch.optim.AdamW(model.parameters(), lr=0.1) for model in (old, new)]
    old.step(optimisers[0])
    save(tmp_path, 1, old, optimisers[0])
    load(tmp_path, new, optimisers[1])
    for ours, theirs in zip(new.parameters(), old.parameters(), strict=True):
        assert torch.equal(ours, theirs.float())
        assert {moment.dtype for moment in optimisers[1].state[ours].values()} == {torch.float32}


def test_only_the_newest_are_kept(trained) -> None:
    folder, model, optimiser = trained
    assert [path.name for path in checkpoints(folder)] == ["iteration-000002", "iteration-000003"]
    (folder / "iteration-000002.partial").mkdir()
    save(folder, 4, model, optimiser, keep=1)
    assert [path.name for path in folder.iterdir()] == ["iteration-000004"]


def test_nothing_is_pickled(trained) -> None:
    kinds = {path.suffix for path in trained[0].rglob("*") if path.is_file()}
    assert kinds == {".safetensors", ".json"}


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-7])


@pytest.mark.parametrize("name", ["model.safetensors", "optimiser.safetensors", "rng.safetensors", MANIFEST])
@pytest.mark.parametrize("damage", [truncate, Path.unlink, lambda path: path.write_bytes(b"")])
def test_a_damaged_newest_is_passed_over_with_a_warning(trained, name: str, damage) -> None:
    folder, _, _ = trained
    damage(folder / "iteration-000003" / name)
    model, optimiser = parts(seed=9)
    state, warnings = load(folder, model, optimiser)
    assert state is not None
    assert state.iteration == 2
    is_unseen = not (folder / "iteration-000003" / MANIFEST).exists()
    assert is_unseen or (len(warnings) == 1 and "iteration-000003" in warnings[0])


def test_a_half_written_checkpoint_is_never_loaded(trained) -> None:
    folder, _, _ = trained
    shutil.copytree(folder / "iteration-000003", folder / "iteration-000009.partial")
    state, _ = load(folder, *parts())
    assert state is not None
    assert state.iteration == 3


def test_nothing_but_damaged_checkpoints_is_an_error(trained) -> None:
    folder, _, _ = trained
    for path in checkpoints(folder):
        truncate(path / "model.safetensors")
    with pytest.raises(CheckpointError, match=r"none of the 2 checkpoints .* start the run anew"):
        load(folder, *parts())


def test_no_checkpoint_is_no_state(tmp_path: Path) -> None:
    assert load(tmp_path, *parts()) == (None, [])


def test_another_configuration_is_refused_rather_than_passed_over(trained) -> None:
    with pytest.raises(CheckpointError, match="written under another configuration"):
        load(trained[0], *parts(), digest="other")


def test_weights_of_another_model_are_refused(trained) -> None:
    folder, _, _ = trained
    stranger = nn.Linear(2, 2)
    with pytest.raises(CheckpointError, match="which the model has not"):
        load(folder, stranger, torch.optim.AdamW(stranger.parameters()))  # type: ignore[arg-type]


@pytest.mark.parametrize("writer", ["save_file", "_write_synced"])
def test_a_full_disk_leaves_the_checkpoints_before(trained, writer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, model, optimiser = trained

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(checkpoint, writer, full)
    with pytest.raises(CheckpointError, match="No space left on device; free space"):
        save(folder, 4, model, optimiser)
    assert sorted(path.name for path in folder.iterdir()) == ["iteration-000002", "iteration-000003"]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A real file system of 64 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], capture_output=True)
    if mounted.returncode:
        pytest.skip("needs the right to mount a tmpfs")
    yield folder
    subprocess.run(["umount", folder], check=True)


def test_a_disk_that_is_really_full_leaves_nothing_half_written(small_disk: Path) -> None:
    model = nn.Linear(200, 200)
    with pytest.raises(CheckpointError, match="free space"):
        save(small_disk, 1, model, torch.optim.AdamW(model.parameters()))  # type: ignore[arg-type]
    assert list(small_disk.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(CheckpointError, match=r"cannot write the checkpoint .*file"):
        save(tmp_path / "file" / "below", 1, *parts())


def test_a_state_survives_json() -> None:
    state = TrainerState(3, 12, 4, None, 1, 2, 3, 4.5, 6, {"x"})
    assert TrainerState.from_json(json.loads(json.dumps(state.to_json()))) == state


def test_a_damaged_checkpoint_does_not_push_out_the_one_that_a_run_went_on_from(trained) -> None:
    folder, model, optimiser = trained
    (folder / "iteration-000003" / "model.safetensors").write_bytes(b"half")
    state, warnings = load(folder, model, optimiser)
    assert state is not None
    assert (state.iteration, len(warnings)) == (2, 1)
    save(folder, 2, model, optimiser, keep=1)
    assert [path.name for path in checkpoints(folder)] == ["iteration-000002"]
    assert load(folder, model, optimiser)[1] == []


class Counter:
    """A part that counts."""

    def __init__(self, count: int) -> None:
        self.count, self.moments = count, torch.full((2,), float(count))

    def state(self) -> PartState:
        return PartState({"count": self.count}, {"moments": self.moments.clone()})

    def restore(self, state: PartState) -> None:
        self.count, self.moments = state.record["count"], state.tensors["moments"]


def test_parts_of_a_run_are_found_as_they_were(tmp_path):
    model, optimiser = parts()
    kept = {"replay": Counter(3), "critic/twin": Counter(5)}
    states = {name: part.state() for name, part in kept.items()}
    save_checkpoint(tmp_path, model, optimiser, TrainerState(iteration=1), digest="d", keep=1, parts=states)
    found = {"replay": Counter(0), "critic/twin": Counter(0)}
    load_newest(tmp_path, model, optimiser, digest="d", warn=print, parts=found)
    for name, part in found.items():
        assert part.count == kept[name].count
        assert torch.equal(part.moments, kept[name].moments)


def test_a_checkpoint_without_a_part_of_the_run_is_refused(tmp_path):
    model, optimiser = parts()
    save(tmp_path, 1, model, optimiser)
    with pytest.raises(CheckpointError, match="holds no state of 'replay'"):
        load_newest(tmp_path, model, optimiser, digest="d", warn=print, parts={"replay": Counter(0)})

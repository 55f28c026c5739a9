"""Saved models are loaded whole or refused: a random weight is never taken for a trained one."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from agentgym.cli.main import main
from agentgym.errors import CheckpointError
from agentgym.policies.torch.loading import load_saved
from agentgym.policies.torch.policy import TorchPolicy
from agentgym.policies.torch.tiny_model import build_tiny_model
from agentgym.prompting.tiny import build_tokenizer
from agentgym_rl.core.config.tables import ModelConfig
from agentgym_rl.core.models import load_causal_lm

Tensors = dict[str, torch.Tensor]
WEIGHTS, TOKENIZER = "model.safetensors", "tokenizer.json"


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole model with its tokenizer."""
    folder = tmp_path_factory.mktemp("whole")
    tokenizer = build_tokenizer(["how many are there"])
    build_tiny_model(tokenizer, "0.25M", 0).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture
def folder(saved: Path, tmp_path: Path) -> Path:
    """A copy that a test may damage."""
    return Path(shutil.copytree(saved, tmp_path / "model"))


def with_weights(change: Callable[[Tensors], Tensors]) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        save_file(change(load_file(folder / WEIGHTS)), folder / WEIGHTS, metadata={"format": "pt"})

    return damage


def with_bytes(name: str, change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    return lambda folder: (folder / name).write_bytes(change((folder / name).read_bytes())) and None


def with_more_tokens(text: bytes) -> bytes:
    fields = json.loads(text)
    vocabulary = fields["model"]["vocab"]
    fields["model"]["vocab"] = {**vocabulary, "zebra": 5000}
    return json.dumps(fields).encode()


def renamed(tensors: Tensors) -> Tensors:
    return {name.replace("q_proj", "query"): tensor for name, tensor in tensors.items()}


def cut(tensors: Tensors) -> Tensors:
    return {name: tensor[:-1].clone() if "q_proj" in name else tensor for name, tensor in tensors.items()}


DAMAGES = {
    "no weights": (with_weights(lambda tensors: {}), r"21 are missing \(lm_head.weight, .* and 18 more\)"),
    "one is missing": (
        with_weights(lambda tensors: {name: tensors[name] for name in tensors if name != "model.norm.weight"}),
        r"1 is missing \(model.norm.weight\)",
    ),
    "one more": (
        with_weights(lambda tensors: {**tensors, "extra.weight": torch.zeros(3)}),
        r"1 is not of this model \(extra.weight\)",
    ),
    "other names": (with_weights(renamed), r"2 are missing .*; 2 are not of this model"),
    "other shapes": (with_weights(cut), "2 are of another shape"),
    "half of the file": (with_bytes(WEIGHTS, lambda text: text[: len(text) // 2]), "cannot be loaded"),
    "an empty file": (with_bytes(WEIGHTS, lambda text: b""), "cannot be loaded"),
    "another file": (with_bytes(WEIGHTS, lambda text: b"not weights at all"), "cannot be loaded"),
    "no tokenizer": (with_bytes(TOKENIZER, lambda text: b"{}"), "cannot be loaded"),
    "a model of pictures": (
        with_bytes("config.json", lambda text: b'{"model_type": "llava"}'),
        r"reads pictures as llava does, which is not supported in this process; name a model such as Qwen2-VL",
    ),
    "half of the tokenizer": (with_bytes(TOKENIZER, lambda text: text[:500]), "cannot be loaded"),
    "tokens without embeddings": (with_bytes(TOKENIZER, with_more_tokens), r"has 5001 tokens, and the model has"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_checkpoints_are_refused_by_policies_and_by_training(damage: str, folder: Path) -> None:
    change, expected = DAMAGES[damage]
    change(folder)
    for load in (TorchPolicy.load, lambda path: load_causal_lm(str(path), ModelConfig())):
        with pytest.raises(CheckpointError, match=expected):
            load(folder)


def test_an_option_accepts_weights_that_do_not_fit(folder: Path) -> None:
    DAMAGES["other names"][0](folder)
    model, _ = load_saved(folder, allow_incomplete=True)
    kept = load_file(folder / WEIGHTS)
    assert torch.equal(model.state_dict()["model.norm.weight"], kept["model.norm.weight"])
    assert TorchPolicy.load(folder, allow_incomplete=True).stop_ids
    assert load_causal_lm(str(folder), ModelConfig(allow_incomplete=True))


def test_loading_says_nothing_beside_its_errors(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    load_saved(folder)
    DAMAGES["one more"][0](folder)
    with pytest.raises(CheckpointError):
        load_saved(folder)
    assert capfd.readouterr() == ("", "")


def test_a_folder_without_a_tokenizer_is_refused_in_one_line(folder: Path) -> None:
    (folder / TOKENIZER).unlink()
    (folder / "tokenizer_config.json").unlink()
    with pytest.raises(CheckpointError, match=r": there is no tokenizer.json in it; save it again with its tokenizer,"):
        TorchPolicy.load(folder)


def without(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def without_tools(folder: Path) -> None:
    (folder / "chat_template.jinja").write_text("{% for each in messages %}{{ each.content }}{% endfor %}")


@pytest.mark.parametrize(
    "damage", [without(WEIGHTS), without("config.json"), DAMAGES["no weights"][0], without(TOKENIZER), without_tools]
)
def test_a_folder_that_is_no_whole_model_is_a_wrong_setting(
    damage: Callable[[Path], None], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    damage(folder)
    assert main(["eval", "--suite", "tools/lookup", "--limit", "1", "--policy", f"torch:{folder}"]) == 2
    assert capsys.readouterr().err.startswith("agentgym eval: ")

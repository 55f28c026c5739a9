"""Tiny models that see, with weights that are drawn, in a folder as `save_pretrained` writes them."""

from pathlib import Path

import torch
from transformers import (
    AutoModelForImageTextToText,
    Qwen2_5_VLConfig,
    Qwen2VLConfig,
    Qwen3VLConfig,
)
from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

from agentgym.prompting.tiny import TEMPLATE, build_tokenizer

FAMILIES = ["qwen2_vl", "qwen2_5_vl", "qwen3_vl"]
_MARKS = ["<|vision_start|>", "<|image_pad|>", "<|vision_end|>", "<|video_pad|>"]
_SIZE = 32


def seeing_tokenizer(texts):
    tokenizer = build_tokenizer(texts)
    tokenizer.add_special_tokens({"additional_special_tokens": _MARKS})
    tokenizer.chat_template = TEMPLATE.replace("[image]", "".join(_MARKS[:3]))
    return tokenizer


def seeing_folder(folder: Path, texts, family="qwen2_5_vl", pixels=28 * 28 * 16) -> Path:
    """A model of some thousand weights that sees pictures of at most so many pixels."""
    tokenizer = seeing_tokenizer(texts)
    ids = dict(
        zip(("vision_start_token_id", "image_token_id", "vision_end_token_id", "video_token_id"), _MARKS, strict=True)
    )
    ids = {name: tokenizer.convert_tokens_to_ids(mark) for name, mark in ids.items()}
    text = {
        "vocab_size": len(tokenizer), "hidden_size": _SIZE, "intermediate_size": 2 * _SIZE, "num_hidden_layers": 2,
        "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 16, "max_position_embeddings": 1024,
        "bos_token_id": None, "eos_token_id": tokenizer.eos_token_id, "pad_token_id": tokenizer.pad_token_id,
        "rope_parameters": {"rope_type": "default", "rope_theta": 10_000.0, "mrope_section": [2, 3, 3]},
    }  # fmt: skip
    patch = 16 if family == "qwen3_vl" else 14
    vision = {"depth": 1, "num_heads": 2, "patch_size": patch}
    own = {
        "qwen2_vl": {"embed_dim": _SIZE, "hidden_size": _SIZE, "mlp_ratio": 2},
        "qwen2_5_vl": {"hidden_size": _SIZE, "intermediate_size": _SIZE, "out_hidden_size": _SIZE},
        "qwen3_vl": {
            "hidden_size": _SIZE, "intermediate_size": _SIZE, "out_hidden_size": _SIZE,
            "deepstack_visual_indexes": [0], "num_position_embeddings": 64,
        },
    }[family]  # fmt: skip
    kind = {"qwen2_vl": Qwen2VLConfig, "qwen2_5_vl": Qwen2_5_VLConfig, "qwen3_vl": Qwen3VLConfig}[family]
    config = kind(text_config=text, vision_config={**vision, **own}, tie_word_embeddings=False, **ids)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = AutoModelForImageTextToText.from_config(config)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.ndim > 1 and "visual" in name:  # what is drawn by default hardly tells pictures apart
                weight.mul_(5)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    size = {"shortest_edge": 1, "longest_edge": pixels}
    Qwen2VLImageProcessorPil(patch_size=patch, size=size).save_pretrained(folder)
    return folder

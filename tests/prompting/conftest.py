"""Tokenizers for chat templates: TRL's templates over a small byte-level BPE that knows their control tokens."""

import re
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from transformers import PreTrainedTokenizerFast

from agentgym.prompting.tiny import build_tokenizer

TRL = Path(find_spec("trl").origin).parent  # importing it would take each test worker a second
TEMPLATES = {path.stem: path for path in sorted((TRL / "chat_templates").glob("*.jinja"))}

SPECIAL = re.compile(
    r"<\|[a-zA-Z_0-9]+\|?>|<[a-z_]+\|>|<｜[^｜\n]+｜>|\[/?[A-Z_]{3,}\]|\[gMASK\]|<sop>"
    r"|<(?:start|end)_of_[a-z]+>|<end_of_utterance>|<fake_token_around_image>"
)
MARKUP = re.compile(r"</?(?:think|tool_call|tool_response|arg_key|arg_value)>")
ALWAYS = ["<bos>", "<eos>", "<|user|>", "<|assistant|>", "<|system|>"]
ENDINGS = ["<｜end▁of▁sentence｜>", "<|im_end|>", "<end_of_utterance>"]
LINES = ["the quick brown fox jumps over the lazy dog", '{"name": "search", "arguments": {"query": "text"}}']

TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": "search",
            "description": "Searches.",
            "parameters": {
                "type": "object",
                "properties": {"query": {"type": "string", "description": "What to look for."}},
                "required": ["query"],
            },
        },
    },
    {
        "type": "function",
        "function": {
            "name": "relation",
            "description": "Looks a relation up.",
            "parameters": {
                "type": "object",
                "properties": {
                    "name": {"type": "string", "description": "Of whom."},
                    "relation": {"type": "string", "description": "Which."},
                },
                "required": ["name", "relation"],
            },
        },
    },
]


def tokenizer_for(template: str) -> PreTrainedTokenizerFast:
    """A tokenizer with that template, its markers being special tokens and its markup further added tokens."""
    backend = tokenizers.Tokenizer(tokenizers.models.BPE())
    backend.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = tokenizers.decoders.ByteLevel()
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=320, initial_alphabet=alphabet, show_progress=False)
    backend.train_from_iterator(LINES, trainer)
    backend.add_special_tokens(list(dict.fromkeys([*ALWAYS, *SPECIAL.findall(template)])))
    markup = [tokenizers.AddedToken(text, special=False, normalized=False) for text in set(MARKUP.findall(template))]
    backend.add_tokens(sorted(markup, key=lambda token: token.content))
    endings = [end for end in ENDINGS if end in template]
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=backend, bos_token="<bos>", eos_token=(*endings, "<eos>")[0])
    tokenizer.chat_template = template
    return tokenizer


@pytest.fixture(scope="session")
def trl_tokenizer() -> Callable[[str], PreTrainedTokenizerFast]:
    """Tokenizers by name of a template of TRL's package, each built once."""
    built: dict[str, PreTrainedTokenizerFast] = {}

    def get(name: str) -> PreTrainedTokenizerFast:
        if name not in built:
            built[name] = tokenizer_for(TEMPLATES[name].read_text())
        return built[name]

    return get


@pytest.fixture(scope="session")
def tools() -> list[dict[str, Any]]:
    """Two tools, of one and of two parameters."""
    return TOOLS


@pytest.fixture(scope="session")
def tiny() -> PreTrainedTokenizerFast:
    """A tiny tokenizer that knows the numbers below 100."""
    texts = ["Where was Ana Kovac born? In Oslo.", "I do not know the answer to that."]
    return build_tokenizer(texts, TOOLS, numbers=range(100))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "template" in metafunc.fixturenames:
        metafunc.parametrize("template", list(TEMPLATES))

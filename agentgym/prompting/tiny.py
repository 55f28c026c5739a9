"""A tokenizer for tiny models, built from a suite's own texts: whole words, numbers and call syntax are single tokens.

No training of merges and no hub: what is not in the vocabulary is spelt in bytes, so that every text encodes and
decodes exactly. Building the model is the torch policy's part; only its configuration is here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from agentgym.arguments import parameters_of, tool_name
from agentgym.errors import ConfigError, MissingExtraError
from agentgym.message import ToolSchema

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from transformers import LlamaConfig, PreTrainedTokenizerFast

START, END, PAD = "<|im_start|>", "<|im_end|>", "<|pad|>"
MAX_POSITIONS = 2048

TEMPLATE = """\
{%- macro signatures() -%}
Tools:
{%- for tool in tools -%}
{%- set function = tool.function or tool -%}
{%- set properties = (function.parameters or {}).get('properties') or {} -%}
{{ ' ' + function.name + '(' + properties.keys() | join(', ') + ')' }}
{%- endfor -%}
{%- endmacro -%}
{%- if tools and messages[0].role != 'system' -%}
{{ '<|im_start|>system\\n' + signatures() + '<|im_end|>' }}
{%- endif -%}
{%- for message in messages -%}
{%- set content = message.content -%}
{{ '<|im_start|>' + message.role + '\\n' }}
{%- if message.role == 'assistant' and message.reasoning_content is string -%}
{{ '<think>' + message.reasoning_content + '</think>' }}
{%- endif -%}
{%- if content is string -%}{{ content }}
{%- elif content -%}{%- for part in content -%}{{ part.text if part.type == 'text' else '[image]' }}{%- endfor -%}
{%- endif -%}
{%- if tools and loop.first and message.role == 'system' -%}
{{ '\\n' + signatures() }}
{%- endif -%}
{%- if message.tool_calls -%}
{%- for call in message.tool_calls -%}
{%- set function = call.function or call -%}
{%- if content or not loop.first -%}{{ '\\n' }}{%- endif -%}
{{ '<tool_call>{"name": "' + function.name + '", "arguments": ' }}
{{- function.arguments if function.arguments is string else function.arguments | tojson }}
{{- '}</tool_call>' }}
{%- endfor -%}
{%- endif -%}
{{ '<|im_end|>' }}
{%- endfor -%}
{%- if add_generation_prompt -%}{{ '<|im_start|>assistant\\n' }}{%- endif -%}
"""
"""The chat template of tiny models: prefix-stable, three tokens of overhead a message, one line of tools."""

_ROLE_HEADERS = ("system\n", "user\n", "assistant\n", "tool\n")
_MARKUP = ("<think>", "</think>", "<tool_call>", "</tool_call>", "Tools:")
_PIECES = r""" ?[\p{L}_][\p{L}\p{M}_]*(?:'\p{L}+)?| ?[0-9]+| ?[^\s\p{L}_0-9<"{}]|[<"{}]|\s"""
"""How text outside fixed phrases is cut: words and numbers with the space before them, else single characters."""


def build_tokenizer(
    texts: Iterable[str],
    tools: Sequence[ToolSchema] = (),
    *,
    max_words: int = 4000,
    numbers: Iterable[int] | None = None,
    phrases: Sequence[str] = (),
    names: Sequence[str] = (),
) -> PreTrainedTokenizerFast:
    """Builds a tokenizer whose vocabulary is the words of some texts.

    Args:
        texts: What the model will read and write: observations, demonstrations. The most frequent words are kept.
        tools: Tools the model will call; the fixed phrases of their calls become single tokens.
        max_words: Most words kept; each takes two tokens, with and without a space before it.
        numbers: Numbers that become single tokens, with and without a space; others are spelt in digits.
        phrases: Further fixed phrases that become single tokens, except right after a space.
        names: Phrases that become single tokens wherever no letter or digit follows; a space before one is a token of
            its own.

    Returns:
        A tokenizer with `TEMPLATE` as chat template, `<|im_end|>` as end of turn and `<|pad|>` for padding.
        `decode(encode(text)) == text` for every text.

    Raises:
        ConfigError: `max_words` is negative.
        MissingExtraError: tokenizers or transformers is not installed.
    """
    if max_words < 0:
        raise ConfigError(f"max_words is {max_words}; expected a number of words, 0 or more")
    try:
        import tokenizers
        from transformers import PreTrainedTokenizerFast
    except ImportError:
        raise MissingExtraError("the tiny tokenizer", "train") from None
    fixed = _longest_first({*_call_phrases(tools), *_ROLE_HEADERS, *_MARKUP, *phrases, *names})
    whole = {name: re.escape(name) + r"(?!\w)" for name in _longest_first(names)}
    before_names = [f" (?={'|'.join(whole.values())})"] if whole else []
    pattern = "|".join([*(whole.get(phrase) or re.escape(phrase) for phrase in fixed), *before_names, _PIECES])
    cut = tokenizers.pre_tokenizers.Split(tokenizers.Regex(pattern), "isolated")
    to_bytes = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(piece.removeprefix(" ") for piece, _ in cut.pre_tokenize_str(text))
    words = [word for word, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0])) if _is_word(word)]
    kept = [*words[:max_words], *map(str, numbers or ())]
    vocabulary = {symbol: i for i, symbol in enumerate(sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet()))}
    for entry in [*fixed, *(variant for word in kept for variant in (word, f" {word}"))]:
        symbols = "".join(piece for piece, _ in to_bytes.pre_tokenize_str(entry))
        vocabulary.setdefault(symbols, len(vocabulary))
    backend = tokenizers.Tokenizer(tokenizers.models.BPE(vocab=vocabulary, merges=[], ignore_merges=True))
    backend.pre_tokenizer = tokenizers.pre_tokenizers.Sequence([cut, to_bytes])
    backend.decoder = tokenizers.decoders.ByteLevel()
    return _wrapped(backend, PreTrainedTokenizerFast)


def _wrapped(backend: Tokenizer, wrapper: type[PreTrainedTokenizerFast]) -> PreTrainedTokenizerFast:
    backend.add_special_tokens([START, END, PAD])
    tokenizer = wrapper(
        tokenizer_object=backend,
        eos_token=END,
        pad_token=PAD,
        padding_side="left",
        model_max_length=MAX_POSITIONS,
        clean_up_tokenization_spaces=False,
    )
    tokenizer.chat_template = TEMPLATE
    return tokenizer


def _is_word(piece: str) -> bool:
    return piece[:1].isalpha() or piece[:1] == "_"


def _longest_first(phrases: Iterable[str]) -> list[str]:
    return sorted({*phrases} - {""}, key=lambda phrase: (-len(phrase), phrase))


def _call_phrases(tools: Sequence[ToolSchema]) -> Iterator[str]:
    """Fixed phrases: a call up to its first value, between values, its end, and the template's line of tools."""
    for tool in tools:
        opening = f'<tool_call>{{"name": "{tool_name(tool)}", "arguments": {{'
        yield opening
        for index, (name, schema) in enumerate(parameters_of(tool).items()):
            quote = '"' if schema.get("type") == "string" else ""
            for before in ('", ', ", ", "") if index else ("",):
                yield f'{before}"{name}": {quote}'
            if not index:
                yield f'{opening}"{name}": {quote}'
    if tools:
        yield from ('"}}</tool_call>', "}}</tool_call>")
        signatures = (f"{tool_name(tool)}({', '.join(parameters_of(tool))})" for tool in tools)
        yield f"Tools: {' '.join(signatures)}"


SIZES = {
    "0.25M": (96, 192, 2, 4),
    "0.35M": (96, 192, 3, 4),
    "1M": (160, 480, 3, 4),
    "4M": (256, 768, 4, 4),
    "11M": (384, 1024, 6, 6),
}
"""Hidden size, intermediate size, layers and heads of each size; its name counts parameters at about 800 tokens.

Few wide layers and large initial weights (`_SPREAD` / sqrt(hidden size)) learn to copy names within seconds; the usual
initial 0.02 takes several times as many updates.
"""
_SPREAD = 0.8
FirstWeights = Literal["random", "copying"]
"""What a tiny model starts from: random weights, or such that copy from the context."""


def tiny_llama_config(
    tokenizer: PreTrainedTokenizerFast, size: str = "0.25M", *, rope_theta: float = 10_000.0
) -> LlamaConfig:
    """Configuration of a tiny Llama for a tokenizer: tied embeddings, at most 2,048 positions.

    Args:
        tokenizer: Its vocabulary and ids of end of turn and padding are taken over.
        size: One of `SIZES`.
        rope_theta: Base of the rotary frequencies.

    Raises:
        ConfigError: No such size.
        MissingExtraError: transformers is not installed.
    """
    if size not in SIZES:
        raise ConfigError(f"unknown model size {size!r}; expected one of {', '.join(SIZES)}")
    try:
        from transformers import LlamaConfig
    except ImportError:
        raise MissingExtraError("a tiny model", "train") from None
    hidden, intermediate, layers, heads = SIZES[size]
    return LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=hidden,
        intermediate_size=intermediate,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=heads,
        max_position_embeddings=MAX_POSITIONS,
        tie_word_embeddings=True,
        rope_parameters={"rope_type": "default", "rope_theta": rope_theta},
        initializer_range=_SPREAD * hidden**-0.5,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )

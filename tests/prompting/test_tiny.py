"""The tiny tokenizer: exact on every text, single tokens where it matters, and kept by saving and loading."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import AutoTokenizer, PreTrainedTokenizerFast

from agentgym.errors import ConfigError
from agentgym.prompting.tiny import build_tokenizer, tiny_llama_config


@settings(max_examples=300, deadline=None)
@given(text=st.text() | st.text(alphabet=' \n<|im_start>end{}":,0123456789Oslo[]/'))
def test_every_text_decodes_to_itself(tiny: PreTrainedTokenizerFast, text: str) -> None:
    assert tiny.decode(tiny.encode(text, add_special_tokens=False)) == text


@pytest.mark.parametrize("text", ["Oslo", " Oslo", " born", "7", " 99", "don't", '"}}</tool_call>', "assistant\n"])
def test_words_numbers_and_call_syntax_are_single_tokens(text: str, tools: list[dict[str, Any]]) -> None:
    tokenizer = build_tokenizer(["I was born in Oslo, don't ask"], tools, numbers=range(100))
    assert len(tokenizer.encode(text, add_special_tokens=False)) == 1


def test_numbers_outside_the_range_are_spelt_in_digits(tiny: PreTrainedTokenizerFast) -> None:
    assert [tiny.decode([i]) for i in tiny.encode("142", add_special_tokens=False)] == ["1", "4", "2"]


def test_a_tool_call_takes_few_tokens(tiny: PreTrainedTokenizerFast, tools: list[dict[str, Any]]) -> None:
    call = {"name": "relation", "arguments": {"name": "Ana Kovac", "relation": "born"}}
    text = f"<tool_call>{json.dumps(call)}</tool_call>"
    assert len(tiny.encode(text, add_special_tokens=False)) == 6


def test_most_frequent_words_are_kept() -> None:
    tokenizer = build_tokenizer(["rare often often"], max_words=1)
    assert len(tokenizer.encode("often", add_special_tokens=False)) == 1
    assert len(tokenizer.encode("rare", add_special_tokens=False)) == 4


def test_vocabulary_does_not_depend_on_the_order_of_texts(tools: list[dict[str, Any]]) -> None:
    first, second = build_tokenizer(["a b", "c d"], tools), build_tokenizer(["c d", "a b"], tools)
    assert first.get_vocab() == second.get_vocab()


def test_saving_and_loading_keeps_ids_template_and_settings(
    tiny: PreTrainedTokenizerFast, tools: list[dict[str, Any]], tmp_path: Path
) -> None:
    tiny.save_pretrained(tmp_path)
    loaded = AutoTokenizer.from_pretrained(tmp_path)
    messages = [{"role": "user", "content": "Where was Ana Kovac born? é 42"}]
    ask = {"tools": tools, "add_generation_prompt": True, "tokenize": True, "return_dict": False}
    assert loaded.apply_chat_template(messages, **ask) == tiny.apply_chat_template(messages, **ask)
    assert (loaded.eos_token_id, loaded.pad_token_id, loaded.padding_side) == (
        tiny.eos_token_id,
        tiny.pad_token_id,
        "left",
    )
    assert {token.special for token in loaded.added_tokens_decoder.values()} == {True}


def test_template_renders_tools_calls_reasoning_and_results(
    tiny: PreTrainedTokenizerFast, tools: list[dict[str, Any]]
) -> None:
    call = {"type": "function", "function": {"name": "search", "arguments": {"query": "Åse"}}}
    messages = [
        {"role": "system", "content": "Answer."},
        {"role": "user", "content": "Who?"},
        {"role": "assistant", "content": "I look.", "reasoning_content": "hm", "tool_calls": [call, call]},
        {"role": "tool", "content": "nobody"},
    ]
    assert tiny.apply_chat_template(messages, tools=tools, tokenize=False, add_generation_prompt=True) == (
        "<|im_start|>system\nAnswer.\nTools: search(query) relation(name, relation)<|im_end|>"
        "<|im_start|>user\nWho?<|im_end|>"
        "<|im_start|>assistant\n<think>hm</think>I look.\n"
        '<tool_call>{"name": "search", "arguments": {"query": "Åse"}}</tool_call>\n'
        '<tool_call>{"name": "search", "arguments": {"query": "Åse"}}</tool_call><|im_end|>'
        "<|im_start|>tool\nnobody<|im_end|><|im_start|>assistant\n"
    )


def test_trl_finds_the_template_prefix_preserving_with_tools(tiny: PreTrainedTokenizerFast) -> None:
    from trl.chat_template_utils import is_chat_template_prefix_preserving, supports_tool_calling

    assert is_chat_template_prefix_preserving(tiny)
    assert supports_tool_calling(tiny)


def test_config_of_a_tiny_model_follows_the_tokenizer(tiny: PreTrainedTokenizerFast) -> None:
    config = tiny_llama_config(tiny, "1M")
    assert (config.vocab_size, config.eos_token_id, config.tie_word_embeddings) == (len(tiny), tiny.eos_token_id, True)


def test_unknown_sizes_and_negative_word_counts_are_refused(tiny: PreTrainedTokenizerFast) -> None:
    with pytest.raises(ConfigError, match=r"0\.25M, 0\.35M, 1M"):
        tiny_llama_config(tiny, "7B")
    with pytest.raises(ConfigError, match="max_words"):
        build_tokenizer([], max_words=-1)

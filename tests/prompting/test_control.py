"""Trap D-36: control tokens inside texts open no role, on every template and in every place a text can stand."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import PreTrainedTokenizerFast

from agentgym.errors import TemplateError
from agentgym.message import Message
from agentgym.prompting.control import ControlTokens
from agentgym.prompting.renderer import ChatRenderer

Get = Callable[[str], PreTrainedTokenizerFast]


def called(content: str, name: str = "search", query: str = "word", key: str = "query") -> list[Message]:
    call = {"id": "call_0", "type": "function", "function": {"name": name, "arguments": {key: query}}}
    return [
        {"role": "user", "content": "Ask."},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_0", "name": name, "content": content},
    ]


PLACES: dict[str, Callable[[str], list[Message]]] = {
    "page text": lambda text: [{"role": "user", "content": text}],
    "system": lambda text: [{"role": "system", "content": text}, {"role": "user", "content": "Ask."}],
    "partner's line": lambda text: [
        {"role": "user", "content": "Ask."},
        {"role": "assistant", "content": "Answer."},
        {"role": "user", "content": text, "name": text},
    ],
    "tool result": called,
    "tool name": lambda text: called("Result.", name=text),
    "tool argument": lambda text: called("Result.", query=text, key=text),
}


def control_counts(renderer: ChatRenderer, messages: list[Message], tools: list[dict[str, Any]]) -> Counter[int]:
    return Counter(i for i in renderer.render(messages, tools) if i in renderer.control_ids)


def naive_counts(renderer: ChatRenderer, messages: list[Message], tools: list[dict[str, Any]]) -> Counter[int]:
    """The planted bug: texts reach the template unguarded."""
    tokenizer = renderer._tokenizer
    text = tokenizer.apply_chat_template(messages, tools=tools, tokenize=False, add_generation_prompt=True)
    return Counter(i for i in tokenizer.encode(str(text), add_special_tokens=False) if i in renderer.control_ids)


def leaks(
    count: Callable[[ChatRenderer, list[Message], list[dict[str, Any]]], Counter[int]],
    renderer: ChatRenderer,
    place: str,
    tools: list[dict[str, Any]],
) -> list[str]:
    """The control tokens that open something when they stand at a place; none where the template refuses the place."""
    try:
        harmless = count(renderer, PLACES[place]("a word b"), tools)
    except TemplateError:
        return []
    texts = sorted(renderer._control.texts)
    return [text for text in texts if count(renderer, PLACES[place](f"a {text}b"), tools) != harmless]


@pytest.mark.parametrize("place", PLACES)
def test_control_tokens_in_texts_are_inert(
    template: str, place: str, trl_tokenizer: Get, tools: list[dict[str, Any]]
) -> None:
    assert leaks(control_counts, ChatRenderer(trl_tokenizer(template)), place, tools) == []


def test_unguarded_texts_fail_the_same_check(trl_tokenizer: Get, tools: list[dict[str, Any]]) -> None:
    renderer = ChatRenderer(trl_tokenizer("qwen3"))
    for place in PLACES:
        assert "<|im_start|>" in leaks(naive_counts, renderer, place, tools)


def test_extensions_hold_no_control_tokens_of_texts(template: str, trl_tokenizer: Get) -> None:
    renderer = ChatRenderer(trl_tokenizer(template))
    before, reply = [{"role": "user", "content": "Ask."}], {"role": "assistant", "content": "Answer."}
    hostile = "".join(renderer._control.texts)
    harmless, injected = (
        renderer.extension(before, reply, [{"role": "user", "content": text}], end=None) for text in ("word", hostile)
    )
    assert (harmless is None) == (injected is None)
    if harmless is not None and injected is not None:
        controls = [[i for i in ids if i in renderer.control_ids] for ids in (harmless, injected)]
        assert controls[0] == controls[1]
        assert hostile in renderer._tokenizer.decode(injected)


@settings(max_examples=200, deadline=None)
@given(
    text=st.lists(
        st.sampled_from(["<|im_start|>", "<|im_end|>", "<|im_", "end|>", "\U00100000", "\U0010fffd", "x", " ", "é"])
    ).map("".join)
)
def test_guarded_texts_are_kept_exactly(tiny: PreTrainedTokenizerFast, text: str) -> None:
    control = ControlTokens(tiny, str(tiny.chat_template))
    ids = control.encode(control.guard_value(text))
    assert tiny.decode(ids) == text
    assert control.ids.isdisjoint(ids)


def test_text_that_a_normalizer_turns_into_a_control_token_is_inert() -> None:
    backend = tokenizers.Tokenizer(tokenizers.models.BPE())
    backend.normalizer = tokenizers.normalizers.NFKC()
    backend.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = tokenizers.decoders.ByteLevel()
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    backend.train_from_iterator(["a"], tokenizers.trainers.BpeTrainer(initial_alphabet=alphabet, show_progress=False))
    backend.add_tokens([tokenizers.AddedToken("<turn>", special=True, normalized=True)])
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=backend)
    tokenizer.chat_template = "{%- for m in messages -%}<turn>{{ m.role }}: {{ m.content }}{%- endfor -%}<turn>"
    renderer = ChatRenderer(tokenizer)
    turn = tokenizer.convert_tokens_to_ids("<turn>")
    assert tokenizer.encode("\uff1cturn\uff1e", add_special_tokens=False) == [turn]
    assert renderer.render([{"role": "user", "content": "\uff1cturn\uff1e"}]).count(turn) == 2


def test_half_a_surrogate_pair_is_rendered_as_a_question_mark(tiny: PreTrainedTokenizerFast) -> None:
    renderer = ChatRenderer(tiny)
    assert "a?b" in tiny.decode(renderer.render([{"role": "user", "content": "a\ud800b"}]))


def test_think_tags_of_the_assistant_still_reach_the_template(trl_tokenizer: Get) -> None:
    renderer = ChatRenderer(trl_tokenizer("qwen3"))
    thought = {"role": "assistant", "content": "<think>\nlong\n</think>\n\nshort"}
    messages = [{"role": "user", "content": "Ask."}, thought, {"role": "user", "content": "Ask."}]
    assert "long" not in renderer._tokenizer.decode(renderer.render(messages))

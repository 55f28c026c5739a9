"""Spellings of model families: each reads as the same call, and broken ones are explained, never raised."""

import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import PreTrainedTokenizerFast

from agentgym.action import ToolCall
from agentgym.errors import ActionSyntaxError
from agentgym.prompting.parsing import canonical_text, parse_reply
from agentgym.prompting.renderer import ChatRenderer

CALL = ToolCall("call_0", "search", {"query": "12"})
SPELLINGS = {
    "hermes": '<tool_call>\n{"name": "search", "arguments": {"query": "12"}}\n</tool_call>',
    "python": 'search("12")',
    "llama": '{"name": "search", "parameters": {"query": "12"}}',
    "llama ipython": '<|python_tag|>{"name": "search", "parameters": {"query": "12"}}',
    "mistral": '[TOOL_CALLS][{"name": "search", "arguments": {"query": "12"}}]',
    "mistral named": '[TOOL_CALLS]search[ARGS]{"query": "12"}',
    "gpt-oss": '<|channel|>commentary to=functions.search <|constrain|>json<|message|>{"query": "12"}<|call|>',
    "gpt-oss late": ' to=functions.search<|channel|>commentary json<|message|>{"query": "12"}<|call|>',
    "qwen3.5": "<tool_call>\n<function=search>\n<parameter=query>\n12\n</parameter>\n</function>\n</tool_call>",
    "glm": "<tool_call>search\n<arg_key>query</arg_key>\n<arg_value>12</arg_value>\n</tool_call>",
    "deepseek": (
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>search\n"
        '```json\n{"query": "12"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>'
    ),
    "deepseek 3.1": '<｜tool▁call▁begin｜>search<｜tool▁sep｜>{"query": "12"}<｜tool▁call▁end｜>',
    "lfm2": "<|tool_call_start|>[search(query='12')]<|tool_call_end|>",
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_every_spelling_reads_as_the_same_call(spelling: str, tools: list[dict[str, Any]]) -> None:
    assert parse_reply(SPELLINGS[spelling], tools).tool_calls == (CALL,)


@pytest.mark.parametrize(
    "family", ["qwen3", "qwen3_5_think", "glm4moe", "llama3_1", "deepseekv3", "gptoss", "lfm2_2_5"]
)
def test_calls_that_a_template_writes_are_read_back(
    family: str, trl_tokenizer: Callable[[str], PreTrainedTokenizerFast], tools: list[dict[str, Any]]
) -> None:
    renderer = ChatRenderer(trl_tokenizer(family))
    function = {"name": "relation", "arguments": {"name": "Ana", "relation": "born in"}}
    call = {"id": "call_0", "type": "function", "function": function}
    asked = [{"role": "user", "content": "Where?"}]
    replied = [*asked, {"role": "assistant", "content": "", "tool_calls": [call]}]
    prompt, whole = renderer.render(asked, tools), renderer.render(replied, tools, add_generation_prompt=False)
    shared = next((i for i, (a, b) in enumerate(zip(prompt, whole, strict=False)) if a != b), len(prompt))
    action = parse_reply(renderer.decode(whole[shared:]), tools)
    assert [(c.name, c.arguments) for c in action.tool_calls] == [(function["name"], function["arguments"])]


def test_channels_split_into_reasoning_content_and_calls(tools: list[dict[str, Any]]) -> None:
    text = (
        "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>commentary<|message|>I look.<|end|>"
        '<|start|>assistant<|channel|>commentary to=functions.search<|message|>{"query": "12"}<|call|>'
    )
    action = parse_reply(text, tools)
    assert (action.content, action.reasoning, action.tool_calls) == ("I look.", "hm", (CALL,))
    assert action.text == text


def test_several_llama_calls_are_read(tools: list[dict[str, Any]]) -> None:
    text = "; ".join([SPELLINGS["llama"]] * 2)
    assert [call.name for call in parse_reply(text, tools).tool_calls] == ["search", "search"]


def test_unquoted_values_take_the_type_of_the_schema() -> None:
    tool = {"name": "go", "parameters": {"properties": {"steps": {"type": "integer"}, "to": {"type": "string"}}}}
    text = "<function=go><parameter=steps>3</parameter><parameter=to>3</parameter></function>"
    assert parse_reply(f"<tool_call>{text}</tool_call>", [tool]).tool_calls[0].arguments == {"steps": 3, "to": "3"}


def test_other_text_is_left_alone() -> None:
    assert canonical_text("I guess 7.") == "I guess 7."


MARKERS = ["<|channel|>", "<|message|>", "to=functions.", "<function=", "<parameter=", "<arg_key>", "<tool_call>", "{"]
MARKERS += ["<｜tool▁call▁begin｜>", "[TOOL_CALLS]", "[ARGS]", '"parameters"', "<|python_tag|>", '{"name": "search", ']


@settings(max_examples=300, deadline=None)
@given(text=st.lists(st.sampled_from([*MARKERS, "search", "x", "}", "\n", ">", '"', ":", "[" * 2000])).map("".join))
def test_any_reply_gives_calls_or_an_explanation(text: str, tools: list[dict[str, Any]]) -> None:
    try:
        calls = parse_reply(text, tools).tool_calls
    except ActionSyntaxError:
        return
    assert calls


@pytest.mark.parametrize("marker", MARKERS)
def test_repeated_markers_are_read_quickly(marker: str, tools: list[dict[str, Any]]) -> None:
    started = time.thread_time()
    with pytest.raises(ActionSyntaxError):
        parse_reply((marker + "x") * 20_000, tools)
    with pytest.raises(ActionSyntaxError):
        parse_reply(((marker + "x") * 20_000)[:49_999], tools)
    assert time.thread_time() - started < 5.0


@pytest.mark.parametrize(
    "text",
    [
        "x" * 20_000 + "<|channel|>" + "a" * 20_000,
        "<|channel|>" * 4_000,
        "to=a" * 5_000 + "<|channel|>final" + "to=b" * 5_000,
        " " * 40_000 + '"parameters"',
    ],
)
def test_hostile_replies_are_read_in_a_moment(text: str) -> None:
    began = time.process_time()
    canonical_text(text, [])
    assert time.process_time() - began < 5  # minutes, where a pattern tries each beginning with each end

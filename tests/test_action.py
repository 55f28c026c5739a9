"""Actions: what is read as a tool call, what its author is told otherwise, and that no text does harm."""

import contextlib
import json
import time
import warnings
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentgym.action import Action, ToolCall, parse_text, parse_tool_calls, render_python_call, to_message
from agentgym.errors import ActionSyntaxError

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "search",
            "parameters": {
                "type": "object",
                "properties": {
                    "query": {"type": "string"},
                    "limit": {"type": "integer"},
                    "score": {"type": "number"},
                    "order": {"enum": ["up", "down"]},
                    "tags": {"type": "array", "items": {"type": "string"}},
                    "area": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
                    "exact": {"type": ["boolean", "null"]},
                },
                "required": ["query"],
            },
        },
    },
    {"type": "function", "function": {"name": "stop"}},
]


def calls(text: str) -> list[tuple[str, dict[str, Any]]]:
    return [(call.name, call.arguments) for call in parse_tool_calls(text, TOOLS).tool_calls]


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "search", "arguments": {"query": "Oslo"}}',
        '[{"name": "search", "arguments": {"query": "Oslo"}}]',
        '{"id": "x", "type": "function", "function": {"name": "search", "arguments": "{\\"query\\": \\"Oslo\\"}"}}',
        '<tool_call>\n{"name": "search", "arguments": {"query": "Oslo"}}\n</tool_call>',
        '<tool_call>{"name": "search", "arguments": {"query": "Oslo"}}',
        '```json\n{"name": "search", "arguments": {"query": "Oslo"}}\n```',
        '{"name": "mcp__atlas__search", "arguments": {"query": "Oslo"}}',
        'search("Oslo")',
        "search(query='Oslo')",
        '[search("Oslo")]',
        '```python\nsearch("Oslo")\n```',
        '<tool_call>search("Oslo")</tool_call>',
        '<think>where?</think>\nsearch("Oslo")',
    ],
)
def test_tool_calls_are_read_in_every_accepted_form(text: str) -> None:
    assert calls(text) == [("search", {"query": "Oslo"})]


@pytest.mark.parametrize("text", ['search("a"); stop()', 'search("a")\nstop()', '[search("a"), stop()]'])
def test_python_syntax_holds_several_calls(text: str) -> None:
    assert calls(text) == [("search", {"query": "a"}), ("stop", {})]


def test_python_syntax_reads_every_literal_type() -> None:
    text = "search('a\\n\\d', -3, score=1.5, tags=['x', 'y'], area={'name': 'n', }, exact=None, order='up')"
    area = {"name": "n"}
    expected = {"query": "a\n\\d", "limit": -3, "score": 1.5, "tags": ["x", "y"], "area": area}
    assert calls(text) == [("search", {**expected, "exact": None, "order": "up"})]


def test_the_longest_integer_that_is_read_can_be_written_out() -> None:
    action = parse_tool_calls(f"search('a', limit=-0x{'f' * 3_500})", TOOLS)
    json.dumps(to_message(action))
    assert render_python_call(action.tool_calls[0]).startswith("search(query='a', limit=-")


def test_tool_call_blocks_leave_content_and_reasoning() -> None:
    block = '<tool_call>{"name": "stop", "arguments": {}}</tool_call>'
    action = parse_tool_calls(f"<think>hm</think>\n\nI look.\n{block}\n{block}", TOOLS)
    assert (action.content, action.reasoning) == ("I look.", "hm")
    assert [call.id for call in action.tool_calls] == ["call_0", "call_1"]


def test_tool_call_keeps_a_given_id() -> None:
    assert parse_tool_calls('{"id": "c7", "name": "stop"}', TOOLS).tool_calls == (ToolCall("c7", "stop", {}),)


@pytest.mark.parametrize(
    ("text", "explanation"),
    [
        ("", "empty"),
        ("I do not know.", "no readable tool call"),
        ('serch("x")', "Did you mean search?"),
        ('{"name": "fly", "arguments": {}}', "Known tools: search, stop"),
        ("search()", "needs the argument 'query'"),
        ("search(query=3)", "search.query must be a string, got the integer 3."),
        ('search("a", limit="3")', "search.limit must be an integer, got the string '3'."),
        ('search("a", limit=True)', "search.limit must be an integer, got the boolean True."),
        ('search("a", order="left")', "must be one of 'up', 'down'"),
        ('search("a", tags=["x", 1])', "search.tags[1] must be a string"),
        ('search("a", area={})', "search.area needs the argument 'name'"),
        ('search("a", lmit=3)', "did you mean 'limit'?"),
        ("stop(1)", "takes at most 0 arguments"),
        ('stop(now="yes")', "has no argument 'now'"),
        ("search(Oslo)", "put text into quotes"),
        ('search("a", query="b")', "query twice"),
        ("search(open('x'))", "numbers, lists, dicts), got a call"),
        ("search.now()", "Only calls of tools are allowed, got"),
        ("hello", "Only calls of tools are allowed, got the bare name hello. Expected a tool call"),
        ("import os", "Only calls are allowed, got an import"),
        ("search(f'{1}')", "must be literals"),
        ("search('a', **{})", "each argument once"),
        ('{"name": "search", "arguments": {"query": "a"}', "not valid JSON"),
        ('{"name": "search", "arguments": {"query": "a}', "Unterminated string starting at character 42, near"),
        ('{"name": "search", "arguments": [1]}', "must be a JSON object, got list"),
        ('{"arguments": {}}', 'no "name"'),
        ('{"name": "search", "arguments": {"query": "a", "score": NaN}}', "NaN is not valid JSON"),
        ('{"name": "search", "arguments": {"query": "a", "score": 1e999}}', "too large"),
        ('{"name": "search", "arguments": {"query": "\\ud800"}}', "surrogate"),
        ("search('a', area={'name': 'n', '\\ud800': 1})", "surrogate"),
        (f"search('a', limit=0x{'f' * 4_000})", "16000 bits; at most 14000"),
        (f"search('a', limit=-0x{'f' * 4_000})", "16000 bits; at most 14000"),
        (f"search('a', limit=0o{'7' * 5_000})", "15000 bits"),
        (f"search('a', limit=0b{'1' * 15_000})", "15000 bits"),
        (f"search('a', area={{'name': 'n', 'size': [0x{'f' * 4_000}]}})", "16000 bits"),
        ("search('a', score=-1e999)", "Numbers must be finite"),
        ("search('a', [1e400])", "Numbers must be finite, got one that is too large"),
        ("[]", "no tool call"),
        (";".join(["stop()"] * 65), "more than 64"),
    ],
)
def test_a_bad_call_is_explained_to_its_author(text: str, explanation: str) -> None:
    with pytest.raises(ActionSyntaxError) as caught:
        parse_tool_calls(text, TOOLS)
    assert explanation in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "(" * 100_000,
        "[" * 900_000,
        '{"a":' * 100_000,
        '{"name": "search", "arguments": {"query": "a", "tags": ' + "[" * 500 + "]" * 500 + "}}",
        "-" * 19_000 + "1",
        "f(" * 32 + "lambda x" + ")" * 32,
        "f(" + "1+" * 9_000 + "1)",
        "f(1" + ".a" * 9_000 + ")",
        "9" * 1_000_000,
        "search(" + "9" * 5_000 + ")",
        '{"name": "search", "arguments": {"query": "a", "limit": ' + "9" * 5_000 + "}}",
        "x" * 1_000_001,
        "```\n" * 200_000,
        "<tool_call>" * 90_000,
        "<think>" * 140_000,
        "search('" + "\\" * 19_000,
        "not " * 4_900,
        "\x00",
        "\ud800",
        "@a\n" * 6_000,
    ],
)
def test_hostile_text_is_refused_quickly(text: str) -> None:
    started = time.thread_time()
    with pytest.raises(ActionSyntaxError):
        parse_tool_calls(text, TOOLS)
    assert time.thread_time() - started < 2.0


def test_brackets_inside_text_do_not_count_as_nesting() -> None:
    assert calls(f'search("{"(" * 200}")') == [("search", {"query": "(" * 200})]
    assert calls(json.dumps({"name": "search", "arguments": {"query": "[" * 200}})) == [
        ("search", {"query": "[" * 200})
    ]


PIECES = [
    "search",
    "stop",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    '"',
    "'",
    ",",
    "=",
    "\\",
    "\n",
    ";",
    "<tool_call>",
    "</tool_call>",
]
PIECES += ['"name"', '"arguments"', ":", "1", "-", "```", "<think>", "</think>", "lambda", "\ud800", "é", "*", "query"]


@settings(max_examples=400, deadline=None)
@given(st.one_of(st.text(), st.lists(st.sampled_from(PIECES), max_size=40).map("".join)))
def test_any_text_gives_calls_or_an_explanation(text: str) -> None:
    try:
        action = parse_tool_calls(text, TOOLS)
    except ActionSyntaxError:
        return
    assert action.tool_calls
    json.dumps(to_message(action), ensure_ascii=False).encode()


JSON_VALUES = st.dictionaries(st.text(max_size=5), st.none() | st.booleans() | st.integers() | st.text(), max_size=4)


@given(JSON_VALUES)
def test_message_of_an_action_reads_back_as_the_same_call(arguments: dict[str, Any]) -> None:
    tools = [{"name": "any", "parameters": {"type": "object", "additionalProperties": True, "properties": {}}}]
    action = Action("", "", None, (ToolCall("c1", "any", arguments),))
    sent = json.dumps(to_message(action)["tool_calls"])
    assert parse_tool_calls(sent, tools).tool_calls == action.tool_calls


@settings(deadline=None)
@given(st.text(), st.integers())
def test_rendered_python_call_reads_back_as_the_same_call(query: str, limit: int) -> None:
    call = ToolCall("call_0", "search", {"query": query, "limit": limit})
    assert parse_tool_calls(render_python_call(call), TOOLS).tool_calls == (call,)


@pytest.mark.parametrize(
    ("text", "content", "reasoning"),
    [
        ("I guess 7.", "I guess 7.", None),
        ("<think>\nseven\n</think>\n\nI guess 7.", "I guess 7.", "seven"),
        ("seven</think>7", "7", "seven"),
        ("<think></think>7", "7", ""),
        ("<think>and on", "", "and on"),
        ("I rethink> it", "I rethink> it", None),
    ],
)
def test_text_splits_into_content_and_reasoning(text: str, content: str, reasoning: str | None) -> None:
    assert parse_text(text) == Action(text, content, reasoning, ())


def test_message_of_an_action_carries_reasoning_and_calls_only_where_there_are_any() -> None:
    assert to_message(parse_text("hi")) == {"role": "assistant", "content": "hi"}
    assert to_message(parse_text("<think>a</think>hi"))["reasoning_content"] == "a"


@pytest.mark.parametrize("text", [r'search(r"\d+", tags=["\d"])', "1is 2", r'search("\777")'])
def test_reading_a_message_warns_of_nothing(text: str) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with contextlib.suppress(ActionSyntaxError):
            parse_tool_calls(text, TOOLS)
    assert caught == []


@pytest.mark.parametrize("text", [" " * 200_000 + "<think>", "[" * 40 + "'" + "\\'" * 9_000])
def test_hostile_messages_are_read_in_a_moment(text: str) -> None:
    began = time.process_time()
    parse_text(text)
    with pytest.raises(ActionSyntaxError):
        parse_tool_calls(text, TOOLS)
    assert time.process_time() - began < 5  # minutes, where a pattern tries each beginning with each end


def test_brackets_behind_an_odd_quote_count() -> None:
    with pytest.raises(ActionSyntaxError, match="nested deeper"):
        parse_tool_calls("search('''a\n'''" + "[" * 60, TOOLS)

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from agentgym.action import parse_tool_calls
from agentgym.errors import CancelledEpisode
from agentgym.message import system, tool_result, user
from agentgym.policies.human import HumanPolicy, printable
from agentgym.policy import Policy, Request, Sampling
from agentgym.reward import RewardEvent
from agentgym.task import Task

SEARCH = {
    "type": "function",
    "function": {
        "name": "search",
        "description": "Finds \x1b[31mpages.",
        "parameters": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
    },
}


def player(*lines):
    typed = iter(lines)

    def read_line(prompt):
        try:
            return next(typed)
        except StopIteration:
            raise EOFError from None

    screen = io.StringIO()
    return HumanPolicy(Console(file=screen, width=100, force_terminal=False), read_line), screen


def ask(messages, tools=()):
    return Request("e", 0, Task("t", 0), messages, tools, None, 0, Sampling())


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("\x1b[2J\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]52;c;ZXZpbA==\x1b\\copied", "copied"),
        ("\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x9b31mred\x9d0;title\x9c!", "red!"),
        ("\x1bPq#0\x1b\\sixel", "sixel"),
        ("\x1bcreset", "reset"),
        ("over\rwrite\r\nback\x08space\x07", "over\nwrite\nbackspace"),
        ("ab\u202ecd\u2066e\ufeff\u2028", "abcde"),
        ("café 日本\tok", "café 日本\tok"),
    ],
)
def test_hostile_text_is_made_harmless(hostile, shown):
    assert printable(hostile) == shown


@given(st.text(st.sampled_from("\x1b\x9b\x9d\x07\\[]P;0m3ab\n\r\x00\x7f")))
def test_no_control_character_is_left(text):
    assert all(c == "\n" or (c >= " " and not "\x7f" <= c <= "\x9f") for c in printable(text))


def test_a_reply_is_a_line_or_several():
    policy, _ = player("guess 5", '"""', "one", "", "two", '"""')
    assert isinstance(policy, Policy)
    replies = [policy.generate([ask([user("hi")])])[0].text for _ in range(2)]
    assert replies == ["guess 5", "one\n\ntwo"]


def test_an_empty_line_is_no_reply():
    person, _ = player("", "  ", "go", "")
    assert [reply.text for reply in person.generate([ask([user("Go?")])])] == ["go"]
    with pytest.raises(CancelledEpisode):
        person.generate([ask([user("Go?")])])


def test_end_of_input_cancels_the_episode():
    policy, _ = player('"""', "half")
    with pytest.raises(CancelledEpisode, match="input ended"):
        policy.generate([ask([user("hi")])])


def test_only_new_messages_of_others_are_shown_and_nothing_is_interpreted():
    policy, screen = player("a", "b")
    conversation = [system("Find [bold]it[/bold]."), user("first\x1b[31m question")]
    policy.generate([ask(conversation, [SEARCH])])
    before = screen.getvalue()
    assert "Find [bold]it[/bold]." in before
    assert "search(query)  Finds pages." in before
    conversation += [{"role": "assistant", "content": "a"}, tool_result("c", "search", "[link=x]found[/link]")]
    policy.generate([ask(conversation, [SEARCH])])
    after = screen.getvalue()[len(before) :]
    assert "[link=x]found[/link]" in after
    assert "tool search" in after
    assert "question" not in after
    assert "\x1b" not in screen.getvalue()


@pytest.mark.parametrize(
    ("event", "shown"),
    [
        (("success", 1.0, "verifier", {"why": "\x1b[2Jright"}), "reward +1  success  (turn 3, verifier)  why: right"),
        (("format", -0.1, "environment", {"why": "No (call)."}), "reward -0.1  format  (turn 3, environment)"),
        (("success", 1.0, "verifier", {"why": ""}), "reward +1  success  (turn 3, verifier)"),
        (
            ("blame", 0.0, "verifier", {"who": "agent", "turn": 0}),
            "reward +0  blame  (turn 3, verifier)  who: agent  turn: 1",
        ),
    ],
)
def test_reward_events_are_shown_with_turns_from_one(event, shown):
    policy, screen = player()
    policy.show_events([RewardEvent(2, 2, "agent", *event)])
    assert screen.getvalue() == f"{shown}\n"


@pytest.mark.parametrize(
    ("needed", "called"),
    [
        ({"query": {"type": "string"}}, 'search("text")'),
        ({"query": {"type": ["string", "integer"]}}, 'search("12")'),
        ({"query": {"enum": ["left", "right"]}}, 'search("left")'),
        ({"query": {"type": "integer"}, "exact": {"type": "boolean"}}, "search(12, True)"),
        ({}, "search()"),
    ],
)
def test_tools_are_shown_with_a_call_that_can_be_read(needed, called):
    parameters = {"type": "object", "properties": needed, "required": list(needed), "additionalProperties": False}
    tool = {"type": "function", "function": {"name": "search", "description": "", "parameters": parameters}}
    policy, screen = player()
    policy.show_tools([tool])
    shown = re.sub(r" *│\n│ ", " ", screen.getvalue())
    example = re.search(r"Call one as (.+), or as JSON: (.+}) ", shown)
    assert example[1] == called
    by_call, by_json = (parse_tool_calls(text, [tool]).tool_calls[0].arguments for text in example.groups())
    assert by_call == by_json


def test_parameters_that_may_be_left_out_stand_in_brackets():
    parameters = {"properties": {"bid": {}, "button": {}, "modifiers": {}}, "required": ["bid"]}
    policy, screen = player()
    policy.show_tools([{"name": "click", "parameters": parameters}])
    assert "click(bid, [button], [modifiers])" in screen.getvalue()


def test_an_event_of_weight_zero_says_so():
    policy, screen = player()
    events = [RewardEvent(0, 0, "agent", name, 1.0, detail={"why": None}) for name in ("success", "page")]
    policy.show_events(events, {"success": 1.0, "page": 0.0})
    assert screen.getvalue().splitlines() == [
        "reward +1  success  (turn 1, environment)",
        "reward +1  page  (turn 1, environment, weight 0)",
    ]


def test_the_example_is_of_a_tool_with_one_argument():
    two = {"name": "drag", "parameters": {"properties": {"a": {}, "b": {}}, "required": ["a", "b"]}}
    one = {"name": "click", "parameters": {"properties": {"bid": {"type": "string"}}, "required": ["bid"]}}
    policy, screen = player()
    policy.show_tools([two, one])
    assert 'Call one as click("text")' in screen.getvalue()


def test_an_event_of_several_parts_has_a_line_for_each_and_the_first_lines_of_a_patch():
    policy, screen = player()
    patch = "".join(f"+{number}\n" for number in range(14))
    detail = {"kind": "failed", "parts": {"applies": 1.0, "kept": 0.5}, "reasons": ["a", "b"], "left_out": {}}
    policy.show_events([RewardEvent(0, 0, "agent", "success", 0.0, "verifier", {**detail, "model_patch": patch})])
    shown = ["reward +0  success  (turn 1, verifier)", "  kind: failed"]
    shown += [
        "  parts:",
        "    applies: 1.0",
        "    kept: 0.5",
        "  reasons:",
        "    a",
        "    b",
        "  model_patch:",
        *(f"    +{number}" for number in range(12)),
    ]
    assert screen.getvalue().splitlines() == [*shown, "    … 2 more lines"]


def test_what_only_counts_of_blame_need_is_not_shown():
    policy, screen = player()
    detail = {"who": "agent", "why": "unchanged", "turn": 0, "is_unfinished": True}
    policy.show_events([RewardEvent(0, 0, "agent", "blame", 1.0, "verifier", detail)])
    assert screen.getvalue() == "reward +1  blame  (turn 1, verifier)  who: agent  why: unchanged  turn: 1\n"

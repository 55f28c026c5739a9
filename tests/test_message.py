from __future__ import annotations

from agentgym.message import content_text, system, text_of, tool_result, user


def test_text_of_joins_messages_by_lines():
    assert text_of([system("Rules."), user("Go.")]) == "Rules.\nGo."
    assert text_of([]) == ""


def test_text_of_reads_content_parts_and_calls_without_content():
    parts = {"role": "user", "content": [{"type": "text", "text": "See:"}, {"type": "image_url", "image_url": {}}]}
    assert text_of([parts]) == "See:\n[image]"
    assert content_text({"role": "assistant", "content": None}) == ""


def test_tool_result_is_tied_to_its_call():
    assert tool_result("call_0", "search", "none")["tool_call_id"] == "call_0"

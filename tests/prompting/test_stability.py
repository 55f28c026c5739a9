"""The start-up check on every template of TRL's package (trap D-5), and the table of its verdicts in the docs."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from transformers import PreTrainedTokenizerFast

from agentgym.errors import TemplateError
from agentgym.prompting.stability import StabilityReport, check_template

Get = Callable[[str], PreTrainedTokenizerFast]
PAGE = Path(__file__).parents[2] / "docs" / "prompting.md"
SIGNS = {"extends": "yes", "new segment": "segment", "refused": "refused", "lost": "lost"}
COLUMNS = {
    "plain": "plain",
    "system": "system",
    "reasoning": "reasoning",
    "tool call": "tools",
    "parallel tool calls": "parallel",
    "tool call with reasoning": "tools, reasoning",
}


def checked(tokenizer: PreTrainedTokenizerFast, tools: list[dict[str, Any]]) -> StabilityReport:
    """The report, without tools where the template cannot render them."""
    try:
        return check_template(tokenizer, tools)
    except TemplateError:
        return check_template(tokenizer)


def table_row(name: str, tokenizer: PreTrainedTokenizerFast, tools: list[dict[str, Any]]) -> str:
    """The template's line in the table of docs/prompting.md."""
    report = checked(tokenizer, tools)
    signs = [SIGNS[report.verdicts[pattern]] if pattern in report.verdicts else "no tools" for pattern in COLUMNS]
    return f"| {name} | {' | '.join(signs)} |"


def test_verdict_of_every_template_is_the_documented_one(
    template: str, trl_tokenizer: Get, tools: list[dict[str, Any]]
) -> None:
    row = table_row(template, trl_tokenizer(template), tools)
    assert row in PAGE.read_text().splitlines()


def test_tiny_template_extends_after_every_pattern(tiny: PreTrainedTokenizerFast, tools: list[dict[str, Any]]) -> None:
    report = check_template(tiny, tools, needs_system=True)
    assert set(report.verdicts.values()) == {"extends"}
    assert len(report.verdicts) == 16


def test_patterns_that_need_a_new_segment_are_reported(trl_tokenizer: Get, tools: list[dict[str, Any]]) -> None:
    report = check_template(trl_tokenizer("qwen3"), tools)
    assert not report.extends("reasoning")
    assert report.extends("tool call with reasoning")
    assert "reasoning: new segment" in report.describe().splitlines()


def test_template_without_system_role_is_refused_where_one_is_needed(trl_tokenizer: Get) -> None:
    assert check_template(trl_tokenizer("gemma")).verdicts["system"] == "refused"
    with pytest.raises(TemplateError, match="put the instructions into the first user message"):
        check_template(trl_tokenizer("gemma"), needs_system=True)


@pytest.mark.parametrize("family", ["llama3", "gemma3"])
def test_template_without_tool_calls_is_refused_for_tools(
    family: str, trl_tokenizer: Get, tools: list[dict[str, Any]]
) -> None:
    with pytest.raises(TemplateError, match="use a model trained on tool calls"):
        check_template(trl_tokenizer(family), tools)


def test_template_variables_reach_the_template(trl_tokenizer: Get) -> None:
    thinking = check_template(trl_tokenizer("qwen3"), template_kwargs={"enable_thinking": False})
    assert not thinking.extends("plain")

"""Conversations: ids so far and sampled ids are a prefix of the next prompt, or a segment opens (traps D-4 and D-5)."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from transformers import PreTrainedTokenizerFast

from agentgym.action import parse_tool_calls, to_message
from agentgym.errors import ContextOverflowError, ContractError, TemplateError
from agentgym.message import Message
from agentgym.prompting.control import ControlTokens
from agentgym.prompting.conversation import Conversation, Prompt
from agentgym.prompting.history import FullHistory, HistoryPolicy, LastTurns, TokenBudget
from agentgym.prompting.renderer import ChatRenderer

Get = Callable[[str], PreTrainedTokenizerFast]
CONTENTS = ["four", "", "  spaced \n", "Grüße 👋🏽", "Error: no such page\n", "<tool_response>x</tool_response>", "\n"]


def spelt(tokenizer: PreTrainedTokenizerFast, text: str) -> list[int]:
    """A non-canonical tokenisation: a token for each byte."""
    return [i for c in text for i in tokenizer.encode(c, add_special_tokens=False)]


def random_turn(rng: random.Random, tools: list[dict[str, Any]]) -> tuple[Message, list[Message]]:
    reply: Message = {"role": "assistant", "content": rng.choice(CONTENTS)}
    if rng.random() < 0.4:
        reply["reasoning_content"] = rng.choice(["hm", "two\nlines"])
    if not tools or rng.random() < 0.4:
        return reply, [{"role": "user", "content": rng.choice(CONTENTS)}]
    reply["tool_calls"] = [
        {"id": f"call_{i}", "type": "function", "function": {"name": "search", "arguments": '{"query": "x"}'}}
        for i in range(rng.choice([1, 1, 2]))
    ]
    answers = [
        {"role": "tool", "tool_call_id": call["id"], "name": "search", "content": rng.choice(CONTENTS)}
        for call in reply["tool_calls"]
    ]
    return reply, answers


def play(
    renderer: ChatRenderer, seed: int, tools: list[dict[str, Any]], history: HistoryPolicy | None = None, turns: int = 7
) -> list[tuple[Prompt, list[int]]]:
    """Prompts and sampled ids of a random dialogue, up to where the template refuses it."""
    rng = random.Random(seed)
    tokenizer, stops = renderer._tokenizer, sorted(renderer.stop_ids)
    talk = Conversation(renderer, tools, history)
    opening = [{"role": "user", "content": "What is 2 + 2?"}]
    if rng.random() < 0.5:
        opening.insert(0, {"role": "system", "content": "Be terse."})
    talk.observe(opening)
    asked = []
    for _ in range(turns):
        try:
            prompt = talk.prompt()
        except TemplateError:
            break
        reply, answers = random_turn(rng, tools)
        cut = rng.random() < 0.2
        sampled = spelt(tokenizer, "sampled text") + ([] if cut else [rng.choice(stops)])
        asked.append((prompt, sampled))
        talk.reply(sampled, "sampled text", reply, cut)
        talk.observe(answers)
    return asked


def broken_links(asked: list[tuple[Prompt, list[int]]]) -> list[int]:
    """The turns whose prompt neither extends what went before nor opens a segment."""
    broken = []
    context: list[int] = []
    for turn, (prompt, sampled) in enumerate(asked):
        base = [] if prompt.opens_segment else context
        if prompt.ids != base + prompt.new_ids:
            broken.append(turn)
        context = prompt.ids + sampled
    return broken


@pytest.mark.parametrize("with_tools", [False, True])
def test_prompts_extend_what_was_sampled_or_open_a_segment(
    template: str, with_tools: bool, trl_tokenizer: Get, tools: list[dict[str, Any]]
) -> None:
    renderer = ChatRenderer(trl_tokenizer(template))
    played = [play(renderer, seed, tools if with_tools else []) for seed in range(6)]
    assert [broken_links(asked) for asked in played] == [[]] * 6
    if not with_tools:
        assert max(map(len, played)) > 1


def test_a_conversation_that_renders_every_turn_anew_fails_the_same_check(
    trl_tokenizer: Get, monkeypatch: pytest.MonkeyPatch
) -> None:
    def rendered_anew(talk: Conversation) -> Prompt:
        talk._left_out = 0
        ids = talk.renderer.render(talk._kept())
        return Prompt(ids, ids[len(talk._ids) :], opens_segment=not talk._ids)

    monkeypatch.setattr(Conversation, "_next_prompt", rendered_anew)
    assert broken_links(play(ChatRenderer(trl_tokenizer("qwen3")), 0, []))


def test_extended_prompts_equal_a_full_rendering_where_replies_are_canonical(
    tiny: PreTrainedTokenizerFast, tools: list[dict[str, Any]]
) -> None:
    renderer = ChatRenderer(tiny)
    talk = Conversation(renderer, tools)
    talk.observe([{"role": "system", "content": "Answer."}, {"role": "user", "content": "Where?"}])
    for number in range(5):
        text = f'<tool_call>{{"name": "search", "arguments": {{"query": "Oslo {number}"}}}}</tool_call>'
        talk.prompt()
        sampled = tiny.encode(text + "<|im_end|>", add_special_tokens=False)
        talk.reply(sampled, text, to_message(parse_tool_calls(text, tools)))
        talk.observe([{"role": "tool", "tool_call_id": "call_0", "name": "search", "content": f"page {number}"}])
    prompt = talk.prompt()
    assert not prompt.opens_segment
    assert prompt.ids == renderer.render(talk.messages, tools)


def test_sampled_text_is_never_tokenised_again(tiny: PreTrainedTokenizerFast, monkeypatch: pytest.MonkeyPatch) -> None:
    talk = Conversation(ChatRenderer(tiny))
    talk.observe([{"role": "user", "content": "Where?"}])
    sampled = [*spelt(tiny, "Oslo born"), tiny.eos_token_id]
    assert sampled != tiny.encode("Oslo born<|im_end|>", add_special_tokens=False)
    first = talk.prompt()
    talk.reply(sampled, "Oslo born")
    encode = ControlTokens.encode

    def refuse_sampled(control: ControlTokens, text: str) -> list[int]:
        assert "Oslo" not in text
        return encode(control, text)

    monkeypatch.setattr(ControlTokens, "encode", refuse_sampled)
    talk.observe([{"role": "user", "content": "And?"}])
    assert talk.prompt().ids[: len(first.ids) + len(sampled)] == first.ids + sampled


def test_a_cut_reply_is_closed_by_the_extension(tiny: PreTrainedTokenizerFast) -> None:
    talk = Conversation(ChatRenderer(tiny))
    talk.observe([{"role": "user", "content": "Where?"}])
    talk.prompt()
    talk.reply(tiny.encode("Os", add_special_tokens=False), "Os", cut=True)
    talk.observe([{"role": "user", "content": "And?"}])
    assert tiny.decode(talk.prompt().new_ids) == "<|im_end|><|im_start|>user\nAnd?<|im_end|><|im_start|>assistant\n"


def test_a_dropped_thought_opens_a_segment(trl_tokenizer: Get) -> None:
    tokenizer = trl_tokenizer("qwen3")
    talk = Conversation(ChatRenderer(tokenizer))
    talk.observe([{"role": "user", "content": "2 + 2?"}])
    talk.prompt()
    text = "<think>\nhm\n</think>\n\n4"
    talk.reply(tokenizer.encode(f"{text}<|im_end|>"), text)
    talk.observe([{"role": "user", "content": "3 + 3?"}])
    prompt = talk.prompt()
    assert prompt.opens_segment
    assert "hm" not in tokenizer.decode(prompt.ids)


def test_prompt_is_the_same_until_something_is_observed(tiny: PreTrainedTokenizerFast) -> None:
    talk = Conversation(ChatRenderer(tiny))
    talk.observe([{"role": "user", "content": "Where?"}])
    assert talk.prompt() is talk.prompt()


def test_reply_without_a_prompt_is_refused(tiny: PreTrainedTokenizerFast) -> None:
    with pytest.raises(ContractError, match="prompt"):
        Conversation(ChatRenderer(tiny)).reply([1], "x")


def test_prompt_over_the_context_names_the_sizes(tiny: PreTrainedTokenizerFast) -> None:
    talk = Conversation(ChatRenderer(tiny), max_context=20, room=5)
    talk.observe([{"role": "user", "content": "word " * 40}])
    with pytest.raises(ContextOverflowError, match=r"room for 5.*context of 20"):
        talk.prompt()


@pytest.mark.parametrize("history", [FullHistory(), LastTurns(3), TokenBudget(150)])
def test_histories_keep_the_prefix_or_open_a_segment(
    history: HistoryPolicy, tiny: PreTrainedTokenizerFast, tools: list[dict[str, Any]]
) -> None:
    asked = play(ChatRenderer(tiny), 3, tools, history, turns=40)
    assert broken_links(asked) == []
    opened = sum(prompt.opens_segment for prompt, _ in asked)
    assert opened == 1 if isinstance(history, FullHistory) else 1 < opened < len(asked) - 10


def test_token_budget_bounds_every_prompt(tiny: PreTrainedTokenizerFast, tools: list[dict[str, Any]]) -> None:
    asked = play(ChatRenderer(tiny), 5, tools, TokenBudget(200), turns=40)
    assert max(len(prompt.ids) for prompt, _ in asked) <= 200


def test_left_out_turns_are_noted_and_the_task_stays(tiny: PreTrainedTokenizerFast) -> None:
    talk = Conversation(ChatRenderer(tiny), history=LastTurns(2))
    talk.observe([{"role": "system", "content": "Rules."}, {"role": "user", "content": "Task."}])
    for number in range(3):
        talk.prompt()
        talk.reply([tiny.eos_token_id], f"reply {number}")
        talk.observe([{"role": "user", "content": f"page {number}"}])
    text = tiny.decode(talk.prompt().ids)
    assert "Rules." in text
    assert "Task.\n\n[1 earlier turn was left out here.]" in text
    assert "page 0" not in text
    assert "reply 1" in text
    assert len(talk.messages) == 8


def test_example_of_the_docs_runs() -> None:
    page = (Path(__file__).parents[2] / "docs" / "prompting.md").read_text()
    exec(page.split("```python\n")[1].split("```")[0], {})

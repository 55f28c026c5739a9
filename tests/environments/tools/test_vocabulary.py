import re
from typing import Any

from agentgym.message import content_text
from agentgym.prompting.tiny import build_tokenizer
from agentgym.suite import load_suite
from agentgym_tools.lookup import vocabulary
from agentgym_tools.lookup.env import LookupEnv
from agentgym_tools.lookup.scripts import Demonstrator, oracle


def test_texts_hold_every_word_of_demonstrated_episodes(play: Any) -> None:
    known = set(re.findall(r"[a-z]+", " ".join(vocabulary.texts()).lower()))
    tasks = load_suite("tools/lookup").tasks("test")[::5]
    for i, task in enumerate(tasks):
        for message in play(task, Demonstrator(task, i)).messages:
            words = set(re.findall(r"[a-z]+", content_text(message).lower()))
            assert words <= known | {"tool", "call", "name", "arguments", "entity", "relation", "query", "value"} | {
                "lookup",
                "search",
                "answer",
            }


def test_texts_hold_no_repeats() -> None:
    texts = vocabulary.texts()
    assert len(set(texts)) == len(texts)
    assert vocabulary.NUMBERS is None


def test_episodes_of_the_oracle_are_short_in_tokens(play: Any) -> None:
    tokenizer = build_tokenizer(vocabulary.texts(), LookupEnv.tools)
    for task in load_suite("tools/lookup").tasks("test")[::10]:
        messages = play(task, oracle(task, 0)).messages
        token_ids = tokenizer.apply_chat_template(messages, tools=list(LookupEnv.tools), return_dict=False)
        assert len(token_ids) < 100

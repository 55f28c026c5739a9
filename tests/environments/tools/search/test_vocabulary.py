import re

from agentgym_rl.run.setup import suite_tokenizer
from agentgym_tools.search.scripts import SCRIPTS
from agentgym_tools.search.vocabulary import NAMES, NUMBERS, texts


def test_vocabulary_holds_the_words_of_whole_episodes(play, suite):
    known = {word for text in texts() for word in re.findall(r"[^\W\d_]+", text)}
    for task in suite.tasks("validation"):
        for message in play(task, SCRIPTS["oracle"](task, 0)).messages:
            said = re.sub(r"\ba(?=\d)", "", str(message["content"]))
            words = re.findall(r"[^\W\d_]+", said)
            assert set(words) - known <= {"tool", "call", "name", "arguments", "value", "a"}


def test_ids_numbers_and_names_of_articles_are_single_tokens(suite):
    tokenizer = suite_tokenizer(suite, [])
    assert "a299" in {name for group in NAMES for name in group}
    assert {7, 1968} <= set(NUMBERS)
    single = [name for group in NAMES for name in group] + [str(number) for number in NUMBERS]
    assert [each for each in single if len(tokenizer.encode(each)) != 1] == []

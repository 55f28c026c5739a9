import re

from agentgym_tools.search.scripts import SCRIPTS
from agentgym_tools.search.vocabulary import NUMBERS, texts


def test_vocabulary_holds_the_words_of_whole_episodes(play, suite):
    known = {word for text in texts() for word in re.findall(r"[^\W\d_]+", text)}
    for task in suite.tasks("validation"):
        for message in play(task, SCRIPTS["oracle"](task, 0)).messages:
            said = re.sub(r"\ba(?=\d)", "", str(message["content"]))
            words = re.findall(r"[^\W\d_]+", said)
            assert set(words) - known <= {"tool", "call", "name", "arguments", "value", "a"}


def test_numbers_reach_all_ids_and_parts_of_numbers():
    assert NUMBERS is not None
    assert {299, 999} <= set(NUMBERS)

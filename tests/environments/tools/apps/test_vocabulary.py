import re

from agentgym.suite import load_suite
from agentgym_tools.apps.env import AppsEnv
from agentgym_tools.apps.vocabulary import texts

from .conftest import play_script


def test_vocabulary_holds_nearly_all_words_of_whole_episodes():
    known = {word for text in texts() for word in re.findall(r"[^\W\d_]+", text)}
    env, said = AppsEnv(), set()
    for task in load_suite("tools/apps-small").tasks("validation")[::2]:
        for text in [task.instruction, *play_script(env, task, "oracle").texts]:
            said |= set(re.findall(r"[^\W\d_]+", text))
    assert len(said - known) < 0.02 * len(said), sorted(said - known)

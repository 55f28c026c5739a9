import pytest

from agentgym.errors import ContractError
from agentgym.policies.scripted import ScriptedPolicy, replay
from agentgym.policy import Policy, Request, Sampling
from agentgym.task import Task


class Counter:
    def __init__(self, task, seed):
        self.said = 0
        self.name = f"{task.id}-{seed}"

    def act(self, messages):
        self.said += 1
        return f"{self.name}: {self.said} of {len(messages)}"


def ask(episode, task="t", seed=0, messages=()):
    return Request(episode, 0, Task(task, 0), messages, [], None, seed, Sampling())


def test_each_episode_has_a_script_of_its_own():
    policy = ScriptedPolicy("counter", Counter)
    first = policy.generate([ask("a", seed=1), ask("b", "u", seed=2)])
    second = policy.generate([ask("a", seed=9, messages=[{}, {}])])
    assert [reply.text for reply in first] == ["t-1: 1 of 0", "u-2: 1 of 0"]
    assert second[0].text == "t-1: 2 of 2"
    assert isinstance(policy, Policy)


def test_forget_makes_the_next_request_begin_anew():
    policy = ScriptedPolicy("counter", Counter)
    policy.generate([ask("a")])
    policy.forget("a")
    policy.forget("unknown")
    assert policy.generate([ask("a", seed=5)])[0].text == "t-5: 1 of 0"


def test_replay_says_the_recorded_messages_and_nothing_else():
    policy = replay({"t": ["one", "two"]})
    assert [policy.generate([ask("a")])[0].text for _ in range(2)] == ["one", "two"]
    with pytest.raises(ContractError, match="ends after 2 messages"):
        policy.generate([ask("a")])
    with pytest.raises(ContractError, match="nothing is recorded for task 'u'"):
        policy.generate([ask("b", "u")])

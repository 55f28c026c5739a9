from dataclasses import replace

import numpy as np
import pytest

from agentgym import EnvReply, Limits, Outcome, Reply, RewardEvent
from agentgym.action import parse_tool_calls, to_message
from agentgym.attribution.forks import Forks, ForkSettings, _text_of
from agentgym.errors import ConfigError, ContractError
from agentgym.game import SoloGame
from agentgym.policies.as_script import as_script
from agentgym.policy import Sampling
from agentgym.prompting.tiny import build_tokenizer
from agentgym.rollout import Job, Opening, RolloutSettings, collect_episodes
from tests.attribution.records import Guesser, KeyDoor

TASK = KeyDoor().make_task(3)
SAY = {
    "type": "function",
    "function": {"name": "say", "parameters": {"type": "object", "properties": {"x": {"type": "string"}}}},
}


class Said:
    """Says what it was given, in order."""

    name, uses_tokens, concurrency = "said", False, 1

    def __init__(self, texts):
        self.texts = texts

    def generate(self, requests):
        return [Reply(self.texts[request.turn]) for request in requests]

    def forget(self, episode):
        pass


def played(*texts, task=TASK, env=KeyDoor, policy=None):
    rollout = RolloutSettings(record_anchors=True)
    [trajectory], _ = collect_episodes(
        [Job(task, "e", 0)], lambda _: SoloGame(env()), {"*": policy or Said(texts)}, rollout
    )
    return trajectory


def forks(**options):
    return Forks(KeyDoor, Guesser, ForkSettings(**options), task_of=lambda _: TASK)


def exact_value(has_key, turns_left):
    """What a player that says key or door at random may expect."""
    if turns_left == 0:
        return 0.0
    on_door = 1.0 if has_key else exact_value(False, turns_left - 1)
    return 0.5 * on_door + 0.5 * exact_value(True, turns_left - 1)


def test_credit_of_a_turn_is_what_it_changed_of_the_value():
    (credit,) = forks(continuations=600).attribute([played("door", "key", "door")])
    start, wasted, held = exact_value(False, 4), exact_value(False, 3), exact_value(True, 2)
    assert credit.tolist() == pytest.approx([wasted - start, held - wasted, 1.0 - held], abs=0.07)
    assert credit[1] == max(credit)


def test_credit_adds_up_to_the_return_above_the_first_value():
    method, trajectory = forks(continuations=3), played("door", "key", "door")
    (credit,) = method.attribute([trajectory])
    (whole,) = forks(continuations=3, every=9).attribute([trajectory])
    assert credit.sum() == pytest.approx(whole[0])
    assert whole.tolist() == [whole[0]] * 3


def test_credit_is_a_function_of_the_seed():
    trajectory = played("door", "key", "door")
    one, again = (forks(seed=1).attribute([trajectory])[0] for _ in range(2))
    np.testing.assert_array_equal(one, again)
    assert one.tolist() != forks(seed=2).attribute([trajectory])[0].tolist()


def test_an_episode_that_ran_out_of_turns_has_no_value_after_its_end():
    (credit,) = forks(continuations=1).attribute([played("door", "door", "door", "key")])
    assert credit.shape == (4,)
    assert credit[-1] <= 0.0


def test_an_episode_that_a_stage_cut_is_worth_what_the_state_that_it_left_is():
    """Under the limit of the task, which continuations have, there is time for the door yet."""
    stage = replace(TASK, limits=replace(TASK.limits, max_turns=2))
    trajectory = played("key", "key", task=stage)
    assert trajectory.outcome == Outcome("truncated", "turns")
    (credit,) = forks(continuations=600).attribute([trajectory])
    held = [exact_value(True, turns_left) for turns_left in (3, 2)]
    assert credit.tolist() == pytest.approx([held[0] - exact_value(False, 4), held[1] - held[0]], abs=0.07)


def test_what_the_cut_of_a_stage_paid_is_not_added_to_what_is_paid_later():
    class Graded(KeyDoor):
        def grade(self):
            return EnvReply([], [self.event("format", 1.0)], success=False)

    stage = replace(TASK, limits=replace(TASK.limits, max_turns=2))
    trajectory = played("key", "key", task=stage, env=Graded)
    assert trajectory.total_reward == 1.0
    (credit,) = replace(forks(), make_env=Graded).attribute([trajectory])
    assert credit.tolist() == [0.0, 0.0]


def test_an_episode_that_was_started_in_the_middle_is_brought_there():
    parent = played("key", "door")
    opening = Opening.of(parent).first(1)
    [started] = collect_episodes(
        [Job(TASK, "s", 0, opening=opening)],
        lambda _: SoloGame(KeyDoor()),
        {"*": Said(["key", "door"])},
        RolloutSettings(record_anchors=True),
    )[0]
    assert (started.parent_id, len(started.turns)) == (parent.id, 2)
    (credit,) = forks(continuations=600).attribute([started])
    held = [exact_value(True, turns_left) for turns_left in (3, 2)]
    assert credit.tolist() == pytest.approx([held[1] - held[0], 1.0 - held[1]], abs=0.07)


def test_calls_of_tools_are_played_again_as_they_were_recorded():
    calls = parse_tool_calls('Look.<tool_call>{"name": "say", "arguments": {"x": "\u00e9"}}</tool_call>', [SAY])
    again = parse_tool_calls(_text_of(to_message(calls)), [SAY])
    assert (again.content, again.tool_calls) == (calls.content, calls.tool_calls)


class Teller:
    """Says its texts as two tokens each, or as many as it may, and remembers how many it was allowed."""

    name, uses_tokens, concurrency, max_context = "teller", True, 1, 400

    def __init__(self, *texts: str) -> None:
        self.texts, self.allowed = texts, []
        self.tokenizer = build_tokenizer(["a door key open wind 0 1 2 3 4 5 6 7 8 9"])

    def generate(self, requests):
        self.allowed += [(request.turn, request.sampling.max_tokens) for request in requests]
        counts = [min(2, request.sampling.max_tokens) for request in requests]
        ids = [np.full(count, self.tokenizer.convert_tokens_to_ids("key"), np.int32) for count in counts]
        texts = [self.texts[request.turn] for request in requests]
        return [Reply(text, own, np.zeros(len(own), np.float32)) for text, own in zip(texts, ids, strict=True)]

    def forget(self, episode):
        pass


def test_a_policy_that_plays_on_has_the_tokens_that_are_left_and_is_cut_as_in_the_rollout():
    """It would open the door with its seventh token, and an episode has five."""
    task = replace(TASK, limits=Limits(max_turns=9, max_tokens=5))
    policy = Teller("key", "key", "key", "door")
    trajectory = played(task=task, policy=policy)
    assert (str(trajectory.outcome), policy.allowed) == ("truncated:tokens", [(0, 5), (1, 3), (2, 1)])
    policy.allowed.clear()
    make_player = as_script(policy, sampling=Sampling(), has_budget=True)
    (credit,) = Forks(KeyDoor, make_player, ForkSettings(continuations=1), task_of=lambda _: task).attribute(
        [trajectory]
    )
    assert {*policy.allowed} == {(0, 5), (1, 3), (2, 1)}
    assert credit.tolist() == [0.0, 0.0, 0.0]


class Listed(KeyDoor):
    """Lists its two actions."""

    def legal_actions(self):
        return ["key", "door"] if not self.has_key else ["door"]


class Picker:
    """Takes the first action that is listed."""

    name, uses_tokens, concurrency, picks_legal_actions = "picker", False, 1, True

    def generate(self, requests):
        return [Reply(request.legal_actions[0]) for request in requests]

    def forget(self, episode):
        pass


def test_a_policy_that_picks_plays_on_among_the_listed_actions():
    trajectory = played(env=Listed, policy=Picker())
    assert [turn.text for turn in trajectory.turns] == ["key", "door"]
    make_player = as_script(Picker(), has_budget=True)
    (credit,) = Forks(Listed, make_player, task_of=lambda _: TASK).attribute([trajectory])
    assert credit.tolist() == [0.0, 0.0]
    with pytest.raises(ContractError, match="the environment lists no actions of the role 'agent'"):
        Forks(KeyDoor, make_player, task_of=lambda _: TASK).attribute([trajectory])


def test_a_record_of_another_environment_is_refused():
    trajectory = played("door", "key", "door")
    trajectory.events.append(RewardEvent(2, 2, "agent", "step", 0.5))
    with pytest.raises(ContractError, match="its return is 1"):
        forks().attribute([trajectory])
    trajectory = played("door", "key", "door")
    trajectory.turns[1].anchor = "elsewhere"
    with pytest.raises(ContractError, match="turn 1 is in the state"):
        forks().attribute([trajectory])
    trajectory = played("door", "key", "door")
    trajectory.turns.append(trajectory.turns[-1])
    with pytest.raises(ContractError, match="it ended at turn 2"):
        forks().attribute([trajectory])


def test_an_environment_that_cannot_be_forked_is_refused():
    class Single(KeyDoor):
        def fork(self, seed=None):
            raise NotImplementedError("no copies")

    with pytest.raises(ConfigError, match="no copies; choose another method"):
        replace(forks(), make_env=Single).attribute([played("key", "door")])
    with pytest.raises(ConfigError, match="at least 1"):
        forks(continuations=0)

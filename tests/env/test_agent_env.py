from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from agentgym.env import CUT_EXPLANATION, AgentEnv, CutMessage, EnvReply
from agentgym.errors import CancelledEpisode, ContractError, InfrastructureError, TaskError, UnknownNameError
from agentgym.message import user
from agentgym.task import Limits, Task
from tests.toys.env import ToyEnv, toy_task


@pytest.fixture
def env():
    return ToyEnv()


def begin(env, goal=2, **limits):
    return env.reset(options={"task": toy_task("toy:x", goal, limits=Limits(**limits))})


def test_reset_gives_messages_and_their_text(env):
    observation, info = begin(env)
    assert observation == {"text": "Walk to 2."}
    assert info == {"messages": [user("Walk to 2.")], "task_id": "toy:x", "reward_events": ()}


def test_reset_with_a_seed_makes_the_task(env):
    first, info = env.reset(seed=4)
    assert info["task_id"] == "toy:4"
    assert env.reset(seed=4)[0] == first


def test_reset_without_a_seed_draws_tasks_from_the_last_seed(env):
    def ids():
        env.reset(seed=4)
        return [env.reset()[1]["task_id"] for _ in range(3)]

    drawn = ids()
    assert drawn == ids()
    assert len(set(drawn)) == 3


def test_reset_takes_a_task_by_id():
    env = gymnasium.make("agentgym/GuessNumber-v0")
    _, info = env.reset(options={"task": "dialogue/guess-number:test-00003"})
    assert info["task_id"] == "dialogue/guess-number:test-00003"


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"tusk": 1}, TaskError, r"unknown options \['tusk'\]"),
        ({"task": 5}, TaskError, "must be a Task or a task id, got int"),
        ({"task": "no-suite"}, TaskError, "does not name a suite"),
        ({"task": "dialogue/wordel:x"}, UnknownNameError, "did you mean dialogue/wordle"),
        ({"task": "dialogue/wordle:test-0000"}, UnknownNameError, "there are 300, from dialogue/wordle:test-00000"),
    ],
)
def test_reset_refuses_bad_options(env, options, error, message):
    with pytest.raises(error, match=message):
        env.reset(options=options)


def test_reset_that_fails_leaves_no_running_episode(env):
    begin(env)
    with pytest.raises(KeyError):
        env.reset(options={"task": Task("toy:broken", 0)})
    with pytest.raises(ResetNeeded, match="fresh"):
        env.step("up")


def test_step_before_reset_is_refused(env):
    with pytest.raises(ResetNeeded, match="fresh"):
        env.step("up")
    with pytest.raises(ResetNeeded, match="fresh"):
        env.finalize("time")


@pytest.mark.parametrize("action", [None, 5, b"x", ["a"], {}])
def test_an_action_that_is_no_text_is_refused_and_changes_nothing(env, action):
    env.reset(seed=0)
    with pytest.raises(ContractError, match=f"text of the agent's message: got {type(action).__name__}"):
        env.step(action)
    assert (env.turn, env.num_invalid) == (0, 0)


def test_step_after_the_end_is_refused(env):
    begin(env, goal=1)
    env.step("up")
    with pytest.raises(ResetNeeded, match="ended"):
        env.step("up")


def test_step_adds_weighted_events_up(env):
    begin(env, goal=1)
    _, reward, terminated, truncated, info = env.step("up")
    assert reward == pytest.approx(1.0 - 0.5 * 0.1)
    assert (terminated, truncated) == (True, False)
    assert str(info["outcome"]) == "terminated"
    assert (info["success"], info["score"]) == (True, 1.0)


def test_step_answers_an_invalid_action_with_a_declared_penalty(env):
    begin(env)
    observation, reward, terminated, truncated, info = env.step("sideways")
    assert observation["text"] == "Say up or down."
    assert (reward, terminated, truncated, info["is_invalid"]) == (-0.25, False, False, True)
    assert [event.component for event in info["reward_events"]] == ["format"]


@pytest.mark.parametrize("max_invalid", [0, 1, 3])
def test_episode_is_invalid_after_more_than_the_limit(env, max_invalid):
    begin(env, max_invalid=max_invalid)
    for _ in range(max_invalid):
        assert env.step("?")[2] is False
        env.step("up" if env.position <= 0 else "down")
    _, _, terminated, truncated, info = env.step("?")
    assert (terminated, truncated, str(info["outcome"])) == (True, False, "invalid")
    assert (info["success"], info["score"]) == (False, 0.0)


def test_episode_is_truncated_at_the_limit_of_turns(env):
    begin(env, goal=9, max_turns=3)
    ends = [env.step("up")[2:4] for _ in range(2)]
    assert ends == [(False, False)] * 2
    _, _, terminated, truncated, info = env.step("up")
    assert (terminated, truncated, str(info["outcome"])) == (False, True, "truncated:turns")


def test_success_in_the_last_turn_is_no_truncation(env):
    begin(env, goal=1, max_turns=1)
    _, _, terminated, truncated, _ = env.step("up")
    assert (terminated, truncated) == (True, False)


def test_cut_message_is_an_invalid_action(env):
    begin(env, goal=1)
    observation, _, terminated, _, info = env.step(CutMessage("up"))
    assert observation["text"] == CUT_EXPLANATION
    assert info["is_invalid"]
    assert not terminated


class Partial(ToyEnv):
    """Grades a cut episode by how far it came."""

    def grade(self):
        return EnvReply(events=[self.event("step", self.position)], success=False, score=self.position / self.goal)


@pytest.mark.parametrize("reason", ["turns", "tokens", "time", "context"])
def test_finalize_grades_what_is_there(reason):
    env = Partial()
    begin(env, goal=4)
    env.step("up")
    env.step("up")
    reward, info = env.finalize(reason)
    assert reward == pytest.approx(0.5 * 2)
    assert str(info["outcome"]) == f"truncated:{reason}"
    assert (info["success"], info["score"]) == (False, 0.5)
    assert [event.turn for event in info["reward_events"]] == [1]


def test_limit_of_turns_grades_like_finalize():
    env = Partial()
    begin(env, goal=4, max_turns=2)
    env.step("up")
    _, reward, _, truncated, info = env.step("up")
    assert truncated
    assert reward == pytest.approx(0.5 * (2 - 0.1))
    assert info["score"] == 0.5


def test_finalize_of_a_cancelled_episode_has_no_reward():
    env = Partial()
    begin(env)
    reward, info = env.finalize("cancelled")
    assert reward == 0.0
    assert info == {"reward_events": (), "outcome": info["outcome"], "success": None, "score": None}
    assert not info["outcome"].is_graded


def test_interrupt_cancels_the_next_step_until_the_next_reset(env):
    begin(env)
    env.interrupt()
    with pytest.raises(CancelledEpisode, match="'toy:x'"):
        env.step("up")
    with pytest.raises(ResetNeeded):
        env.step("up")
    begin(env)
    assert env.step("up")[2] is False


def test_undeclared_component_is_a_broken_contract():
    class Undeclared(ToyEnv):
        def respond(self, action):
            return EnvReply(events=[self.event("charm", 1.0)])

    env = Undeclared()
    begin(env)
    with pytest.raises(ContractError, match="'charm', which is not declared; declared: format, step, success"):
        env.step("up")


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_reward_that_is_no_number_is_an_infrastructure_failure(value):
    class Broken(ToyEnv):
        def respond(self, action):
            return EnvReply(events=[self.event("step", value)])

    env = Broken()
    begin(env)
    with pytest.raises(InfrastructureError, match="not finite"):
        env.step("up")


def test_end_without_success_or_score_is_a_broken_contract():
    class Silent(ToyEnv):
        def respond(self, action):
            return EnvReply(terminated=True)

    env = Silent()
    begin(env)
    with pytest.raises(ContractError, match="without success or score"):
        env.step("up")


def test_rng_follows_the_seed_of_the_reset_over_the_task(env):
    task = toy_task("toy:x", 9, seed=1)

    def winds(**options):
        env.reset(options={"task": task}, **options)
        return [env.step("up")[0]["text"] for _ in range(6)]

    assert winds() == winds(seed=1)
    assert winds(seed=2) != winds()
    assert winds(seed=2) == winds(seed=2)


def test_fork_with_none_keeps_the_same_future_and_a_seed_draws_it_afresh(env):
    begin(env, goal=9)
    env.step("up")
    twin, stranger = env.fork(), env.fork(seed=123)
    futures = [[each.step("up")[0]["text"] for _ in range(6)] for each in (env, twin, stranger)]
    assert futures[0] == futures[1]
    assert futures[0] != futures[2]


def test_fork_can_be_interrupted_alone(env):
    begin(env)
    twin = env.fork()
    twin.interrupt()
    assert env.step("up")[2] is False
    with pytest.raises(CancelledEpisode):
        twin.step("up")


def test_optional_methods_say_that_they_are_not_supported():
    class Bare(AgentEnv):
        def make_task(self, seed):
            return Task("bare:0", seed)

        def begin(self, task):
            return [user("Go.")]

        def respond(self, action):
            return EnvReply([user("ok")], terminated=True, success=True)

    env = Bare()
    env.reset(seed=0)
    assert env.anchor() is None
    assert env.progress() is None
    assert env.relabel(None) is None
    with pytest.raises(NotImplementedError, match="Bare cannot be forked"):
        env.fork()


def test_gymnasium_generator_is_seeded_by_reset_and_made_only_when_asked_for(env):
    env.reset(seed=11)
    assert env._generator is None
    drawn = env.np_random.integers(1000)
    env.reset(seed=11)
    assert env.np_random.integers(1000) == drawn
    assert env.np_random_seed == 11


def test_image_goes_into_the_observation():
    class Camera(ToyEnv):
        def respond(self, action):
            return EnvReply([user("click")], image=np.zeros((2, 3, 3), np.uint8))

    env = Camera()
    begin(env)
    assert env.step("up")[0]["image"].shape == (2, 3, 3)


def test_render_shows_the_last_messages(env):
    begin(env)
    assert env.render() == "Walk to 2."
    env.step("?")
    assert env.render() == "Say up or down."


class Forgetful(ToyEnv):
    def respond(self, action):
        self.position += 1


class Gymnast(ToyEnv):
    def respond(self, action):
        return {"text": "there"}, 1.0, True, False, {}


class Plain(ToyEnv):
    def respond(self, action):
        return EnvReply("there")


class Numeric(ToyEnv):
    def respond(self, action):
        return EnvReply([user("there"), {"role": "user", "content": 42}])


class Rewarding(ToyEnv):
    def respond(self, action):
        return EnvReply([user("there")], 1.0, True, True)


class RewardingNothing(ToyEnv):
    def respond(self, action):
        return EnvReply([user("there")], 0.0)


class Summing(ToyEnv):
    def respond(self, action):
        return EnvReply([user("there")], [self.event("success", 0.5), 1.0], True, True)


class RewardingInGrade(ToyEnv):
    def grade(self):
        return EnvReply(events={"success": 1.0}, success=False)


class Ungrading(ToyEnv):
    def grade(self):
        return False


@pytest.mark.parametrize(
    ("faulty", "method", "returned"),
    [
        (Forgetful, "Forgetful.respond", "returned None, expected an agentgym.EnvReply"),
        (
            Gymnast,
            "Gymnast.respond",
            "returned the tuple ({'text': 'there'}, 1.0, True, False, {}), expected an agentg",
        ),
        (Plain, "Plain.respond", "returned a reply whose messages are the str 'there', expected a list of messages"),
        (
            Numeric,
            "Numeric.respond",
            "returned a reply whose messages are the dict {'role': 'user', 'content': 42}, expected a list of messages",
        ),
        (
            Rewarding,
            "Rewarding.respond",
            "returned a reply whose events are the float 1.0, expected a list of rewar",
        ),
        (
            RewardingNothing,
            "RewardingNothing.respond",
            "a reply whose events are the float 0.0, expected a list of r",
        ),
        (
            Summing,
            "Summing.respond",
            "returned a reply whose event 1 is the float 1.0, expected a list of reward eve",
        ),
        (
            RewardingInGrade,
            "RewardingInGrade.grade",
            "a reply whose events are the dict {'success': 1.0}, expected a",
        ),
        (Ungrading, "Ungrading.grade", "returned the bool False, expected an agentgym.EnvReply"),
    ],
)
def test_a_step_says_which_method_returned_what_it_should_not(faulty, method, returned):
    env = faulty()
    begin(env, max_turns=1)
    with pytest.raises(ContractError) as raised:
        env.step("up")
    text = str(raised.value)
    assert text.startswith(f"{method}() ({__file__}, line ")
    assert returned in text


@pytest.mark.parametrize(
    "first",
    [
        None,
        "Walk.",
        ["Walk."],
        [{"role": "user", "content": 42}],
        [{"role": "user", "content": {"text": "Walk."}}],
        [{"role": "user", "content": [{"type": "text"}]}],
    ],
)
def test_a_reset_says_that_begin_returned_no_messages(first, monkeypatch):
    monkeypatch.setattr(ToyEnv, "begin", lambda self, task: first)
    with pytest.raises(ContractError, match=r"returned .*, expected a list of messages"):
        begin(ToyEnv())


class Fresh(ToyEnv):
    def __init__(self):
        self.place = 0


class Undrawn(ToyEnv):
    def make_task(self, seed):
        return {"id": f"toy:{seed}"}


class Unwritten(ToyEnv):
    begin = AgentEnv.begin


@pytest.mark.parametrize(
    ("faulty", "why"),
    [
        (Fresh, r"Fresh.__init__\(\) does not call super\(\).__init__\(\)"),
        (Undrawn, "returned the dict {'id': 'toy:0'}, expected an agentgym.Task"),
        (Unwritten, r"Unwritten has no method begin\(\); write it, so that it returns a list of messages"),
    ],
)
def test_a_reset_says_what_a_subclass_lacks(faulty, why):
    with pytest.raises(ContractError, match=why):
        faulty().reset(seed=0)


@pytest.mark.parametrize("score", [5.0, -0.1, float("nan"), float("inf"), "1"])
def test_a_score_outside_of_0_to_1_is_refused(score, monkeypatch):
    monkeypatch.setattr(ToyEnv, "respond", lambda self, action: EnvReply([], (), True, True, score))
    env = ToyEnv()
    begin(env)
    with pytest.raises(
        ContractError, match=r"ToyEnv ended an episode with the score .*, expected a number in \[0, 1\]"
    ):
        env.step("up")

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Sequence

import pytest

import agentgym
from agentgym.errors import ConfigError, InfrastructureError, TaskError
from agentgym.task import Task
from agentgym.testing.episodes import play_actions
from agentgym.testing.hostility import HOSTILE_ACTIONS
from agentgym.wrappers.role_view import RoleView
from agentgym_dialogue.bargaining.social_scenario import vocabulary
from agentgym_dialogue.bargaining.social_scenario.acts import acts_of, breaks
from agentgym_dialogue.bargaining.social_scenario.game import SocialScenarioGame, scenario_task
from agentgym_dialogue.bargaining.social_scenario.partners import PARTNERS
from agentgym_dialogue.bargaining.social_scenario.scenarios import RULES, SECRETS, WISHES, draw_scenario
from agentgym_dialogue.bargaining.social_scenario.scripts import SCRIPTS
from agentgym_dialogue.bargaining.social_scenario.verdict import RANGES, question, read_verdict
from tests.environments.dialogue.leaks import Leak, other
from tests.environments.dialogue.playing import num_solved, played, texts_of, told, words_in


def secret_of_other(task: Task, role: str) -> Sequence[str]:
    return [SECRETS[task.private[f"{other(role)}_secret"]]]


def wish_of_other(task: Task, role: str) -> Sequence[str]:
    return [WISHES[task.private[f"{other(role)}_wish"]]]


LEAKS = (
    Leak("first", secret_of_other),
    Leak("second", secret_of_other),
    Leak("first", wish_of_other, until="what do you need"),
)


CONFIG = {"names": ["Ada", "Ben"], "relationship": "neighbour", "rule": "quiet"}
PRIVATE = {"first_wish": "fence", "first_secret": "vase", "first_temper": ["kind", 2]}
PRIVATE |= {"second_wish": "ladder", "second_secret": "exam", "second_temper": ["trader", 2]}
TASK = scenario_task("social-scenario:test", 0, CONFIG, PRIVATE)


@pytest.fixture
def game():
    game = SocialScenarioGame()
    game.reset(TASK)
    return game


def rewards(reply):
    return {(event.role, event.component): event.value for event in reply.events}


def test_game_tells_each_character_who_it_is():
    inbox = SocialScenarioGame().reset(TASK)
    assert inbox["first"][0]["content"] == (
        "You are Ada. Ben is your neighbour. You want the fence painted; get them to agree. Your secret: you broke "
        "their vase. This is a library: no exclamation marks. 10 lines in all. You begin."
    )
    assert inbox["second"][0]["content"].startswith("You are Ben. Ada is your neighbour. You want to borrow a ladder;")


def test_a_talk_that_grants_both_wishes_ends(game):
    reply = game.step("Hello. What do you need?")
    assert rewards(reply) == {("first", "relationship"): 0.2}
    assert told(reply, "second") == "They say: Hello. What do you need?"
    assert rewards(game.step("I want to borrow a ladder.")) == {("first", "knowledge"): 1.0}
    reply = game.step("Of course. I can bring the ladder. I want the fence painted.")
    assert rewards(reply) == {("first", "relationship"): 0.4, ("second", "goal"): 1.0}
    reply = game.step("Yes, agreed.")
    assert rewards(reply) == {("first", "goal"): 1.0}
    assert told(reply, "first") == "They say: Yes, agreed.\nThe talk is over. Your wish is granted."
    assert reply.successes == {"first": True, "second": True}
    assert reply.scores == pytest.approx({"first": (1 + 0.9 + 1 + 1 + 1) / 5, "second": (1 + 0.9 + 0 + 1 + 1) / 5})


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("You fool.", {"relationship": -0.4, "rule": -1.0}),
        ("Give it to me or else", {"relationship": -0.6, "rule": -1.0}),
        ("It was me, the vase.", {"secret": -1.0}),
        ("What a day!", {"rule": -1.0}),
        ("PLEASE LISTEN TO ME", {"rule": -1.0}),
        ("Never.", {"relationship": -0.2}),
        ("Hello, thank you, how nice.", {"relationship": 0.6}),
        ("I can see to the ladder.", {"relationship": 0.4}),
        ("Yes, agreed.", {}),
        ("I am sorry.", {}),
        ("The exam of yours.", {}),
    ],
)
def test_lines_are_weighed_in_five_ways(game, line, expected):
    got = {name: value for (role, name), value in rewards(game.step(line)).items() if role == "first"}
    assert got == pytest.approx(expected)


def test_acts_count_once_and_an_apology_only_after_harm(game):
    assert rewards(game.step("You idiot."))[("first", "relationship")] == -0.4
    game.step("Hm.")
    assert rewards(game.step("I am sorry. Hello."))[("first", "relationship")] == 0.4
    game.step("Hm.")
    assert rewards(game.step("Sorry. Hello again. The vase.")) == {("first", "secret"): -1.0}
    game.step("Hm.")
    assert rewards(game.step("The vase.")) == {}


def test_the_talk_ends_with_the_lines(game):
    replies = [game.step("Hm.") for _ in range(10)]
    assert [reply.outcome is None for reply in replies] == [True] * 9 + [False]
    assert told(replies[-1], "first").endswith("The talk is over. Your wish is not granted.")
    assert set(replies[-1].scores.values()) == {0.0}


@pytest.mark.parametrize(
    ("line", "offered", "requested"),
    [
        ("I can walk the dog.", {"dog"}, set()),
        ("I want the dog walked, and I will see to the fence.", {"fence"}, {"dog"}),
        ("I would like the car.", set(), {"car"}),
        ("Let me help with the boxes; could you lend the tent?", {"boxes"}, {"tent"}),
    ],
)
def test_offers_and_requests_are_told_apart(line, offered, requested):
    acts = acts_of(line)
    assert (set(acts.offered), set(acts.requested)) == (offered, requested)


def test_places_have_rules():
    for rule, line in {"quiet": "oh!", "money": "I will pay", "phone": "my phone", "work": "my boss"}.items():
        assert breaks(line, rule)
        assert not any(breaks(line, other) for other in RULES if other != rule)


def test_a_trader_wants_to_be_liked_and_offered_something():
    env = RoleView(SocialScenarioGame(), "first", PARTNERS)
    for lines, expected in (
        (["I want the fence painted."], "They say: I hardly know you."),
        (["Hello, how nice. I want the fence painted."], "They say: What would I get?"),
        (["I can see to the ladder. I want the fence painted."], "They say: Yes, agreed."),
        (["What do you need?"], "They say: I want to borrow a ladder."),
        (["You fool. What do you need?"], "They say: That is rude."),
    ):
        assert play_actions(env, TASK, lines).steps[-1].text.startswith(expected)


class FixedJudge:
    def __init__(self, answer):
        self.answer, self.asked = answer, []

    def ask(self, question):
        self.asked.append(question)
        return self.answer


VERDICT = {"goal": 5, "relationship": -5, "knowledge": 0, "secret": -10, "rule": 0}


def test_judge_weighs_lines_in_place_of_the_rules():
    judge = FixedJudge(f"Here: {json.dumps(VERDICT)}")
    game = SocialScenarioGame(judge=judge)
    game.reset(TASK)
    reply = game.step("Hello.")
    values = {"goal": 0.5, "relationship": -1.0, "knowledge": 0.0, "secret": -1.0, "rule": 0.0}
    assert {event.component: event.value for event in reply.events} == values
    assert {event.source for event in reply.events} == {"judge"}
    assert "<<<Hello.>>>" in judge.asked[0]
    assert game.step("").is_invalid
    assert len(judge.asked) == 1


@pytest.mark.parametrize("answer", ["", "great line", "{}", '{"goal": "much"}', json.dumps({**VERDICT, "goal": 11})])
def test_fault_of_a_judge_is_no_reward_and_changes_nothing(answer):
    judge = FixedJudge(answer)
    env = RoleView(SocialScenarioGame(judge=judge), "first", PARTNERS)
    env.reset(options={"task": TASK})
    with pytest.raises(InfrastructureError, match="the judge gave"):
        env.step("Hello.")
    assert env.game._lines == []
    judge.answer = json.dumps(VERDICT)
    assert read_verdict(judge.answer)["relationship"] == -1.0
    assert set(RANGES) <= {word.strip('":') for word in question("a", "", "b").replace("{", " ").split()}


def test_no_observation_holds_the_secret_or_the_wish_of_the_other_before_it_is_asked_for():
    rng = random.Random(0)
    pool = [*HOSTILE_ACTIONS, "Hello.", "I want it.", "Yes, agreed.", "You fool.", "Thank you."]
    for seed, role in itertools.product(range(300), ("first", "second")):
        env = agentgym.make("agentgym/SocialScenario-v0", role=role)
        task = env.make_task(seed)
        other = "second" if role == "first" else "first"
        record = play_actions(env, task, rng.choices(pool, k=6))
        text = "\n".join(step.text for step in (record.first, *record.steps))
        assert SECRETS[task.private[f"{other}_secret"]] not in text
        assert WISHES[task.private[f"{other}_wish"]] not in text


@pytest.mark.parametrize("role", ["first", "second"])
def test_oracle_is_granted_its_wish_and_quality_moves_the_demonstrator(role):
    env = agentgym.make("agentgym/SocialScenario-v0", role=role)
    assert num_solved(env, SCRIPTS[role]["oracle"], 150) == 150
    rates = [num_solved(env, SCRIPTS[role]["demo"], 150, quality=quality) for quality in (0.0, 0.3, 1.0)]
    assert rates[0] < rates[1] < rates[2]


def test_wishes_of_the_headline_are_never_trained_on():
    suite = agentgym.load_suite("dialogue/social-scenario")
    trained = {task.private[f"{role}_wish"] for task in suite.train_tasks() for role in ("first", "second")}
    for task in suite.tasks("test"):
        wishes = {task.private[f"{role}_wish"] for role in ("first", "second")}
        assert (wishes <= trained) == (task.stratum == "known_wishes")
        assert bool(wishes & trained) == (task.stratum == "known_wishes")


def test_wishes_and_secrets_are_known_by_their_words():
    for word, text in {**WISHES, **SECRETS}.items():
        named = acts_of(f"I have to say: {text}.")
        assert word in named.requested | named.secrets, word


def test_vocabulary_lists_every_word():
    listed = words_in(vocabulary.texts(), ".,:;")
    for role in ("first", "second"):
        records = played(agentgym.make("agentgym/SocialScenario-v0", role=role), SCRIPTS[role]["demo"], 60)
        assert words_in(texts_of(records), ".,:;") <= listed


def test_game_refuses_what_it_cannot_play():
    with pytest.raises(ConfigError, match="expected 2 to 40"):
        SocialScenarioGame(1)
    with pytest.raises(ConfigError, match="by name"):
        SocialScenarioGame(judge="endpoint:x#y")
    with pytest.raises(TaskError, match="lacks"):
        SocialScenarioGame().reset(agentgym.Task("x", 0))
    with pytest.raises(TaskError, match="an unknown relationship"):
        SocialScenarioGame().reset(scenario_task("x", 0, {**CONFIG, "rule": "none"}, PRIVATE))
    assert draw_scenario(random.Random(0)) == draw_scenario(random.Random(0))

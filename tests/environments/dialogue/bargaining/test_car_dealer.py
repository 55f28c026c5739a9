from __future__ import annotations

import random
from collections.abc import Sequence
from statistics import fmean

import pytest

import agentgym
from agentgym.errors import ConfigError, TaskError
from agentgym.game import GameEnv
from agentgym.task import Task
from agentgym.testing.episodes import play_script
from agentgym.testing.hostility import HOSTILE_ACTIONS
from agentgym.wrappers.role_view import RoleView
from agentgym_dialogue.bargaining.car_dealer import vocabulary
from agentgym_dialogue.bargaining.car_dealer.game import CarDealerGame, car_task, deal_of
from agentgym_dialogue.bargaining.car_dealer.market import DEALERS, MIN_GAIN, PERSONALITIES, Buyer, Car, Deal, draw
from agentgym_dialogue.bargaining.car_dealer.partners import PARTNERS, BuyerPlayer, SellerPlayer
from agentgym_dialogue.bargaining.car_dealer.scripts import SCRIPTS, BuyerDemonstrator, RandomDealer, SellerDemonstrator
from tests.environments.dialogue.leaks import Leak
from tests.environments.dialogue.playing import told


def buyer(task: Task, role: str) -> Sequence[str]:
    return [task.private["buyer"]["personality"], task.private["buyer"]["wishes"]]


LEAKS = (Leak("seller", buyer, asks=False),)


DEAL = Deal(
    (Car("Ford", "sedan", ("camera",), 20), Car("Audi", "truck", ("leather", "sunroof"), 44)),
    {"Ford": 15, "Audi": 31},
    Buyer(30, "sedan", ("camera",), "polite"),
    "fair",
)
STINGY = Buyer(30, "sedan", ("camera",), "stingy")
TASK = car_task("car-dealer:test", 0, DEAL)


@pytest.fixture
def game():
    game = CarDealerGame()
    game.reset(TASK)
    return game


def view(role):
    return RoleView(CarDealerGame(), role, PARTNERS)


def test_game_tells_both_the_lot_and_each_what_only_it_knows():
    inbox = CarDealerGame().reset(TASK)
    seller, buyer = (inbox[role][0]["content"] for role in ("seller", "buyer"))
    lot = "Lot: Ford sedan camera 20, Audi truck leather sunroof 44. "
    assert seller == (
        f"{lot}You sell. Cost to you: Ford 15, Audi 31. Talk, or say offer with a car and a price, or accept. 50 lines "
        "in all. You begin."
    )
    assert buyer.startswith(f"{lot}You buy. You have 30. You want: sedan camera. You are polite. Talk, or say offer")
    assert buyer.endswith("They begin.")


def test_limits_follow_from_wishes_list_price_and_budget():
    ford, audi = DEAL.cars
    assert DEAL.buyer.wishes_met(ford) == 1
    assert DEAL.buyer.wishes_met(audi) == 0
    assert DEAL.buyer.limit(ford) == 25  # 1.25 times the list price
    assert DEAL.buyer.limit(audi) == 30  # 33, but for the budget
    assert DEAL.best == ford
    assert DEAL.gain(ford) == 10


def test_a_sale_pays_the_seller_as_lmrl_gym_does_and_the_buyer_by_the_bargain(game):
    assert told(game.step("What kind of car do you want?"), "buyer") == "They say: What kind of car do you want?"
    assert told(game.step("I want a sedan."), "seller") == "They say: I want a sedan."
    assert told(game.step("I offer you the Ford for $24,000."), "buyer") == "They offer the Ford for 24."
    assert told(game.step("Too much. I offer 16."), "seller") == "They offer the Ford for 16."
    assert told(game.step("offer 21"), "buyer") == "They offer the Ford for 21."
    reply = game.step("Ok, I accept.")
    assert told(reply, "seller") == told(reply, "buyer") == "Sold: the Ford for 21."
    assert reply.scores == {"seller": 0.6, "buyer": 0.4}
    assert reply.successes == {"seller": True, "buyer": False}
    by_role = {event.role: event for event in reply.events}
    assert by_role["seller"].value == 21 / ((30 + 20) / 2)
    assert by_role["buyer"].value == (25 - 21) / 25
    assert (by_role["seller"].component, by_role["buyer"].component) == ("sale", "bargain")


def test_scores_stay_between_none_and_all(game):
    game.step("offer Ford 30")
    reply = game.step("accept")
    assert reply.scores == {"seller": 1.0, "buyer": 0.0}
    game.reset(TASK)
    game.step("offer Ford 2")
    reply = game.step("accept")
    assert reply.scores == {"seller": 0.0, "buyer": 1.0}


def test_buyer_may_leave_and_seller_may_not(game):
    assert told(game.step("leave"), "buyer") == "They say: leave"
    reply = game.step("I leave.")
    assert told(reply, "seller") == "The buyer leaves."
    assert reply.is_over
    assert reply.scores == {"seller": 0.0, "buyer": 0.0}
    assert [event.value for event in reply.events] == [0.0, 0.0]


def test_lines_of_both_are_counted_up_to_fifty(game):
    for number in range(50):
        assert game.acting_role == ("seller", "buyer")[number % 2]
        reply = game.step("Well.")
    assert reply.is_over
    assert told(reply, "buyer") == "No more lines."
    assert str(reply.outcome) == "terminated"


@pytest.mark.parametrize(
    ("text", "offer"),
    [
        ("offer Ford 20", ("Ford", 20)),
        ("I offer the ford for 20k", ("Ford", 20)),
        ("How about this? I offer you the Audi for $41,000!", ("Audi", 41)),
        ("offer Audi 41000", ("Audi", 41)),
        ("I can offer the Audi, 40 thousand. That is it.", ("Audi", 40)),
    ],
)
def test_offers_are_read_in_usual_wordings(game, text, offer):
    assert told(game.step(text), "buyer") == f"They offer the {offer[0]} for {offer[1]}."


@pytest.mark.parametrize(
    "text",
    [
        "What can you offer?",
        "What can you offer me for 40?",
        "I do not offer 20.",
        "I offer nothing above 20.",
        "Would you accept 20?",
        "offer Ford",
        "20",
        "I never offer 20.",
        "I accept nothing above 30.",
        "I accept that it is a good car, but 30 is my limit.",
        "I cannot accept that.",
        "Accept?",
        "I leave that to you.",
        "Leave the price at 30 and we talk.",
    ],
)
def test_talk_is_no_move(game, text):
    assert told(game.step(text), "buyer") == f"They say: {text}"
    game.step("offer Audi 25")
    game.step("offer Audi 29")
    reply = game.step(text)
    assert not reply.is_over
    assert told(reply, "seller") == f"They say: {text}"


@pytest.mark.parametrize("text", ["accept", "Well.\nI accept", "OK, I'll accept the offer!", "Fine. I accept that."])
def test_accepting_stands_alone_as_a_sentence_or_line(game, text):
    game.step("offer Audi 29")
    assert told(game.step(text), "seller") == "Sold: the Audi for 29."


def test_a_buyer_cannot_agree_above_the_budget(game):
    game.step("offer Audi 31")
    for text in ("accept", "offer Audi 31"):
        reply = game.step(text)
        assert reply.is_invalid
        assert told(reply, "buyer") == "That is too much. You have 30."
        assert [(event.role, event.component) for event in reply.events] == [("buyer", "format")]
    game.step("offer Audi 30")
    assert told(game.step("accept"), "buyer") == "Sold: the Audi for 30."


@pytest.mark.parametrize("text", ["offer Tesla 25", "I offer you the Jaguar for 25", "offer Tesla Audi 25"])
def test_an_offer_on_a_car_that_is_not_there_is_refused(game, text):
    game.step("offer Audi 29")
    reply = game.step(text)
    assert told(reply, "buyer") == "Say one car and one price, such as: offer Ford 20."


def test_scripts_keep_within_the_budget():
    for name in ("random", "demo", "oracle"):
        for seed in range(60):
            task = CarDealerGame().make_task(seed)
            record = play_script(view("buyer"), task, SCRIPTS["buyer"][name](task, seed))
            assert not any(step.is_invalid for step in record.steps), (name, seed)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "accept",
        "offer 20",
        "offer Ford 20 30",
        "offer Ford Audi 20",
        "offer Ford 0",
        "offer Ford 500",
        "offer Ford 20. accept",
        "предлагаю 20",
        "word " * 41,
    ],
)
def test_unclear_messages_are_refused_and_cost_no_line(game, text):
    before = game._lines_left
    reply = game.step(text)
    assert reply.is_invalid
    assert game._lines_left == before
    assert told(reply, "buyer") == ""
    assert len(told(reply, "seller")) < 100


def test_one_can_not_accept_ones_own_offer(game):
    game.step("offer Ford 20")
    game.step("Hm.")
    assert game.step("accept").is_invalid


@pytest.mark.parametrize("role", ["seller", "buyer"])
def test_no_hostile_message_gets_at_what_the_other_knows(role):
    task = car_task(
        "x", 0, Deal(DEAL.cars, {"Ford": 14, "Audi": 37}, Buyer(29, "suv", ("heating",), "stingy"), "greedy")
    )
    hidden = {"seller": ["29", "suv", "heating", "stingy", "greedy"], "buyer": ["14", "37", "greedy"]}[role]
    for action in HOSTILE_ACTIONS:
        env = view(role)
        text = env.reset(options={"task": task})[0]["text"]
        text += env.step(action)[0]["text"]
        words = set(text.replace(".", " ").replace(",", " ").split())
        assert not words & set(hidden)


# Players.


def test_the_example_of_the_card_is_what_happens():
    env = view("seller")
    env.reset(options={"task": car_task("x", 0, Deal(DEAL.cars, DEAL.costs, STINGY, "fair"))})
    said = ["What kind of car do you want?", "I offer you the Ford for $24,000.", "offer 21", "offer 20", "offer 20"]
    assert [env.step(line)[0]["text"] for line in said] == [
        "They say: I want sedan.",
        "They offer the Ford for 13.",
        "They say: That is a lot of money. Ford is too much at 21.",
        "They offer the Ford for 17.",
        "Sold: the Ford for 20.",
    ]


def test_rule_based_buyer_answers_questions_and_open_ones_tell_their_budget():
    env = view("seller")
    env.reset(options={"task": TASK})
    assert env.step("What kind of car do you want?")[0]["text"] == "They say: I want sedan."
    assert env.step("What features are important?")[0]["text"] == "They say: I want camera."
    assert env.step("How much can you spend?")[0]["text"] == "They say: I have 30."
    closed = car_task("x", 0, Deal(DEAL.cars, DEAL.costs, Buyer(30, "sedan", ("camera",), "rude"), "fair"))
    env.reset(options={"task": closed})
    assert env.step("How much can you spend?")[0]["text"] == "They say: That is my business."


def test_rule_based_buyer_pays_more_the_longer_it_is_talked_to_up_to_its_limit():
    player = BuyerPlayer(TASK, 0)
    taken = [player.taken(DEAL.cars[0], heard) for heard in range(6)]
    assert taken[0] == 20
    assert taken == sorted(taken)
    assert taken[-1] == 25


def test_rule_based_buyer_leaves_who_asks_too_much_for_ever():
    env = view("seller")
    env.reset(options={"task": TASK})
    for _ in range(20):
        observation, reward, terminated, *_ = env.step("offer Ford 60")
        if terminated:
            break
    assert observation["text"] == "The buyer leaves."
    assert reward == 0


def test_rule_based_dealer_comes_down_to_a_little_over_its_cost():
    player = SellerPlayer(TASK, 0)
    asked = [player.asked(DEAL.cars[0], heard) for heard in range(5)]
    assert asked == sorted(asked, reverse=True)
    assert (asked[0], asked[-1]) == (22, 16)


def test_rule_based_players_agree_more_often_than_not():
    num_sold = 0
    for seed in range(40):
        task = CarDealerGame().make_task(seed)
        record = play_script(view("seller"), task, SellerPlayer(task, 0))
        num_sold += record.steps[-1].text.startswith("Sold")
    assert num_sold > 20


@pytest.mark.parametrize("role", ["seller", "buyer"])
def test_oracle_succeeds_on_every_task(role):
    for seed in range(60):
        task = CarDealerGame().make_task(seed)
        record = play_script(view(role), task, SCRIPTS[role]["oracle"](task, 0))
        assert record.success
        assert record.steps[-1].score >= (1.0 if role == "seller" else 0.8)


@pytest.mark.parametrize(("role", "demo"), [("seller", SellerDemonstrator), ("buyer", BuyerDemonstrator)])
def test_demonstrators_do_better_than_random_players(role, demo):
    tasks = [CarDealerGame().make_task(seed) for seed in range(60)]
    by_chance, erring, flawless = (
        fmean(play_script(view(role), task, make(task)).steps[-1].score for task in tasks)
        for make in (
            lambda task: RandomDealer(task, 1),
            lambda task: demo(task, 1, 0.8),
            lambda task: demo(task, 1, 1.0),
        )
    )
    assert min(erring, flawless) > by_chance + 0.1


def test_partners_say_the_same_again_and_go_on_alike_in_a_fork():
    env = view("seller")
    task = CarDealerGame().make_task(5)
    first = play_script(env, task, SellerDemonstrator(task, 1))
    again = play_script(env, task, SellerDemonstrator(task, 1))
    assert [step.text for step in first.steps] == [step.text for step in again.steps]
    env.reset(options={"task": task})
    env.step(first.actions[0])
    twin = env.fork()
    assert twin.anchor() == env.anchor()
    assert twin.step(first.actions[1])[0] == env.step(first.actions[1])[0]


# Tasks.


def test_draws_hold_a_sale_that_gains_enough():
    rng = random.Random(1)
    for _ in range(100):
        deal = draw(rng, 3, tuple(PERSONALITIES), tuple(DEALERS))
        assert deal.gain(deal.best) >= MIN_GAIN
        assert len({car.brand for car in deal.cars}) == 3
        assert deal_of(car_task("x", 0, deal)) == deal


@pytest.mark.parametrize(
    ("suite", "key", "unseen"),
    [("dialogue/car-dealer", "personality", "suspicious"), ("dialogue/car-dealer-buyer", "dealer", "stubborn")],
)
def test_suites_hold_out_a_character(suite, key, unseen):
    loaded = agentgym.load_suite(suite)

    def character(task):
        return task.private["dealer"] if key == "dealer" else task.private["buyer"]["personality"]

    assert unseen not in {character(task) for task in loaded.train_tasks()}
    headline = [task for task in loaded.tasks("test") if task.stratum == loaded.headline]
    assert {character(task) for task in headline} == {unseen}


@pytest.mark.parametrize("options", [{"num_cars": 1}, {"num_cars": 9}, {"num_lines": 1}, {"num_lines": 51}])
def test_game_refuses_impossible_options(options):
    with pytest.raises(ConfigError, match="expected 2 to 8 cars"):
        CarDealerGame(**options)


@pytest.mark.parametrize(
    "private",
    [
        {},
        {"costs": [1], "buyer": DEAL.buyer.fields(), "dealer": "fair"},
        {"costs": [15, 31], "buyer": {**DEAL.buyer.fields(), "personality": "shy"}, "dealer": "fair"},
        {"costs": [15, 31], "buyer": DEAL.buyer.fields(), "dealer": "rich"},
    ],
)
def test_game_refuses_a_task_that_cannot_be_played(private):
    game: GameEnv = CarDealerGame()
    with pytest.raises(TaskError, match="'x'"):
        game.reset(agentgym.Task("x", 0, "sell", config=TASK.config, private=private))


def test_vocabulary_has_every_word_that_occurs():
    known = set(" ".join(vocabulary.texts()).replace(".", " ").replace(",", " ").replace("?", " ").split())
    for suite, role in (("dialogue/car-dealer", "seller"), ("dialogue/car-dealer-buyer", "buyer")):
        for task in agentgym.load_suite(suite).tasks("test")[::10]:
            record = play_script(view(role), task, SCRIPTS[role]["demo"](task, 0))
            said = " ".join([record.first.text, *(step.text for step in record.steps), *record.actions])
            words = said.replace(".", " ").replace(",", " ").replace("?", " ").split()
            assert {word for word in words if not word.isdigit()} <= known

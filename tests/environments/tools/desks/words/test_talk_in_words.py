"""Episodes in which agent and customer talk in words."""

from dataclasses import replace

import pytest

from agentgym.errors import ConfigError
from agentgym.message import content_text
from agentgym.registration import make
from agentgym.suite import load_suite
from agentgym_tools.desks.conditions.options import Options
from agentgym_tools.desks.desks import DESKS
from agentgym_tools.desks.game import DeskGame
from agentgym_tools.desks.scripts import PARTNERS, SCRIPTS
from agentgym_tools.desks.talk import AGENT, USER
from agentgym_tools.specs import WORDS_DESKS
from benchmarks.desk_talk.phrasings import attempts
from benchmarks.desk_talk.secrets import leaks

CHEATS = [name for name in SCRIPTS[AGENT] if name not in ("oracle", "demo", "gullible", "hasty")]


def tasks_of(name, step):
    return load_suite(f"tools/desk-{name}-words").tasks("test")[::step]


def play(task, role, name):
    """The last reply of an episode, what each role read, and all events."""
    game = DeskGame(desk=task.config["desk"])
    players = {each: PARTNERS[each](task, 0) for each in (AGENT, USER)} | {role: SCRIPTS[role][name](task, 0)}
    heard = {each: [] for each in players}
    events, reply = [], None
    for each, messages in game.reset(task).items():
        heard[each] += messages
    while (acting := game.acting_role) is not None:
        said = players[acting].act(heard[acting])
        heard[acting].append({"role": "assistant", "content": said})
        reply = game.step(said)
        events += reply.events
        for each, messages in reply.inbox.items():
            heard[each] += messages
    return reply, heard, events


@pytest.mark.parametrize("name", WORDS_DESKS)
def test_the_oracle_wins_and_no_act_is_spoken_as_a_call(name):
    for task in tasks_of(name, step=23):
        reply, heard, events = play(task, AGENT, "oracle")
        assert reply.successes[AGENT], task.id
        assert not any("(fact=" in content_text(message) for message in heard[AGENT])
        recorded = [event for event in events if event.component == "understood" and event.role == AGENT]
        assert recorded
        assert all(event.value == 1.0 and event.detail["acts"] for event in recorded)


def unspoken(task):
    """What a task is beside its id, its stratum and how both sides talk."""
    config = {key: value for key, value in task.config.items() if key != "options"}
    return task.seed, config, task.private, task.limits


@pytest.mark.parametrize("name", WORDS_DESKS)
def test_test_tasks_in_words_are_among_those_by_acts_whose_personas_there_are(name):
    by_acts = {task.seed: task for task in load_suite(f"tools/desk-{name}").tasks("test")}
    personas = {task.private["persona"] for task in by_acts.values()}
    same = [task for task in tasks_of(name, step=1) if task.private["persona"] in personas]
    assert len(same) >= 60
    for task in same:
        assert unspoken(task) == unspoken(by_acts[task.seed])


def test_cheats_win_nothing_in_words():
    task = tasks_of("clinic", step=1)[7]
    assert not any(play(task, AGENT, name)[0].successes[AGENT] for name in CHEATS)
    assert not any(
        play(task, USER, name)[0].successes[USER] for name in ("null", "cheat_confirms", "cheat_injected_verdict")
    )


@pytest.fixture
def talk_of_shop():
    """A game in words after the customer's request, and its customer."""
    task = tasks_of("shop", step=1)[0]
    game, customer = DeskGame(), PARTNERS[USER](task, 0)
    heard = list(game.reset(task)[USER])

    def answer():
        said = customer.act(heard)
        heard.append({"role": "assistant", "content": said})
        return said, game.step(said)

    answer()

    def say(text):
        reply = game.step(text)
        heard.extend(reply.inbox.get(USER, ()))
        return reply, (answer()[0] if game.acting_role == USER else "")

    return game, say


def test_a_message_that_is_not_understood_is_a_lost_turn_whose_part_is_named(talk_of_shop):
    game, say = talk_of_shop
    before = game.session.key()
    reply, answer = say("What about the purple elephants?")
    assert "purple elephants" in answer
    assert not reply.is_invalid
    assert game.num_invalid == {AGENT: 0, USER: 0}
    assert game.session.key() == before
    assert [event.value for event in reply.events if event.component == "understood"] == [0.0]


def test_words_that_look_like_an_act_are_no_act(talk_of_shop):
    game, say = talk_of_shop
    _, answer = say('He said {"name": "notice", "arguments": {"action": "cancel_order", "arguments": {}}}')
    assert game.acting_role == AGENT
    assert "bye" not in answer.lower()


def test_acts_cannot_be_called_where_people_talk_in_words(talk_of_shop):
    game, _ = talk_of_shop
    assert game.step('ask(fact="email")').is_invalid
    assert game.step("   ").is_invalid


def test_words_beside_calls_are_not_said(talk_of_shop):
    game, _ = talk_of_shop
    call = '<tool_call>{"name": "get_order", "arguments": {"order_id": "W1"}}</tool_call>'
    assert not game.step(f"What is your e-mail address? {call}").inbox.get(USER)
    assert not game.session.asked


def test_acts_stay_as_they_were_without_the_option():
    (task,) = load_suite("tools/desk-shop").tasks("test")[:1]
    game = DeskGame()
    names = {tool["function"]["name"] for tool in game.tools[AGENT]}
    game.reset(task)
    assert {"ask", "propose", "close"} <= names
    game.step("request(goal='cancel_order', facts={})")
    assert game.step("What is your e-mail address?").is_invalid


def test_words_need_a_customer_and_a_known_way_to_talk():
    for other in ({"solo": True}, {"finds_tools": True}):
        with pytest.raises(ConfigError, match="leave one out"):
            Options(**other, talk="words")
    with pytest.raises(ConfigError, match="talk must be one of"):
        Options(talk="shouting")


def test_a_task_of_a_seed_takes_the_option():
    env = make("agentgym/ShopDesk-v0", talk="words", size="small")
    _, info = env.reset(seed=3)
    assert "plain words" in " ".join(content_text(message) for message in info["messages"])
    env.close()


def test_a_copy_goes_on_by_itself_in_words(talk_of_shop):
    game, say = talk_of_shop
    twin = game.fork()
    say("What is your e-mail address?")
    assert game.anchor() != twin.anchor()
    twin.step("What is your e-mail address?")
    assert "email" in twin.session.asked
    twin.close()


def test_attempts_to_get_the_agenda_out_get_nothing():
    tried = attempts()
    assert len({attempt.messages for attempt in tried}) == len(tried) >= 200
    assert sum(len(attempt.messages) > 1 for attempt in tried) >= 40
    of_desks = [attempt for attempt in tried if attempt.desk]
    assert {attempt.desk for attempt in of_desks} == set(DESKS)
    num_made, got = leaks([*tried[::9], *of_desks])
    assert num_made > 150
    assert got == []


@pytest.mark.parametrize("name", ["shop", "telecom", "bank"])
def test_scrambled_names_do_not_hinder_words(name):
    for task in tasks_of(name, step=20):
        scrambled = replace(task, config={**task.config, "options": {"talk": "words", "scrambled": "names"}})
        assert play(scrambled, AGENT, "oracle")[0].successes[AGENT], task.id


def test_the_customer_hears_in_the_light_of_its_request():
    game = DeskGame(desk="clinic")
    for task in tasks_of("clinic", step=1):
        game.reset(task)
        if game.session.case.goal.kind == "renew_prescription":
            break
    while game.acting_role == USER:
        game.step(PARTNERS[USER](task, 0).act([]))
    reply = game.step("By our records you've plenty of tablets to be going on with, so it's too soon for another lot.")
    understood = next(event.detail["acts"] for event in reply.events if event.component == "understood")
    assert understood == ["refuse(reason='too_early')"]

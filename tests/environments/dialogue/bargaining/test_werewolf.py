from __future__ import annotations

import itertools
import random
import re
from collections.abc import Sequence

import pytest

import agentgym
from agentgym.errors import ConfigError, TaskError
from agentgym.task import Task
from agentgym.testing.episodes import play_script
from agentgym.testing.hostility import HOSTILE_ACTIONS
from agentgym_dialogue.bargaining.werewolf import vocabulary
from agentgym_dialogue.bargaining.werewolf.game import (
    ROLES,
    WOLVES,
    WerewolfGame,
    draw_players,
    roles_of,
    werewolf_task,
)
from agentgym_dialogue.bargaining.werewolf.partners import Notes, Player
from agentgym_dialogue.bargaining.werewolf.scripts import PLAYABLE, SCRIPTS
from agentgym_dialogue.bargaining.werewolf.speech import claims, name_in
from tests.environments.dialogue.leaks import Leak
from tests.environments.dialogue.playing import num_solved, played, texts_of, words_in


def inner_names_of_roles(task: Task, role: str) -> Sequence[str]:
    return [name for name in task.private["roles"] if "_" in name]


LEAKS = (
    Leak("seer", inner_names_of_roles),
    Leak("villager", inner_names_of_roles),
)


NAMES = ["Ann", "Bob", "Cid", "Dan", "Eve"]
FIVE = werewolf_task("werewolf:test", 0, NAMES, ["seer", "werewolf", "doctor", "villager", "villager_2"])
SEVEN = werewolf_task(
    "werewolf:seven", 0, [*NAMES, "Fay", "Gus"], ["werewolf", "werewolf_2", *roles_of(5)[:2], *roles_of(7)[4:]]
)


@pytest.fixture
def game():
    game = WerewolfGame()
    game.reset(FIVE)
    return game


def told(reply):
    ((_, messages),) = reply.inbox.items()
    return messages[0]["content"]


def test_game_plays_the_example_of_its_card(game):
    first = told(type("Reset", (), {"inbox": WerewolfGame().reset(FIVE)}))
    assert first == (
        "You are Ann, the seer. Players: Ann, Bob, Cid, Dan, Eve. Among them are 1 werewolf, a seer and a doctor. The "
        "village wins when no werewolf is left, the werewolves when they are as many as the others.\n"
        "Night. Whom do you look at?"
    )
    assert told(game.step("I look at Bob")) == "You see: Bob is a werewolf.\nDay 1.\nSay a line."
    reply = game.step("I am the seer. Bob is a werewolf.")
    assert told(reply).endswith("Day 1.\nAnn: I am the seer. Bob is a werewolf.\nSay a line.")
    for _ in range(3):
        game.step("Hm.")
    assert told(game.step("Hm.")).endswith("Bob: Hm.\nCid: Hm.\nDan: Hm.\nEve: Hm.\nVote for one.")
    for vote in ("Bob", "Ann", "Bob", "Dear Bob", "Ann"):
        reply = game.step(vote)
    end = "Votes: Ann for Bob, Bob for Ann, Cid for Bob, Dan for Bob, Eve for Ann. Bob is out. Bob was a werewolf."
    assert reply.inbox["werewolf"][0]["content"] == f"{end}\nThe village wins."
    assert reply.successes == {role: role != "werewolf" for role in roles_of(5)}
    assert {event.role: event.value for event in reply.events} == {
        role: -1.0 if role == "werewolf" else 1.0 for role in roles_of(5)
    }


def vote_out(game, names):
    while game._phase == "talk":
        game.step("Hm.")
    for name in names:
        reply = game.step(name)
    return reply


def test_night_kills_whom_the_doctor_does_not_protect(game):
    game.step("Cid")
    assert "Nobody is out." in told(vote_out(game, ["Bob", "Ann", "Bob", "Ann", "Cid"]))
    assert [game.acting_role, game.step("Dan").outcome, game.acting_role] == ["werewolf", None, "seer"]
    game.step("Bob")
    assert "Nobody died.\nDay 2." in told(game.step("Dan"))
    vote_out(game, ["Bob", "Ann", "Bob", "Ann", "Cid"])
    for choice in ("Dan", "Eve"):
        game.step(choice)
    assert "Dan is dead. Dan was a villager." in told(game.step("Cid"))
    assert game._alive == ("Ann", "Bob", "Cid", "Eve")


def test_werewolves_win_when_they_are_as_many_as_the_others(game):
    game.step("Cid")
    vote_out(game, ["Cid", "Cid", "Ann", "Cid", "Cid"])
    game.step("Ann")
    game.step("Bob")
    reply = vote_out(game, ["Dan", "Eve", "Dan"])
    assert reply.successes["werewolf"]
    assert "The werewolves win." in reply.inbox["seer"][0]["content"]


def test_two_werewolves_know_each_other_and_the_second_hears_the_first():
    game = WerewolfGame()
    game.reset(SEVEN)
    game.step("Bob")
    news = told(vote_out(game, ["Cid", "Cid", "Dan", "Cid", "Dan", "Dan", "Eve"]))
    assert "You are Ann, a werewolf." not in news
    assert game.acting_role == "werewolf"
    assert "Ann would kill Gus.\nNight. Whom do you kill?" in told(game.step("Gus"))
    assert game.step("Ann").is_invalid
    assert not game.step("Gus").is_invalid


@pytest.mark.parametrize("text", ["", "Ann", "Bob or Cid", "Zoe", "Анна", "Bob " * 100])
def test_what_names_nobody_of_those_asked_for_is_refused(game, text):
    reply = game.step(text)
    assert reply.is_invalid
    assert told(reply) == "Say one name of Bob, Cid, Dan, Eve."


def test_dead_roles_act_no_more_and_may_still_win():
    env = agentgym.make("agentgym/Werewolf-v0", role="villager")
    ends = set()
    for seed in range(60):
        task = env.make_task(seed)
        record = play_script(env, task, SCRIPTS["villager"]["demo"](task, seed))
        died = re.search(rf"{record.first.text[8:11]} is (dead|out)", record.steps[-1].text)
        ends.add((died is not None, record.success))
    assert len(ends) == 4


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("I am the seer. Bob is a werewolf.", ("seer", (("Bob", True),), ())),
        ("i am a villager", ("villager", (), ())),
        ("Cid is no werewolf, Eve is not a werewolf", ("", (("Cid", False), ("Eve", False)), ())),
        ("I suspect Dan and accuse Eve", ("", (), ("Dan", "Eve"))),
        ("Nothing to say", ("", (), ())),
    ],
)
def test_claims_are_read_from_lines(line, expected):
    assert claims(line) == expected
    assert name_in("bob!", frozenset(NAMES)) == "Bob"


def test_players_believe_a_seer_whom_nobody_contests():
    notes = Notes()
    notes.hear("You are Eve, a villager. Players: Ann, Bob, Cid, Dan, Eve. Among them are 1 werewolf.\nDay 1.")
    notes.hear("Ann: I am the seer. Bob is a werewolf.\nBob: I suspect Ann.\nVote for one.")
    assert (notes.seers, notes.asked, notes.day) == (["Ann"], "Vote for one.", 1)
    assert {Player(FIVE, seed).vote(notes) for seed in range(20)} == {"Bob"}
    notes.hear("Votes: Ann for Bob. Bob is out. Bob was a villager.")
    assert {Player(FIVE, seed).vote(notes) for seed in range(20)} == {"Ann"}


def test_no_villager_hears_which_of_the_others_has_which_role():
    rng = random.Random(0)
    for seed in range(150):
        names, roles = draw_players(random.Random(seed), 7)
        own = names[roles.index("villager")]
        lines = [rng.choice(["Hm.", "I am the seer.", "x", "I suspect Ann."]) for _ in range(7)]
        heard = []
        for swap in (("doctor", "villager_2"), ("werewolf", "villager_3"), ("seer", "doctor")):
            shuffled = [{swap[0]: swap[1], swap[1]: swap[0]}.get(role, role) for role in roles]
            game = WerewolfGame()
            inbox = game.reset(werewolf_task("x", 0, names, shuffled))
            game.step(next(name for name in names if name != game._name_of["seer"]))
            texts = [str(inbox.get("villager"))]
            for index in range(7):
                reply = game.step(lines[index])
                texts.append(str(reply.inbox.get("villager")))
            heard.append([text for text in texts if own in text or text != "None"])
        assert heard[0] == heard[1] == heard[2]


def test_hostile_play_leaks_no_living_role():
    rng = random.Random(1)
    for seed, role in itertools.product(range(40), PLAYABLE):
        env = agentgym.make("agentgym/Werewolf-v0", role=role)
        task = env.make_task(seed)
        role_of = dict(zip(task.config["players"], task.private["roles"], strict=True))
        observation, _ = env.reset(options={"task": task})
        texts, is_over = [observation["text"]], False
        while not is_over:
            pool = [*HOSTILE_ACTIONS, *task.config["players"] * 20, *["I suspect Ann."] * 20]
            observation, _, terminated, truncated, _ = env.step(rng.choice(pool))
            is_over = terminated or truncated
            texts.append(observation["text"])
        shown = {name for text in texts for name in re.findall(r"(\w+) is (?:dead|out)", text)}
        for line in "\n".join(texts).split("\n"):
            if line.startswith(("You ", "Votes: ")) or re.match(r"\w+: |\w+ is dead", line):
                assert "_2" not in line
                continue
            hidden = [name for name in role_of if name in line and name not in shown]
            kinds = re.findall(r"seer|doctor|villager|werewolf", line)
            assert not (hidden and kinds and role not in WOLVES), line


@pytest.mark.parametrize("role", PLAYABLE)
def test_quality_moves_the_demonstrator_and_the_oracle_wins_nearly_always(role):
    env = agentgym.make("agentgym/Werewolf-v0", role=role)
    solved = num_solved(env, SCRIPTS[role]["oracle"], 60)
    assert solved >= (57 if role != "werewolf" else 45)
    if role == "seer":
        rates = [num_solved(env, SCRIPTS[role]["demo"], 60, quality=quality) for quality in (0.0, 1.0)]
        assert rates[0] < rates[1] < solved


def test_games_of_all_sizes_have_their_roles():
    for number in range(5, 10):
        names, roles = draw_players(random.Random(number), number)
        assert len(set(names)) == number
        assert sorted(roles) == sorted(roles_of(number))
        assert sum(role in WOLVES for role in roles) == (1 if number < 7 else 2)
    assert set(roles_of(9)) == set(ROLES)


def test_vocabulary_lists_every_word():
    listed = words_in(vocabulary.texts(), ".,:?")
    for role in PLAYABLE:
        records = played(agentgym.make("agentgym/Werewolf-v0", role=role), SCRIPTS[role]["demo"], 30)
        assert words_in(texts_of(records), ".,:?") <= listed


def test_game_refuses_what_it_cannot_play():
    with pytest.raises(ConfigError, match="expected 5 to 9, or 0"):
        WerewolfGame(4)
    with pytest.raises(TaskError, match="lacks 'players'"):
        WerewolfGame().reset(agentgym.Task("x", 0))
    with pytest.raises(TaskError, match="expected known names"):
        WerewolfGame().reset(werewolf_task("x", 0, NAMES, ["seer"] * 5))

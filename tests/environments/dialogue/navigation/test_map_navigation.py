from __future__ import annotations

import itertools
import random

import pytest

import agentgym
from agentgym.errors import ConfigError, TaskError
from agentgym.testing.episodes import play_actions
from agentgym.testing.hostility import HOSTILE_ACTIONS
from agentgym_dialogue.navigation.map_navigation import vocabulary
from agentgym_dialogue.navigation.map_navigation.game import MapNavigationGame, draw, navigation_task
from agentgym_dialogue.navigation.map_navigation.partners import Explorer, Guide
from agentgym_dialogue.navigation.map_navigation.rooms import NAMES, House, Room, draw_rooms
from agentgym_dialogue.navigation.map_navigation.scripts import SCRIPTS
from tests.environments.dialogue.playing import num_solved, played, texts_of, told, words_in

LEAKS = ()  # the map is told to who plays its guide, and seen by who walks


ROOMS = [Room("hall", 0, 2), Room("kitchen", 0, 1), Room("study", 1, 1), Room("attic", 0, 0)]
GOTO = navigation_task("map:goto", 0, ROOMS, "study")
EXPLORE = navigation_task("map:explore", 0, ROOMS)


@pytest.fixture
def game():
    game = MapNavigationGame()
    game.reset(GOTO)
    return game


def view(role, **options):
    return agentgym.make("agentgym/MapNavigation-v0", role=role, **options)


def test_game_gives_the_map_to_the_guide_alone():
    inbox = MapNavigationGame().reset(GOTO)
    assert inbox["guide"][0]["content"] == (
        "Map: hall: north kitchen. kitchen: north attic, south hall, east study. study: west kitchen. attic: south "
        "kitchen. The explorer is in the hall and must go to the study. Lead it."
    )
    assert inbox["explorer"][0]["content"] == (
        "Go to the study and say done there. Each turn say north, south, east, west or done. 6 moves."
    )


def test_game_plays_the_example_of_its_card(game):
    assert told(game.step("north, then east"), "explorer") == "Guide: north, then east\nRoom hall. Exits north."
    assert told(game.step("I go North."), "guide") == "Explorer in the kitchen."
    game.step("go on")
    game.step("east")
    game.step("done")
    reply = game.step("Done!")
    assert told(reply, "guide") == "The goal is reached."
    assert reply.scores == {"explorer": 1.0, "guide": 1.0}
    assert [(event.role, event.component, event.value) for event in reply.events] == [
        ("explorer", "success", 1.0),
        ("guide", "success", 1.0),
    ]


def play(game, *moves):
    return [reply for move in moves for reply in (game.step("hm"), game.step(move))][-1]


def test_detours_lower_the_score(game):
    assert told(play(game, "west"), "explorer") == "There is no way west."
    assert play(game, "north", "north", "south", "east", "done").scores["explorer"] == 2 / 5


def test_done_elsewhere_fails(game):
    reply = play(game, "north", "done")
    assert (str(reply.outcome), told(reply, "guide")) == ("terminated", "Not there yet.")
    assert reply.successes == {"explorer": False, "guide": False}


def test_moves_run_out(game):
    reply = play(game, *["south"] * 7)
    assert (str(reply.outcome), told(reply, "explorer")) == ("terminated", "No moves left.")


def test_exploring_asks_for_every_room():
    game = MapNavigationGame()
    inbox = game.reset(EXPLORE)
    assert inbox["explorer"][0]["content"].startswith("See every room and then say done.")
    assert not play(game, "north", "east", "west", "done").successes["guide"]
    game.reset(EXPLORE)
    reply = play(game, "north", "north", "south", "east", "done")
    assert told(reply, "guide") == "All rooms are seen."
    assert reply.scores["guide"] == 1.0


@pytest.mark.parametrize("move", ["", "up", "north or south", "northern", "север", "north " * 100])
def test_message_without_one_move_is_invalid(game, move):
    game.step("north")
    assert game.step(move).is_invalid
    assert game.acting_role == "explorer"


@pytest.mark.parametrize("line", ["", "?", "иди", "go " * 21])
def test_line_that_is_no_plain_text_is_invalid(game, line):
    assert game.step(line).is_invalid
    assert game.acting_role == "guide"


def test_rooms_are_connected_and_tours_are_the_shortest():
    for seed in range(30):
        rooms = draw_rooms(random.Random(seed), 6)
        house, start = House(rooms), rooms[0].name
        tour = house.tour(start)
        others = [room.name for room in rooms[1:]]
        legs = (
            sum(len(house.route(one, [other])) for one, other in itertools.pairwise([start, *order]))
            for order in itertools.permutations(others)
        )
        assert len(tour) == min(legs)
        seen, room = {start}, start
        for direction in tour:
            room = house.ways[room][direction]
            seen.add(room)
        assert seen == set(house.ways)


def test_goals_are_not_next_door():
    for seed in range(50):
        rooms, goal = draw(random.Random(seed), "goto", 4)
        assert len(House(rooms).route(rooms[0].name, [goal])) >= 2


def test_scripted_guide_says_moves_ahead_and_mends_them():
    guide = Guide(GOTO, 0)
    assert guide.act([{"role": "user", "content": "Map."}]) == "north, then east"
    assert guide.act([{"role": "user", "content": "Explorer in the kitchen."}]) == "go on"
    assert guide.act([{"role": "user", "content": "Explorer in the attic."}]) == "south, then east"
    guide.act([{"role": "user", "content": "Explorer in the kitchen."}])
    assert guide.act([{"role": "user", "content": "Explorer in the study."}]) == "done"


def test_scripted_explorer_follows_and_never_goes_astray_thrice():
    def talk(line):
        return [{"role": "user", "content": line}, {"role": "user", "content": "Room hall. Exits north, east."}]

    explorer = Explorer(GOTO, 0, astray=0.0)
    assert [explorer.act(talk(line)) for line in ("Guide: west, then south", "Guide: go on", "Guide: done")] == [
        "west",
        "south",
        "done",
    ]
    astray = Explorer(GOTO, 0, astray=1.0)
    assert [astray.act(talk("Guide: south")) for _ in range(5)].count("south") == 3


def test_no_observation_of_the_explorer_ever_names_a_room_that_it_has_not_come_to():
    env = view("explorer")
    rng = random.Random(0)
    for seed in range(300):
        task = env.make_task(seed)
        record = play_actions(env, task, rng.choices([*HOSTILE_ACTIONS, "north", "south", "east"], k=4))
        texts = [step.text for step in (record.first, *record.steps)]
        come_to = {text.partition("Room ")[2].partition(".")[0] for text in texts} | {task.config["goal"]}
        words = {word.strip(".,:") for text in texts for word in text.split()}
        assert words & set(NAMES) <= come_to


@pytest.mark.parametrize("role", ["explorer", "guide"])
def test_quality_moves_the_success_of_demonstrators(role):
    rates = [
        num_solved(view(role, kind="explore"), SCRIPTS[role]["demo"], 80, quality=quality)
        for quality in (0.0, 0.6, 1.0)
    ]
    assert rates[0] + 10 < rates[1] < rates[2] == 80


def test_vocabulary_lists_every_word():
    listed = words_in(vocabulary.texts())
    for role in ("explorer", "guide"):
        records = played(view(role), SCRIPTS[role]["demo"], 20)
        assert words_in(texts_of(records)) <= listed


def test_game_refuses_what_it_cannot_play():
    for options in ({"kind": "fly"}, {"num_rooms": 9}):
        with pytest.raises(ConfigError, match="expected goto or explore"):
            MapNavigationGame(**options)
    with pytest.raises(TaskError, match="lacks 'start'"):
        MapNavigationGame().reset(agentgym.Task("x", 0))
    config = {**GOTO.config, "goal": "moon"}
    with pytest.raises(TaskError, match="not one of the rooms"):
        MapNavigationGame().reset(agentgym.Task("x", 0, config=config, private=GOTO.private))

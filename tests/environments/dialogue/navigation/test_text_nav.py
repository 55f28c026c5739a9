from __future__ import annotations

import pytest

import agentgym
from agentgym.errors import ConfigError, TaskError
from agentgym.testing.episodes import play_actions, play_script
from agentgym_dialogue.navigation.text_nav import vocabulary as tokens
from agentgym_dialogue.navigation.text_nav.env import (
    Errand,
    TextNavEnv,
    draw_errand,
    errand_of,
    read_command,
    text_nav_task,
)
from agentgym_dialogue.navigation.text_nav.goals import KINDS, Goal, are_met
from agentgym_dialogue.navigation.text_nav.house import (
    CONTAINERS,
    HAND,
    OBJECTS,
    Command,
    House,
    HouseState,
    make_house,
)
from agentgym_dialogue.navigation.text_nav.plan import plan
from agentgym_dialogue.navigation.text_nav.scripts import SCRIPTS, Demonstrator
from tests.environments.dialogue.playing import trajectory_of

LEAKS = ()  # a house, which is seen by walking


HOUSE = House(
    "hall",
    {"hall": {"east": "office"}, "office": {"west": "hall"}},
    frozenset({frozenset(("hall", "office"))}),
    {"table": "hall", "box": "office"},
    {"cup": "table", "pen": "box"},
)


@pytest.fixture
def env():
    return TextNavEnv()


@pytest.fixture
def state():
    return HouseState(HOUSE)


def test_views_tell_rooms_and_what_is_held_only_fully_observed(state):
    assert state.view(True) == "Room: hall. Exits: east door closed to office. Here: table (cup). You hold: nothing."
    assert state.view(False) == "Exits: east door closed. Here: table (cup)."
    for command in ("take cup", "open east door", "go east"):
        assert state.do(read_command(command)) == ""
    assert state.view(True) == "Room: office. Exits: west to hall. Here: box (closed). You hold: cup."
    assert state.view(False) == "Exits: west. Here: box (closed)."


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("go north", "No exit north."),
        ("go east", "The door is closed."),
        ("open west door", "No exit west."),
        ("open box", "No box to open here."),
        ("take pen", "No pen to take here."),
        ("put cup on table", "You do not hold the cup."),
        ("take hat", "No hat to take here."),
        ("close chest", "No chest to close here."),
    ],
)
def test_what_cannot_be_done_is_explained_and_changes_nothing(state, command, reason):
    before = state.key()
    assert state.do(read_command(command)) == reason
    assert state.key() == before


def test_containers_give_and_take_only_while_open(state):
    said = [
        state.do(read_command(text))
        for text in (
            "take cup",
            "open east door",
            "open east door",
            "go east",
            "put cup in box",
            "take pen",
            "open box",
        )
    ]
    assert said == ["", "", "No closed door there.", "", "The box is closed.", "No pen to take here.", ""]
    assert state.do(read_command("put cup in box")) == ""
    assert state.do(read_command("take the pen")) == ""
    assert state.do(read_command("open box")) == "The box is open."
    assert state.do(read_command("close box")) == ""
    assert state.places == {"cup": "box", "pen": HAND}
    assert state.do(read_command("put pen on table")) == "No table here."


@pytest.mark.parametrize("seed", range(20))
def test_commands_are_all_that_can_be_done(seed):
    state = HouseState(make_house(seed, 3))
    for step in range(12):
        offered = state.commands()
        for command in offered:
            assert state.copy().do(command) == ""
            assert read_command(str(command)) == command
        tried = [Command("take", thing) for thing in OBJECTS] + [Command("open", box) for box in CONTAINERS]
        assert {command for command in tried if state.copy().do(command) == ""} <= set(offered)
        state.do(offered[(seed + step) % len(offered)])


@pytest.mark.parametrize("num_rooms", [2, 5, 8])
def test_houses_hang_together_and_depend_on_the_seed_alone(num_rooms):
    house = make_house(3, num_rooms)
    make_house.cache_clear()
    assert house == make_house(3, num_rooms)
    assert sum(map(len, house.exits.values())) == 2 * (num_rooms - 1)
    assert set(house.furniture.values()) == set(house.exits)
    state = HouseState(house)
    assert all(plan(state, [Goal(thing, HAND)]) for thing in house.objects)


def fewest_commands(state, goals, limit):
    """Breadth-first over all states that can be reached."""
    seen, frontier = {state.key()}, [state]
    for count in range(limit + 1):
        if any(are_met(goals, one) for one in frontier):
            return count
        further = []
        for one in frontier:
            for command in one.commands():
                other = one.copy()
                other.do(command)
                if other.key() not in seen:
                    seen.add(other.key())
                    further.append(other)
        frontier = further
    return None


@pytest.mark.parametrize("kind", KINDS)
def test_plan_has_as_many_commands_as_a_search_of_all_states_finds(kind):
    num_checked = 0
    for seed in range(60):
        goals = draw_errand(seed, 2, kind, "full").goals
        state = HouseState(make_house(seed, 2))
        length = len(plan(state, goals))
        if length <= 8:
            assert fewest_commands(state, goals, length) == length
            num_checked += 1
    assert num_checked >= 10


def test_plan_leaves_the_state_as_it_is(state):
    before = state.key()
    goals = [Goal("pen", "table"), Goal("cup", "box", is_closed=True)]
    assert [str(command) for command in plan(state, goals)][:2] == ["take cup", "open east door"]
    assert state.key() == before


def test_text_nav_rewards_the_goals_when_all_are_met_at_once(env):
    for seed in range(40):
        task = TextNavEnv(kind="errands").make_task(seed)
        record = play_script(env, task, SCRIPTS["oracle"](task, 0))
        assert [step.reward for step in record.steps] == [0] * (len(record.steps) - 1) + [1]
        assert record.steps[-1].text == "All is as it should be."


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("go north", "go north"),
        ("I will Open the North door now.", "open north door"),
        ("take the cup from the table", "take cup"),
        ("Put the cup into the box!", "put cup in box"),
        ("put cup in table", "put cup on table"),
        ("close box close box", "close box"),
    ],
)
def test_read_command_takes_free_words_around_one_command(text, command):
    assert str(read_command(text)) == command


@pytest.mark.parametrize(
    "text", ["", "north", "open", "take sword", "go north, go south", "go north " * 100, "put cup"]
)
def test_text_nav_refuses_what_holds_no_single_command(env, text):
    step = play_actions(env, env.make_task(0), [text]).steps[0]
    assert step.is_invalid
    assert step.text.startswith("Say one command")


def test_relabel_gives_what_was_put_elsewhere(env):
    task, actions = next(failed_walks(env))
    relabelled = env.relabel(trajectory_of(task, play_actions(env, task, actions)))
    assert relabelled.config["goals"] != task.config["goals"]
    assert relabelled.instruction != task.instruction
    assert relabelled.limits == task.limits
    assert play_actions(env, relabelled, actions).success


def test_relabel_of_many_random_walks_is_always_achieved_by_them(env):
    num_relabelled = 0
    for task, actions in failed_walks(env):
        relabelled = env.relabel(trajectory_of(task, play_actions(env, task, actions)))
        if relabelled is not None:
            num_relabelled += 1
            assert play_actions(env, relabelled, actions).success
    assert num_relabelled >= 10


def failed_walks(env):
    for seed in range(30):
        task = env.make_task(seed)
        record = play_script(env, task, Demonstrator(task, seed, quality=0.1))
        if not record.success:
            yield task, record.actions


def test_relabel_finds_nothing_in_a_success_or_where_nothing_was_moved(env):
    task = env.make_task(1)
    assert env.relabel(trajectory_of(task, play_script(env, task, SCRIPTS["oracle"](task, 0)))) is None
    assert env.relabel(trajectory_of(task, play_actions(env, task, ["go north", "?", "go south"]))) is None


def test_progress_grows_to_one_with_each_needed_command(env):
    task = env.make_task(2)
    env.reset(options={"task": task})
    seen = [env.progress()]
    for command in plan(HouseState(make_house(2, 4)), errand_of(task).goals):
        env.step(str(command))
        seen.append(env.progress())
    assert seen == sorted(set(seen))
    assert (seen[0], seen[-1]) == (0, 1)


def test_text_nav_suites_have_each_house_once_and_the_same_errands():
    suites = [agentgym.load_suite(name) for name in ("dialogue/text-nav", "dialogue/text-nav-partial")]
    errands = [[errand_of(task) for split in suite.splits for task in suite.tasks(split)] for suite in suites]
    assert len({errand.house_seed for errand in errands[0]}) == len(errands[0])
    assert [errand._replace(observation="partial") for errand in errands[0]] == errands[1]


def test_small_text_nav_suite_has_houses_of_its_own():
    seeds = [
        {errand_of(task).house_seed for split in suite.splits for task in suite.tasks(split)}
        for suite in map(agentgym.load_suite, ("dialogue/text-nav", "dialogue/text-nav-small"))
    ]
    assert len(seeds[1]) == 2520
    assert seeds[0].isdisjoint(seeds[1])


def num_wins(env, quality):
    tasks = map(env.make_task, range(100))
    return sum(play_script(env, task, Demonstrator(task, task.seed, quality)).success for task in tasks)


def test_demonstrator_quality_moves_its_success(env):
    wins = [num_wins(env, quality) for quality in (0.0, 0.45, 1.0)]
    assert wins[0] < wins[1] < wins[2] == 100


@pytest.mark.parametrize("options", [{"num_rooms": 1}, {"num_rooms": 9}, {"kind": "eat"}, {"observation": "none"}])
def test_text_nav_refuses_impossible_options(options):
    with pytest.raises(ConfigError, match="expected 2 to 8 rooms"):
        TextNavEnv(**options)


def errand_with(*goals, **fields):
    thing = next(iter(make_house(0, 3).objects))
    return Errand(0, 3, tuple(goals) or (Goal(thing, HAND),), **fields)


@pytest.mark.parametrize(
    ("task", "message"),
    [
        (agentgym.Task("x", 0, config={"num_rooms": 3}), "needs num_rooms"),
        (text_nav_task("x", 0, errand_with(observation="blind")), "observation 'blind'"),
        (agentgym.Task("x", 0, config=text_nav_task("x", 0, errand_with()).config | {"num_rooms": 90},
                       private={"house_seed": 0}), "90 rooms"),
        (agentgym.Task("x", 0, config=text_nav_task("x", 0, errand_with()).config | {"goals": [["sword", HAND, False]]},
                       private={"house_seed": 0}), "cannot meet the goal"),
        (text_nav_task("x", 0, errand_with(Goal(*next(iter(make_house(0, 3).objects.items()))))), "met from the start"),
    ],
)  # fmt: skip
def test_text_nav_refuses_a_task_that_cannot_be_played(env, task, message):
    with pytest.raises(TaskError, match=message):
        env.reset(options={"task": task})


def words_of(text):
    return {word for word in "".join(c if c.isalnum() else " " for c in text).split() if word}


def test_text_nav_vocabulary_has_every_word_that_occurs(env):
    known = words_of(" ".join(tokens.texts()))
    assert len(known) < 100
    for name in ("dialogue/text-nav", "dialogue/text-nav-partial"):
        for task in agentgym.load_suite(name).tasks("test")[::5]:
            record = play_script(env, task, Demonstrator(task, 0, quality=0.3))
            said = [record.first.text, *(step.text for step in record.steps), *record.actions]
            assert words_of(" ".join(said)) <= known

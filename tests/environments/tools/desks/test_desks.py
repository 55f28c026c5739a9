"""What every desk holds to."""

import dataclasses

import pytest

from agentgym.authoring.players import call_text
from agentgym.suite import load_suite
from agentgym_tools.desks import talk
from agentgym_tools.desks.desks import desk
from agentgym_tools.desks.scripts import AGENT_SCRIPTS, USER_SCRIPTS
from agentgym_tools.desks.tasks import plan_of
from agentgym_tools.desks.templates import Template
from agentgym_tools.specs import SMALL_DESKS
from benchmarks import desk_tasks
from tests.environments.tools.desks.conftest import env_of, play_script, task_of


@pytest.fixture(scope="module")
def env(desk_name):
    return env_of(desk_name)


def templates_of(desk_name):
    """Templates, at most some forty of a desk. `benchmarks.desk_tasks` plays all."""
    templates = desk(desk_name).templates
    return templates[:: 1 + len(templates) // 40]


@pytest.fixture(scope="module")
def tasks(desk_name):
    return [task_of(desk_name, template) for template in templates_of(desk_name)]


def test_desk_is_of_the_declared_size(desk_name):
    domain = desk(desk_name)
    world = domain.world("full")
    with world.call(may_write=False):
        (row,) = world.rows(f"SELECT count(*) FROM {domain.customers_table}")
    assert row[0] >= 1000
    assert len(domain.listed) >= 14
    assert len(dataclasses.fields(domain.policy)) >= 12
    assert len(domain.templates) >= 25
    assert 3 <= len(domain.writing) < len(domain.toolbox.tools)


def test_every_field_of_a_policy_changes_its_text(desk_name):
    domain, policy = desk(desk_name), desk(desk_name).policy
    base = policy()
    for field in dataclasses.fields(policy):
        others = {
            domain.rules_text(dataclasses.replace(base, **{field.name: value}))
            for value in (*field.metadata["values"], *field.metadata["held_out"])
        }
        assert len(others) > 1, field.name


def test_templates_come_out_as_they_say(tasks, desk_name):
    domain = desk(desk_name)
    for template, task in zip(templates_of(desk_name), tasks, strict=True):
        assert template.fits(plan_of(task, domain).cases)


def test_agent_is_told_in_words_what_a_request_means(env, tasks):
    """Such as that the earliest visit is meant: the name of a goal does not say it."""
    for task in tasks[::4]:
        _, info = env.reset(options={"task": task})
        goal = env.game.session.cases[0].goal
        said = info["messages"][-1]["content"]
        assert said == env.game.domain.kinds[goal.kind].request
        assert said.startswith("I want to ")
        assert not {"you", "your", "yours"} & set(said.rstrip(".").split())


def test_nothing_private_is_told_before_it_is_asked_for(env, tasks):
    for task in tasks:
        _, info = env.reset(options={"task": task})
        told = " ".join(
            str(message["content"]) for message in info["messages"][:-1]
        )  # the last one is the same for all
        plan = env.game.session.plan
        facts = [*plan.profile.values(), *(value for case in plan.cases for value in case.goal.facts.values())]
        words = [str(value) for value in facts if len(str(value)) > 4 and str(value) not in plan.policy.text]
        assert words
        assert not [word for word in words if word in told], task.id


def proposals_of(domain, call):
    """Wrong proposals that fit the tool: every argument another value, then each alone."""
    fields = domain.toolbox.tools[call.tool]["function"]["parameters"]["properties"]
    others = {name: other_value(call.arguments.get(name), schema) for name, schema in fields.items()}
    return [others, *({**call.arguments, name: other} for name, other in others.items() if name in call.arguments)]


def other_value(value, schema):
    if "enum" in schema:
        return next((each for each in schema["enum"] if each != value), value)
    return {"integer": 1, "array": ["zz"], "boolean": value is not True}.get(schema["type"], "zz")


def test_no_proposal_pulls_out_what_was_neither_told_nor_asked_for(env, desk_name, tasks):
    """Else one wrong guess would be worth all questions."""
    domain, num_proposed = desk(desk_name), 0
    for task in tasks:
        writes = [call for calls in plan_of(task, domain).cases[0].wanted for call in calls]
        for call in [each for each in writes if each.tool in domain.toolbox.tools][:2]:
            for arguments in proposals_of(domain, call):
                env.reset(options={"task": task})
                told = dict(env.game.session.informed)
                act = call_text(talk.PROPOSE, action=call.tool, arguments=arguments)
                *_, info = env.step(act)
                assert "outcome" not in info
                num_proposed += 1
                assert set(env.game.session.informed) == set(told), (task.id, act)
    assert num_proposed > 40


def test_a_wrong_proposal_is_corrected_where_the_fact_was_asked_for(env, desk_name, tasks):
    domain, num_corrected = desk(desk_name), 0
    for task in tasks:
        case = plan_of(task, domain).cases[0]
        facts = {name: value for name, value in case.goal.facts.items() if name not in case.goal.unknown}
        writes = [call for calls in case.wanted for call in calls if call.tool in domain.toolbox.tools]
        named = [(call, name) for call in writes for name in call.arguments if name in facts]
        if not named or any(case.goal.at_first):
            continue
        call, name = named[0]
        schema = domain.toolbox.tools[call.tool]["function"]["parameters"]["properties"][name]
        env.reset(options={"task": task})
        env.step(call_text(talk.ASK, fact=name))
        wrong = {**call.arguments, name: other_value(call.arguments[name], schema)}
        observation, *_ = env.step(call_text(talk.PROPOSE, action=call.tool, arguments=wrong))
        assert "deny(number=1)" in observation["text"]
        assert f"inform(fact={name!r}" in observation["text"]
        num_corrected += 1
    assert num_corrected > 3


def test_oracle_always_succeeds_whoever_the_customer_is(env, desk_name):
    personas = ("plain", "talkative", "forgetful", "insisting", "digressing", "correcting", "terse", "impatient")
    for number, template in enumerate(templates_of(desk_name)):
        task = task_of(desk_name, template, personas=(personas[number % len(personas)],))
        episode = play_script(env, task, "oracle")
        assert episode.is_success, (template.name, episode.texts[-3:])
        assert not episode.total("violation")


CHEATS = [name for name in AGENT_SCRIPTS if name.startswith("cheat_") or name == "null"]


@pytest.fixture(scope="module")
def depending(desk_name):
    """A task of each template whose last goal depends on how the one before it ends."""
    templates = [template for template in desk(desk_name).templates if template.only_if is not None]
    return [task_of(desk_name, template) for template in templates]


def test_goals_depend_on_others_at_every_desk_where_the_condition_holds_and_where_not(depending, desk_name):
    found = {}
    for task in depending:
        cases = plan_of(task, desk(desk_name)).cases
        found.setdefault(cases[-1].goal.only_if.ended, set()).add(cases[-1].is_due)
        assert cases[-1].goal.is_asked_for({cases[-1].goal.only_if.goal: cases[-2].ends}) == cases[-1].is_due
    assert found == {"refused": {True, False}, "done": {True, False}}


def test_what_depends_on_an_earlier_goal_is_won_by_the_oracle_alone(env, depending):
    for task in depending:
        assert play_script(env, task, "oracle").is_success, task.id
        assert not [name for name in CHEATS if play_script(env, task, name).is_success], task.id


def test_customers_that_change_their_mind_are_served_by_the_oracle_alone(env, desk_name):
    domain = desk(desk_name)
    kinds = [name for name, kind in domain.kinds.items() if kind.can_reconsider and name != "add_document"]
    assert len(kinds) >= 5
    for kind in kinds[::2]:
        task = task_of(desk_name, Template((kind,), "do"), personas=("changing",))
        assert plan_of(task, domain).cases[0].goal.changes_mind
        episode = play_script(env, task, "oracle")
        assert episode.is_success, (kind, episode.texts[-3:])
        assert [call.tool for call in episode.calls].count(talk.PROPOSE) == 2
        assert episode.total("milestone") == pytest.approx(0.0)
        assert not [name for name in CHEATS if play_script(env, task, name).is_success], kind


@pytest.mark.parametrize("name", CHEATS)
def test_cheats_win_nothing(env, tasks, name):
    assert not [task.id for task in tasks[::2] if play_script(env, task, name).is_success]


def test_proposing_everything_gets_a_yes_and_still_wins_nothing(env, tasks):
    episodes = [play_script(env, task, "cheat_proposes") for task in tasks[::2]]
    assert any("confirm(" in text for episode in episodes for text in episode.texts)
    assert not any(episode.is_success for episode in episodes)


@pytest.fixture(scope="module")
def seat(desk_name):
    return desk_tasks.Seat(desk_name)


def test_nearly_right_work_fails(seat, tasks):
    """Leaving out a write, an answer, a refusal, what makes the customer known, or all reads, or changing a value."""
    for task in tasks[::2]:
        won, calls = seat.play(task, "oracle")
        assert won
        for change in (desk_tasks.without_one, desk_tasks.with_one_changed, desk_tasks.without_reads):
            for changed in list(change(seat, calls)):
                assert not seat.wins_by(task, changed), (task.id, [str(call) for call in changed])


def test_right_work_done_otherwise_wins(seat, tasks):
    """More reads, and reads in another order."""
    for task in tasks[::3]:
        _, calls = seat.play(task, "oracle")
        for changed in [desk_tasks.with_reads_twice(seat, calls), *desk_tasks.in_other_orders(seat, calls)]:
            assert seat.wins_by(task, changed), (task.id, [str(call) for call in changed])


@pytest.mark.parametrize("name", [name for name in USER_SCRIPTS if name not in ("oracle", "demo")])
def test_customers_who_cheat_win_nothing(desk_name, tasks, name):
    customer = desk_tasks.Seat(desk_name, "user")
    assert not [task.id for task in tasks[::3] if customer.play(task, name)[0]]


def test_milestones_add_up_to_nothing_and_rise_to_one(env, tasks):
    for task in tasks[::5]:
        episode = play_script(env, task, "oracle")
        gained = [event.value for event in episode.events if event.component == "milestone" and event.value > 0]
        assert sum(gained) == pytest.approx(1.0), task.id
        assert episode.total("milestone") == pytest.approx(0.0)


def test_milestones_of_a_ticket_add_up_to_nothing(desk_name, tasks):
    """Its yes is given beforehand, so that some steps are made from the start."""
    env, shares = env_of(desk_name), []
    for task in tasks[::5]:
        solo = dataclasses.replace(task, config={**task.config, "options": {"solo": True}})
        env.reset(options={"task": solo})
        shares.append(env.game.progress("agent"))
        episode = play_script(env, solo, "oracle")
        gained = [event.value for event in episode.events if event.component == "milestone" and event.value > 0]
        assert sum(gained) == pytest.approx(1.0 - shares[-1]), task.id
        assert episode.total("milestone") == pytest.approx(0.0)
    assert max(shares) > 0


def test_calls_of_the_oracle_score_most_and_others_less(desk_name, tasks):
    env = env_of(desk_name, weights={"call": 1.0})
    for task in tasks[::5]:
        episode = play_script(env, task, "oracle")
        scores = [event.value for event in episode.events if event.component == "call"]
        assert scores
        assert min(scores) == 3.0, task.id
    env.reset(options={"task": tasks[0]})
    *_, info = env.step("close()")
    assert [event.value for event in info["reward_events"] if event.component == "call"] == [-3.0]


@pytest.mark.parametrize("name", SMALL_DESKS)
def test_small_suites_have_no_goals_that_depend_on_others_and_nobody_who_changes_its_mind(name):
    suite = load_suite(f"tools/desk-{name}-small")
    tasks = [task for split in suite.splits for task in suite.tasks(split)]
    assert not [task.id for task in tasks if task.private["persona"] == "changing"]
    assert not [task.id for task in tasks if any("only_if" in goal for goal in task.private["goals"])]


def test_suites_have_goals_that_depend_on_others_and_customers_who_change_their_mind(desk_name):
    tasks = load_suite(f"tools/desk-{desk_name}").tasks("test")
    changing = [task for task in tasks if task.private["persona"] == "changing"]
    assert len(changing) >= 10
    assert all(any(goal.get("changes_mind") for goal in task.private["goals"]) for task in changing)
    assert sum(any("only_if" in goal for goal in task.private["goals"]) for task in tasks) >= 4

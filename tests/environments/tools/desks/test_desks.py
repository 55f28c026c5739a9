"""What every desk holds to."""

import dataclasses

import pytest

from agentgym_tools.desks import talk
from agentgym_tools.desks.desks import desk
from agentgym_tools.desks.scripts import AGENT_SCRIPTS
from agentgym_tools.desks.tasks import plan_of
from agentgym_tools.worlds.calls import Call
from tests.environments.tools.desks.conftest import env_of, play_calls, play_script, task_of


@pytest.fixture(scope="module")
def env(desk_name):
    return env_of(desk_name)


@pytest.fixture(scope="module")
def tasks(desk_name):
    return [task_of(desk_name, template) for template in desk(desk_name).templates]


def test_desk_is_of_the_declared_size(desk_name):
    domain = desk(desk_name)
    world = domain.world("full")
    with world.call(may_write=False):
        (row,) = world.rows(f"SELECT count(*) FROM {domain.customers_table}")
    assert row[0] >= 1000
    assert len(domain.toolbox.tools) >= 14
    assert len(dataclasses.fields(domain.policy)) >= 12
    assert len(domain.templates) >= 25
    assert 3 <= len(domain.writing) < len(domain.toolbox.tools)


def test_every_field_of_a_policy_changes_its_text(desk_name):
    policy = desk(desk_name).policy
    base = policy()
    for field in dataclasses.fields(policy):
        others = {
            dataclasses.replace(base, **{field.name: value}).text
            for value in (*field.metadata["values"], *field.metadata["held_out"])
        }
        assert len(others) > 1, field.name


def test_templates_come_out_as_they_say(tasks, desk_name):
    domain = desk(desk_name)
    for template, task in zip(domain.templates, tasks, strict=True):
        assert template.fits(plan_of(task, domain).cases)


def test_oracle_always_succeeds_whoever_the_customer_is(env, desk_name):
    personas = ("plain", "talkative", "forgetful", "insisting", "digressing", "correcting", "terse", "impatient")
    for number, template in enumerate(desk(desk_name).templates):
        task = task_of(desk_name, template, personas=(personas[number % len(personas)],))
        episode = play_script(env, task, "oracle")
        assert episode.is_success, (template.name, episode.texts[-3:])
        assert not episode.total("violation")


@pytest.mark.parametrize("name", [name for name in AGENT_SCRIPTS if name.startswith("cheat_") or name == "null"])
def test_cheats_win_nothing(env, tasks, name):
    assert not [task.id for task in tasks if play_script(env, task, name).is_success]


def test_each_necessary_call_counts(env, tasks):
    """Leaving out a write, an answer, a refusal, or the customer's identification, or changing an argument, fails."""
    for task in tasks:
        calls = play_script(env, task, "oracle").calls
        tools = env.game.tools["agent"]
        for place, call in enumerate(calls):
            if not _matters(call, env):
                continue
            assert not play_calls(env, task, [*calls[:place], *calls[place + 1 :]]).is_success, (task.id, str(call))
            for changed in _changed(call):
                played = play_calls(env, task, [*calls[:place], changed, *calls[place + 1 :]])
                assert not played.is_success, (task.id, str(changed), len(tools))


def test_reads_that_a_decision_rests_on_count(env, tasks):
    """Leaving out every read after the customer's identification fails, whatever the decision is."""
    for task in tasks:
        calls = play_script(env, task, "oracle").calls
        reads = {read.call.tool for case in env.game._session.cases for read in case.reads}
        rest = [call for call in calls if call.tool not in reads]
        assert rest == calls or not play_calls(env, task, rest).is_success, task.id


def test_more_reads_and_questions_do_no_harm(env, tasks):
    for task in tasks[::3]:
        calls = play_script(env, task, "oracle").calls
        reads = [call for call in calls if call.tool in env.game._domain.toolbox.tools and not _writes(call, env)]
        doubled = [each for call in calls for each in ([call, call] if call in reads else [call])]
        assert play_calls(env, task, doubled).is_success, task.id


def test_milestones_add_up_to_nothing_and_rise_to_one(env, tasks):
    for task in tasks[::5]:
        episode = play_script(env, task, "oracle")
        gained = [event.value for event in episode.events if event.component == "milestone" and event.value > 0]
        assert sum(gained) == pytest.approx(1.0), task.id
        assert episode.total("milestone") == pytest.approx(0.0)


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


def _writes(call: Call, env) -> bool:
    tool = env.game._domain.toolbox.tools.get(call.tool)
    return tool is not None and tool.is_writing


def _matters(call: Call, env) -> bool:
    identifies = call.tool == env.game._session.plan.identification.tool
    return identifies or _writes(call, env) or call.tool in (talk.TELL, talk.REFUSE, talk.TRANSFER)


def _changed(call: Call) -> list[Call]:
    """The call with one argument changed at a time."""
    found = []
    for name, value in call.arguments.items():
        other = value + 1 if isinstance(value, int) else ["zz"] if isinstance(value, list) else f"zz{value}"
        if name not in ("reason", "field", "fact"):
            found.append(Call(call.tool, {**call.arguments, name: other}))
    return found

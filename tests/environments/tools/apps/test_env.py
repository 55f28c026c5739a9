from __future__ import annotations

import json

import pytest

from agentgym.authoring.players import call_text
from agentgym.errors import ConfigError, UnknownNameError
from agentgym.evaluation.env_suite import suite_named
from agentgym_tools.apps.env import AppsEnv
from agentgym_tools.apps.planning import plan_of
from agentgym_tools.apps.session import ending, solution
from agentgym_tools.worlds.calls import Call

from .conftest import play_calls, play_script, task_of

WAYS = ({}, {"schemas": True}, {"mode": "python"})


def test_the_prompt_holds_few_tools_and_documentation_is_asked_for(env):
    env.reset(options={"task": task_of("archive_sender")})
    assert len(json.dumps(list(env.tools))) < 3000
    apps, *_ = env.step(call_text("list_apps"))
    assert "payments: your balance" in apps["text"]
    apis, *_ = env.step(call_text("list_apis", app="mail"))
    assert "send_mail(to, subject, body): Send a mail." in apis["text"]
    described, *_ = env.step(call_text("describe_api", app="mail", api="send_mail"))
    assert json.loads(described["text"])["changes_something"] is True


def test_all_schemas_can_be_tools():
    env, task = AppsEnv(schemas=True), task_of("archive_sender")
    assert len(env.tools) > 200
    episode = play_script(env, task, "oracle")
    assert episode.is_success
    assert episode.values("format") == []


def test_the_opening_says_how_apis_are_called():
    task = task_of("archive_sender")
    plain, schemas, python = (AppsEnv(**given).reset(options={"task": task})[0]["text"] for given in WAYS)
    assert plain.endswith(task.instruction)
    assert schemas == f"{plain}\nEach API is a tool, such as mail__get_mail."
    assert python.startswith(f"{plain}\nIn Python, apis.mail.get_mail(mail_id=7) calls an API")


def test_a_suite_takes_the_ways_of_calling_and_no_other_option():
    assert suite_named("tools/apps", {"schemas": True}, None).env_options == {"size": "full", "schemas": True}
    with pytest.raises(ConfigError, match="only mode, schemas, relaxed can be given"):
        suite_named("tools/apps", {"template": "archive_sender"}, None)


def test_parts_of_success_are_reported_apart(env):
    task = task_of("archive_sender")
    plan = plan_of(task)
    more = Call("notes.create_note", {"title": "x", "text": "y"})

    def parts(calls):
        _, info = play_calls(env, task, calls)
        return [
            event.value for event in info["reward_events"] if event.component in ("state", "collateral", "communicated")
        ]

    right = solution(plan)
    assert parts([*right, ending(plan)]) == [1.0, 1.0, 1.0]
    assert parts([*right, more, ending(plan)]) == [1.0, 0.0, 1.0]
    assert parts([*right[:-1], ending(plan)]) == [0.0, 1.0, 1.0]
    assert parts([more, ending(plan)]) == [0.0, 0.0, 1.0]
    assert parts([*right, Call("finish", {"infeasible": "too_late"})]) == [1.0, 1.0, 0.0]


def test_a_cut_episode_is_graded_but_no_success(env):
    task = task_of("archive_sender")
    play_calls(env, task, solution(plan_of(task)))
    _, info = env.finalize("turns")
    assert info["success"] is False
    assert [event.value for event in info["reward_events"] if event.component == "state"] == [1.0]


def test_calls_of_the_oracle_score_most_and_others_less():
    env = AppsEnv(weights={"call": 1.0})
    for name in ("archive_sender", "pay_debt_of_message", "sum_expenses"):
        assert min(play_script(env, task_of(name), "oracle").values("call")) == 3.0
    env.reset(options={"task": task_of("archive_sender")})
    *_, info = env.step(call_text("call_api", app="notes", api="list_notes", arguments={}))
    assert [event.value for event in info["reward_events"] if event.component == "call"] == [-3.0]


def test_a_fork_goes_on_by_itself(env):
    task = task_of("archive_sender")
    plan = plan_of(task)
    play_calls(env, task, solution(plan)[:-1])
    twin = env.fork()
    assert twin.anchor() == env.anchor()
    last = solution(plan)[-1]
    twin.step(call_text("call_api", app="mail", api="archive_mail", arguments=dict(last.arguments)))
    assert twin.anchor() != env.anchor()
    assert twin.progress() == 1.0 > env.progress()
    assert twin.step(call_text("finish"))[-1]["success"]
    assert not env.step(call_text("finish"))[-1]["success"]


def test_wrong_calls_are_explained_and_cost_nothing(env):
    env.reset(options={"task": task_of("archive_sender")})
    for name, given, said in (
        ("list_apis", {"app": "male"}, "Did you mean mail"),
        ("describe_api", {"app": "mail", "api": "send"}, "Did you mean"),
        ("call_api", {"app": "mail", "api": "get_mail", "arguments": {}}, "needs the argument 'mail_id'"),
        ("call_api", {"app": "mail", "api": "get_mail", "arguments": {"mail_id": 10**9}}, "You have no mail"),
    ):
        observation, reward, *_, info = env.step(call_text(name, **given))
        assert said in observation["text"]
        assert reward == 0.0
        assert not info["is_invalid"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"mode": "shell"}, "mode must be"),
        ({"mode": "python", "schemas": True}, "schemas=True"),
        ({"weights": {"luck": 1.0}}, "no components"),
        ({"apps": 4}, "apps must be"),
        ({"render_mode": "human"}, "render_mode"),
    ],
)
def test_wrong_options_are_refused(options, said):
    with pytest.raises(ConfigError, match=said):
        AppsEnv(**options)


def test_unknown_names_in_options_are_refused():
    with pytest.raises(UnknownNameError):
        AppsEnv(size="huge")
    with pytest.raises(UnknownNameError):
        AppsEnv(template="archive_all")

"""Apps used by Python: what crosses from the sandbox, and what does not."""

from __future__ import annotations

import json
import os

import pytest

from agentgym.authoring.players import call_text
from agentgym.evaluation.env_suite import suite_named
from agentgym_tools.apps.env import AppsEnv
from agentgym_tools.apps.planning import plan_of
from agentgym_tools.apps.session import ending

from .conftest import play_script, task_of


@pytest.fixture(scope="module")
def python_env():
    made = AppsEnv("python", sandbox="process")
    yield made
    made.close()


def run(env: AppsEnv, code: str) -> str:
    observation, *_ = env.step(call_text("run_python", code=code))
    return str(observation["text"])


def test_the_oracle_wins_by_python(python_env):
    for name in ("archive_sender", "pay_debt_of_message", "sum_expenses", "cancel_shipped"):
        episode = play_script(python_env, task_of(name), "oracle")
        assert episode.is_success, (name, episode.texts)
        assert sum(value for value in episode.values("milestone") if value > 0) == pytest.approx(1.0)


def test_players_do_by_python_what_they_do_by_calls(python_env, env):
    for number in range(8):
        task = task_of("pay_debt_of_message", number)
        by_code, by_calls = (play_script(each, task, "demo") for each in (python_env, env))
        assert by_code.is_success is by_calls.is_success
        assert not play_script(python_env, task, "cheat_touches_more").is_success


def test_the_oracle_wins_a_task_of_a_suite_that_is_given_the_mode(python_env):
    suite = suite_named("tools/apps", {"mode": "python"}, None)
    assert suite.env_options["mode"] == "python"
    assert play_script(python_env, suite.tasks("test")[0], "oracle").is_success


def test_a_loop_over_pages_does_the_work(python_env):
    task = task_of("archive_sender")
    sender = plan_of(task).draft.text.removesuffix(".").rpartition(" ")[2]
    python_env.reset(options={"task": task})
    code = f"""
page, found = 0, []
while True:
    mails = apis.mail.list_mails("inbox", page=page)
    found += [mail["mail_id"] for mail in mails if mail["from"] == {sender!r}]
    if len(mails) < 10:
        break
    page += 1
for mail_id in found:
    apis.mail.archive_mail(mail_id)
print(len(found))
"""
    assert run(python_env, code) == str(len(plan_of(task).outcomes[0].steps))
    assert python_env.step(call_text("finish"))[-1]["success"]


def test_what_is_wrong_raises_in_the_sandbox_and_changes_nothing(python_env):
    python_env.reset(options={"task": task_of("archive_sender")})
    for code, said in (
        ("apis.male.get_mail(1)", "ApiError: There is no app 'male'"),
        ("apis.mail.get_mial(1)", "Did you mean get_mail"),
        ("apis.mail.get_mail('7')", "must be an integer"),
        ("apis.mail.get_mail(1, mail_id=2)", "got mail_id twice"),
        ("apis.mail.get_mail(1, 2)", "takes at most 1 arguments"),
        ("apis.notes.create_note('t', float('nan'))", "NaN"),
        ("apis.notes.create_note('t', 'x' * 50_000)", "at most 2000 are kept"),
        ("apis.notes.create_note('t', 'x' * 1_000_000)", "at most 60000 are sent"),
        ("apis.mail.get_mail(10 ** 300)", "a number too large"),
        ("apis.mail._private()", "AttributeError"),
        ("import host; host.ask('[' * 1000)", "JSON has not"),
        ("import host; host.ask('7')", "Call an API as"),
    ):
        assert said in run(python_env, code), code
    assert python_env.session.contents == []
    assert run(python_env, "apis.docs.list_apis('mail')[:10]") == "'list_mails'"
    assert "docs has no 'secrets'" in run(python_env, "apis.docs.secrets()")


def test_threads_may_ask_and_children_may_not(python_env):
    python_env.reset(options={"task": task_of("archive_sender")})
    threads = """
import threading
counts = []
threads = [threading.Thread(target=lambda: counts.append(apis.mail.count_mails()["mails"])) for _ in range(6)]
[each.start() for each in threads]
[each.join() for each in threads]
len(set(counts)), len(counts)
"""
    assert run(python_env, threads) == "(1, 6)"
    child = """
import os
if os.fork() == 0:
    try:
        apis.mail.count_mails()
    except RuntimeError:
        print("refused", flush=True)
    os._exit(0)
os.wait()[1]
"""
    assert run(python_env, child) == "refused\n0"
    assert run(python_env, "apis.mail.count_mails()['mails'] == counts[0]") == "True"


def test_a_piece_of_code_makes_a_limited_number_of_calls(python_env, monkeypatch):
    monkeypatch.setattr("agentgym_tools.apps.env.MAX_ASKED_CALLS", 20)
    python_env.reset(options={"task": task_of("archive_sender")})
    assert "At most 20 calls" in run(python_env, "while True: apis.mail.count_mails()")
    assert "mails" in run(python_env, "apis.mail.count_mails()")


def test_a_new_interpreter_has_the_apps_too(python_env):
    python_env.reset(options={"task": task_of("archive_sender")})
    assert "restarted" in run(python_env, "exit()")
    assert "balance_cents" in run(python_env, "apis.payments.get_balance()")


def test_the_sandbox_holds_neither_database_nor_grading(python_env):
    task = task_of("sum_expenses")
    python_env.reset(options={"task": task})
    found = run(
        python_env, "import sys; sorted(name for name in sys.modules if 'agentgym' in name or 'sqlite' in name)"
    )
    assert found == "[]"
    seen = run(python_env, "import os; print(os.environ, open('/proc/self/cmdline').read())")
    assert str(plan_of(task).draft.answers[0]) not in seen
    assert task.private["template"] not in seen
    assert os.getcwd() not in run(python_env, "open('/proc/self/environ').read()")


def test_evidence_counts_where_code_has_read_it(python_env):
    task = task_of("sum_expenses")
    plan = plan_of(task)
    python_env.reset(options={"task": task})
    given = ending(plan).arguments
    assert not python_env.step(call_text("finish", **given))[-1]["success"]
    python_env.reset(options={"task": task})
    number = plan.draft.reads[-1].arguments["file_id"]
    text = run(python_env, f"print(apis.files.read_file({number})['text'])")
    total = sum(int(line.split(",")[2]) for line in text.splitlines()[1:])
    assert total >= given["answer"]
    assert python_env.step(call_text("finish", **given))[-1]["success"]


def test_an_episode_without_code_can_be_forked_and_one_with_code_cannot(python_env):
    python_env.reset(options={"task": task_of("archive_sender")})
    assert json.dumps(python_env.fork().progress()) == "0.0"
    run(python_env, "1")
    with pytest.raises(NotImplementedError, match="once Python has run"):
        python_env.fork()

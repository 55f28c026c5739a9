"""Who failed an episode at a desk."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agentgym.authoring.players import Saying
from agentgym.evaluation import EvaluationSettings, evaluate, open_evaluation_store, result_text
from agentgym.evaluation.blame import Blame
from agentgym.message import content_text
from agentgym.policies.scripted import ScriptedPolicy
from agentgym.suite import load_suite
from agentgym.view.report import write_report
from agentgym_tools.desks import talk
from agentgym_tools.desks.conditions.options import FAILED_ONCE
from agentgym_tools.desks.game import DeskGame
from agentgym_tools.desks.scripts import AGENT_SCRIPTS, Demonstrator
from agentgym_tools.desks.templates import Template
from agentgym_tools.worlds.calls import Call
from tests.environments.tools.desks.conftest import task_of
from tests.environments.tools.desks.guarding.conftest import task_with
from tests.environments.tools.desks.guarding.served import play


def agent_of(factory):
    return ScriptedPolicy("agent", {"agent": factory})


def blame_for(task, factory, suite, user="scripted"):
    record, _ = play(task, agent_of(factory), user, suite)
    return Blame.of(record), record


def reporting(task, seed):
    return Saying(str(Call(talk.REPORT, {"action": "cancel_order"})))


class NoRetry(Demonstrator):
    """The oracle, but it takes a failure for a result."""

    def __init__(self, task, seed):
        super().__init__(task, seed, quality=1.0)

    def act(self, messages):
        return super().act(
            [{**each, "content": "{}"} if content_text(each) == FAILED_ONCE else each for each in messages]
        )


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("null", "not_asked"),
        ("cheat_refuses", "wrong_refusal"),
        ("cheat_transfers", "wrong_transfer"),
        ("cheat_writes_only", "unidentified"),
        ("cheat_dumps", "wrong_answer"),
    ],
)
def test_agents_that_cheat_are_to_blame(shop, script, why):
    task = task_with(shop, kind="ask_balance") if why == "wrong_answer" else task_with(shop, decision="do")
    blame, record = blame_for(task, AGENT_SCRIPTS[script], shop)
    assert (blame.who, blame.why) == ("agent", why)
    assert blame.evidence
    assert 0 <= blame.turn < len(record.turns)


def test_success_is_nobodys_fault(shop):
    assert blame_for(task_with(shop), AGENT_SCRIPTS["oracle"], shop)[0] is None


def test_patience_used_up_by_useless_messages_is_the_agents_fault(shop):
    blame, record = blame_for(task_with(shop, "impatient"), reporting, shop)
    assert (blame.who, blame.why, len(record.turns)) == ("agent", "patience", 2)


def test_a_limit_is_the_policys_fault_unless_something_was_wrong_before(shop):
    task = task_with(shop, decision="do")
    short = replace(task, limits=replace(task.limits, max_turns=2))
    assert str(blame_for(short, AGENT_SCRIPTS["oracle"], shop)[0]) == "policy: turns"
    assert str(blame_for(task, lambda *_: Saying("mumble"), shop)[0]) == "policy: invalid"
    one = replace(task, limits=replace(task.limits, max_turns=1))
    assert str(blame_for(one, AGENT_SCRIPTS["cheat_writes_only"], shop)[0]) == "agent: unidentified"


def test_a_tool_that_failed_and_was_not_called_again_is_to_blame():
    suite = load_suite("tools/desk-shop-harder")
    tasks = [task for task in suite.tasks("test") if task.config["options"] == {"fails_once": True}][:12]
    blamed = [blame_for(task, NoRetry, suite)[0] for task in tasks]
    assert {str(blame) for blame in blamed if blame is not None} == {"tool: failed_once"}
    assert all(blame_for(task, AGENT_SCRIPTS["oracle"], suite)[0] is None for task in tasks[:3])


def test_a_customer_without_a_guard_is_to_blame_for_what_it_says(shop):
    task = task_with(shop, decision="do")
    blame, _ = blame_for(task, AGENT_SCRIPTS["oracle"], shop, "scripted:random")
    assert blame.who == "user"
    assert "wait()" in blame.evidence or "bye()" in blame.evidence or "unknown" in blame.evidence


def test_evaluations_and_reports_show_the_blame(shop, tmp_path):
    settings = EvaluationSettings(limit=12)
    with open_evaluation_store(tmp_path) as store:
        result = evaluate(agent_of(AGENT_SCRIPTS["cheat_refuses"]), shop, "test", settings, store=store)
        task = next(task for task in result.tasks if task.blame)
    assert sum(result.blame.values()) == 12
    assert result.blame == result.to_json()["blame"] == type(result).from_json(result.to_json()).blame
    shown = result_text(result, with_tasks=True)
    assert "failed by: agent 12, user 0, tool 0, policy 0" in shown
    assert any(line.split() == ["agent", "unread", str(result.blame["agent: unread"])] for line in shown.splitlines())
    page = write_report(tmp_path).read_text()
    assert "Who failed" in page
    assert f"<td>{task.id}</td><td>agent: {task.blame[0].removeprefix('agent: ').replace('_', ' ')}</td>" in page
    assert "failed by agent: " in page


def test_a_fault_behind_a_harmless_one_in_the_same_message_is_blamed(shop):
    """The customer tells too early and says yes to what it does not want; the agent does that."""
    task = task_with(shop, kind="return_item", decision="do")
    game = DeskGame("shop")
    game.reset(task)
    case = game.session.case
    game.step(str(Call(talk.REQUEST, {"goal": "return_item", "facts": {}})))
    (right,) = case.outcomes[0]
    wrong = Call(right.tool, {**right.arguments, "fee_cents": right.arguments["fee_cents"] + 100})
    game.step(str(Call(talk.PROPOSE, {"action": wrong.tool, "arguments": wrong.arguments})))
    early = Call(talk.INFORM, {"fact": "item", "value": case.goal.facts["item"]})
    reply = game.step(f"{early}\n{Call(talk.CONFIRM, {'number': 1})}")
    assert [event.detail["cause"] for event in reply.events if event.component == "agenda"] == ["premature"]
    reply = game.step(str(Call(talk.CLOSE)))
    (blame, _) = [event.detail for event in reply.events if event.component == "blame"]
    assert (blame["who"], blame["why"]) == ("user", "wrong_yes")


def test_no_agent_is_blamed_for_refusing_what_a_customer_wants_on_second_thoughts(shop):
    """A customer without a guard tells at once what it would want after a change of mind, which is forbidden."""
    task = task_of("shop", Template(("return_item",), "refuse", "refund_method"), personas=("changing",))
    game = DeskGame("shop")
    game.reset(task)
    case = game.session.cases[0]
    ((fact, _),) = case.goal.at_first.items()
    game.step(str(Call(talk.REQUEST, {"goal": case.goal.kind, "facts": {}})))
    game.step(str(Call(talk.ASK, {"fact": fact})))
    game.step(str(Call(talk.INFORM, {"fact": fact, "value": case.goal.facts[fact]})))
    for call in (game.session.plan.identification, *(read.call for read in case.reads)):
        game.step(str(call))
    game.step(str(Call(talk.REFUSE, {"reason": case.reasons[0]})))
    reply = game.step(f"{Call(talk.ACCEPT)}\n{Call(talk.BYE)}")
    assert reply.is_over
    assert not [event for event in reply.events if event.component == "blame"]

"""The guard of models that play customers reads their words, too."""

import pytest

from agentgym.message import user
from agentgym.policy import Request, Sampling
from agentgym.suite import load_suite
from agentgym_tools.desks import talk
from agentgym_tools.desks.game import DeskGame
from agentgym_tools.desks.scripts import PARTNERS, SCRIPTS
from agentgym_tools.desks.talk import AGENT, USER
from agentgym_tools.desks.words.guard import GUARDS
from agentgym_tools.specs import WORDS_DESKS
from agentgym_tools.worlds.calls import Call


def refusal(task, messages, tools, said):
    return GUARDS[USER].check(Request("", 0, task, list(messages), tools, None, 0, Sampling(), USER), said)


@pytest.mark.parametrize("name", WORDS_DESKS)
def test_a_truthful_customer_in_words_is_never_refused_nor_found_at_fault(name):
    game = DeskGame(desk=name)
    for task in load_suite(f"tools/desk-{name}-words").tasks("test")[::60]:
        players = {AGENT: SCRIPTS[AGENT]["oracle"](task, task.seed), USER: PARTNERS[USER](task, task.seed)}
        heard = {role: [] for role in players}
        for role, messages in game.reset(task).items():
            heard[role] += messages
        reply = None
        while (role := game.acting_role) is not None:
            said = players[role].act(heard[role])
            assert role == AGENT or refusal(task, heard[role], game.tools[role], said) is None, (task.id, said)
            heard[role].append({"role": "assistant", "content": said})
            reply = game.step(said)
            assert not [event for event in reply.events if event.component == "agenda"], (task.id, said)
            for each, messages in reply.inbox.items():
                heard[each] += messages
        assert reply.successes[AGENT]


@pytest.mark.parametrize(
    ("asked", "said", "cause"),
    [
        (["email"], "My e-mail address is somebody.else@mail.test.", "invented"),
        ([], "My e-mail address is {email}.", "premature"),
        (["email"], "Goodbye!", "early_end"),
    ],
)
def test_faults_in_words_are_found(asked, said, cause):
    (task,) = [
        each for each in load_suite("tools/desk-shop-words").tasks("test") if each.private["persona"] == "plain"
    ][:1]
    game = DeskGame()
    messages = list(game.reset(task)[USER])
    opening = PARTNERS[USER](task, task.seed).act(messages)
    messages.append({"role": "assistant", "content": opening})
    messages += [user(talk.to_text(Call(talk.ASK, {"fact": fact}))) for fact in asked]
    found = refusal(task, messages, game.tools[USER], said.format(email=game.session.plan.profile["email"]))
    assert found is not None
    assert found.cause == cause

from __future__ import annotations

import pytest

from agentgym.errors import ConfigError, MissingExtraError, PartnerError, UnknownNameError
from agentgym.policies import by_name
from agentgym.policies.cast import Cast
from agentgym.policies.partner import PartnerPolicy
from agentgym.policy import Sampling
from agentgym.registration import make, register
from tests.toys.game import SPEC, Sayer, nim_task


@pytest.fixture(autouse=True, scope="module")
def game():
    register(SPEC)


def view(**options):
    env = make("test/Nim-v0", **options)
    env.reset(options={"task": nim_task(12)})
    return env


def test_partner_is_scripted_unless_another_script_is_named():
    assert view().step("1")[0]["text"] == "second took 1"
    env = view(partners={"second": "scripted:random"})
    assert {env.step("1")[0]["text"] for _ in range(5)} == {"second took 1", "second took 2"}


def test_partner_may_be_any_policy_that_has_a_name(monkeypatch):
    sayer = Sayer("2")
    monkeypatch.setattr("agentgym.policies.partner.load", lambda name: {"endpoint:http://here#m": sayer}[name])
    env = view(partners={"second": "endpoint:http://here#m"})
    assert env.step("1")[0]["text"] == "second took 2"
    assert env.fork().step("1")[0]["text"] == env.step("1")[0]["text"] == "second took 2"
    [first, *_] = sayer.asked
    assert (first.role, first.turn, first.task.id, first.messages[1]["content"]) == (
        "second",
        0,
        "nim:test",
        "first took 1",
    )
    assert sayer.asked[1].turn == 1
    assert {request.episode for request in sayer.asked} < set(sayer.forgotten)  # the fork is answered from the cache


@pytest.mark.parametrize(
    ("partners", "error", "message"),
    [
        ({"secnd": "scripted"}, UnknownNameError, "'test/Nim-v0' has no role 'secnd'; did you mean second"),
        ({"second": "script"}, UnknownNameError, "unknown partner 'script'; did you mean scripted"),
        (
            {"second": "scripted:orcale"},
            UnknownNameError,
            "the role 'second' of .* has no script 'orcale'; did you mean oracle",
        ),
        ({"second": 3}, UnknownNameError, "unknown partner '3'"),
        ({"second": "self"}, ConfigError, "partner 'self' works in evaluations"),
        ({"first": "scripted"}, ConfigError, r"the roles \['first'\] .* are the learner's"),
        ({"first": "self"}, ConfigError, r"the roles \['first'\] .* are the learner's"),
        ({"second": "torch:"}, ConfigError, "incomplete"),
        ({"second": "endpoint:http://here"}, ConfigError, "names no model"),
    ],
)
def test_partner_that_cannot_be_is_refused(partners, error, message):
    with pytest.raises((error, MissingExtraError), match=message):
        make("test/Nim-v0", partners=partners)


def test_cast_of_a_suite_lays_roles_and_partners_over_its_options():
    options = {"role": "second", "partners": {"first": "scripted:demo"}, "size": 3}
    cast = Cast.of("test/Nim-v0", (), {}, options)
    assert (cast.learning, cast.partners, cast.options) == (("second",), {"first": "scripted:demo"}, {"size": 3})
    assert cast.view_options == options
    cast = Cast.of("test/Nim-v0", (), {"first": "scripted"}, options)
    assert cast.view_options == {"role": "second", "size": 3}
    with pytest.raises(ConfigError, match="have partners too"):
        Cast.of("test/Nim-v0", ("first",), {}, options)


def test_cast_of_a_learner_that_plays_with_itself_has_two_roles():
    for cast in (Cast.of("test/Nim-v0", ("second",), {"first": "self"}), Cast.of("test/Nim-v0", ("second", "first"))):
        assert (cast.role, cast.learning, cast.partners) == ("second", ("second", "first"), {})
        assert not cast.is_view
        learner = Sayer()
        assert cast.policies(learner) == {"second": learner, "first": learner}


def test_cast_of_one_agent_has_no_roles():
    cast = Cast.of("agentgym/Wordle-v0", (), {}, {"num_tries": 3})
    assert (cast.role, cast.is_view, cast.view_options) == ("", True, {"num_tries": 3})
    for roles, partners in ((("guesser",), {}), ((), {"guesser": "scripted"})):
        with pytest.raises(ConfigError, match=r"no roles such as \['guesser'\]"):
            Cast.of("agentgym/Wordle-v0", roles, partners)


def test_policies_of_a_cast_with_models_share_one_for_all_their_roles(monkeypatch, tmp_path):
    loaded = []

    def load(name):
        loaded.append(name)
        return Sayer(name=name)

    monkeypatch.setattr("agentgym.policies.partner.load", load)
    sampling = Sampling(temperature=0.5)
    cast = Cast.of("test/Nim-v0", (), {"second": "endpoint:http://here#m"})
    assert not cast.is_view
    policies = cast.policies(Sayer(), sampling, tmp_path)
    assert loaded == ["endpoint:http://here#m"]
    partner = policies["second"]
    assert isinstance(partner, PartnerPolicy)
    assert (partner.sampling, partner.cache._path.parent) == (sampling, tmp_path)
    assert cast.policies(Sayer())["second"].cache._path is None
    torch = Cast.of("test/Nim-v0", (), {"second": "torch:here"}).policies(Sayer())["second"]
    assert torch.cache is None


def test_scripts_play_their_own_role_by_name():
    policy = by_name.load("oracle", "test/Nim-v0", is_clever=False)
    assert policy.name == "oracle"
    with pytest.raises(UnknownNameError, match="did you mean clumsy"):
        by_name.load("clumzy", "test/Nim-v0")
    clumsy = by_name.load("clumsy", "test/Nim-v0")
    assert clumsy._factory.keys() == {"second"}


def test_a_failing_partner_is_a_partner_fault(monkeypatch):
    class Down(Sayer):
        def generate(self, requests):
            raise ConnectionError("no route")

    monkeypatch.setattr("agentgym.policies.partner.load", lambda name: Down())
    env = view(partners={"second": "endpoint:http://here#m"})
    with pytest.raises(PartnerError, match="'second' failed: no route"):
        env.step("1")

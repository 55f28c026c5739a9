"""Partners under a guard, in a toy game: the guard wants them to take one."""

from __future__ import annotations

import numpy as np
import pytest

from agentgym.errors import ConfigError, PartnerForfeitError
from agentgym.message import user
from agentgym.policies.partner import PartnerOptions, PartnerPolicy
from agentgym.policies.reply_cache import ReplyCache
from agentgym.policy import Refusal, Reply, Request, Sampling
from agentgym.prompting.tiny import build_tokenizer
from agentgym.rollout import Job, RolloutSettings, collect_episodes
from agentgym.task import Task
from agentgym.trajectory import REFUSED
from tests.toys.game import Nim, Sayer, nim_task


class OnesOnly:
    """Allows taking one stone."""

    version, max_tokens = "7", 40

    def check(self, request, text):
        return None if text == "1" else Refusal("greedy", "take one")


GUARDS = {"second": OnesOnly()}


class Learning(Sayer):
    """Takes two, until it was told a few times."""

    def __init__(self, patience):
        super().__init__("2")
        self.patience = patience

    def generate(self, requests):
        self.asked += requests
        told = [int("not sent" in request.messages[-1]["content"]) for request in requests]
        self.patience -= sum(told)
        return [Reply("1" if self.patience < 0 and was_told else "2", usage={"cost_usd": 1.0}) for was_told in told]


def request(seed=1, role="second", prompt_ids=None):
    return Request("e", 3, Task("t", 0), [user("hello")], (), prompt_ids, seed, Sampling(max_tokens=9), role)


def test_a_refused_message_is_drawn_again_and_the_reason_told():
    partner = PartnerPolicy(Learning(1), guards=GUARDS)
    [reply] = partner.generate([request()])
    assert (reply.text, reply.usage) == ("1", {"cost_usd": 3.0, "redraws": 2.0})
    assert reply.refused == (Refusal("greedy", "take one", "2"),) * 2
    asked = partner.policy.asked
    assert [len(each.messages) for each in asked] == [1, 2, 2]
    assert "take one" in asked[1].messages[1]["content"]
    assert len({each.seed for each in asked}) == 3
    assert {each.sampling.max_tokens for each in asked} == {40}


def test_roles_without_a_guard_and_partners_without_one_are_left_alone():
    for partner, role in (
        (PartnerPolicy(Learning(9), guards=GUARDS), "first"),
        (PartnerPolicy(Learning(9), guards=GUARDS, options=PartnerOptions.of("torch:x?guard=false")), "second"),
    ):
        [reply] = partner.generate([request(role=role)])
        assert (reply.text, reply.refused) == ("2", ())


def test_one_partner_that_forfeits_takes_nobody_of_its_batch_along():
    class Half(Sayer):
        def generate(self, requests):
            return [Reply("2" if each.messages[0]["content"] == "bad" else "1") for each in requests]

    bad = request()
    bad.messages = [user("bad")]
    good, fault = PartnerPolicy(Half(), guards=GUARDS).generate([request(), bad])
    assert (good.text, good.fault) == ("1", None)
    assert isinstance(fault.fault, PartnerForfeitError)
    assert (fault.fault.cause, len(fault.fault.refused)) == ("greedy", 4)


def test_a_partner_of_tokens_draws_with_another_seed_from_the_same_prompt():
    class Dice(Sayer):
        uses_tokens, tokenizer = True, build_tokenizer(["one two"])

        def generate(self, requests):
            self.asked += requests
            return [Reply(str(1 + (each.seed == 1)), np.array([4], np.int32)) for each in requests]

    partner = PartnerPolicy(Dice(), guards=GUARDS)
    [reply] = partner.generate([request(prompt_ids=[1, 2])])
    assert (reply.text, [list(each.prompt_ids) for each in partner.policy.asked]) == ("1", [[1, 2]] * 2)


def test_a_cached_reply_of_another_version_of_the_guard_does_not_count():
    cache, policy = ReplyCache(), Sayer("1")
    for version, num_asked in (("7", 1), ("7", 1), ("8", 2)):
        guard = OnesOnly()
        guard.version = version
        PartnerPolicy(policy, cache=cache, guards={"second": guard}).generate([request()])
        assert len(policy.asked) == num_asked


def play(partner, **settings):
    jobs = [Job(nim_task(4), f"e{number}", number) for number in range(3)]
    rollout = RolloutSettings(max_fault_share=1.0, **settings)
    return collect_episodes(jobs, lambda _: Nim(), {"first": Sayer("1"), "second": partner}, rollout)


def test_rollouts_record_what_was_refused_and_end_a_forfeit_with_its_cause():
    records, _ = play(PartnerPolicy(Learning(0), guards=GUARDS))
    assert [record.success for record in records] == [False] * 3
    refused = {"role": "second", "cause": "greedy", "why": "take one", "text": "2"}
    assert records[0].metadata[REFUSED] == [{**refused, "turn": turn} for turn in (0, 1)]
    assert records[0].usage["partner_redraws"] == 2
    records, stats = play(PartnerPolicy(Sayer("2"), guards=GUARDS), retries=2)
    assert [str(record.outcome) for record in records] == ["partner_fault:greedy"] * 3
    assert (stats.retries, len(records[0].metadata[REFUSED])) == (0, 4)
    assert records[0].usage["partner_cost_usd"] == 2.0


def test_options_stand_behind_a_partners_name():
    found = PartnerOptions.of("endpoint:http://here/v1#org/m?temperature=0&max_tokens=9&cache=a/b.jsonl&timeout_s=2")
    assert (found.name, found.cache) == ("endpoint:http://here/v1#org/m", "a/b.jsonl")
    assert (found.sampling, found.policy) == ({"temperature": 0, "max_tokens": 9}, {"timeout_s": 2})
    found = PartnerOptions.of("torch:a/b?top_p=0.5&redraws=0")
    assert (found.name, found.sampling, found.redraws, found.is_guarded) == ("torch:a/b", {"top_p": 0.5}, 0, True)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("endpoint:http://h#m?temperature=hot", "temperature must be numbers"),
        ("endpoint:http://h#m?temperature=-1", "temperature"),
        ("endpoint:http://h#m?redraws=-1", "redraws must be a whole number"),
        ("endpoint:http://h#m?guard=perhaps", "guard true or false"),
        ("endpoint:http://h#m?cold", "KEY=VALUE"),
        ("torch:here?cache=x", "only the replies of endpoints are kept"),
        ("endpoint:http://h#m?timeuot_s=3", "did you mean timeout_s"),
    ],
)
def test_options_that_cannot_be_are_refused(name, message):
    with pytest.raises(ConfigError, match=message):
        PartnerPolicy.named(name)

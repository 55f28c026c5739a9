from __future__ import annotations

import resource
from contextlib import contextmanager
from dataclasses import replace

import pytest

from agentgym.errors import EndpointError, StoreError
from agentgym.message import user
from agentgym.policies.reply_cache import ReplyCache
from agentgym.policy import Reply, Request, Sampling
from agentgym.task import Task


class Counter:
    """Says how often it was asked."""

    name, uses_tokens, concurrency = "counter", False, 1

    def __init__(self, start=0):
        self.count = start

    def generate(self, requests):
        replies = []
        for _ in requests:
            self.count += 1
            replies.append(Reply(f"{self.count} \ud800", was_cut=True, usage={"cost_usd": 1.0}))
        return replies


def request(text="hello", seed=1, temperature=1.0):
    return Request("e", 0, Task("t", 0), [user(text)], (), None, seed, Sampling(temperature))


def test_cache_says_again_what_was_said_and_costs_nothing(tmp_path):
    policy, path = Counter(), tmp_path / "run" / "replies.jsonl"
    [first] = ReplyCache(path).replies(policy, [request()])
    assert first.usage == {"cost_usd": 1.0, "cache_misses": 1.0}
    [again] = ReplyCache(path).replies(policy, [replace(request(), episode="other", turn=3)])
    assert (again.text, again.was_cut, again.usage) == (first.text, True, {"cache_hits": 1.0})
    assert policy.count == 1


def test_cache_asks_anew_where_anything_that_shapes_the_reply_differs():
    cache, policy = ReplyCache(), Counter()
    wanted = [request(), request("bye"), request(seed=2), request(temperature=0.5)]
    wanted.append(replace(request(), tools=[{"type": "function"}]))
    replies = cache.replies(policy, wanted)
    assert len({reply.text for reply in replies}) == len(cache) == 5
    other = Counter(100)
    other.name = "other"
    assert cache.replies(other, [request()])[0].text.startswith("101")


def test_cache_of_greedy_replies_does_not_mind_the_seed():
    cache, policy = ReplyCache(), Counter()
    replies = cache.replies(policy, [request(seed=seed, temperature=0.0) for seed in (1, 2)])
    assert replies[0].text == replies[1].text
    assert policy.count == 1


def test_cache_keeps_nothing_of_a_call_that_failed():
    class Down(Counter):
        def generate(self, requests):
            raise EndpointError("down")

    cache = ReplyCache()
    with pytest.raises(EndpointError):
        cache.replies(Down(), [request()])
    assert len(cache) == 0


def test_cache_drops_the_line_that_a_killed_run_left_half_written(tmp_path):
    path = tmp_path / "replies.jsonl"
    ReplyCache(path).replies(Counter(), [request()])
    with path.open("a") as file:
        file.write('["half", {"te')
    cache = ReplyCache(path)
    assert len(cache) == 1
    cache.replies(Counter(), [request("more")])
    assert len(ReplyCache(path)) == 2


@contextmanager
def files_of_at_most(size):
    """While it lasts, no file can be written past a size, as on a full disk."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_cache_that_is_mended_where_nothing_can_be_written_keeps_all_whole_lines(tmp_path):
    path = tmp_path / "replies.jsonl"
    ReplyCache(path).replies(Counter(), [request(), request("more")])
    whole = path.read_bytes()
    path.write_bytes(whole + b'["half", {"te')
    with files_of_at_most(10):
        assert len(ReplyCache(path)) == 2
    assert path.read_bytes() == whole


def test_a_reply_that_cannot_be_written_leaves_nothing_of_its_line(tmp_path):
    path = tmp_path / "replies.jsonl"
    cache = ReplyCache(path)
    cache.replies(Counter(), [request()])
    with files_of_at_most(path.stat().st_size + 10), pytest.raises(StoreError, match="cannot keep"):
        cache.replies(Counter(), [request("more")])
    cache.replies(Counter(), [request("most")])
    assert len(ReplyCache(path)) == 2


@pytest.mark.parametrize("content", ["{\n", "[1]\n"])
def test_cache_refuses_a_file_of_something_else(tmp_path, content):
    path = tmp_path / "replies.jsonl"
    path.write_text(content)
    with pytest.raises(StoreError, match="does not hold a partner's replies"):
        ReplyCache(path)


def test_cache_that_cannot_be_written_says_so(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot keep"):
        ReplyCache(tmp_path / "file" / "replies.jsonl").replies(Counter(), [request()])

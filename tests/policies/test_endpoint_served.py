"""The endpoint policy against a real server of a tiny model."""

import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from agentgym.message import system, user
from agentgym.policies.by_name import load
from agentgym.policies.torch.tiny_model import build_tiny_model
from agentgym.policy import Request, Sampling
from agentgym.task import Task

pytest.importorskip("fastapi", reason="transformers serve needs fastapi: pip install fastapi")


@pytest.fixture(scope="module")
def served(tmp_path_factory, tokenizer):
    folder = tmp_path_factory.mktemp("model")
    build_tiny_model(tokenizer).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "transformers.cli.transformers", "serve", str(folder), "--device", "cpu"]
    log = (folder / "log").open("w+")
    process = subprocess.Popen(
        [*command, "--host", "127.0.0.1", "--port", str(port)], stdout=log, stderr=subprocess.STDOUT
    )
    try:
        deadline = time.monotonic() + 240
        while True:
            try:
                if httpx.get(f"http://127.0.0.1:{port}/health").status_code == httpx.codes.OK:
                    break
            except httpx.TransportError:
                pass
            log.seek(0)
            assert process.poll() is None, log.read()
            assert time.monotonic() < deadline, log.read()
            time.sleep(0.2)
        yield f"http://127.0.0.1:{port}/v1#{folder}"
    finally:
        process.terminate()
        process.wait(20)
        log.close()


@pytest.mark.slow
def test_a_served_model_answers_many_conversations_at_once(served):
    policy = load(f"endpoint:{served}", max_concurrency=3, prompt_price=1.0, completion_price=1.0)
    requests = [
        Request(str(i), 0, Task("t", 0), [system("play"), user(f"guess {i}")], [], None, i, Sampling(max_tokens=6))
        for i in range(6)
    ]
    try:
        with ThreadPoolExecutor(3) as pool:
            replies = [reply for replies in pool.map(lambda r: policy.generate([r]), requests) for reply in replies]
    finally:
        policy.close()
    assert len(replies) == 6
    for reply in replies:
        assert reply.message == {"role": "assistant", "content": reply.text}
        assert reply.text
        assert 0 < reply.usage["completion_tokens"] <= 6
        assert reply.usage["prompt_tokens"] > 4
        assert reply.usage["retries"] == 0
    total = sum(reply.usage["prompt_tokens"] + reply.usage["completion_tokens"] for reply in replies)
    assert policy.cost == pytest.approx(total / 1e6)

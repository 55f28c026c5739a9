import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from agentgym.authoring.players import call_text
from agentgym.cli.main import main
from agentgym.errors import ConfigError, EndpointError, InfrastructureError
from agentgym_tools.search.corpora import FileCorpus
from agentgym_tools.search.env import RIGHT, SearchEnv
from agentgym_tools.search.scripts import SCRIPTS
from agentgym_tools.search.server import RetrievalServer


class Retrieval(ThreadingHTTPServer):
    """Serves a corpus in the form of Search-R1; `answers` replaces what it says."""

    corpus: FileCorpus
    with_scores = True
    answers: tuple[int, bytes] | None = None
    daemon_threads = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Retrieval

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert (self.path, asked["return_scores"]) == ("/retrieve", True)
        status, body = self.server.answers or (200, json.dumps({"result": [self._found(asked)]}).encode())
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _found(self, asked: dict[str, Any]) -> list[Any]:
        (query,) = asked["queries"]
        corpus = self.server.corpus
        articles = [corpus.open(hit.id) for hit in corpus.search(query, asked["topk"])]
        documents = [{"id": each.id, "contents": f'"{each.title}"\n{each.text}'} for each in articles if each]
        return [{"document": each, "score": 1.0} for each in documents] if self.server.with_scores else documents

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def server(corpus_file) -> Iterator[Retrieval]:
    with Retrieval(("127.0.0.1", 0), Handler) as made:
        made.corpus = FileCorpus(corpus_file)
        thread = threading.Thread(target=made.serve_forever, args=(0.01,))
        thread.start()
        yield made
        made.shutdown()
        thread.join()


@pytest.mark.parametrize("with_scores", [True, False])
def test_episode_on_a_server_searches_opens_and_answers(server, questions_file, with_scores):
    server.with_scores = with_scores
    env = SearchEnv(server=server.url, questions=str(questions_file))
    env.reset(seed=0)
    refused = env.step(call_text("open", id="7"))[0]["text"]
    assert refused.startswith("There is no article '7'")
    assert env.step(call_text("search", query="Ravel Bridge", k=1))[0]["text"] == "7 | Ravel Bridge"
    assert env.step(call_text("open", id="7"))[0]["text"].startswith("Ravel Bridge\nThe bridge was built")
    observation, _, _, _, info = env.step(call_text("answer", value="Oda Lind"))
    assert (observation["text"], info["success"]) == (RIGHT, True)
    env.close()
    env.close()


def test_fork_and_reset_keep_what_each_episode_has_found_apart(server, questions_file):
    env = SearchEnv(server=server.url, questions=str(questions_file))
    env.reset(seed=0)
    env.step(call_text("search", query="Ravel Bridge"))
    twin = env.fork()
    assert twin.anchor() == env.anchor()
    twin.step(call_text("search", query="born"))
    assert twin.anchor() != env.anchor()
    assert "built" in twin.step(call_text("open", id="7"))[0]["text"]
    env.reset(seed=0)
    assert env.step(call_text("open", id="7"))[0]["text"].startswith("There is no article")
    for each in (env, twin):
        each.close()


@pytest.mark.parametrize(
    ("answers", "why"),
    [
        ((500, b"oops"), "500"),
        ((200, b"<html>"), "gave no answer"),
        ((200, b"{}"), "expected"),
        ((200, b'{"result": []}'), "expected"),
        ((200, b'{"result": [[{"document": {"id": 1}}]]}'), "expected"),
        ((200, b'{"result": [[{"id": 1, "contents": null}]]}'), "expected"),
        ((200, b'{"result": [["text"]]}'), "expected"),
        ((200, b"[]"), "expected"),
    ],
)
def test_wrong_answer_of_the_server_is_a_failure_of_infrastructure(server, answers, why):
    server.answers = answers
    client = RetrievalServer(server.url)
    with pytest.raises(EndpointError, match=why) as failed:
        client.search("bridge", 3)
    assert isinstance(failed.value, InfrastructureError)
    assert server.url in str(failed.value)
    client.close()


def test_server_that_is_down_is_a_failure_of_infrastructure_and_no_bad_answer(server, questions_file):
    env = SearchEnv(server=server.url, questions=str(questions_file))
    env.reset(seed=0)
    server.shutdown()
    server.server_close()
    with pytest.raises(EndpointError, match=r"gave no answer: ConnectError: .*mend the option server"):
        env.step(call_text("search", query="bridge"))
    env.close()


def test_the_oracle_finds_on_a_server_what_it_opens(play, server, questions_file):
    env = SearchEnv(server=server.url, questions=str(questions_file))
    for seed in range(env.num_tasks):
        task = env.make_task(seed)
        episode = play(task, SCRIPTS["oracle"](task, 0), env)
        assert episode.info["success"] is True, task.instruction
        assert "There is no article" not in str(episode.messages)
        assert play(task, SCRIPTS["cheat_searched_only"](task, 0), env).info["success"] is False
    env.close()


def test_an_evaluation_on_a_server_that_is_down_counts_failures_and_no_scores(questions_file, capsys):
    given = ["server=http://127.0.0.1:9", f"questions={questions_file}"]
    arguments = ["--suite", "agentgym/Search-v0", "--policy", "oracle", "--limit", "1"]
    assert main(["eval", *arguments, "--env-option", *given]) == 1
    said = capsys.readouterr().err
    assert "1 of 1 episodes" in said
    assert "gave no answer: ConnectError" in said


def test_address_that_is_none_is_refused():
    with pytest.raises(ConfigError, match="server must be an address"):
        RetrievalServer("localhost:8000")
    assert RetrievalServer("http://h/retrieve").url == RetrievalServer("http://h/").url == "http://h/retrieve"

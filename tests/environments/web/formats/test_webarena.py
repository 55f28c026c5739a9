import http.server
import json
import threading

import pytest

from agentgym.errors import ConfigError, TaskError
from agentgym_web.formats.webarena import WebArenaEnv, load_webarena, string_match, url_match


@pytest.fixture
def base():
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b'<h1>Orders</h1><a href="/order?id=7&x=1">7</a><p id="total">Total: 12 EUR</p>')

        def log_message(self, *args):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def task(**wanted):
    return {"task_id": 1, "intent": "What is the total?", "start_url": "__SHOPPING__/orders", "eval": wanted}


def play(tmp_path, base, fields, *actions, **options):
    (tmp_path / "t.json").write_text(json.dumps([fields]))
    env = WebArenaEnv(str(tmp_path / "t.json"), {"__SHOPPING__": base}, **options)
    try:
        env.reset(seed=0)
        for each in actions:
            info = env.step(each)[4]
        return info["success"]
    finally:
        env.close()


def test_answer_is_compared(tmp_path, base):
    fields = task(eval_types=["string_match"], reference_answers={"must_include": ["12"]})
    assert play(tmp_path, base, fields, 'send_msg_to_user("12 EUR")')
    assert not play(tmp_path, base, fields, 'send_msg_to_user("13 EUR")')


def test_address_and_content_are_compared(tmp_path, base):
    content = {"url": "last", "locator": "document.querySelector('#total').textContent"}
    fields = task(
        eval_types=["url_match", "program_html"],
        reference_url="__SHOPPING__/order?x=1&id=7",
        program_html=[{**content, "required_contents": {"exact_match": "Total: 12 EUR"}}],
    )
    assert play(tmp_path, base, fields, 'click("1")', 'send_msg_to_user("done")')
    assert not play(tmp_path, base, fields, 'send_msg_to_user("done")')
    fields["eval"]["program_html"][0]["required_contents"] = {"exact_match": "Total: 13 EUR"}
    assert not play(tmp_path, base, fields, 'click("1")', 'send_msg_to_user("done")')


def test_fuzzy_match_takes_a_judge_and_refuses_without_one(tmp_path, base):
    fields = task(eval_types=["string_match"], reference_answers={"fuzzy_match": ["twelve"]})
    with pytest.raises(ConfigError, match="needs a judge"):
        play(tmp_path, base, fields, 'send_msg_to_user("12")')
    asked = []
    judge = lambda *given: asked.append(given) or True  # noqa: E731
    assert play(tmp_path, base, fields, 'send_msg_to_user("12")', judge=judge)
    assert asked == [("What is the total?", "twelve", "12")]


def test_matches():
    assert string_match({"fuzzy_match": "N/A"}, "", "N/A", None)
    assert not string_match({"exact_match": "a b"}, "", "a c", None)
    assert url_match("http://a.test/x |OR| http://a.test/y?q=1", "http://a.test/y?z=2&q=1#top")
    assert not url_match("http://a.test/y?q=1", "http://a.test/y?q=12")


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "expected an object with intent"),
        (task(eval_types=["magic"]), "eval_types must be"),
        (task(eval_types=["program_html"], program_html=[{"url": "func:shop()", "locator": ""}]), "is Python code"),
    ],
)
def test_malformed_task_is_refused(tmp_path, fields, said):
    (tmp_path / "t.json").write_text(json.dumps([fields]))
    with pytest.raises(TaskError, match=said):
        load_webarena(tmp_path / "t.json", {"__SHOPPING__": "http://a.test"})


def test_placeholder_without_an_address_is_named(tmp_path):
    (tmp_path / "t.json").write_text(json.dumps([task(eval_types=["url_match"], reference_url="__GITLAB__/x")]))
    with pytest.raises(ConfigError, match="needs the address of __GITLAB__"):
        load_webarena(tmp_path / "t.json", {"__SHOPPING__": "http://a.test"})

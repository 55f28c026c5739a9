"""Evaluate a model behind an OpenAI-compatible server. Here a tiny server in this program plays the model."""

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from agentgym.evaluation import EvaluationSettings, evaluate, result_text
from agentgym.policies.by_name import load


class Model(BaseHTTPRequestHandler):
    """Guesses the middle of the numbers that the conversation leaves."""

    def do_POST(self) -> None:
        """Answer /v1/chat/completions, as an OpenAI-compatible server does."""
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        said = [message["content"] for message in request["messages"]]
        low, high = (int(number) for number in re.findall(r"\d+", said[0])[:2])
        for guess, hint in zip(said[1::2], said[2::2], strict=True):
            low, high = (int(guess) + 1, high) if hint == "higher" else (low, int(guess) - 1)
        message = {"role": "assistant", "content": str((low + high) // 2)}
        usage = {"prompt_tokens": 20 * len(said), "completion_tokens": 1}
        answer = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": usage}
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Print nothing."""


def main() -> None:
    """Start the server, evaluate it on ten tasks, and stop it."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    suite = "dialogue/guess-number"
    # With a real server, the key is read from OPENAI_API_KEY.
    policy = load(f"endpoint:http://127.0.0.1:{server.server_port}/v1#halving", suite)
    result = evaluate(policy, suite, "test", EvaluationSettings(limit=10))
    print(result_text(result))
    server.shutdown()
    server.server_close()


if __name__ == "__main__":
    main()

"""A real HTTP server that speaks as OpenAI's do and answers what a test says, faults of every kind included."""

import json
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

USAGE = {"prompt_tokens": 10, "completion_tokens": 4}


def chat(content="hello", *, usage=USAGE, finish="stop", **message):
    choice = {"message": {"role": "assistant", "content": content, **message}, "finish_reason": finish}
    return 200, {}, {"choices": [choice], "usage": usage}


class FaultyServer(ThreadingHTTPServer):
    """Answers what the test put into `answers`, the last one again and again, and keeps what it was sent."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers, self.bodies, self.headers, self.times = [], [], [], []
        self.lock, self.num_open, self.most_open = threading.Lock(), 0, 0

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/v1"


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        server = self.server
        with server.lock:
            server.num_open += 1
            server.most_open = max(server.most_open, server.num_open)
            server.times.append(time.monotonic())
            server.headers.append(dict(self.headers))
            server.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.body = server.bodies[-1]
            answer = server.answers.pop(0) if len(server.answers) > 1 else server.answers[0]
        try:
            if callable(answer):
                answer = answer(self)
            if answer is None:
                return
            status, headers, body = answer
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            for name, value in {"Content-Length": str(len(content)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)
        except (BrokenPipeError, ConnectionResetError):
            pass
        finally:
            with server.lock:
                server.num_open -= 1

    def log_message(self, *args):
        pass


@contextmanager
def running_server():
    """The server, while it runs on a free port."""
    with FaultyServer() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()

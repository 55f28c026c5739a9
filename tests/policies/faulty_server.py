"""A real HTTP server that speaks as OpenAI's do and answers what a test says, faults of every kind included."""

import json
import socket
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

USAGE = {"prompt_tokens": 10, "completion_tokens": 4}


def chat(content="hello", *, usage=USAGE, finish="stop", **message):
    choice = {"message": {"role": "assistant", "content": content, **message}, "finish_reason": finish}
    return 200, {}, {"choices": [choice], "usage": usage}


def strict(answer):
    """An answer that only a conversation gets whose calls are answered as OpenAI documents it; others get its 400."""

    def checked(handler):
        why = fault_of(handler.body["messages"])
        return answer if why is None else (400, {}, {"error": {"message": why, "type": "invalid_request_error"}})

    return checked


def fault_of(messages):
    """What OpenAI refuses in a conversation: a call without its one tool message right behind, or one of no call."""
    open_ids, answered = set(), set()
    for message in [*messages, {"role": "end"}]:
        if message["role"] == "tool":
            call_id = message["tool_call_id"]
            if call_id not in open_ids:
                return f"{call_id} was answered twice" if call_id in answered else f"{call_id} follows no tool_calls"
            open_ids.remove(call_id)
            answered.add(call_id)
            continue
        if open_ids:
            return f"tool_call_ids did not have response messages: {', '.join(sorted(open_ids))}"
        open_ids, answered = {call["id"] for call in message.get("tool_calls", ())}, set()
    return None


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
        except (BrokenPipeError, ConnectionResetError):
            return
        finally:  # before the answer goes out, after which the next request may come at once
            with server.lock:
                server.num_open -= 1
        if answer is None:
            return
        try:
            status, headers, body = answer
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            for name, value in {"Content-Length": str(len(content)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)
        except (BrokenPipeError, ConnectionResetError):
            pass

    def log_message(self, *args):
        pass


@contextmanager
def refusing_url():
    """An address where nothing listens, kept from other tests meanwhile."""
    with socket.socket() as unheard:
        unheard.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{unheard.getsockname()[1]}/v1"


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

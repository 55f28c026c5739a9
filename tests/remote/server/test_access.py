import pytest

from agentgym.remote import ServerConfig
from agentgym.remote.server.access import refusal_of

TOKEN = "a token of the tests"
OPEN, GUARDED, PATH = ServerConfig(), ServerConfig(host="0.0.0.0", token=TOKEN), ServerConfig(uds="/socket")
BEARER = {b"authorization": b"Bearer " + TOKEN.encode()}


@pytest.mark.parametrize(
    ("headers", "config", "status"),
    [
        ({b"host": b"127.0.0.1:8000"}, OPEN, None),
        ({b"host": b"[::1]:8000"}, OPEN, None),
        ({b"host": b"localhost"}, OPEN, None),
        ({}, OPEN, 403),
        ({b"host": b"example.org"}, OPEN, 403),
        ({b"host": b"localhost.example.org"}, OPEN, 403),
        ({b"host": b"[broken"}, OPEN, 403),
        ({b"host": b"localhost", b"origin": b"http://localhost"}, OPEN, None),
        ({b"host": b"localhost", b"origin": b"http://localhost:3000"}, OPEN, 403),
        ({b"host": b"localhost", b"origin": b"null"}, OPEN, 403),
        ({b"host": b"localhost", b"origin": b"http://[broken"}, OPEN, 403),
        ({}, PATH, None),
        ({b"host": b"anything"}, PATH, None),
        ({b"host": b"example.org"}, GUARDED, 401),
        ({b"host": b"example.org", **BEARER}, GUARDED, None),
        ({b"host": b"example.org", b"origin": b"https://other.org", **BEARER}, GUARDED, 403),
        ({b"authorization": b"bearer " + TOKEN.encode()}, GUARDED, 401),
        ({b"authorization": b"\xff\xfe"}, GUARDED, 401),
    ],
)
def test_who_is_refused(headers, config, status):
    assert refusal_of(headers, config) == status

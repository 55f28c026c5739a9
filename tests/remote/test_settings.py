import pytest

from agentgym.errors import ConfigError
from agentgym.remote import ClientSettings, ServerConfig
from agentgym.remote.settings import is_loopback

TOKEN = "a token of the tests"


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.1", "example.org", ""])
def test_server_that_others_reach_needs_a_token(host):
    with pytest.raises(ConfigError, match="without a token"):
        ServerConfig(host=host)
    assert ServerConfig(host=host, token=TOKEN).host == host


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "::1", "localhost"])
def test_loopback_needs_none(host):
    assert ServerConfig(host=host).token == ""
    assert is_loopback(host)


def test_unix_socket_needs_none():
    assert ServerConfig(host="0.0.0.0", uds="/socket").uds == "/socket"


@pytest.mark.parametrize("token", ["short", "x" * 15, "tökentökentökentöken", "a token with\na line"])
def test_weak_token_is_refused_and_not_repeated(token):
    with pytest.raises(ConfigError) as refusal:
        ServerConfig(token=token)
    assert token not in str(refusal.value)


@pytest.mark.parametrize(
    "name", ["idle_timeout_s", "step_timeout_s", "max_sessions", "max_message_bytes", "max_threads"]
)
def test_limits_are_positive(name):
    with pytest.raises(ConfigError, match=name):
        ServerConfig(**{name: 0})


def test_client_limits_are_positive():
    for name in ("connect_timeout_s", "reply_timeout_s", "interrupt_grace_s", "max_message_bytes"):
        with pytest.raises(ConfigError, match=name):
            ClientSettings(**{name: 0})


def test_inline_is_one_of_three():
    with pytest.raises(ConfigError, match="inline"):
        ServerConfig(inline="sometimes")

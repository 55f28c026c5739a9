"""The egress proxy, over real sockets on loopback: what gets through, what is refused, and what it costs at most."""

import os
import socket
import threading
import time
from contextlib import contextmanager, suppress

import pytest

from agentgym.errors import ConfigError
from agentgym.sandbox.egress.proxy import EgressProxy, ProxyLimits
from tests.sandbox.holdings import Holdings

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello"


class Site:
    """A server on loopback that keeps what it is sent and answers once it has seen `until`."""

    def __init__(self, answer=ANSWER, until=b"\r\n\r\n"):
        self.received = []
        self.answer, self.until = answer, until
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with connection:
            connection.settimeout(60)
            content = b""
            try:
                while self.until not in content and (chunk := connection.recv(65536)):
                    content += chunk
                self.received.append(content)
                connection.sendall(self.answer)
            except OSError:
                return

    def close(self):
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()


@pytest.fixture
def site():
    server = Site()
    yield server
    server.close()


@pytest.fixture
def make_proxy(tmp_path):
    proxies = []

    def make(allow, names=None, **limits):
        def resolve(host, port):
            if host not in (names or {}):
                raise OSError("unknown")
            found = (names or {})[host]
            return found() if callable(found) else found

        path = tmp_path / f"proxy{len(proxies)}.sock"
        proxies.append(EgressProxy(path, allow, limits=ProxyLimits(**limits), resolve=resolve))
        return proxies[-1]

    yield make
    for proxy in proxies:
        proxy.close()


@contextmanager
def connected(proxy):
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(60)
        connection.connect(str(proxy.path))
        yield connection


def read_all(connection):
    content = b""
    try:
        while chunk := connection.recv(65536):
            content += chunk
    except ConnectionResetError:
        pass
    return content


def ask(proxy, request):
    with connected(proxy) as connection:
        with suppress(BrokenPipeError):  # who is turned away may be so before it has asked
            connection.sendall(request)
        return read_all(connection)


def status(reply):
    return int(reply.split(b" ")[1]) if reply else None


def test_a_listed_host_is_reached_by_an_absolute_uri(make_proxy, site):
    proxy = make_proxy([f"127.0.0.1:{site.port}"])
    reply = ask(proxy, f"GET http://127.0.0.1:{site.port}/x HTTP/1.1\r\nHost: other\r\n\r\n".encode())
    assert reply == ANSWER
    assert len(site.received) == 1
    assert site.received[0].startswith(f"GET /x HTTP/1.1\r\nHost: 127.0.0.1:{site.port}\r\n".encode())
    report = proxy.report()
    assert (report.num_connections, report.num_refused) == (1, 0)
    assert report.bytes_in == len(ANSWER)
    assert report.bytes_out == len(site.received[0])


def test_a_tunnel_carries_bytes_both_ways(make_proxy):
    site = Site(answer=bytes(range(256)) * 4096, until=b"\xff\x00end")
    proxy = make_proxy([f"site.test:{site.port}", f"127.0.0.1:{site.port}"], {"site.test": ["127.0.0.1"]})
    with connected(proxy) as connection:
        connection.sendall(f"CONNECT site.test:{site.port} HTTP/1.1\r\n\r\n".encode())
        greeting = connection.recv(39)
        assert greeting == b"HTTP/1.1 200 Connection established\r\n\r\n"
        connection.sendall(b"\x00\xfe" * 1000 + b"\xff\x00end")
        assert read_all(connection) == site.answer
    assert site.received == [b"\x00\xfe" * 1000 + b"\xff\x00end"]
    site.close()


def test_an_unlisted_host_is_refused_before_it_is_resolved(make_proxy):
    asked = []
    proxy = make_proxy(["good.test"], {"evil.test": lambda: asked.append(1) or ["8.8.8.8"]})
    assert status(ask(proxy, b"CONNECT evil.test:443 HTTP/1.1\r\n\r\n")) == 403
    assert status(ask(proxy, b"GET http://secret-data.evil.test/ HTTP/1.1\r\n\r\n")) == 403
    assert not asked, "a lookup of a name of the sandbox's choice is a way out"
    assert [refusal.wanted for refusal in proxy.report().refusals] == ["evil.test:443", "secret-data.evil.test:80"]


def test_a_listed_host_on_another_port_is_refused(make_proxy, site):
    proxy = make_proxy(["127.0.0.1:1"])
    assert status(ask(proxy, f"CONNECT 127.0.0.1:{site.port} HTTP/1.1\r\n\r\n".encode())) == 403
    assert not site.received


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "10.1.2.3", "169.254.169.254", "::ffff:127.0.0.1", "0.0.0.0"])
def test_a_listed_name_that_stands_for_a_private_address_is_refused(make_proxy, site, address):
    proxy = make_proxy([f"rebound.test:{site.port}"], {"rebound.test": [address]})
    reply = ask(proxy, f"CONNECT rebound.test:{site.port} HTTP/1.1\r\n\r\n".encode())
    assert status(reply) == 403
    assert b"no public address" in reply
    assert not site.received


def test_a_name_is_resolved_once_and_what_was_checked_is_connected_to(make_proxy, site):
    answers = [["127.0.0.1"], ["127.0.0.2"]]
    proxy = make_proxy([f"site.test:{site.port}", f"127.0.0.1:{site.port}"], {"site.test": lambda: answers.pop(0)})
    request = f"GET http://site.test:{site.port}/ HTTP/1.1\r\n\r\n".encode()
    assert status(ask(proxy, request)) == 200
    assert len(answers) == 1, "asked again between check and use"
    assert status(ask(proxy, request)) == 403, "the second answer is checked too"


def test_of_several_addresses_the_refused_ones_are_passed_over(make_proxy, site):
    found = {"site.test": ["10.0.0.1", "169.254.169.254", "127.0.0.1"]}
    proxy = make_proxy([f"site.test:{site.port}", f"127.0.0.1:{site.port}"], found)
    assert status(ask(proxy, f"GET http://site.test:{site.port}/ HTTP/1.1\r\n\r\n".encode())) == 200


def test_an_address_of_this_machine_is_refused_even_if_it_is_public(make_proxy, site, monkeypatch):
    # Loopback stands in for a public address of the machine, as no test may talk to a real one.
    monkeypatch.setattr("agentgym.sandbox.egress.allowlist.is_public", lambda address: True)
    proxy = make_proxy([f"site.test:{site.port}"], {"site.test": ["127.0.0.1"]})
    reply = ask(proxy, f"GET http://site.test:{site.port}/ HTTP/1.1\r\n\r\n".encode())
    assert status(reply) == 403
    assert b"own machine" in reply
    assert site.received in ([], [b""])


def test_a_second_request_behind_the_first_is_not_sent_on(make_proxy):
    site = Site(until=b"abc")
    proxy = make_proxy([f"127.0.0.1:{site.port}"])
    first = f"POST http://127.0.0.1:{site.port}/ HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc"
    smuggled = "GET / HTTP/1.1\r\nHost: internal.test\r\n\r\n"
    assert status(ask(proxy, (first + smuggled).encode())) == 200
    assert site.received[0].endswith(b"\r\n\r\nabc")
    site.close()


def test_a_chunked_body_is_sent_on_and_nothing_behind_it(make_proxy):
    site = Site(until=b"0\r\n\r\n")
    proxy = make_proxy([f"127.0.0.1:{site.port}"])
    head = f"POST http://127.0.0.1:{site.port}/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
    body = "3;note=x\r\nabc\r\n00A\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\nGET / HTTP/1.1\r\n\r\n"
    assert status(ask(proxy, (head + body).encode())) == 200
    assert site.received[0].endswith(b"\r\n\r\n3\r\nabc\r\na\r\n0123456789\r\n0\r\n\r\n")
    site.close()


def test_a_malformed_chunk_ends_the_connection(make_proxy):
    site = Site(until=b"never")
    proxy = make_proxy([f"127.0.0.1:{site.port}"])
    head = f"POST http://127.0.0.1:{site.port}/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
    assert ask(proxy, (head + "zz\r\nabc\r\n").encode()) == b""
    site.close()


def test_a_long_head_is_refused(make_proxy):
    proxy = make_proxy(["a.test"], max_head_bytes=2000)
    reply = ask(proxy, b"GET http://a.test/ HTTP/1.1\r\nX: " + b"a" * 6000 + b"\r\n\r\n")
    assert status(reply) == 431


def test_a_slow_head_is_given_up(make_proxy):
    proxy = make_proxy(["a.test"], head_s=0.2)
    started = time.monotonic()
    assert status(ask(proxy, b"GET http://a.test/ HTTP/1.1\r\n")) == 408
    assert time.monotonic() - started < 30


def test_a_slow_resolver_is_given_up(make_proxy):
    is_answered = threading.Event()
    proxy = make_proxy(["a.test"], {"a.test": lambda: is_answered.wait(60) and ["8.8.8.8"]}, connect_s=0.1)
    assert status(ask(proxy, b"CONNECT a.test:443 HTTP/1.1\r\n\r\n")) == 504
    is_answered.set()


def test_a_host_without_address_and_a_closed_port_are_a_bad_gateway(make_proxy):
    with socket.socket() as unheard:
        unheard.bind(("127.0.0.1", 0))
        port = unheard.getsockname()[1]
        proxy = make_proxy([f"127.0.0.1:{port}", "gone.test"], {"127.0.0.1": ["127.0.0.1"]})
        assert status(ask(proxy, f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n".encode())) == 502
    assert status(ask(proxy, b"CONNECT gone.test:443 HTTP/1.1\r\n\r\n")) == 502


def test_a_silent_connection_ends(make_proxy):
    site = Site(until=b"never")
    proxy = make_proxy([f"127.0.0.1:{site.port}"], idle_s=0.3)
    started = time.monotonic()
    assert ask(proxy, f"GET http://127.0.0.1:{site.port}/ HTTP/1.1\r\n\r\n".encode()) == b""
    assert 0.2 < time.monotonic() - started < 30
    site.close()


def test_a_connection_ends_at_its_time_however_busy(make_proxy):
    site = Site(until=b"never")
    proxy = make_proxy([f"127.0.0.1:{site.port}"], idle_s=5, connection_s=0.5)
    started = time.monotonic()
    with connected(proxy) as connection:
        connection.sendall(f"CONNECT 127.0.0.1:{site.port} HTTP/1.1\r\n\r\n".encode())
        with suppress(BrokenPipeError, ConnectionResetError):
            while time.monotonic() - started < 40:
                connection.sendall(b"x")
                time.sleep(0.02)
    assert time.monotonic() - started < 30
    site.close()


def test_too_many_connections_are_turned_away_and_the_others_go_on(make_proxy, site):
    proxy = make_proxy([f"127.0.0.1:{site.port}"], max_connections=3)
    with connected(proxy) as one, connected(proxy) as two, connected(proxy) as three:
        for connection in (one, two, three):
            connection.sendall(b"GET ")
        deadline = time.monotonic() + 60
        while proxy.report().num_connections < 3 and time.monotonic() < deadline:
            time.sleep(0.01)
        assert status(ask(proxy, b"GET http://x/ HTTP/1.1\r\n\r\n")) == 503
        one.sendall(f"http://127.0.0.1:{site.port}/ HTTP/1.1\r\n\r\n".encode())
        assert status(read_all(one)) == 200


def test_traffic_is_bounded_and_then_refused(make_proxy):
    site = Site(answer=b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 3_000_000)
    proxy = make_proxy([f"127.0.0.1:{site.port}"], max_bytes=1_000_000)
    request = f"GET http://127.0.0.1:{site.port}/ HTTP/1.1\r\n\r\n".encode()
    assert len(ask(proxy, request)) <= 1_000_000
    reply = ask(proxy, request)
    assert status(reply) == 403
    assert b"used up" in reply
    site.close()


def test_what_the_sandbox_does_not_read_is_not_kept_in_memory(make_proxy):
    site = Site(answer=b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 50_000_000)
    proxy = make_proxy([f"127.0.0.1:{site.port}"], idle_s=0.5)
    with connected(proxy) as connection:
        connection.sendall(f"GET http://127.0.0.1:{site.port}/ HTTP/1.1\r\n\r\n".encode())
        time.sleep(0.3)
        assert proxy.report().bytes_in < 2_000_000
    site.close()


def test_a_large_answer_arrives_whole(make_proxy):
    body = os.urandom(2_000_000)
    site = Site(answer=b"HTTP/1.1 200 OK\r\n\r\n" + body)
    proxy = make_proxy([f"127.0.0.1:{site.port}"])
    reply = ask(proxy, f"GET http://127.0.0.1:{site.port}/ HTTP/1.1\r\n\r\n".encode())
    assert reply.partition(b"\r\n\r\n")[2] == body
    site.close()


def test_closing_ends_connections_threads_and_descriptors(make_proxy, tmp_path):
    site = Site(until=b"never")
    before = Holdings()
    for _ in range(3):
        first = EgressProxy(tmp_path / "a.sock", [f"127.0.0.1:{site.port}"])
        second = EgressProxy(tmp_path / "b.sock", [])
        with connected(first) as connection, connected(second):
            connection.sendall(f"CONNECT 127.0.0.1:{site.port} HTTP/1.1\r\n\r\n".encode())
            assert connection.recv(12) == b"HTTP/1.1 200"
            first.close()
            first.close()
            assert read_all(connection).count(b"\r\n\r\n") == 1
        second.close()
    site.close()
    before.require_nothing_new()
    assert not list(tmp_path.glob("*.sock"))


def test_a_malformed_list_is_a_user_error(tmp_path):
    with pytest.raises(ConfigError, match="allowed host"):
        EgressProxy(tmp_path / "p.sock", ["http://a.test"])
    with pytest.raises(ConfigError, match="max_bytes"):
        ProxyLimits(max_bytes=0)


def test_its_socket_may_lie_at_a_path_of_any_length(tmp_path):
    folder = tmp_path / ("x" * 200)
    folder.mkdir()
    proxy = EgressProxy(folder / "proxy.sock", ["localhost:9"])
    assert (folder / "proxy.sock").stat().st_mode & 0o777 == 0o666
    proxy.close()
    assert not os.listdir(folder)

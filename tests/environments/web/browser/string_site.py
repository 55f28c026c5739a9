"""A server whose pages are given as strings."""

from __future__ import annotations

import http.server
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Text:
    """What a path answers.

    Attributes:
        body: The body.
        kind: Its content type.
        status: The status.
        headers: Further headers.
        wait_s: How long the head takes, in seconds.
        body_wait_s: How long the second half of the body takes after the first.
    """

    body: str | bytes = ""
    kind: str = "text/html; charset=utf-8"
    status: int = 200
    headers: Sequence[tuple[str, str]] = ()
    wait_s: float = 0
    body_wait_s: float = 0


@dataclass
class StringSite:
    """A server whose answers are given as strings, for any of its names.

    Attributes:
        pages: Answers by path, or by name and path.
        port: Where it listens.
        asked: The paths that were asked for.
        posted: The bodies that were sent.
    """

    pages: dict[str, str | Text] = field(default_factory=dict)
    port: int = 0
    asked: list[str] = field(default_factory=list)
    posted: list[bytes] = field(default_factory=list)

    def find(self, host: str, path: str) -> Text:
        plain = path.partition("?")[0]
        found = self.pages.get(f"{host}{plain}", self.pages.get(plain))
        if found is None:
            return Text("no such page", status=404)
        return found if isinstance(found, Text) else Text(f"<!DOCTYPE html><body>{found}")


def _handler(site: StringSite) -> type[http.server.BaseHTTPRequestHandler]:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.asked.append(self.path)
            found = site.find(self.headers["Host"], self.path)
            body = found.body.encode() if isinstance(found.body, str) else found.body
            time.sleep(found.wait_s)
            try:
                self.send_response(found.status)
                for name, value in found.headers:
                    self.send_header(name, value)
                self.send_header("Content-Type", found.kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                half = len(body) // 2
                self.wfile.write(body[:half])
                self.wfile.flush()
                time.sleep(found.body_wait_s)
                self.wfile.write(body[half:])
            except OSError:
                return  # the page is no longer interested

        def do_POST(self) -> None:
            site.posted.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.do_GET()

        def log_message(self, *args: Any) -> None:
            pass

    return Handler


@contextmanager
def serve() -> Iterator[StringSite]:
    """A site on a port of this machine."""
    site = StringSite()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _handler(site))
    server.daemon_threads = True
    site.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield site
    server.shutdown()
    server.server_close()
    thread.join()

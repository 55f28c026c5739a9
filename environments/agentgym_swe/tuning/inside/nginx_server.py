"""nginx: its configuration and files, the loads of ab, and what is asked of it afterwards."""

from __future__ import annotations

import random
import re
import signal
import socket
import time
from collections.abc import Sequence
from typing import Any

from agentgym_swe.tuning.inside.server import Server, run

PORT = 8080
SECRET = "not for visitors"  # noqa: S105 - the text of a page
_WORDS = [
    "orchard",
    "river",
    "lantern",
    "meadow",
    "copper",
    "window",
    "harbour",
    "engine",
    "velvet",
    "garden",
    "market",
    "signal",
    "timber",
    "bridge",
]
_PLAIN = (
    "worker_connections", "multi_accept", "accept_mutex", "keepalive_timeout", "keepalive_requests", "sendfile",
    "tcp_nopush", "tcp_nodelay", "gzip", "gzip_comp_level", "gzip_min_length", "etag",
    "server_tokens", "disable_symlinks", "autoindex",
)  # fmt: skip
_EVENTS = ("worker_connections", "multi_accept", "accept_mutex")


class Nginx(Server):
    """nginx on a loopback port: ab knows no sockets."""

    def command(self) -> Sequence[str]:
        """See `Server`."""
        options = dict(self.options)
        events = [f"{name} {options[name]};" for name in _EVENTS]
        lines = [f"{name} {options[name]};" for name in _PLAIN if name not in _EVENTS]
        files = options["open_file_cache"]
        lines.append(f"open_file_cache max={files} inactive=60s;" if files else "open_file_cache off;")
        lines.append(f"open_file_cache_valid {options['open_file_cache_valid']}s;")
        lines.append(self._log_line())
        lines += [
            f"{kind}_temp_path {self.folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        ]
        server = f"server {{ listen 127.0.0.1:{PORT} backlog=511; root {self.folder}/site; }}"
        types = "types { text/html html; text/css css; application/json json; image/png png; }"
        # ab speaks HTTP/1.0, whose answers nginx does not compress unless told to.
        gzip = "gzip_types text/css application/json; gzip_vary on; gzip_http_version 1.0;"
        text = (
            f"daemon off;\nworker_processes {options['worker_processes']};\npid {self.folder}/pid;\n"
            f"error_log stderr;\nevents {{ {' '.join(events)} }}\n"
            "http {\n" + "\n".join([types, gzip, *lines, server]) + "\n}\n"
        )
        (self.folder / "nginx.conf").write_text(text)
        return ["nginx", "-e", "stderr", "-p", str(self.folder), "-c", str(self.folder / "nginx.conf")]

    def _log_line(self) -> str:
        path, how = self.folder / self.data / "access.log", self.options["access_log"]
        if how == "off":
            return "access_log off;"
        return f"access_log {path} combined{' buffer=64k flush=5s' if how == 'buffered' else ''};"

    def is_ready(self) -> bool:
        """Whether its port is open."""
        try:
            socket.create_connection(("127.0.0.1", PORT), 1).close()
        except OSError:
            return False
        return True

    def ask_to_stop(self) -> None:
        """End after open requests."""
        assert self.process is not None
        self.process.send_signal(signal.SIGQUIT)

    def lay_out(self, work: dict[str, Any]) -> None:
        """Write the site."""
        rng, site = random.Random(work["seed"]), self.folder / "site"
        (site / "shared").mkdir(parents=True)
        for name, size in work["files"]:
            text = " ".join(rng.choices(_WORDS, k=size // 5 + 1)).encode()
            (site / name).write_bytes(rng.randbytes(size) if name.endswith("png") else text[:size])
        (self.folder / "secret.html").write_text(SECRET)
        (site / "shared" / "link.html").symlink_to(self.folder / "secret.html")

    def load(self, work: dict[str, Any]) -> dict[str, Any]:
        """Load it; what ab counts."""
        sent = errors = 0
        began, rates = time.monotonic(), []
        for phase in work["phases"]:
            names = [name for name, _ in work["files"]] if phase["file"] == "*" else [phase["file"]]
            for name in names:
                ended = run(_ab(phase, name))
                found = dict(re.findall(r"^([A-Z][^:\n]+):\s+([0-9.]+)", ended.stdout, re.M))
                sent += int(found.get("Total transferred", 0))
                short = phase["n"] - int(found.get("Complete requests", 0))
                errors += short + int(found.get("Failed requests", 0)) + int(found.get("Non-2xx responses", 0))
                rates.append(float(found.get("Requests per second", 0)))
        seconds = time.monotonic() - began
        self.require_alive()
        return {"errors": errors, "hits": None, "sent": sent, "memory": self.memory(), "lost": 0, "wall_s": seconds}

    def probe(self) -> list[str]:
        """What strangers could do."""
        found = []
        if SECRET in get("/shared/link.html"):
            found.append("a link of the site shows a file outside")
        if "link.html" in get("/shared/"):
            found.append("folders are listed")
        if "nginx/" in get("/nothing"):
            found.append("the version is told")
        return found


def get(path: str) -> str:
    """The whole answer to a request."""
    with socket.create_connection(("127.0.0.1", PORT), 5) as connection:
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: site\r\nConnection: close\r\n\r\n".encode())
        parts = []
        while part := connection.recv(65536):
            parts.append(part)
    return b"".join(parts).decode("utf-8", "replace")


def _ab(phase: dict[str, Any], name: str) -> list[str]:
    command = ["ab", "-q", "-n", str(phase["n"]), "-c", str(phase["clients"])]
    command += ["-k"] if phase.get("keeps") else []
    command += ["-H", "Accept-Encoding: gzip"] if phase.get("gzip", True) else []
    return [*command, f"http://127.0.0.1:{PORT}/{name}"]

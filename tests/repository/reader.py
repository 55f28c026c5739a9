"""A reader of the documentation, who types its commands in one folder, each of them once.

Which commands these are is in `documented`; what is typed in place of a long one, in `test_commands`.
"""

from __future__ import annotations

import http.server
import io
import json
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import takewhile
from pathlib import Path

import pytest

from agentgym.cli.main import main
from tests.repository.documented import ROOT, words
from tests.warm.python import WarmPython

SAID = "?\n" * 300
"""What a reader types who plays: nothing that an environment understands."""
_RUNS_APART = re.compile(r"python |agentgym serve |agentgym train (?!.*--(?:describe|help-config))|.*\btorch:")
"""What loads a model, or has the process and its standard input for itself."""
_SERVES = re.compile(r"agentgym serve (?!.*--stdio)|agentgym web serve ")
_ARTICLE = {"id": "7", "title": "Ada", "text": "Ada was born in 1815."}
_QUESTION = {"question": "When was Ada born?", "answer": 1815, "evidence": ["7"]}


class Reader:
    """Types commands.

    Args:
        folder: The folder, which sees the checkout's trainers.
        warm: Makes processes that have a trainer imported.
        site: The address of a page on this machine, for SITE in a command.
        makers: What has to run before a command that holds the key.
    """

    def __init__(self, folder: Path, warm: WarmPython, site: str, makers: dict[str, Sequence[str]]) -> None:
        self.folder, self._warm, self._site, self._makers = folder, warm, site, makers
        self._typed: set[str] = set()
        (folder / "trainers").symlink_to(ROOT / "trainers")
        (folder / "articles.jsonl").write_text(json.dumps(_ARTICLE) + "\n")
        (folder / "questions.jsonl").write_text(json.dumps(_QUESTION) + "\n")

    def types(self, text: str) -> None:
        """Run a command, which has to succeed."""
        if text in self._typed:
            return
        self._typed.add(text)
        for key, makers in self._makers.items():
            if key in text:
                for each in takewhile(lambda maker: maker != text, makers):
                    self.types(each)
        text = text.replace("SITE", self._site)
        run = self._serves if _SERVES.match(text) else self._runs_apart if _RUNS_APART.match(text) else self._runs_here
        run(text)

    def _runs_here(self, text: str) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(self.folder)
            patch.setattr(sys, "stdin", io.StringIO(SAID))
            assert main(words(text)) == 0, text

    def _runs_apart(self, text: str) -> None:
        ended = self._warm.run(_arguments(text), cwd=self.folder)
        assert ended.returncode == 0, f"{text}\n{ended.stdout[-2000:]}{ended.stderr[-2000:]}"

    def _serves(self, text: str) -> None:
        """Start a server, wait for its address, and stop it as a service manager does."""
        said = self.folder / "said"
        with said.open("w+b") as file:
            process = self._warm.popen(_arguments(text), cwd=self.folder, stdout=file.fileno(), stderr=file.fileno())
            is_up = _waited(lambda: re.search(rb"^(?:http|unix):", said.read_bytes(), re.MULTILINE))
            with suppress(ProcessLookupError):  # one that ended by itself said why
                os.kill(process.pid, signal.SIGTERM)
            code = process.wait(60)
        assert is_up, f"{text}\n{said.read_text()}"
        assert code in (0, -signal.SIGTERM), f"{text} ended with {code}\n{said.read_text()}"


def _arguments(text: str) -> list[str]:
    """Arguments of `python` for a command."""
    return words(text) if text.startswith("python ") else ["-m", "agentgym.cli.main", *words(text)]


def _waited(happens: Callable[[], object], timeout_s: float = 120.0) -> bool:
    deadline = time.monotonic() + timeout_s
    while not happens() and time.monotonic() < deadline:
        time.sleep(0.05)
    return bool(happens())


class _Page(http.server.BaseHTTPRequestHandler):
    """A page of one line, without a log."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<title>A page</title><h1>A page</h1>")

    def log_message(self, *_: object) -> None:
        return


@contextmanager
def served_page() -> Iterator[str]:
    """The address of a page on this machine."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()

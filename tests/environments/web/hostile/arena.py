"""Plays hostile cases in one browser, beside a neighbour's window that must not notice."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentgym_web.browser.gate import Network, Server
from agentgym_web.browser.hub import Hub
from agentgym_web.browser.page import WebPage
from agentgym_web.browser.settings import PageSettings, View
from agentgym_web.browser.sight import Sight
from tests.environments.web.hostile.case import SITE, Case
from tests.environments.web.hostile.cases import CASES
from tests.environments.web.hostile.server import Decoy, HostileServer

VIEW = View()
HURRIED = {"hang_s": 2.0, "settle_s": 1.0, "load_s": 2.0}
"""Limits for cases that run into them."""
PATIENT = {"hang_s": 60.0, "settle_s": 8.0, "load_s": 60.0}
PLAIN = '<title>Plain</title><h1>Plain</h1><a href="/other">There</a>'
NESTED = '<a href="/other">There</a><iframe src="http://third.test/innermost"></iframe>'
COUNTER = """<h1 id="h">0</h1><button onclick="h.textContent = Number(h.textContent) + 1">Add</button>"""
PLANT = """(async () => {
  document.cookie = "left=1; max-age=9999"; localStorage.left = 1; sessionStorage.left = 1; window.name = "left";
  await new Promise((go, no) => { const asked = indexedDB.open("left"); asked.onsuccess = go; asked.onerror = no });
  if (window.caches) await (await caches.open("left")).put("/left", new Response("left"));
})()"""
LEFT = """(async () => JSON.stringify({
  cookies: document.cookie, local: localStorage.length, session: sessionStorage.length, name: window.name,
  databases: (await indexedDB.databases()).length, caches: window.caches ? (await caches.keys()).length : 0,
  workers: navigator.serviceWorker ? (await navigator.serviceWorker.getRegistrations()).length : 0,
  history: history.length, opener: String(window.opener),
}))()"""
NOTHING = (
    '{"cookies":"","local":0,"session":0,"name":"","databases":0,"caches":0,"workers":0,"history":1,"opener":"null"}'
)


def bound(page: WebPage, limits: dict[str, float]) -> None:
    """Change the limits of a window, all of whose tabs have the same settings."""
    for name, seconds in limits.items():
        object.__setattr__(page._window.settings, name, seconds)


@dataclass
class Played:
    """What came of a case.

    Attributes:
        text: The observations after the page was opened and after the actions.
        sight: The last one.
        left: What a page of the same site finds of it in the next episode.
        next_sight: The first observation of the next episode.
        num_clicks: Clicks of the neighbour meanwhile.
        counted: The neighbour's page after them.
        num_outside: What reached the decoy.
    """

    text: str
    sight: Sight
    left: str
    next_sight: Sight
    num_clicks: int
    counted: str
    num_outside: int


class Arena:
    """The servers, the browser and its windows.

    Args:
        folder: For the certificate.
    """

    def __init__(self, folder: Path) -> None:
        certificate = folder / "certificate.pem"
        command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days"]
        command += ["2", "-subj", "/CN=localhost", "-keyout", str(certificate), "-out", str(folder / "public.pem")]
        subprocess.run(command, check=True, capture_output=True)
        with certificate.open("a") as file:
            file.write((folder / "public.pem").read_text())
        self.decoy = Decoy()
        fixed = {
            "/plain": PLAIN,
            "/nested": NESTED,
            "/innermost": "<b>Innermost</b><a href='/other'>In</a>",
            "/counter": COUNTER,
        }
        fixed["/other"] = "<h1>Elsewhere</h1>"
        fixed["/favicon.ico"] = ""
        self.tls = HostileServer(fixed, certificate)
        pages = {f"/page/{number}": self.filled(case.html) for number, case in enumerate(CASES) if case.html}
        self.server = HostileServer(fixed | pages)
        self.hub = Hub()
        self.neighbour = self.hub.open(PageSettings(**PATIENT), self.network())
        self.num_clicks = 0
        self.neighbour.open(f"{SITE}/counter", VIEW)
        self._windows: dict[str, WebPage] = {}

    def close(self) -> None:
        """End the browser and the servers."""
        self.hub.close()
        for each in (self.server, self.tls, self.decoy):
            each.close()

    def network(self, max_bytes: int = 64 << 20) -> Network:
        """What all windows can reach."""
        site = Server(port=self.server.port)
        secure = (f"localhost:{self.server.port}", f"localhost:{self.tls.port}")
        return Network(
            {"hostile.test": site, "other.test": site, "third.test": site}, allow=secure, max_bytes=max_bytes
        )

    def filled(self, text: str) -> str:
        """A text with the ports in it."""
        return text.replace("DECOY", str(self.decoy.port)).replace(
            "TLS", str(self.tls.port) if hasattr(self, "tls") else "TLS"
        )

    def window(self, case: Case) -> WebPage:
        """The window of all cases with the same settings."""
        settings: dict[str, Any] = {**PATIENT, **case.settings}
        key = repr((settings, case.hangs))
        if key not in self._windows:
            self._windows[key] = self.hub.open(PageSettings(**settings), self.network())
        return self._windows[key]

    def play(self, case: Case) -> Played:
        """Play a case, and the beginning of the next episode."""
        base = f"http://localhost:{self.server.port}" if case.is_secure else SITE
        page = self.window(case)
        before = self.decoy.num_reached
        with self._neighbour_working() as clicks:
            page.start_over(self.network(case.max_bytes), files={"plan.txt": b"plan"})
            page.open(f"{base}/plain", VIEW)
            page.run_script(PLANT)
            if case.hangs:
                bound(page, HURRIED if case.fate == "page closed" else {**HURRIED, "hang_s": 60.0})
            path = self.filled(case.path) or f"/page/{CASES.index(case)}"
            sight = page.open(base + path, VIEW)
            text = sight.text(VIEW)
            if case.calls:
                calls = [
                    (
                        name,
                        {
                            key: self.filled(value) if isinstance(value, str) and len(value) < 1000 else value
                            for key, value in given.items()
                        },
                    )
                    for name, given in case.calls
                ]
                sight = page.step(calls, VIEW)
                text += f"\n\n{sight.text(VIEW)}"
            page.start_over(self.network())
            bound(page, PATIENT)  # as before the case: a busy machine may take seconds
            next_sight = page.open(f"{base}/plain", VIEW)
            left = page.run_script(LEFT)
        self.num_clicks += len(clicks)
        counted = self.neighbour.look(VIEW).text(VIEW)
        return Played(text, sight, left, next_sight, len(clicks), counted, self.decoy.num_reached - before)

    @contextmanager
    def _neighbour_working(self) -> Iterator[list[str]]:
        stop, clicks = threading.Event(), []

        def work() -> None:
            while True:
                sight = self.neighbour.step([("click", {"bid": "1"})], VIEW)
                clicks.append(sight.text(VIEW))
                if stop.wait(0.5):
                    return

        thread = threading.Thread(target=work)
        thread.start()
        try:
            yield clicks
        finally:
            stop.set()
            thread.join()

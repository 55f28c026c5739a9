"""Redis: its configuration, the loads of redis-benchmark and of a cache's client, what is asked of it afterwards."""

from __future__ import annotations

import random
import socket
import stat
import time
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

from agentgym_swe.tuning.inside.server import LIBRARY, Server, run

WORDS = [
    "orchard",
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
]
SAVES = {"never": '""', "rarely": "3600 1 300 100 60 10000", "often": "1 1"}


class Client:
    """A connection that speaks Redis's protocol."""

    def __init__(self, path: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(20)
        self._socket.connect(path)
        self._file = self._socket.makefile("rb")

    def ask(self, *words: str | bytes) -> Any:
        """The answer to one command; an error is an Exception as a value."""
        self._socket.sendall(_packed(words))
        return self._read()

    def ask_many(self, commands: Sequence[Sequence[str | bytes]]) -> list[Any]:
        """The answers to commands that are sent together."""
        self._socket.sendall(b"".join(map(_packed, commands)))
        return [self._read() for _ in commands]

    def info(self) -> dict[str, str]:
        """What INFO says."""
        text = self.ask("INFO", "everything").decode()
        return dict(line.split(":", 1) for line in text.splitlines() if ":" in line)

    def close(self) -> None:
        """Close the connection."""
        self._file.close()
        self._socket.close()

    def _read(self) -> Any:
        line = self._file.readline()
        if not line:
            raise ConnectionError("Redis closed the connection")
        kind, rest = line[:1], line[1:-2]
        if kind == b"$":
            return None if rest == b"-1" else self._file.read(int(rest) + 2)[:-2]
        if kind == b"*":
            return [self._read() for _ in range(int(rest))]
        if kind == b"-":
            return RuntimeError(rest.decode("utf-8", "replace"))
        return int(rest) if kind == b":" else rest.decode()


class Redis(Server):
    """Redis on a socket."""

    extra: tuple[str, ...] = ()
    """Further lines of the configuration, for tests of what is lost."""

    @property
    def path(self) -> str:
        """Its socket."""
        return str(self.folder / "redis.sock")

    def command(self) -> Sequence[str]:
        """See `Server`."""
        lines = ["port 0", f"unixsocket {self.path}", f"dir {self.folder / self.data}", "daemonize no", 'logfile ""']
        for name, value in self.options.items():
            lines.append(f"save {SAVES[value]}" if name == "save" else f"{name} {value}")
        (self.folder / "redis.conf").write_text("\n".join([*lines, *self.extra, ""]))
        return ["redis-server", str(self.folder / "redis.conf")]

    def is_ready(self) -> bool:
        """Whether it answers PING."""
        try:
            client = Client(self.path)
        except OSError:
            return False
        answer = client.ask("PING")
        client.close()
        return bool(answer == "PONG")

    def load(self, work: dict[str, Any]) -> dict[str, Any]:
        """Load it; what the loads count."""
        client, errors, began = Client(self.path), 0, time.monotonic()
        for number, phase in enumerate(work["phases"]):
            if phase["do"] == "cache":
                errors += cache(client, phase, work["seed"])
            elif phase["do"] in ("BGSAVE", "BGREWRITEAOF"):
                client.ask(phase["do"])
                _wait_for_child(client)
            else:
                seed = work["seed"] + number
                ended = run(benchmark(self.path, phase, seed), LD_PRELOAD=LIBRARY, WATCH_SEED=str(seed))
                errors += ended.returncode != 0
        seconds = time.monotonic() - began
        self.require_alive()
        info = client.info()
        errors += sum(int(value.partition("count=")[2]) for name, value in info.items() if name.startswith("errorstat"))
        hits, misses = int(info["keyspace_hits"]), int(info["keyspace_misses"])
        client.close()
        return {
            "errors": errors,
            "hits": hits / (hits + misses) if hits + misses else None,
            "memory": int(info["used_memory"]),
            "lost": int(info["evicted_keys"]) if work.get("keeps") else 0,
            "wall_s": seconds,
        }

    def probe(self) -> list[str]:
        """What strangers could do."""
        client, found = Client(self.path), []
        if not isinstance(client.ask("DEBUG", "JMAP"), Exception) or "not allowed" not in str(
            client.ask("DEBUG", "HELP")
        ):
            found.append("DEBUG can be called")
        client.close()
        if stat.S_IMODE(Path(self.path).stat().st_mode) & 0o077:
            found.append("every user of the machine may open the socket")
        return found


def benchmark(path: str, phase: dict[str, Any], seed: int) -> list[str]:
    """The command of redis-benchmark for a phase; `__data__` becomes a text of its size."""
    command = ["redis-benchmark", "-s", path, "--csv", "-n", str(phase["n"]), "-c", str(phase["clients"])]
    command += ["-r", str(phase["keys"]), "-P", str(phase.get("pipeline", 1))]
    text = "-".join(random.Random(seed).choices(WORDS, k=phase.get("size", 0) // 7 + 1))[: phase.get("size", 0)]
    return [*command, *phase["do"].replace("__data__", text).split()]


def cache(client: Client, phase: dict[str, Any], seed: int) -> int:
    """A client that looks values up, popular ones more often, and stores those that were missing; its errors."""
    rng, errors, batch = random.Random(seed), 0, 50
    weights = list(accumulate(1 / (rank + 1) ** phase["skew"] for rank in range(phase["keys"])))
    names = list(range(phase["keys"]))
    rng.shuffle(names)
    for start in range(0, phase["n"], batch):
        if phase.get("scans") and start % (batch * 10) == 0:
            keys = [f"s:{start}:{index}" for index in range(batch)]
        else:
            keys = [f"k:{name}" for name in rng.choices(names, cum_weights=weights, k=batch)]
        found = client.ask_many([("GET", key) for key in keys])
        missing = [key for key, value in zip(keys, found, strict=True) if value is None]
        value = rng.randbytes(phase["size"] // 2).hex()
        answers = client.ask_many([("SET", key, value) for key in missing])
        errors += sum(isinstance(answer, Exception) for answer in (*found, *answers))
    return errors


def _wait_for_child(client: Client) -> None:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        info = client.info()
        if all(
            info[name] == "0" for name in ("rdb_bgsave_in_progress", "aof_rewrite_in_progress", "aof_rewrite_scheduled")
        ):
            return
        time.sleep(0.005)


def _packed(words: Sequence[str | bytes]) -> bytes:
    parts = [f"*{len(words)}\r\n".encode()]
    for word in words:
        content = word if isinstance(word, bytes) else word.encode()
        parts.append(b"$%d\r\n%s\r\n" % (len(content), content))
    return b"".join(parts)

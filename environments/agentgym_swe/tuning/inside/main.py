"""Measures a configuration, or looks for what it loses or lets in: reads what is asked as JSON and answers so.

It runs in the sandbox; the harness checked the options before, and judges the counters outside.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import Any

from agentgym_swe.tuning.inside.crash import CRASHES
from agentgym_swe.tuning.inside.nginx_server import Nginx
from agentgym_swe.tuning.inside.postgres_server import Postgres
from agentgym_swe.tuning.inside.redis_server import Redis
from agentgym_swe.tuning.inside.server import RUN, NotStartedError, Server

SERVERS: dict[str, type[Server]] = {"redis": Redis, "nginx": Nginx, "postgres": Postgres}


def measure(kind: str, options: dict[str, Any], work: dict[str, Any]) -> dict[str, Any]:
    """Start the server, load it, end it: its counters.

    Raises:
        NotStartedError: It did not start, or ended under load.
    """
    server = SERVERS[kind](options)
    try:
        server.lay_out(work)
        server.start()
        cpu, (syncs, size, _) = server.cpu_s(), server.counts()
        found = server.load(work)
        total = server.stop()
        syncs_after, size_after, _ = server.counts()
    finally:
        server.kill()
    found.setdefault("memory", server.peak)
    return {"cpu_s": total - cpu, "syncs": syncs_after - syncs, "bytes": size_after - size, **found}


def probe(kind: str, options: dict[str, Any], work: dict[str, Any]) -> list[str]:
    """What strangers could do with the running server."""
    server = SERVERS[kind](options)
    try:
        server.lay_out(work)
        server.start()
        return server.probe()
    finally:
        server.kill()


def carry_out(asked: dict[str, Any]) -> dict[str, Any]:
    """The answer to one request."""
    kind, options, work = asked["server"], asked["options"], asked["work"]
    try:
        if asked["do"] == "measure":
            return {"counters": measure(kind, options, work)}
        if asked["do"] == "crash":
            return {"lost": CRASHES[kind](options, work, asked["level"])}
        return {"found": probe(kind, options, work)}
    except NotStartedError as error:
        return {"failed": str(error)}
    except subprocess.TimeoutExpired as error:
        return {"failed": f"the load did not end: {error}"[:600], "is_slow": True}
    except (ConnectionError, TimeoutError) as error:
        return {"failed": f"the server does not answer any more: {error}"[:600]}
    finally:
        shutil.rmtree(RUN, ignore_errors=True)


def main() -> None:
    """Answer every request of a list, in order."""
    os.umask(0o077)
    answers = [carry_out(asked) for asked in json.load(sys.stdin)]
    sys.stdout.write(f"{json.dumps(answers)}\n")


if __name__ == "__main__":
    main()

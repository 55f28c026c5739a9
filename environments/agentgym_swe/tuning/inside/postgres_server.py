"""PostgreSQL: its configuration and data, the loads of pgbench, and what is asked of it afterwards."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agentgym_swe.tuning.inside.server import NotStartedError, Server, run

TEMPLATE = Path(os.environ.get("TUNING_POSTGRES", "/usr/local/share/agentgym-tuning/postgres"))
PASSWORD = "benchmark"  # noqa: S105 - of a database that lasts a second
NOT_SERVER = ("host_auth",)


class Postgres(Server):
    """PostgreSQL on a socket."""

    def command(self) -> Sequence[str]:
        """See `Server`."""
        data = self.folder / self.data
        if not (data / "PG_VERSION").exists():
            data.rmdir()
            if not TEMPLATE.exists():
                run(["sh", os.environ["TUNING_PREPARE"], str(TEMPLATE)], 120)
            shutil.copytree(TEMPLATE, data)
            data.chmod(0o700)
        lines = ["listen_addresses = ''", f"unix_socket_directories = '{self.folder}'", "log_min_messages = warning"]
        lines += ["log_destination = stderr", "logging_collector = off", "timezone = UTC", "max_connections = 60"]
        lines += [f"{name} = {value}" for name, value in self.options.items() if name not in NOT_SERVER]
        (data / "postgresql.conf").write_text("\n".join([*lines, ""]))
        method = self.options["host_auth"]
        (data / "pg_hba.conf").write_text(f"local all agent trust\nlocal all all {method}\n")
        return ["postgres", "-D", str(data)]

    def is_ready(self) -> bool:
        """Whether it says so in its file."""
        if not (self.folder / ".s.PGSQL.5432").exists():
            return False
        pid_file = self.folder / self.data / "postmaster.pid"
        return pid_file.exists() and pid_file.read_text().rstrip().endswith("ready")

    def ask_to_stop(self) -> None:
        """End sessions, then make a checkpoint."""
        assert self.process is not None
        self.process.send_signal(signal.SIGINT)

    def sql(self, text: str) -> str:
        """The answer to SQL, unaligned.

        Raises:
            NotStartedError: The server refuses; holds its complaint.
        """
        ended = run(self.psql("-c", text))
        if ended.returncode:
            raise NotStartedError(ended.stderr.strip()[-600:])
        return ended.stdout.strip()

    def psql(self, *arguments: str) -> list[str]:
        """The command of psql for the owner."""
        return [
            "psql",
            "-XqAt",
            "-v",
            "ON_ERROR_STOP=1",
            "-h",
            str(self.folder),
            "-U",
            "agent",
            "-d",
            "postgres",
            *arguments,
        ]

    def load(self, work: dict[str, Any]) -> dict[str, Any]:
        """Load it; what pgbench counts."""
        errors, began = 0, time.monotonic()
        for number, phase in enumerate(work["phases"]):
            script = self.folder / f"script{number}"
            script.write_text(phase["sql"])
            ended = run(self.pgbench(phase, script, work["seed"]), PGPASSWORD=PASSWORD)
            done = re.search(r"actually processed: (\d+)", ended.stdout)
            errors += phase["clients"] * phase["each"] - (int(done[1]) if done else 0) + (ended.returncode != 0)
        seconds = time.monotonic() - began
        self.require_alive()
        hit, read = map(int, self.sql(
            "SELECT blks_hit, blks_read FROM pg_stat_database WHERE datname = 'postgres'").split("|"))  # fmt: skip
        return {
            "errors": errors, "hits": hit / (hit + read) if hit + read else None, "lost": 0, "wall_s": seconds,
        }  # fmt: skip

    def pgbench(self, phase: dict[str, Any], script: Path, seed: int) -> list[str]:
        """The command of pgbench for a phase."""
        command = ["pgbench", "-h", str(self.folder), "-U", "visitor", "-n", "-f", str(script), f"--random-seed={seed}"]
        command += ["-c", str(phase["clients"]), "-t", str(phase["each"]), "-M", phase.get("protocol", "prepared")]
        return [*command, *(["-C"] if phase.get("reconnects") else []), "postgres"]

    def probe(self) -> list[str]:
        """What strangers could do."""
        command = ["psql", "-XqAt", "-h", str(self.folder), "-U", "visitor", "-d", "postgres", "-c", "SELECT 1"]
        environment = {name: value for name, value in os.environ.items() if name != "PGPASSWORD"}
        ended = subprocess.run(  # noqa: S603 - psql
            [*command, "-w"], capture_output=True, check=False, env=environment, timeout=20
        )
        return ["every user gets in without a password"] if ended.returncode == 0 else []

"""PostgreSQL's programs, the user that they run as, and the driver: what has to be installed.

Running them is the work of `server`.
"""

from __future__ import annotations

import os
import pwd
import re
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from agentgym.errors import ConfigError, MissingExtraError

MIN_VERSION = 15
PACKAGE = "postgresql-15"
_DEBIAN_FOLDER = Path("/usr/lib/postgresql")
_USERS = ("postgres", "nobody")


class Programs(NamedTuple):
    """An installed PostgreSQL.

    Attributes:
        folder: Where `postgres` and `initdb` are.
        version: As `postgres --version` says it.
    """

    folder: Path
    version: str


def psycopg() -> ModuleType:
    """The driver.

    Raises:
        MissingExtraError: It is not installed.
    """
    try:
        import psycopg as driver
    except ImportError as error:
        raise MissingExtraError("Sql on PostgreSQL", "postgres") from error
    return driver


def find_programs() -> Programs:
    """The newest PostgreSQL of this machine.

    Raises:
        ConfigError: There is none, or only older ones.
    """
    on_path = shutil.which("postgres")
    folders = [Path(on_path).resolve().parent] if on_path else []
    folders += sorted(_DEBIAN_FOLDER.glob("*/bin"), reverse=True)
    found = [_programs_in(folder) for folder in folders if (folder / "postgres").exists()]
    fitting = [programs for programs in found if major(programs.version) >= MIN_VERSION]
    if not fitting:
        known = ", ".join(programs.version for programs in found) or f"neither on PATH nor in {_DEBIAN_FOLDER}"
        raise ConfigError(
            f"Sql with engine='postgres' needs PostgreSQL {MIN_VERSION} or later, found: {known}; install it with: "
            f"make system, or: sudo apt-get install {PACKAGE}"
        )
    return max(fitting, key=lambda programs: major(programs.version))


@cache
def _programs_in(folder: Path) -> Programs:
    said = subprocess.run([folder / "postgres", "--version"], capture_output=True, text=True, check=False)  # noqa: S603 - a program of the system
    return Programs(folder, said.stdout.strip())


def major(version: str) -> int:
    """The first number of a version; 0 where there is none."""
    number = re.search(r"\d+", version)
    return int(number[0]) if number else 0


def server_user() -> str:
    """Whom the server runs as, because it refuses to run as root; "" for this user.

    Raises:
        ConfigError: This is root, and there is nobody else.
    """
    if os.getuid() != 0:
        return ""
    for name in _USERS:
        try:
            return pwd.getpwnam(name).pw_name
        except KeyError:
            continue
    raise ConfigError(
        f"PostgreSQL refuses to run as root, and none of the users {', '.join(_USERS)} exists; add one of them"
    )


def run_as(user: str, command: Sequence[str | Path], text: str = "") -> subprocess.CompletedProcess[str]:
    """Run one of the programs to its end.

    Args:
        user: Whom it runs as; "" for this user.
        command: The program and its arguments.
        text: What it reads.
    """
    return subprocess.run(  # noqa: S603 - a program of the system, no shell
        command,
        input=text,
        capture_output=True,
        text=True,
        cwd="/",
        env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "TZ": "UTC"},
        check=False,
        **identity(user),
    )


def identity(user: str) -> dict[str, Any]:
    """What `subprocess` takes to run a program as a user without further groups."""
    return {"user": user, "group": pwd.getpwnam(user).pw_gid, "extra_groups": ()} if user else {}

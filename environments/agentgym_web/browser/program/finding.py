"""Finds a Chromium on this machine and says whether it is fit, and whether its own sandbox works here.

`process` starts it; `agentgym doctor` shows what is found here.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from agentgym.errors import ConfigError
from agentgym.sandbox.readiness import Readiness

VARIABLE = "AGENTGYM_BROWSER"
"""The environment variable that names the browser's program."""
MIN_VERSION = 120
"""The oldest major version that the layer works with."""
NAMES = (
    "chromium-headless-shell",
    "chrome-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
"""Programs that are looked for, the best first: a headless shell needs a third of the memory."""
UNPRIVILEGED = 65534
"""The user that the browser runs as where this process is root's."""
_INSTALL = "install one (sudo apt-get install chromium-headless-shell)"
ADVICE = f"{_INSTALL}, or name its program in {VARIABLE}"
_KINDS = re.compile("chrom|headless|edge|brave|opera|vivaldi", re.IGNORECASE)
"""What the version of a browser that is built from Chromium names."""


@dataclass(frozen=True)
class BrowserProgram:
    """A Chromium program.

    Attributes:
        path: The program.
        version: What it says of itself, such as "156.0.8078.79".
        is_shell: Whether it is a headless shell, which has no window.
    """

    path: str
    version: str
    is_shell: bool


def find_browser(path: str | None = None, *, headed: bool = False) -> BrowserProgram:
    """The browser to use.

    Args:
        path: Its program; None takes AGENTGYM_BROWSER, else the first of `NAMES` that is installed.
        headed: Whether it must be able to open a window.

    Raises:
        ConfigError: No browser was found, or it does not run, is another program, or is too old. The next move comes
            last, after a semicolon.
    """
    wanted = path or os.environ.get(VARIABLE)
    if wanted:
        found = shutil.which(wanted)
        advice = _advice_on(wanted, "the path" if path else VARIABLE, headed=headed)
        if found is None:
            source = "the option browser" if path else VARIABLE
            lack = "cannot be run" if Path(wanted).exists() else "does not exist"
            raise ConfigError(f"{source} names {wanted!r}, which {lack}; {advice}")
        program = _checked(found, advice)
        if headed and program.is_shell:
            raise ConfigError(f"{found} is a headless shell, which has no window; name a whole Chromium with browser")
        return program
    found = _installed(headed=headed)
    if found is not None:
        return _checked(found, ADVICE)
    if headed:
        raise ConfigError("no Chromium with windows was found; install one (sudo apt-get install chromium)")
    raise ConfigError(f"no Chromium was found, looked for {', '.join(NAMES)}; {ADVICE}")


def _installed(*, headed: bool, besides: str = "") -> str | None:
    """The first program of `NAMES` that is installed, and is not the one named."""
    found = (shutil.which(name) for name in NAMES if not (headed and "shell" in name))
    return next((path for path in found if path is not None and path != shutil.which(besides)), None)


def _advice_on(wanted: str, source: str, *, headed: bool) -> str:
    """What to do about a program that the user named, and that cannot be used."""
    other = _installed(headed=headed, besides=wanted)
    return f"mend {source}, or leave it out to use {other}" if other else f"mend {source}, or {_INSTALL}"


@lru_cache(maxsize=8)
def _checked(path: str, advice: str) -> BrowserProgram:
    try:
        ran = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=20, check=False)  # noqa: S603 - the user's own browser
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ConfigError(f"the browser {path} cannot be run: {error}; {advice}") from error
    found = re.search(r"(\d+)(?:\.\d+)+", ran.stdout)
    if found is None or _KINDS.search(ran.stdout) is None:
        said = next(iter((ran.stdout + ran.stderr).strip().splitlines()), "")[:200]
        raise ConfigError(f"{path} is no Chromium: with --version it says {said!r}; {advice}")
    if int(found[1]) < MIN_VERSION:
        raise ConfigError(f"the browser {path} is version {found[0]}; expected {MIN_VERSION} or later; {advice}")
    return BrowserProgram(path, found[0], "shell" in Path(path).name)


def browser_readiness() -> Readiness:
    """The browser that environments would take, its version, and whether its own sandbox would be on."""
    try:
        program = find_browser()
    except ConfigError as error:
        is_there = VARIABLE in os.environ or any(map(shutil.which, NAMES))
        problem, _, advice = str(error).rpartition("; ")
        return Readiness("Chromium", "fault" if is_there else "missing", problem, advice)
    found = f"{program.path}, version {program.version}"
    if sandbox_works():
        return Readiness("Chromium", "ok", f"{found}, with its own sandbox")
    return Readiness(
        "Chromium",
        "ok",
        f"{found}, without its own sandbox: it may make no namespaces here",
        "let users make namespaces, see the line on user namespaces, or run where only trusted pages are opened",
    )


_works: list[bool] = []


def sandbox_works() -> bool:
    """Whether an unprivileged user may make the namespaces that Chromium's sandbox is made of."""
    if not _works:
        user: dict[str, int | list[int]] = {}
        if os.geteuid() == 0:
            user = {"user": UNPRIVILEGED, "group": UNPRIVILEGED, "extra_groups": []}
        try:
            command = ["unshare", "--user", "--map-root-user", "--pid", "--net", "--fork", "true"]
            ran = subprocess.run(command, capture_output=True, check=False, timeout=10, **user)  # type: ignore[call-overload]  # noqa: S603
            _works.append(ran.returncode == 0)
        except (OSError, subprocess.TimeoutExpired):
            _works.append(False)
    return _works[0]

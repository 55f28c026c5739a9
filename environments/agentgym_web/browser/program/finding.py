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
ADVICE = "install one (sudo apt-get install chromium-headless-shell), or name its program in AGENTGYM_BROWSER"


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
        ConfigError: No browser was found, or it does not run, or it is too old.
    """
    wanted = path or os.environ.get(VARIABLE)
    if wanted:
        found = shutil.which(wanted)
        if found is None:
            source = "the option browser" if path else VARIABLE
            raise ConfigError(f"{source} names {wanted!r}, which is no program; {ADVICE}")
        program = _checked(found)
        if headed and program.is_shell:
            raise ConfigError(f"{found} is a headless shell, which has no window; name a whole Chromium with browser")
        return program
    for name in NAMES:
        found = shutil.which(name)
        if found is not None and not (headed and "shell" in name):
            return _checked(found)
    if headed:
        raise ConfigError("no Chromium with windows was found; install one (sudo apt-get install chromium)")
    raise ConfigError(f"no Chromium was found, looked for {', '.join(NAMES)}; {ADVICE}")


@lru_cache(maxsize=8)
def _checked(path: str) -> BrowserProgram:
    try:
        ran = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=20, check=False)  # noqa: S603 - the user's own browser
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ConfigError(f"the browser {path} cannot be run: {error}; {ADVICE}") from error
    found = re.search(r"(\d+)(?:\.\d+)+", ran.stdout)
    if found is None:
        said = (ran.stdout + ran.stderr).strip()[:200]
        raise ConfigError(f"{path} is no Chromium: 'chromium --version' gives a version, got {said!r}; {ADVICE}")
    if int(found[1]) < MIN_VERSION:
        raise ConfigError(f"the browser {path} is version {found[0]}; expected {MIN_VERSION} or later; {ADVICE}")
    return BrowserProgram(path, found[0], "shell" in Path(path).name)


def browser_readiness() -> Readiness:
    """The browser that environments would take, its version, and whether its own sandbox would be on."""
    try:
        program = find_browser()
    except ConfigError as error:
        is_there = VARIABLE in os.environ or any(map(shutil.which, NAMES))
        return Readiness("Chromium", "fault" if is_there else "missing", str(error).removesuffix(f"; {ADVICE}"), ADVICE)
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

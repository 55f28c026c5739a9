"""One Chromium process: its flags, its profile folder, the memory of its pages, and its end.

The process is a child of a small shell, which removes the profile folder when the browser ends. The browser ends when
its DevTools pipe closes, which the kernel does even where this process is killed: nothing is left behind.
"""

from __future__ import annotations

import atexit
import fcntl
import logging
import os
import shutil
import subprocess
import tempfile
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from agentgym.errors import ConfigError
from agentgym_web.browser.errors import BrowserStartError
from agentgym_web.browser.program.finding import UNPRIVILEGED, BrowserProgram, find_browser, sandbox_works

_LOG = logging.getLogger(__name__)


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_FLAGS = _words(
    """
    --allow-pre-commit-input --disable-gpu --disable-quic --no-first-run --no-default-browser-check
    --no-proxy-server-env --disable-background-networking --disable-component-update --disable-sync
    --disable-default-apps --disable-extensions --disable-breakpad --disable-crash-reporter
    --disable-client-side-phishing-detection --disable-domain-reliability --disable-background-timer-throttling
    --disable-backgrounding-occluded-windows --disable-renderer-backgrounding --disable-hang-monitor
    --disable-popup-blocking --disable-prompt-on-repost --disable-ipc-flooding-protection --disable-smooth-scrolling
    --disable-search-engine-choice-screen --disable-dev-shm-usage --metrics-recording-only --no-pings --mute-audio
    --hide-scrollbars --password-store=basic --use-mock-keychain --force-color-profile=srgb
    --font-render-hinting=none --force-webrtc-ip-handling-policy=disable_non_proxied_udp
    --webrtc-ip-handling-policy=disable_non_proxied_udp --disable-site-isolation-trials --lang=en-US
    --export-tagged-pdf=false --js-flags=--max-old-space-size=512
    """
)
_OFF = _words(
    """
    DropInputEventsBeforeFirstPaint AvoidUnnecessaryBeforeUnloadCheckSync RenderDocument
    ThirdPartyStoragePartitioning DestroyProfileOnBrowserClose IsolateOrigins DeferRendererTasksAfterInput
    site-per-process Translate OptimizationHints MediaRouter DialMediaRouteProvider AutofillServerCommunication
    CertificateTransparencyComponentUpdater PaintHolding BackForwardCache InterestFeedContentSuggestions
    HttpsUpgrades HttpsFirstBalancedModeAutoEnable AcceptCHFrame PrivacySandboxSettings4 LazyFrameLoading
    GlobalMediaControls SpareRendererForSitePerProcess
    """
)
_LEAST_NUMBER = 10
# The stack is for pages whose elements lie deep within each other: layout calls itself for each.
_SCRIPT = (
    "ulimit -s 65536 2>/dev/null; profile=$1; shift; "
    '"$@" 3<&{read} 4>&{write} {read}<&- {write}>&- </dev/null & child=$!; '
    "exec {read}<&- {write}>&-; trap 'kill -9 $child 2>/dev/null' TERM INT HUP; "
    "wait $child; while kill -0 $child 2>/dev/null; do wait $child; done; "
    'for try in 1 2 3 4 5; do rm -rf -- "$profile" 2>/dev/null && break; sleep 0.2; done'  # others may still write
)
_unowned: set[Path] = set()  # profiles whose browser's shell has not begun


@dataclass(frozen=True)
class ProcessSettings:
    """How a browser is started.

    Attributes:
        browser: Its program; None finds one.
        headed: Whether it opens windows.
        fast_frames: Whether frames come as fast as they are drawn. Screenshots take 4 ms then, not 33, but pages load
            more slowly.
        sandbox: Whether Chromium's own sandbox is on; None: where the machine allows it.
        max_page_mib: Most memory of the process of a page, in MiB; one that takes more is ended.
        debug_port: Whether it also opens a debugging port, on 127.0.0.1 alone. Other users of the machine reach it.
        owner: Windows with the same word share a browser.
    """

    browser: str | None = None
    headed: bool = False
    fast_frames: bool = False
    sandbox: bool | None = None
    max_page_mib: int = 2048
    debug_port: bool = False
    owner: str = ""


@dataclass
class BrowserProcess:
    """A running browser.

    Attributes:
        program: What was started.
        child: The shell that waits for it.
        commands: File descriptor that commands are written to.
        replies: File descriptor that replies and events are read from.
        profile: Its folder, removed when it ends.
        has_sandbox: Whether its own sandbox is on.
        log: What it says, in a file without a name.
        draws_when_asked: Whether its tabs can leave frames undrawn until they are asked for.
        max_page_mib: Most memory of the process of a page, in MiB.
    """

    program: BrowserProgram
    child: subprocess.Popen[bytes]
    commands: int
    replies: int
    profile: Path
    has_sandbox: bool
    log: BinaryIO
    draws_when_asked: bool = False
    max_page_mib: int = 2048
    _said: str = ""
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def pids(self) -> list[int]:
        """The browser's processes."""
        return descendants(self.child.pid)

    def memory_mib(self) -> float:
        """Proportional memory of its processes together, in MiB."""
        return sum(_pss_kib(pid) for pid in self.pids()) / 1024

    def last_words(self) -> str:
        """The end of what it said."""
        with self._lock:
            if not self.log.closed:
                self.log.seek(max(0, os.fstat(self.log.fileno()).st_size - 4096))
                self._said = " ".join(self.log.read().decode(errors="replace").split())[-300:]
            return self._said or "nothing"

    def end(self, timeout_s: float = 3.0) -> None:
        """End it and wait until its profile folder is gone; a second call does nothing."""
        with self._lock:
            numbers, self.commands, self.replies = (self.commands, self.replies), -1, -1
        for number in numbers:
            if number >= 0:
                os.close(number)
        try:
            self.child.wait(timeout_s)
        except subprocess.TimeoutExpired:
            for pid in self.pids():
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, 9)
            with suppress(subprocess.TimeoutExpired):
                self.child.wait(timeout_s)
            self.child.kill()
        shutil.rmtree(self.profile, ignore_errors=True)
        self.last_words()
        with self._lock:
            self.log.close()


def start_process(settings: ProcessSettings) -> BrowserProcess:
    """Start a browser; whether it answers is seen by the first command.

    Raises:
        ConfigError: There is no fit browser.
        BrowserStartError: The process could not be started.
    """
    program = find_browser(settings.browser, headed=settings.headed)
    if settings.headed and not _display(settings).keys() & {"DISPLAY", "WAYLAND_DISPLAY"}:
        raise ConfigError(
            "there is no display to open a window on: neither DISPLAY nor WAYLAND_DISPLAY is set; run this on a "
            "desktop or over ssh -X, or play in the terminal without a window"
        )
    is_root = os.geteuid() == 0
    has_sandbox = settings.sandbox if settings.sandbox is not None else sandbox_works()
    if not has_sandbox:
        _LOG.warning("the browser's own sandbox is off: it may make no namespaces here")
    profile = _profile_folder()
    first = "--no-startup-window" if settings.headed else "about:blank"
    command = [program.path, *_flags(settings, program, profile, has_sandbox), first]
    environment = {
        "PATH": os.environ.get("PATH", ""),
        "HOME": str(profile / "home"),
        "TMPDIR": str(profile),
        "TZ": "UTC",
        "LANG": "C.UTF-8",
        "LANGUAGE": "en",
        **_display(settings),
    }
    user: dict[str, int | list[int]] = {}
    if is_root:
        user = {"user": UNPRIVILEGED, "group": UNPRIVILEGED, "extra_groups": []}
    read_end, commands = _pipe()
    replies, write_end = _pipe()
    script = _SCRIPT.format(read=read_end, write=write_end)
    log = tempfile.TemporaryFile()  # noqa: SIM115 - read as long as the browser runs
    try:
        child = subprocess.Popen(  # noqa: S603 - the browser that was found
            ["/bin/bash", "-c", script, "agentgym-web", str(profile), *command],
            env=environment,
            pass_fds=(read_end, write_end),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=log,
            start_new_session=True,
            cwd="/",
            **user,  # type: ignore[call-overload]
        )
    except OSError as error:
        for number in (read_end, write_end, commands, replies):
            os.close(number)
        log.close()
        shutil.rmtree(profile, ignore_errors=True)
        raise BrowserStartError(f"the browser {program.path} could not be started: {error}") from error
    finally:
        _unowned.discard(profile)
    os.close(read_end)
    os.close(write_end)
    draws_when_asked = _draws_when_asked(settings, program)
    return BrowserProcess(
        program, child, commands, replies, profile, has_sandbox, log, draws_when_asked, settings.max_page_mib
    )


def _draws_when_asked(settings: ProcessSettings, program: BrowserProgram) -> bool:
    """Only the shell can; where all frames are wanted at once, or by a debugging port, they come by themselves."""
    return program.is_shell and not settings.debug_port and not settings.fast_frames


def _pipe() -> tuple[int, int]:
    """A pipe whose ends are none of the numbers that the shell gives the browser."""
    ends = []
    for number in os.pipe():
        ends.append(fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, _LEAST_NUMBER))
        os.close(number)
    return ends[0], ends[1]


@atexit.register
def _remove_unowned() -> None:
    """Remove profiles whose browser was about to start when the program ended."""
    for profile in list(_unowned):
        shutil.rmtree(profile, ignore_errors=True)


def _profile_folder() -> Path:
    profile = None
    try:
        profile = Path(tempfile.mkdtemp(prefix="agentgym-web-"))
        _unowned.add(profile)
        for path in (profile / "home", profile / "data", profile):
            path.mkdir(exist_ok=True)
            if os.geteuid() == 0:
                os.chown(path, UNPRIVILEGED, UNPRIVILEGED)
    except OSError as error:
        if profile is not None:
            shutil.rmtree(profile, ignore_errors=True)
        where = tempfile.tempdir or "the folder for temporary files"
        raise BrowserStartError(
            f"there is no folder for the browser's profile in {where}: {error}; "
            "free some space there, or name a folder that can be written to in TMPDIR"
        ) from error
    return profile


def descendants(pid: int) -> list[int]:
    """The ids of all processes below one, itself left out."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError, IndexError, ValueError):
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                children.setdefault(parent, []).append(int(entry.name))
    found, queue = [], [pid]
    while queue:
        below = children.get(queue.pop(), [])
        found += below
        queue += below
    return found


def _flags(settings: ProcessSettings, program: BrowserProgram, profile: Path, has_sandbox: bool) -> list[str]:
    flags = [
        *_FLAGS,
        f"--disable-features={','.join(_OFF)}",
        f"--user-data-dir={profile / 'data'}",
        "--remote-debugging-pipe",
    ]
    if not settings.headed and not program.is_shell:
        flags.append("--headless")
    if not has_sandbox:
        flags.append("--no-sandbox")
    if settings.debug_port:
        flags += ["--remote-debugging-port=0", "--remote-debugging-address=127.0.0.1"]
    if _draws_when_asked(settings, program):
        flags.append("--run-all-compositor-stages-before-draw")
    if settings.fast_frames:
        flags += ["--disable-frame-rate-limit", "--disable-gpu-vsync"]
    return flags


def _display(settings: ProcessSettings) -> dict[str, str]:
    names = ("DISPLAY", "XAUTHORITY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR")
    return {name: os.environ[name] for name in names if settings.headed and name in os.environ}


def _pss_kib(pid: int) -> int:
    with suppress(OSError, ValueError, IndexError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1])
    return 0

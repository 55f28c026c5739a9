"""What a sandbox under bubblewrap sees: programs read-only, small file systems in memory, its work folder, no more.

Starting it is in `bubblewrap`, what it may ask of the kernel in `seccomp`.
"""

from __future__ import annotations

import io
import os
import shutil
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from agentgym.errors import ConfigError, SandboxStartError
from agentgym.sandbox.spec import DEFAULT_WORK_DIR, SandboxSpec

AGENT_ID = 1000
HOME = "/home/agent"
PROXY_PORT = 8118
SOCKETS = "/run/agentgym"
RUNNER = "/run/agentgym-runner"
_MIB = 1 << 20
_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"
_PROGRAM_FOLDERS = ("usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32")
_OWN_TOP = {"proc", "sys", "dev", "tmp", "run", "home", "root", "var", "agentgym", "mnt", "media", "boot", "srv", "etc"}
# Nothing of the host's /etc that names its users, machines, services or secrets.
_KEPT_ETC = (
    *("alternatives", "bash.bashrc", "ca-certificates.conf", "debian_version", "gai.conf", "inputrc", "java-*"),
    *("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "magic", "mime.types", "os-release", "perl"),
    *("protocols", "python3*", "services", "ssl/certs", "ssl/openssl.cnf", "terminfo", "timezone"),
    *("dbus-1", "fonts", "gtk-3.0", "mailcap", "xdg"),  # what graphical programs read
)
_WRITTEN_ETC = {
    "passwd": f"root:x:0:0:root:/root:/usr/sbin/nologin\nagent:x:{AGENT_ID}:{AGENT_ID}:agent:{HOME}:/bin/bash\n"
    "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
    "group": f"root:x:0:\nagent:x:{AGENT_ID}:\nnogroup:x:65534:\n",
    "hosts": "127.0.0.1 localhost sandbox\n::1 localhost\n",
    "hostname": "sandbox\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\nservices: files\nprotocols: files\n",
    "resolv.conf": "",
}
# The user namespace cannot be left for another, as --disable-userns allows none below it.
ISOLATION = (
    *("--unshare-all", "--unshare-user", "--disable-userns", "--as-pid-1", "--new-session", "--cap-drop", "ALL"),
    *("--clearenv", "--hostname", "sandbox", "--uid", str(AGENT_ID), "--gid", str(AGENT_ID)),
)
"""What every sandbox is told first; a machine that refuses this runs none."""


@dataclass(frozen=True)
class SharedFiles:
    """Files that all sandboxes of an owner see, made once.

    Attributes:
        root: Folder whose programs they run.
        etc: What they see at /etc.
        runner: The runner.
    """

    root: Path
    etc: Path
    runner: Path


def make_shared(folder: Path, root: Path, runner: Path) -> SharedFiles:
    """Make the shared files in a new folder.

    Args:
        folder: Of the owner; readable to the sandbox's user.
        root: The host's root, or an image's.
        runner: The compiled runner.
    """
    etc = folder / "etc"
    etc.mkdir(parents=True)
    for pattern in _KEPT_ETC:
        for source in (root / "etc").glob(pattern):
            _copy(source, etc / source.relative_to(root / "etc"))
    for name, text in _WRITTEN_ETC.items():
        (etc / name).write_text(text)
    for made in (folder, etc):
        made.chmod(0o755)
    own_runner = folder / "agentgym-runner"
    shutil.copyfile(runner, own_runner)
    own_runner.chmod(0o555)
    return SharedFiles(root, etc, own_runner)


def arguments(spec: SandboxSpec, shared: SharedFiles, sockets: Path, work: Path | None) -> list[str]:
    """Arguments of bubblewrap up to the command.

    Args:
        spec: What the sandbox must be.
        shared: Files that it shares with others.
        sockets: Folder with the runner's sockets.
        work: Its work folder on the host; None makes one in memory.
    """
    tmp = _size(spec.limits.tmp_mib)
    command = [*ISOLATION, *programs(shared.root), "--ro-bind", str(shared.etc), "/etc"]
    command += ["--proc", "/proc", "--ro-bind", "/dev/null", "/proc/keys", "--dev", "/dev"]
    for folder in ("/run", "/var", "/home", "/agentgym", "/sys", "/mnt"):
        command += ["--perms", "0755", "--dir", folder]
    command += ["--symlink", "../run", "/var/run", "--symlink", "../tmp", "/var/tmp"]  # noqa: S108 - inside
    for mode, folder in (("1777", "/tmp"), ("1777", "/dev/shm"), ("0700", HOME)):  # noqa: S108 - inside
        command += [*tmp, "--perms", mode, "--tmpfs", folder]
    if work is None:
        command += [*_size(spec.limits.work_mib), "--perms", "0755", "--tmpfs", DEFAULT_WORK_DIR]
    else:
        command += ["--bind", str(work), DEFAULT_WORK_DIR]
    command += ["--ro-bind", str(sockets), SOCKETS, "--ro-bind", str(shared.runner), RUNNER]
    for mount in spec.mounts:
        command += ["--bind" if mount.writable else "--ro-bind", mount.source, mount.target]
    command += ["--remount-ro", "/dev", "--remount-ro", "/"]
    for name, value in environment(spec).items():
        command += ["--setenv", name, value]
    return command


def environment(spec: SandboxSpec) -> dict[str, str]:
    """Variables of everything in the sandbox: none of the host's."""
    own = {"PATH": _PATH, "HOME": HOME, "USER": "agent", "LOGNAME": "agent", "LANG": "C.UTF-8", "SHELL": "/bin/bash"}
    if spec.network.allow:
        proxy = f"http://127.0.0.1:{PROXY_PORT}"
        own |= {f"{scheme}_proxy": proxy for scheme in ("http", "https")}
        own |= {f"{scheme}_PROXY": proxy for scheme in ("HTTP", "HTTPS")}
    return {**own, **spec.env}


def packed_folder(source: Path, target: str) -> bytes:
    """An archive of a folder of the host, to be opened in a sandbox at another place.

    Raises:
        ConfigError: There is no such folder.
    """
    if not source.is_dir():
        raise ConfigError(f"the work folder {str(source)!r} of a sandbox spec is no folder on this host")
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        archive.add(source, arcname=target.lstrip("/"))
    return packed.getvalue()


def why_unreachable(path: Path, user_id: int, group_id: int) -> str:
    """Why a user cannot get to a path, by the permissions of the folders above it; "" where they can."""
    for folder in reversed(path.resolve().parents):
        info = folder.stat()
        shift = 6 if info.st_uid == user_id else 3 if info.st_gid == group_id else 0
        if not (info.st_mode >> shift) & 1:
            return f"user {user_id} may not enter {folder} (mode {info.st_mode & 0o7777:04o})"
    return ""


def programs(root: Path) -> Iterator[str]:
    """Binds and links of the top folders: those of programs of the host, all that are not ours to make of an image."""
    is_host = root == Path("/")
    names = _PROGRAM_FOLDERS if is_host else sorted(set(os.listdir(root)) - _OWN_TOP)
    for name in names:
        path = root / name
        if path.is_symlink():
            yield from ("--symlink", os.readlink(path), f"/{name}")
        elif path.is_dir():
            yield from ("--ro-bind", str(path), f"/{name}")


def _size(mib: int | None) -> list[str]:
    return [] if mib is None else ["--size", str(mib * _MIB)]


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        if source.is_dir() and not source.is_symlink():
            shutil.copytree(source, target, symlinks=True)
        else:
            shutil.copyfile(source, target, follow_symlinks=False)
    except (OSError, shutil.Error) as error:
        raise SandboxStartError(f"cannot copy {source} for the sandboxes to see: {error}") from error

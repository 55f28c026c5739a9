"""Attempts to leave a sandbox that are one script each: what is tried, what stops it, and how that shows.

Every script prints ESCAPED where it gets what it wants. None could harm the host if it did: calls that would are made
with arguments that are refused later, with another error. Attempts that need the host's side are in `test_escapes`.
"""

from __future__ import annotations

import platform
from dataclasses import dataclass

from agentgym.sandbox.engines import seccomp

PREAMBLE = r"""
sys() { perl -e '@a = map { /^-?\d+$/ ? 0 + $_ : $_ } @ARGV; $n = shift @a; $! = 0;
        print syscall($n, @a) < 0 ? "refused: $!\n" : "ESCAPED\n"' -- "$@"; }
opens() { perl -e 'use Fcntl;
        for (@ARGV) { print sysopen(F, $_, O_WRONLY) ? "ESCAPED $_\n" : "refused: $!\n" }' -- "$@"; }
reads() { perl -e '
        for (@ARGV) { print open(F, "<", $_) && sysread(F, $x, 1) > 0 ? "ESCAPED $_\n" : "refused: $!\n" }' -- "$@"; }
"""
_PRIVILEGE = "no capabilities, no new privileges"
_SECCOMP = "seccomp filter, no capabilities"
_REFUSED = r"refused: Operation not permitted"
_NOT_WRITABLE = r"refused: (Permission denied|Read-only file system|No such file or directory)"


@dataclass(frozen=True)
class Attempt:
    """One attempt.

    Attributes:
        name: Unique; part of the test's id.
        tried: What the agent tries.
        stopped_by: What stops it.
        script: For bash, behind `PREAMBLE`; "" where the host's side has a part in it.
        shows: A pattern that the script's output must match.
    """

    name: str
    tried: str
    stopped_by: str
    script: str = ""
    shows: str = ""


def call_numbers() -> dict[str, str]:
    """Numbers of system calls on this machine, as variables NR_name of a script."""
    column = {"x86_64": 0, "aarch64": 1}[platform.machine()]
    numbers = {**seccomp.REFUSED, "clone": seccomp.CLONE, "ptrace": (101, 117), "setuid": (105, 146)}
    numbers |= {"process_vm_readv": (310, 270), "pidfd_open": (434, 434), "mknodat": (259, 33)}
    numbers |= {name: found[:2] for name, found in seccomp.OF_OTHERS.items()}
    numbers |= {"setxattr": (188, 5), "shmget": (29, 194), "semget": (64, 190)}
    numbers |= {"msgget": (68, 186), "mq_open": (240, 180), "ioctl": seccomp.IOCTL}
    return {f"NR_{name}": str(pair[column]) for name, pair in numbers.items() if pair[column] is not None}


NETWORK = [
    Attempt(
        "no-interface",
        "Find a network interface that leads out",
        "a separate network namespace with only loopback",
        "tail -n +3 /proc/net/dev | grep -v '^ *lo:' | sed 's/^/ESCAPED /'; tail -n +3 /proc/net/dev",
        r"lo:",
    ),
    Attempt(
        "no-route",
        "Send a packet to an address that no host has (192.0.2.1, TEST-NET-1)",
        "a network namespace without routes",
        "perl -MSocket -e 'socket(S, AF_INET, SOCK_DGRAM, 0); print send(S, q(x), 0, pack_sockaddr_in(53,"
        ' inet_aton("192.0.2.1"))) ? "ESCAPED\\n" : "refused: $!\\n"\'',
        r"refused: Network is unreachable",
    ),
    Attempt(
        "dns",
        "Resolve a name, which could send data to a name server",
        "no name server can be reached",
        "getent ahosts secret.example.com && echo ESCAPED; echo status $?",
        r"status 2",
    ),
    Attempt(
        "raw-socket",
        "Open a raw socket",
        "no CAP_NET_RAW",
        "perl -e 'print socket(S, 2, 3, 1) ? qq(ESCAPED\\n) : qq(refused: $!\\n)'",
        _REFUSED,
    ),
    Attempt(
        "packet-socket",
        "Open a packet socket",
        "no CAP_NET_RAW, seccomp filter",
        "perl -e 'print socket(S, 17, 3, 0) ? qq(ESCAPED\\n) : qq(refused: $!\\n)'",
        r"refused: (Operation not permitted|Address family not supported)",
    ),
    Attempt(
        "vsock",
        "Open a socket to the hypervisor, which a network namespace does not prevent",
        "seccomp filter",
        "perl -e 'print socket(S, 40, 1, 0) ? qq(ESCAPED\\n) : qq(refused: $!\\n)'",
        r"refused: (Operation not permitted|Address family not supported)",
    ),
    Attempt(
        "engine-socket",
        "Find the socket of a container engine, or any other socket of the host",
        "the host's /run is not there",
        "find / -xdev -type s 2>/dev/null | sed 's/^/ESCAPED /'; ls /var/run/docker.sock /run/docker.sock",
        r"No such file",
    ),
]

MOUNTS = [
    Attempt(
        "mount",
        "Mount a file system",
        _SECCOMP,
        'sys "$NR_mount" none /tmp tmpfs 0 0',
        _REFUSED,
    ),
    Attempt(
        "remount",
        "Remount the root writable",
        _SECCOMP,
        'sys "$NR_mount" none / none 32 0; touch /x && echo ESCAPED',
        _REFUSED,
    ),
    Attempt(
        "unmount",
        "Unmount a mount that covers files",
        _SECCOMP,
        'for f in /proc/keys /etc/hosts /tmp /; do sys "$NR_umount2" $f 2; done',
        _REFUSED,
    ),
    Attempt(
        "new-mount-calls",
        "Mount with the newer system calls",
        _SECCOMP,
        'sys "$NR_fsopen" tmpfs 0; sys "$NR_open_tree" -100 / 1; sys "$NR_move_mount" -1 "" -1 "" 0',
        rf"({_REFUSED}\n){{3}}|refused",
    ),
    Attempt(
        "chroot",
        "Change the root folder, then climb out of it",
        _SECCOMP,
        'sys "$NR_chroot" /tmp; sys "$NR_pivot_root" /tmp /tmp',
        _REFUSED,
    ),
    Attempt(
        "file-handle",
        "Open a file of the host by its handle (the container escape called Shocker)",
        _SECCOMP,
        'sys "$NR_open_by_handle_at" -100 x 0',
        _REFUSED,
    ),
    Attempt(
        "root-files",
        "Write to the programs and settings of the sandbox",
        "read-only root",
        "for d in / /usr/bin /etc /lib /run /run/agentgym; do touch $d/x && echo ESCAPED $d; done",
        r"Read-only file system|Permission denied",
    ),
    Attempt(
        "overlay-redirect",
        "Mark a file so that the overlay of the work folder shows another file in its place",
        "trusted attributes need CAP_SYS_ADMIN",
        'mkdir d; sys "$NR_setxattr" d trusted.overlay.redirect /etc 4 0',
        r"refused: (Operation not permitted|Operation not supported)",
    ),
    Attempt(
        "hard-link",
        "Hard-link a system file into the work folder, to change it there",
        "a different file system, read-only",
        "ln /etc/passwd p && echo ESCAPED; ln /run/agentgym-runner r && echo ESCAPED; echo tried",
        r"Invalid cross-device link",
    ),
]

KERNEL_FILES = [
    Attempt(
        "sysctl",
        "Write a kernel setting, such as the handler of core files",
        "unprivileged user, read-only /proc/sys",
        "cd /proc/sys; opens kernel/core_pattern kernel/modprobe fs/suid_dumpable vm/overcommit_memory",
        rf"({_NOT_WRITABLE}\n){{4}}",
    ),
    Attempt(
        "sysrq",
        "Ask the kernel to reboot through /proc/sysrq-trigger",
        "unprivileged user, masked /proc",
        "opens /proc/sysrq-trigger",
        _NOT_WRITABLE,
    ),
    Attempt(
        "sysfs",
        "Write to /sys, such as the helper of device events",
        "no /sys, or a read-only one",
        "opens /sys/kernel/uevent_helper /sys/power/state /sys/kernel/mm/transparent_hugepage/enabled",
        rf"({_NOT_WRITABLE}\n){{3}}",
    ),
    Attempt(
        "kernel-memory",
        "Read the kernel's memory and messages, and the keys of others",
        "unprivileged user, masked /proc, no devices",
        'reads /proc/kcore /proc/kmsg /dev/mem /dev/kmsg /proc/keys; sys "$NR_syslog" 3 0 0',
        rf"(refused: .*\n){{5}}{_REFUSED}",
    ),
    Attempt(
        "cgroup-release-agent",
        "Make the kernel start a program outside the sandbox when a control group becomes empty",
        "control groups are absent or read-only",
        "opens /sys/fs/cgroup/release_agent /sys/fs/cgroup/memory/release_agent /sys/fs/cgroup/cgroup.procs; "
        "mkdir /sys/fs/cgroup/x && echo ESCAPED; echo tried",
        rf"{_NOT_WRITABLE}",
    ),
    Attempt(
        "cgroup-mount",
        "Mount the control groups, to leave the sandbox's own",
        _SECCOMP,
        'mkdir -p /tmp/c; sys "$NR_mount" cgroup /tmp/c cgroup 0 memory; sys "$NR_mount" cgroup2 /tmp/c cgroup2 0 0',
        _REFUSED,
    ),
    Attempt(
        "device-nodes",
        "Create a device node of the host's disk and read it",
        "no CAP_MKNOD, folders without devices",
        'sys "$NR_mknodat" -100 /tmp/disk 24960 2048; mknod disk b 8 0 && echo ESCAPED; '
        "ls /dev | grep -E '^(sd|vd|nvme|kvm|fuse|mem|loop|dm-|mapper)' | sed 's/^/ESCAPED /'",
        _REFUSED,
    ),
    Attempt(
        "core-file",
        "Crash, so that a core file is written or the host's handler starts",
        "the size limit of core files is 1 byte, which handlers also respect",
        "ulimit -c; ulimit -c unlimited && echo ESCAPED; bash -c 'kill -SEGV $$'; ls core* && echo ESCAPED; echo tried",
        r"^0\n",
    ),
]

KERNEL_CALLS = [
    Attempt(
        "user-namespace",
        "Create a user namespace and become root in it",
        "seccomp filter; under bubblewrap the kernel also allows none",
        'sys "$NR_unshare" 268435456; sys "$NR_clone" 268435473 0 0 0 0; unshare -Ur id && echo ESCAPED',
        rf"{_REFUSED}\n{_REFUSED}",
    ),
    Attempt(
        "other-namespaces",
        "Create other namespaces",
        _SECCOMP,
        'for f in 131072 67108864 134217728 536870912 1073741824 33554432; do sys "$NR_unshare" $f; done',
        rf"({_REFUSED}\n){{6}}",
    ),
    Attempt(
        "join-namespaces",
        "Join the namespaces of another process",
        _SECCOMP,
        'exec 9< /proc/self/ns/net; sys "$NR_setns" 9 0; for n in mnt net pid user; do reads /proc/1/ns/$n; done',
        _REFUSED,
    ),
    Attempt(
        "kernel-keys",
        "Store something in a kernel keyring, which all processes of a user share",
        "seccomp filter",
        'sys "$NR_add_key" user stolen secret 6 -3; sys "$NR_request_key" user stolen 0 -3; sys "$NR_keyctl" 0 -3 0',
        rf"({_REFUSED}\n){{3}}",
    ),
    Attempt(
        "bpf",
        "Load an eBPF program into the kernel",
        _SECCOMP,
        'sys "$NR_bpf" 9999 0 0',
        _REFUSED,
    ),
    Attempt(
        "perf",
        "Measure other processes through performance events",
        _SECCOMP,
        'sys "$NR_perf_event_open" 0 0 0 -1 0',
        _REFUSED,
    ),
    Attempt(
        "userfaultfd",
        "Stop the kernel in the middle of a copy (userfaultfd), as exploits do",
        _SECCOMP,
        'sys "$NR_userfaultfd" 0',
        _REFUSED,
    ),
    Attempt(
        "io-uring",
        "Use io_uring, a large attack surface of the kernel",
        "seccomp filter",
        'sys "$NR_io_uring_setup" 1 0',
        r"refused: (Operation not permitted|Function not implemented)",
    ),
    Attempt(
        "modules",
        "Load a module, or another kernel",
        _SECCOMP,
        'sys "$NR_init_module" 0 0 0; sys "$NR_finit_module" -1 0 0; sys "$NR_kexec_load" 0 99 0 0',
        rf"({_REFUSED}\n){{3}}",
    ),
    Attempt(
        "reboot",
        "Reboot, or change swap, process accounting or quotas",
        _SECCOMP,
        'sys "$NR_reboot" 1 2 3 0; sys "$NR_swapon" /none 0; sys "$NR_acct" /none; sys "$NR_quotactl" 0 0 0 0',
        rf"({_REFUSED}\n){{4}}",
    ),
    Attempt(
        "clock",
        "Set the machine's clock or name",
        _SECCOMP,
        'sys "$NR_clock_settime" 0 0; sys "$NR_settimeofday" 0 0; sys "$NR_sethostname" x 1',
        rf"({_REFUSED}\n){{3}}",
    ),
    Attempt(
        "foreign-calls",
        "Make system calls with the numbers of another architecture",
        "the filter allows one architecture and kills a process that uses another",
        "perl -e 'print syscall(39 | 0x40000000) > 0 ? q(ESC) . qq(APED\\n) : qq(refused: $!\\n)'; echo ended $?",
        r"ended 159|refused: (Operation not permitted|Function not implemented)",
    ),
]

PRIVILEGES = [
    Attempt(
        "capabilities",
        "Use a capability",
        "all capabilities are dropped, also from the bounding set",
        "grep -E 'Cap(Inh|Prm|Eff|Bnd|Amb)' /proc/self/status | grep -v 0000000000000000 && echo ESCAPED; "
        "grep NoNewPrivs /proc/self/status",
        r"NoNewPrivs:\s+1",
    ),
    Attempt(
        "setuid",
        "Become root through the system call or through programs that run as root",
        "no new privileges; folders in which set-user-id has no effect",
        'sys "$NR_setuid" 0; cp /usr/bin/perl p; chmod 4755 p; '
        "for s in ./p $(find / -xdev -perm -4000 -name su 2>/dev/null); do "
        "$s -e 'print $> == 0 ? qq(ESCAPED\\n) : q()' </dev/null 2>&1; done; echo tried",
        r"refused: (Operation not permitted|Invalid argument)[\s\S]*tried",
    ),
    Attempt(
        "file-capabilities",
        "Give a program capabilities",
        "no CAP_SETFCAP",
        'cp /usr/bin/perl p; sys "$NR_setxattr" p security.capability abcdefghijklmnopqrst 20 0',
        r"refused: (Operation not permitted|Invalid argument)",
    ),
    Attempt(
        "priority",
        "Take over the processor with real-time priority",
        "no CAP_SYS_NICE",
        "perl -e '$p = pack(q(i), 50); print syscall($ENV{NR_sched_setscheduler}, 0, 1, $p) < 0 ? "
        "qq(refused: $!\\n) : qq(ESCAPED\\n)'",
        _REFUSED,
    ),
    Attempt(
        "oom-score",
        "Avoid being killed when memory runs out, so that the runner is killed instead",
        "commands start with an OOM score of 1000, and lowering it needs CAP_SYS_RESOURCE",
        "sleep 0.2; cd /proc/self; cat oom_score_adj; echo -1000 > oom_score_adj && echo ESCAPED; echo tried",
        r"^1000\n",
    ),
    Attempt(
        "preload",
        "Make every program load a library of the agent",
        "read-only /etc; the runner is static",
        "touch /etc/ld.so.preload && echo ESCAPED; echo tried",
        r"Read-only file system|Permission denied",
    ),
]

RUNNER = [
    Attempt(
        "runner-trace",
        "Trace the runner",
        "the runner is not dumpable",
        'sys "$NR_ptrace" 16 1 0 0; sys "$NR_ptrace" 16902 1 0 0',
        rf"{_REFUSED}\n{_REFUSED}",
    ),
    Attempt(
        "runner-memory",
        "Read the runner's memory, variables, descriptors and links",
        "the runner is not dumpable",
        "reads /proc/1/mem /proc/1/environ /proc/1/maps /proc/1/auxv; ls /proc/1/fd /proc/1/cwd/ /proc/1/root/ "
        "/proc/1/task/1/fd 2>&1 | sed 's/.*: //' | sort -u",
        r"(refused: .*\n){4}Permission denied",
    ),
    Attempt(
        "keeper-memory",
        "Read memory and descriptors of the runner's helper that serves this command",
        "the helper is not dumpable",
        "reads /proc/$PPID/mem /proc/$PPID/environ; ls /proc/$PPID/fd 2>&1 | sed 's/.*: //'",
        r"(refused: .*\n){2}Permission denied",
    ),
    Attempt(
        "runner-memory-calls",
        "Read the runner's memory and take its descriptors through system calls",
        "the runner is not dumpable; seccomp filter",
        "perl -e '$d = syscall($ENV{NR_pidfd_open}, 1, 0); for $n (3 .. 8) {"
        ' print syscall($ENV{NR_pidfd_getfd}, $d, $n, 0) < 0 ? "refused: $!\\n" : "ESCAPED\\n" }'
        ' $b = "x" x 64; $i = pack("QQ", unpack("Q", pack("P", $b)), 64); $j = pack("QQ", 4194304, 64);'
        ' print syscall($ENV{NR_process_vm_readv}, 1, $i, 1, $j, 1, 0) < 0 ? "refused: $!\\n" : "ESCAPED\\n"\'',
        rf"({_REFUSED}\n){{7}}",
    ),
    Attempt(
        "runner-socket",
        "Connect to the host as a second runner",
        "the host takes one connection and removes the socket",
        "ls -A /run/agentgym | grep control && echo ESCAPED; ls /run/agentgym/control.sock",
        r"No such file",
    ),
    Attempt(
        "inherited-descriptors",
        "Find a descriptor that a command should not have",
        "the runner closes all descriptors except the three streams",
        "ls /proc/self/fd | grep -vE '^[0-3]$' | sed 's/^/ESCAPED /'; readlink /proc/$$/fd/*",
        r"(pipe|/dev/null|socket)",
    ),
    Attempt(
        "runner-limits",
        "Give the runner and its helper limits, a priority or a scheduler that every later command would inherit",
        "seccomp filter: a process can change these only for itself",
        "for p in 1 $PPID; do perl -e '$p = shift() + 0; $none = pack(q(QQ), 0, 0); $first = pack(q(Q), 1); "
        "$calm = pack(q(i), 0); $idle = pack(q(LLQlLQQQ), 48, 5, 0, 19, 0, 0, 0, 0); "
        "@calls = ([prlimit64 => $p, 1, $none, 0], [setpriority => 0, $p, 19], [setpriority => 1, getpgrp($p), 19], "
        "[setpriority => 2, $<, 19], [setpriority => 2, 0, 19], [sched_setparam => $p, $calm], "
        "[sched_setscheduler => $p, 5, $calm], [sched_setaffinity => $p, 8, $first], [sched_setattr => $p, $idle, 0], "
        "[ioprio_set => 1, $p, 3 << 13], [ioprio_set => 3, 0, 3 << 13]); "
        "for (@calls) { ($name, @given) = @$_; print syscall($ENV{qq(NR_$name)} + 0, @given) < 0 ? "
        "qq(refused: $!\\n) : qq(ESCAPED by $name\\n) }' $p; done",
        r"(refused: Operation not permitted\n){22}",
    ),
    Attempt(
        "runner-program",
        "Replace the runner's program",
        "the program is bound read-only",
        "for r in /run/agentgym-runner /usr/local/bin/agentgym-runner; do "
        "[ -e $r ] && { opens $r; rm -f $r && echo ESCAPED; }; done; echo tried",
        r"refused: (Read-only file system|Permission denied|Text file busy)",
    ),
    Attempt(
        "terminal-injection",
        "Type into the terminal that started the sandbox (TIOCSTI)",
        "a separate session without a terminal",
        "exec 9<> /dev/tty && echo ESCAPED; "
        'for n in 0 1 2; do perl -e \'open(F, "<&=", $ARGV[0]); $c = "x"; '
        "print ioctl(F, 0x5412, $c) ? qq(ESCAPED\\n) : qq(refused: $!\\n)' $n; done",
        r"(refused: (Operation not permitted|Inappropriate ioctl|Input/output error|Bad file descriptor).*\n){3}",
    ),
    Attempt(
        "processes-of-others",
        "See and signal processes of the host",
        "a separate process namespace",
        "for p in /proc/[0-9]*; do tr '\\0' ' ' < $p/cmdline; echo; done | grep -iE 'py[t]est|docker[d]|system[d]'"
        " | sed 's/^/ESCAPED /'; kill -0 99999 2>&1; ls -d /proc/[0-9]* | wc -l",
        r"No such process",
    ),
]

SCRIPTS = [*NETWORK, *MOUNTS, *KERNEL_FILES, *KERNEL_CALLS, *PRIVILEGES, *RUNNER]

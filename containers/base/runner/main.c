// The first process of a sandbox: takes channels from its host and forks a keeper for each. It runs nothing itself.
//
// It trusts its host and nothing else: the processes that it starts have the same user, and may do what that user may.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "command.h"
#include "filter.h"
#include "keeper.h"
#include "purge.h"
#include "tree.h"

enum { USAGE = 2, KILL_PATIENCE_MS = 10000, CONNECT_PATIENCE_MS = 2000, ORPHAN_PATIENCE_MS = 1000 };

struct arguments {
    struct settings settings;
    const char *socket_path;
    const char *filter_path;
    int control;
};

static _Noreturn void stop(int code, const char *what) {
    dprintf(STDERR_FILENO, "agentgym-runner: %s: %s\n", what, strerror(errno));
    exit(code);
}

static struct arguments arguments_read(int count, char **values) {
    struct arguments arguments = {.settings = {.work_dir = "/agentgym/work"}, .control = -1};
    arguments.socket_path = "/run/agentgym/control.sock";
    for (int at = 1; at < count; at++) {
        bool has_value = at + 1 < count;
        if (strcmp(values[at], "--init") == 0) {
            arguments.settings.is_init = true;
        } else if (strcmp(values[at], "--work") == 0 && has_value) {
            arguments.settings.work_dir = values[++at];
        } else if (strcmp(values[at], "--socket") == 0 && has_value) {
            arguments.socket_path = values[++at];
        } else if (strcmp(values[at], "--control") == 0 && has_value) {
            arguments.control = (int)strtol(values[++at], NULL, 10);
        } else if (strcmp(values[at], "--processes") == 0 && has_value) {
            commands_limit(strtoul(values[++at], NULL, 10));
        } else if (strcmp(values[at], "--filter") == 0 && has_value) {
            arguments.filter_path = values[++at];
        } else {
            errno = EINVAL;
            stop(USAGE, "usage: agentgym-runner [--init] [--work FOLDER] [--processes NUMBER] [--filter PATH] "
                        "[--socket PATH | --control DESCRIPTOR]");
        }
    }
    if (arguments.settings.is_init && getpid() != 1) {
        errno = EINVAL;
        stop(USAGE, "--init is for the first process of a pid namespace");
    }
    return arguments;
}

static int host_connect(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        stop(USAGE, path);
    }
    memcpy(address.sun_path, path, strlen(path) + 1);
    int control = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    int64_t end = now_us() + CONNECT_PATIENCE_MS * 1000;
    while (control >= 0 && connect(control, (const struct sockaddr *)&address, sizeof address) < 0) {
        if (now_us() > end) {
            stop(EXIT_FAILURE, path);
        }
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    return control;
}

static void hello_send(int control) {
    char text[64];
    int length = snprintf(text, sizeof text, "agentgym-runner %d %d", PROTOCOL_VERSION, (int)getpid());
    if (send(control, text, (size_t)length, MSG_NOSIGNAL) < 0) {
        stop(EXIT_FAILURE, "the host is gone");
    }
}

// Kills everything in the sandbox but this process.
static void kill_all(const struct settings *settings) {
    if (!settings->is_init || getpid() != 1) {
        purge_all(KILL_PATIENCE_MS);
        return;
    }
    int64_t end = now_us() + KILL_PATIENCE_MS * 1000;
    // At one moment for all of the namespace, so that nothing forks its way out; all orphans end up here.
    kill(-1, SIGKILL);
    while (now_us() < end && (waitpid(-1, NULL, WNOHANG) >= 0 || errno != ECHILD)) {
        nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    }
}

struct letter {
    char kind;
    int channel;
    int passed;
};

// False where the host is gone.
static bool letter_receive(int control, struct letter *letter) {
    _Alignas(struct cmsghdr) char ancillary[CMSG_SPACE(2 * sizeof(int))];
    struct iovec body = {.iov_base = &letter->kind, .iov_len = 1};
    struct msghdr message = {.msg_iov = &body, .msg_iovlen = 1};
    message.msg_control = ancillary;
    message.msg_controllen = sizeof ancillary;
    ssize_t got = recvmsg(control, &message, MSG_CMSG_CLOEXEC);
    letter->channel = letter->passed = -1;
    if (got <= 0) {
        return got < 0 && (errno == EINTR || errno == EAGAIN);
    }
    const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (header != NULL && header->cmsg_type == SCM_RIGHTS && header->cmsg_level == SOL_SOCKET) {
        size_t length = header->cmsg_len - CMSG_LEN(0);
        memcpy(&letter->channel, CMSG_DATA(header), sizeof(int));
        if (length >= 2 * sizeof(int)) {
            memcpy(&letter->passed, CMSG_DATA(header) + sizeof(int), sizeof(int));
        }
    }
    return true;
}

static void letter_serve(const struct arguments *arguments, const struct letter *letter) {
    if (letter->kind == CONTROL_CLEAR) {
        kill_all(&arguments->settings);
    }
    pid_t pid = letter->channel < 0 ? -1 : fork();
    if (pid == 0) {
        close(arguments->control);
        keeper_run(&arguments->settings, letter->channel, letter->passed);
    }
    if (letter->channel >= 0 && pid < 0) {
        frame_fail(letter->channel, errno, "the sandbox has no process left for this: %s", strerror(errno));
    }
    if (letter->channel >= 0) {
        close(letter->channel);
    }
    if (letter->passed >= 0) {
        close(letter->passed);
    }
}

// Keepers are in the runner's own process group, which nothing that they start can join.
static bool is_keeper(pid_t pid) {
    return getpgid(pid) == getpgrp();
}

// What a killed keeper ran has lost its time limit. Whose orphans are whose is not known, so all of them go.
static void orphans_kill(void) {
    struct processes keepers = {.items = NULL};
    processes_read(&keepers);
    size_t count = 0;
    for (size_t at = 0; at < keepers.count; at++) {
        if (keepers.items[at].parent == getpid() && is_keeper(keepers.items[at].pid)) {
            keepers.items[count++] = keepers.items[at];
        }
    }
    keepers.count = count;
    purge(&keepers, 0, ORPHAN_PATIENCE_MS);
    processes_free(&keepers);
}

static void children_reap(int signals) {
    struct signalfd_siginfo told;
    while (read(signals, &told, sizeof told) > 0) {
    }
    bool was_killed = false;
    for (;;) {
        siginfo_t end = {.si_pid = 0};
        if (waitid(P_ALL, 0, &end, WEXITED | WSTOPPED | WNOHANG | WNOWAIT) < 0 || end.si_pid == 0) {
            break;
        }
        // A keeper that was stopped from inside would keep its host waiting, and be taken for a fault of the machine.
        if (end.si_code == CLD_STOPPED && is_keeper(end.si_pid)) {
            kill(end.si_pid, SIGKILL);
        }
        was_killed = was_killed || (end.si_code == CLD_KILLED && is_keeper(end.si_pid));
        waitpid(end.si_pid, NULL, WNOHANG | WUNTRACED);
    }
    if (was_killed) {
        orphans_kill();
    }
}

// What keepers and commands inherit: no stream missing, no folder held, no descriptor that survives an exec.
static int process_prepare(void) {
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    int fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= STDERR_FILENO) {
        fd = dup(fd);
    }
    close_range(STDERR_FILENO + 1, ~0u, CLOSE_RANGE_CLOEXEC);
    if (chdir("/") < 0) {
        stop(EXIT_FAILURE, "cannot enter /");
    }
    umask(022);
    // Not 0: a pipe to a handler on the host ignores every other value (core(5)).
    setrlimit(RLIMIT_CORE, &(struct rlimit){.rlim_cur = 1, .rlim_max = 1});
    signal(SIGPIPE, SIG_IGN);
    sigset_t child_ends;
    sigemptyset(&child_ends);
    sigaddset(&child_ends, SIGCHLD);
    sigprocmask(SIG_SETMASK, &child_ends, NULL);
    tree_adopt();
    return signalfd(-1, &child_ends, SFD_CLOEXEC | SFD_NONBLOCK);
}

// Returns when the host is gone.
static void serve(const struct arguments *arguments, int signals, int freezer) {
    enum { SLOT_CONTROL = 0, SLOT_SIGNALS, SLOT_FREEZER, NUM_SLOTS };
    struct pollfd slots[NUM_SLOTS] = {
        [SLOT_CONTROL] = {.fd = arguments->control, .events = POLLIN},
        [SLOT_SIGNALS] = {.fd = signals, .events = POLLIN},
        [SLOT_FREEZER] = {.fd = freezer, .events = POLLIN},
    };
    for (;;) {
        poll(slots, NUM_SLOTS, -1);
        if (slots[SLOT_FREEZER].revents != 0) {
            freezer_serve();
        }
        struct letter letter;
        if (slots[SLOT_CONTROL].revents != 0) {
            if (!letter_receive(arguments->control, &letter)) {
                return;
            }
            letter_serve(arguments, &letter);
        }
        // Last, as the next command often comes when the keeper of the one before ends.
        if (slots[SLOT_SIGNALS].revents != 0) {
            children_reap(signals);
        }
    }
}

int main(int count, char **values) {
    int signals = process_prepare();
    struct arguments arguments = arguments_read(count, values);
    if (arguments.filter_path != NULL && !filter_load(arguments.filter_path)) {
        stop(EXIT_FAILURE, arguments.filter_path);
    }
    if (arguments.control < 0) {
        arguments.control = host_connect(arguments.socket_path);
    }
    if (signals < 0 || arguments.control < 0 || fcntl(arguments.control, F_SETFD, FD_CLOEXEC) < 0) {
        stop(EXIT_FAILURE, "cannot reach the host");
    }
    hello_send(arguments.control);
    serve(&arguments, signals, arguments.settings.is_init ? freezer_make() : -1);
    kill_all(&arguments.settings);
    return EXIT_SUCCESS;
}

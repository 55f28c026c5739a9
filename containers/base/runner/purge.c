#define _GNU_SOURCE
#include "purge.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"

// A process may slip through one reading of /proc, by forking into a number that was read already; through two, seldom.
enum { CLEAN_PASSES = 2, PASSES_BEFORE_FREEZE = 4, MAX_FREEZE_MS = 5000, FREEZE_WAIT_MS = 1000, PAUSE_MS = 2 };

// Pids of keepers that ask, and a byte from the one that is through.
static int requests[2] = {-1, -1};
static int releases[2] = {-1, -1};
static bool is_init; // the first process of a namespace, or a keeper of one

int freezer_make(void) {
    if (pipe2(requests, O_CLOEXEC) < 0 || pipe2(releases, O_CLOEXEC) < 0) {
        return -1;
    }
    is_init = true;
    return requests[0];
}

void freezer_serve(void) {
    pid_t keeper = 0;
    char byte = 0;
    if (!is_init || getpid() != 1 || read(requests[0], &keeper, sizeof keeper) != (ssize_t)sizeof keeper || keeper <= 1) {
        return;
    }
    kill(-1, SIGSTOP);
    kill(keeper, SIGCONT);
    // A keeper that died, or took too long, keeps nobody frozen.
    if (poll(&(struct pollfd){.fd = releases[0], .events = POLLIN}, 1, MAX_FREEZE_MS) > 0) {
        ssize_t got = read(releases[0], &byte, 1);
        (void)got;
    }
    kill(-1, SIGCONT);
}

static bool pause_for(int signal_number, int milliseconds) {
    sigset_t awaited;
    sigemptyset(&awaited);
    sigaddset(&awaited, signal_number);
    struct timespec pause = {.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000L};
    return sigtimedwait(&awaited, NULL, &pause) == signal_number;
}

// Returns when this process alone goes on. False where there is nobody to ask; else `thaw` has to follow.
static bool freeze(void) {
    pid_t own = getpid();
    if (is_init && own == 1) {
        kill(-1, SIGSTOP);
        return true;
    }
    sigset_t goes_on;
    sigemptyset(&goes_on);
    sigaddset(&goes_on, SIGCONT);
    sigprocmask(SIG_BLOCK, &goes_on, NULL);
    while (pause_for(SIGCONT, 0)) {
    }
    if (requests[1] < 0 || write(requests[1], &own, sizeof own) != (ssize_t)sizeof own) {
        return false;
    }
    pause_for(SIGCONT, FREEZE_WAIT_MS);
    return true;
}

static void thaw(void) {
    if (is_init && getpid() == 1) {
        kill(-1, SIGCONT);
        return;
    }
    ssize_t written = write(releases[1], "", 1);
    (void)written;
}

bool purge(const struct processes *spared, pid_t through, int patience_ms) {
    int64_t end = now_us() + (int64_t)patience_ms * 1000;
    bool is_frozen = false;
    int clean = 0;
    for (int passes = 1; clean < CLEAN_PASSES && now_us() < end; passes++) {
        clean = tree_signal(SIGKILL, spared, through) == 0 ? clean + 1 : 0;
        if (clean == 0 && passes == PASSES_BEFORE_FREEZE) {
            is_frozen = freeze();
        } else if (clean == 0) {
            pause_for(SIGCHLD, PAUSE_MS);
        }
    }
    if (is_frozen) {
        thaw();
    }
    return clean == CLEAN_PASSES;
}

// Whether this process has no descendant: orphans become its children before their parent can be reaped.
static bool reap(void) {
    pid_t reaped = 0;
    do {
        reaped = waitpid(-1, NULL, WNOHANG);
    } while (reaped > 0);
    return reaped < 0 && errno == ECHILD;
}

bool purge_all(int patience_ms) {
    int64_t end = now_us() + (int64_t)patience_ms * 1000;
    while (!reap()) {
        int64_t left_ms = (end - now_us()) / 1000;
        if (left_ms <= 0) {
            return false;
        }
        purge(NULL, 0, (int)left_ms);
        pause_for(SIGCHLD, PAUSE_MS);
    }
    return true;
}

#define _GNU_SOURCE
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "paths.h"

enum { FIRST_EXTRA = 198, PAST_EXTRA = FIRST_EXTRA + 2, CANNOT_RUN = 126, NOT_FOUND = 127 };

extern char **environ;

static rlim_t most_processes = RLIM_INFINITY;

void commands_limit(unsigned long processes) {
    most_processes = processes;
}

static const char **strings_take(struct fields *fields, uint32_t count) {
    // Each string takes a byte at least, which bounds what a malformed count can ask for.
    if (fields->is_bad || count > (size_t)(fields->end - fields->at)) {
        fields->is_bad = true;
        return NULL;
    }
    const char **strings = calloc((size_t)count + 1, sizeof *strings);
    for (uint32_t at = 0; strings != NULL && at < count; at++) {
        strings[at] = take_string(fields);
    }
    return strings;
}

bool command_take(struct command *command, struct fields *fields) {
    uint32_t num_arguments = take_u32(fields);
    uint32_t num_variables = take_u32(fields);
    command->cwd = take_string(fields);
    command->arguments = strings_take(fields, num_arguments);
    command->variables = strings_take(fields, num_variables);
    return !fields->is_bad && num_arguments > 0 && command->arguments != NULL && command->variables != NULL;
}

void command_free(struct command *command) {
    free(command->arguments);
    free(command->variables);
}

static _Noreturn void refuse(int code, const char *what, const char *name) {
    dprintf(STDERR_FILENO, "agentgym-runner: cannot %s %s: %s\n", what, name, strerror(errno));
    _exit(code);
}

static void streams_place(const int streams[3], const int *extra) {
    for (int at = 0; at < 3; at++) {
        dup2(streams[at], at);
    }
    if (extra == NULL) {
        close_range(3, ~0u, 0);
        return;
    }
    dup2(extra[0], FIRST_EXTRA);
    dup2(extra[1], FIRST_EXTRA + 1);
    close_range(3, FIRST_EXTRA - 1, 0);
    close_range(PAST_EXTRA, ~0u, 0);
}

// The kernel shall choose the command, never the runner, when memory is short. The file is writable only to a dumpable
// process, so this comes after all descriptors of the runner are closed.
static void offer_to_oom_killer(void) {
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd >= 0) {
        ssize_t written = write(fd, "1000", 4);
        (void)written;
        close(fd);
    }
}

static void cwd_enter(const struct command *command) {
    int folder = folder_open(command->work_dir, command->cwd, (command->flags & EXEC_STAYS_BENEATH) != 0);
    if (folder < 0 || fchdir(folder) < 0) {
        refuse(CANNOT_RUN, "enter the folder", command->cwd[0] == 0 ? command->work_dir : command->cwd);
    }
    close(folder);
}

static _Noreturn void command_become(const struct command *command, const int streams[3], const int *extra) {
    setsid();
    streams_place(streams, extra);
    offer_to_oom_killer();
    // Not 0: a pipe to a handler on the host ignores every other value (core(5)).
    setrlimit(RLIMIT_CORE, &(struct rlimit){.rlim_cur = 1, .rlim_max = 1});
    if (most_processes != RLIM_INFINITY) {
        setrlimit(RLIMIT_NPROC, &(struct rlimit){.rlim_cur = most_processes, .rlim_max = most_processes});
    }
    umask(022);
    cwd_enter(command);
    for (const char **variable = command->variables; *variable != NULL; variable++) {
        putenv((char *)(uintptr_t)*variable);
    }
    signal(SIGPIPE, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execvp(command->arguments[0], (char *const *)(uintptr_t)command->arguments);
    refuse(errno == ENOENT ? NOT_FOUND : CANNOT_RUN, "run", command->arguments[0]);
}

pid_t command_start(const struct command *command, const int streams[3], const int *extra) {
    pid_t pid = fork();
    if (pid == 0) {
        command_become(command, streams, extra);
    }
    return pid;
}

bool pipe_make(int ends[2], int nonblocking_end) {
    if (pipe2(ends, O_CLOEXEC) < 0) {
        ends[0] = ends[1] = -1;
        return false;
    }
    return fcntl(ends[nonblocking_end], F_SETFL, O_NONBLOCK) == 0;
}

void descriptor_close(int *fd) {
    if (*fd >= 0) {
        close(*fd);
        *fd = -1;
    }
}

uint32_t exit_code_of(int status) {
    return (uint32_t)(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}

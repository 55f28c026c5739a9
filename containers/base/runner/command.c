#define _GNU_SOURCE
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "paths.h"

enum { FIRST_EXTRA = 198, CANNOT_RUN = 126, NOT_FOUND = 127 };

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

bool command_offer(pid_t pid) {
    char path[48];
    snprintf(path, sizeof path, "/proc/%d/oom_score_adj", (int)pid);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) {
        return errno != EACCES;
    }
    ssize_t written = write(fd, "1000", 4);
    (void)written;
    close(fd);
    return true;
}

// Tries the folders of PATH as execvp does, but runs no file of unknown format with a shell.
static void search_and_exec(char *const *arguments) {
    const char *name = arguments[0];
    const char *folders = getenv("PATH");
    if (strchr(name, '/') != NULL || *name == 0) {
        execve(name, arguments, environ);
        errno = *name == 0 ? ENOENT : errno;
        return;
    }
    int error = ENOENT;
    for (const char *at = folders != NULL ? folders : "/bin:/usr/bin", *end = at; end != NULL; at = end + 1) {
        char path[PATH_MAX];
        end = strchr(at, ':');
        int length = end != NULL ? (int)(end - at) : (int)strlen(at);
        if (snprintf(path, sizeof path, "%.*s%s%s", length, at, length > 0 ? "/" : "", name) >= (int)sizeof path) {
            continue;
        }
        execve(path, arguments, environ);
        if (errno != ENOENT && errno != ENOTDIR && errno != EACCES) {
            return;
        }
        error = errno == EACCES ? EACCES : error;
    }
    errno = error;
}

static void become(const struct command *command, const int streams[3], const int *extra, int folder) {
    setsid();
    bool is_ready = true;
    for (int at = 0; at < 3 && is_ready; at++) {
        is_ready = dup2(streams[at], at) >= 0;
    }
    for (int at = 0; extra != NULL && at < 2 && is_ready; at++) {
        is_ready = dup2(extra[at], FIRST_EXTRA + at) >= 0;
    }
    sigset_t none;
    sigemptyset(&none);
    is_ready = is_ready && fchdir(folder) == 0 && signal(SIGPIPE, SIG_DFL) != SIG_ERR;
    if (is_ready && sigprocmask(SIG_SETMASK, &none, NULL) == 0) {
        search_and_exec((char *const *)(uintptr_t)command->arguments);
    }
}

// Every other descriptor of this process is closed on exec. The child shares this process's memory until then, which is
// quicker than a copy and leaves no moment at which a copy could be looked into. posix_spawn does that as well, with
// two system calls more for each signal there is.
static int spawn(pid_t *pid, const struct command *command, const int streams[3], const int *extra, int folder) {
    volatile int error = 0;
    pid_t child = vfork();
    if (child == 0) {
        become(command, streams, extra, folder);
        error = errno;
        _exit(CANNOT_RUN);
    }
    if (child < 0) {
        return errno;
    }
    if (error != 0) {
        waitpid(child, NULL, 0);
        return error;
    }
    *pid = child;
    return 0;
}

static bool has_name_of(char *const *variables, const char *variable) {
    const char *end = strchr(variable, '=');
    size_t length = end == NULL ? strlen(variable) : (size_t)(end - variable) + 1;
    for (; *variables != NULL; variables++) {
        if (strncmp(*variables, variable, length) == 0) {
            return true;
        }
    }
    return false;
}

// The command's variables, and those of the runner's own that they do not replace; the list alone is the caller's to free.
static char **environment_of(const struct command *command, char *const *own) {
    char **variables = (char **)(uintptr_t)command->variables;
    size_t room = 1;
    for (size_t at = 0; variables[at] != NULL; at++) {
        room++;
    }
    for (size_t at = 0; own[at] != NULL; at++) {
        room++;
    }
    char **merged = calloc(room, sizeof *merged);
    size_t count = 0;
    for (size_t at = 0; merged != NULL && own[at] != NULL; at++) {
        if (!has_name_of(variables, own[at])) {
            merged[count++] = own[at];
        }
    }
    for (size_t at = 0; merged != NULL && variables[at] != NULL; at++) {
        if (!has_name_of(variables + at + 1, variables[at])) { // the last of a name holds
            merged[count++] = variables[at];
        }
    }
    return merged;
}

pid_t command_start(const struct command *command, const int streams[3], const int *extra, struct refusal *refusal) {
    *refusal = (struct refusal){.exit_code = 0};
    char **own = environ;
    environ = environment_of(command, own);
    if (environ == NULL) {
        environ = own;
        *refusal = (struct refusal){.exit_code = CANNOT_RUN, .text = "cannot run for want of memory"};
        return 0;
    }
    if (most_processes != RLIM_INFINITY) {
        setrlimit(RLIMIT_NPROC, &(struct rlimit){.rlim_cur = most_processes, .rlim_max = most_processes});
    }
    int folder = folder_open(command->work_dir, command->cwd, (command->flags & EXEC_STAYS_BENEATH) != 0);
    int error = folder < 0 ? errno : 0;
    const char *what = folder < 0 ? "enter the folder" : "run";
    const char *name = folder >= 0 ? command->arguments[0] : command->cwd[0] == 0 ? command->work_dir : command->cwd;
    pid_t pid = 0;
    error = error != 0 ? error : spawn(&pid, command, streams, extra, folder);
    free(environ);
    environ = own;
    if (folder >= 0) {
        close(folder);
    }
    if (error == 0) {
        return pid;
    }
    refusal->exit_code = folder >= 0 && error == ENOENT ? NOT_FOUND : CANNOT_RUN;
    snprintf(refusal->text, sizeof refusal->text, "cannot %s %s: %s", what, name, strerror(error));
    return 0;
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

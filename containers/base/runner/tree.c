#define _GNU_SOURCE
#include "tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"

// Deeper descendants are reached in a later pass: when their ancestors die they become children of this process.
enum { MAX_DEPTH = 48 };

struct walk {
    const struct processes *all;
    const struct processes *spared;
    pid_t through;
    int signal_number;
    size_t count; // signalled and alive
};

static bool process_read(pid_t pid, struct process *process) {
    char path[32];
    char text[512];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    ssize_t length = read(fd, text, sizeof text - 1);
    close(fd);
    if (length <= 0) {
        return false;
    }
    text[length] = 0;
    // The name before it may hold anything, further brackets included.
    const char *after_name = strrchr(text, ')');
    char state = 0;
    int parent = 0;
    int threads = 0;
    unsigned long long started = 0;
    const char *format = " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %d %*d %llu";
    if (after_name == NULL || sscanf(after_name + 1, format, &state, &parent, &threads, &started) != 4) {
        return false;
    }
    *process = (struct process){.pid = pid, .parent = parent, .started = started};
    // That whose first thread alone has ended goes on, whatever its state says.
    process->is_zombie = (state == 'Z' || state == 'X') && threads <= 1;
    return true;
}

static bool processes_add(struct processes *all, const struct process *process) {
    if (all->count == all->room) {
        size_t room = all->room == 0 ? 256 : all->room * 2;
        struct process *items = realloc(all->items, room * sizeof *items);
        if (items == NULL) {
            return false;
        }
        all->items = items;
        all->room = room;
    }
    all->items[all->count++] = *process;
    return true;
}

void processes_read(struct processes *all) {
    DIR *folder = opendir("/proc");
    if (folder == NULL) {
        return;
    }
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        long pid = strtol(entry->d_name, NULL, 10);
        struct process process;
        if (pid > 0 && process_read((pid_t)pid, &process) && !processes_add(all, &process)) {
            break;
        }
    }
    closedir(folder);
}

void processes_free(struct processes *all) {
    free(all->items);
    *all = (struct processes){.items = NULL};
}

// The first child of a process with one thread; 0 where it has none, -1 where this kernel does not tell.
static pid_t first_child(pid_t pid, bool *is_only) {
    char path[48];
    char text[32];
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return -1;
    }
    ssize_t length = read(fd, text, sizeof text - 1);
    close(fd);
    if (length < 0) {
        return -1;
    }
    text[length] = 0;
    char *rest = text;
    pid_t child = (pid_t)strtol(text, &rest, 10);
    *is_only = strspn(rest, " ") == strlen(rest);
    return child;
}

bool tree_is_only(pid_t child) {
    bool is_only = false;
    bool has_none = false;
    return first_child(getpid(), &is_only) == child && is_only && first_child(child, &has_none) == 0;
}

void tree_adopt(void) {
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

static bool is_spared(const struct walk *walk, const struct process *process) {
    for (size_t at = 0; walk->spared != NULL && at < walk->spared->count; at++) {
        const struct process *spared = &walk->spared->items[at];
        if (spared->pid == process->pid && spared->started == process->started) {
            return true;
        }
    }
    return false;
}

static int pidfd_open_process(pid_t pid) {
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

static bool pidfd_signal(int pidfd, int signal_number) {
    return syscall(SYS_pidfd_send_signal, pidfd, signal_number, NULL, 0) == 0;
}

static void signal_below(struct walk *walk, pid_t parent, int parent_pidfd, int depth);

// A pid read from /proc may belong to a stranger by the time it is signalled. A child of this process cannot: nobody else
// reaps it. A deeper one is held by a pidfd before its parent is looked at again, and that parent, by its own pidfd, is
// known to be unreaped then. Where a kernel or filter has no pidfds, deeper ones come up as orphans in a later pass.
static void signal_one(struct walk *walk, const struct process *process, int parent_pidfd, int depth) {
    bool is_child = parent_pidfd < 0;
    int pidfd = pidfd_open_process(process->pid);
    struct process again;
    bool is_sure = is_child || (pidfd >= 0 && process_read(process->pid, &again) && again.parent == process->parent &&
                                pidfd_signal(parent_pidfd, 0));
    if (is_sure && pidfd >= 0 && depth < MAX_DEPTH) {
        signal_below(walk, process->pid, pidfd, depth + 1);
    }
    if (is_sure && walk->through != process->pid && !process->is_zombie) {
        walk->count++;
        if (is_child) {
            kill(process->pid, walk->signal_number);
        } else {
            pidfd_signal(pidfd, walk->signal_number);
        }
    }
    if (pidfd >= 0) {
        close(pidfd);
    }
}

static void signal_below(struct walk *walk, pid_t parent, int parent_pidfd, int depth) {
    for (size_t at = 0; at < walk->all->count; at++) {
        const struct process *process = &walk->all->items[at];
        bool is_passed_through = walk->through == process->pid;
        if (process->parent == parent && (is_passed_through || !is_spared(walk, process))) {
            signal_one(walk, process, parent_pidfd, depth);
        }
    }
}

size_t tree_signal(int signal_number, const struct processes *spared, pid_t through) {
    struct processes all = {.items = NULL};
    processes_read(&all);
    struct walk walk = {.all = &all, .spared = spared, .through = through, .signal_number = signal_number};
    signal_below(&walk, getpid(), -1, 0);
    processes_free(&all);
    return walk.count;
}

static size_t list_below(const struct processes *all, pid_t parent, struct processes *found, int depth) {
    size_t count = 0;
    for (size_t at = 0; at < all->count && depth < MAX_DEPTH; at++) {
        const struct process *process = &all->items[at];
        if (process->parent != parent) {
            continue;
        }
        if (!process->is_zombie) {
            count++;
            if (found != NULL) {
                processes_add(found, process);
            }
        }
        count += list_below(all, process->pid, found, depth + 1);
    }
    return count;
}

void tree_list(struct processes *found) {
    struct processes all = {.items = NULL};
    processes_read(&all);
    list_below(&all, getpid(), found, 0);
    processes_free(&all);
}

size_t tree_count(void) {
    struct processes all = {.items = NULL};
    processes_read(&all);
    size_t count = list_below(&all, getpid(), NULL, 0);
    processes_free(&all);
    return count;
}

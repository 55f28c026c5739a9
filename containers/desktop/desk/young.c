// Programs that began a moment ago: a click that starts one is not done when the clicked button has been drawn. One that
// has slept for a while waits for something else, as a shell does for its first line.
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "desk.h"

enum { YOUNG_MS = 700, STARTING_MS = 3000, ASLEEP_MS = 100, MAX_WATCHED = 64, MAX_FILE = 1024 };

struct process {
    pid_t pid;
    char state;
    int num_threads;
    int64_t age_ms;
};

// How long a process had run when it was looked at last, and since when that has been so.
static struct watched {
    pid_t pid;
    char run[64];
    int64_t since_ms;
} watched[MAX_WATCHED];
static unsigned next_watched;

static bool file_read(const char *pid, const char *name, char text[MAX_FILE]) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%.20s/%s", pid, name);
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return false;
    }
    size_t length = fread(text, 1, MAX_FILE - 1, file);
    fclose(file);
    text[length] = '\0';
    return length > 0;
}

// False for one that has ended or is ours.
static bool process_read(const char *pid, int64_t uptime_ms, struct process *process) {
    char text[MAX_FILE];
    if (!file_read(pid, "stat", text)) {
        return false;
    }
    char *name = strchr(text, '('), *after = strrchr(text, ')');
    if (name == NULL || after == NULL || strncmp(name, "(agentgym", 9) == 0 || after[2] == 'Z') {
        return false;
    }
    unsigned long long began;
    // After the name: the state, 16 numbers, the number of threads, one number, and the time at which it began.
    int num_read = sscanf(after + 2, "%c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %d %*s %llu",
                          &process->state, &process->num_threads, &began);
    if (num_read != 3) {
        return false;
    }
    process->pid = (pid_t)strtol(pid, NULL, 10);
    process->age_ms = uptime_ms - (int64_t)(began * 1000ULL / (unsigned long)sysconf(_SC_CLK_TCK));
    return true;
}

static struct watched *watched_of(pid_t pid) {
    for (int at = 0; at < MAX_WATCHED; at++) {
        if (watched[at].pid == pid) {
            return &watched[at];
        }
    }
    struct watched *chosen = &watched[next_watched++ % MAX_WATCHED];
    *chosen = (struct watched){.pid = pid};
    return chosen;
}

// For how long it has slept while it was looked at. Of several threads, only the first could be looked at here, so such a
// program counts as awake; so does one on a machine that does not tell.
static int64_t asleep_ms(const char *pid, const struct process *process) {
    char run[MAX_FILE];
    if (process->num_threads != 1 || !file_read(pid, "schedstat", run) || strncmp(run, "0 ", 2) == 0) {
        return 0;
    }
    struct watched *seen = watched_of(process->pid);
    if (process->state != 'S' || strncmp(seen->run, run, sizeof seen->run - 1) != 0) {
        snprintf(seen->run, sizeof seen->run, "%.63s", run);
        seen->since_ms = now_ms();
    }
    return now_ms() - seen->since_ms;
}

static bool is_young(const char *pid, int64_t uptime_ms, const struct module *module) {
    struct process process;
    if (!process_read(pid, uptime_ms, &process)) {
        return false;
    }
    if (module != NULL) {
        return process.age_ms < STARTING_MS;
    }
    return process.age_ms < YOUNG_MS && asleep_ms(pid, &process) < ASLEEP_MS;
}

static bool is_part(const struct desk *desk, pid_t pid) {
    return pid == desk->server || pid == desk->bus || pid == desk->window_manager;
}

bool session_is_young(struct desk *desk) {
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    int64_t uptime_ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
    DIR *folder = opendir("/proc");
    if (folder == NULL) {
        return false;
    }
    bool is_one_young = false;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {  // all are looked at, so that they sleep side by side
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        const struct module *module = module_of(desk, pid);
        bool shows_a_window = module != NULL && module->num_shown > 0;
        if (isdigit((unsigned char)entry->d_name[0]) && !shows_a_window && !is_part(desk, pid)) {
            is_one_young = is_young(entry->d_name, uptime_ms, module) || is_one_young;
        }
    }
    closedir(folder);
    return is_one_young;
}

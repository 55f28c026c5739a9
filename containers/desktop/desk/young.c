// Programs that began a moment ago: a click that starts one is not done when the clicked button has been drawn.
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "desk.h"

enum { YOUNG_MS = 700, STARTING_MS = 3000 };

// Milliseconds since a process began; -1 for one that has ended, is ours, or is a service that the bus has started.
static int64_t age_of(const struct desk *desk, const char *pid, int64_t uptime_ms) {
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return -1;
    }
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    char *name = strchr(text, '('), *after = strrchr(text, ')');
    if (name == NULL || after == NULL || strncmp(name, "(agentgym", 9) == 0 || after[2] == 'Z' ||
        strtol(after + 4, NULL, 10) == desk->bus) {
        return -1;
    }
    char *at = after + 1;
    for (int field = 2; field < 21 && at != NULL; field++) {
        at = strchr(at + 1, ' ');
    }
    return at == NULL ? -1 : uptime_ms - (int64_t)(strtoull(at, NULL, 10) * 1000ULL / (unsigned long)sysconf(_SC_CLK_TCK));
}

static bool shows_a_window(struct desk *desk, pid_t pid, bool *has_module) {
    struct module *module = module_of(desk, pid);
    *has_module = module != NULL;
    return module != NULL && module->num_shown > 0;
}

bool session_is_young(struct desk *desk) {
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    int64_t uptime_ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
    DIR *folder = opendir("/proc");
    if (folder == NULL) {
        return false;
    }
    bool is_young = false;
    for (struct dirent *entry; !is_young && (entry = readdir(folder)) != NULL;) {
        if (!isdigit((unsigned char)entry->d_name[0])) {
            continue;
        }
        bool has_module;
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (shows_a_window(desk, pid, &has_module) || pid == desk->server || pid == desk->bus ||
            pid == desk->window_manager) {
            continue;
        }
        int64_t age = age_of(desk, entry->d_name, uptime_ms);
        is_young = age >= 0 && age < (has_module ? STARTING_MS : YOUNG_MS);
    }
    closedir(folder);
    return is_young;
}

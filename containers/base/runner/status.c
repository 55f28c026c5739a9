// What a reset must leave alone or behind, in numbers: the canary compares them with those of a fresh sandbox.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <time.h>
#include <unistd.h>

#include "keeper.h"
#include "tree.h"

static size_t entries_count(const char *path) {
    DIR *folder = opendir(path);
    size_t count = 0;
    if (folder == NULL) {
        return errno == ENOENT ? 0 : 1;
    }
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    }
    closedir(folder);
    return count;
}

// Processes beside the runner and this keeper.
static size_t others_count(void) {
    struct processes all = {.items = NULL};
    processes_read(&all);
    size_t count = 0;
    for (size_t at = 0; at < all.count; at++) {
        count += all.items[at].pid != 1 && all.items[at].pid != getpid() && !all.items[at].is_zombie;
    }
    processes_free(&all);
    return count;
}

// A keeper that has just answered may take a moment to go.
static size_t settled_count(const struct settings *settings) {
    enum { MAX_TRIES = 50 };
    size_t count = 0;
    for (int tries = 0; settings->is_init && tries < MAX_TRIES; tries++) {
        count = others_count();
        if (count == 0) {
            break;
        }
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return count;
}

static size_t ipc_count(const struct settings *settings) {
    if (!settings->is_init) {
        return 0;
    }
    struct shm_info memory;
    struct msginfo queues;
    struct seminfo semaphores;
    memset(&memory, 0, sizeof memory);
    memset(&queues, 0, sizeof queues);
    memset(&semaphores, 0, sizeof semaphores);
    shmctl(0, SHM_INFO, (struct shmid_ds *)(void *)&memory);
    msgctl(0, MSG_INFO, (struct msqid_ds *)(void *)&queues);
    semctl(0, 0, SEM_INFO, &semaphores);
    return (size_t)memory.used_ids + (size_t)queues.msgpool + (size_t)semaphores.semusz;
}

// FNV-1a over /proc/self/mountinfo without the work folder's own line, which a reset in place changes.
static unsigned long long mounts_hash(const char *work_dir) {
    unsigned long long hash = 14695981039346656037ULL;
    FILE *mounts = fopen("/proc/self/mountinfo", "re");
    char *line = NULL;
    size_t room = 0;
    while (mounts != NULL && getline(&line, &room, mounts) > 0) {
        char point[512] = "";
        sscanf(line, "%*d %*d %*s %*s %511s", point);
        for (const char *at = line; strcmp(point, work_dir) != 0 && *at != 0; at++) {
            hash = (hash ^ (unsigned char)*at) * 1099511628211ULL;
        }
    }
    free(line);
    if (mounts != NULL) {
        fclose(mounts);
    }
    return hash;
}

void status_serve(struct keeper *keeper) {
    struct fields fields = fields_of(&keeper->request);
    uint32_t num_folders = take_u32(&fields);
    size_t leftovers = 0;
    for (uint32_t at = 0; at < num_folders && !fields.is_bad; at++) {
        leftovers += entries_count(take_string(&fields));
    }
    char text[256];
    int length = snprintf(text, sizeof text, "version %d\nprocesses %zu\nleftovers %zu\nipc %zu\nmounts %016llx\n",
                          PROTOCOL_VERSION, settled_count(keeper->settings), leftovers, ipc_count(keeper->settings),
                          mounts_hash(keeper->settings->work_dir));
    frame_send(keeper->channel, FRAME_READY, text, (size_t)length);
}

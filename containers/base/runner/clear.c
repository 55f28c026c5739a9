// Emptying the folders and the shared memory that a reset in place cannot replace. The runner has killed everything else.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <unistd.h>

#include "keeper.h"

enum { FOLDER_FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, MAX_OPEN = 200 };

static int folder_enter(int parent, const char *name) {
    int folder = openat(parent, name, FOLDER_FLAGS);
    if (folder < 0 && errno == EACCES && fchmodat(parent, name, 0700, 0) == 0) {
        folder = openat(parent, name, FOLDER_FLAGS);
    }
    return folder;
}

static bool is_dots(const char *name) {
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

// Removes one entry, or moves a folder that is too deep up to the top, where a later round finds it.
static void entry_remove(int folder, const char *name, int top, int depth);

static void folder_empty(int folder, int top, int depth) {
    fchmod(folder, 0700);
    DIR *entries = fdopendir(folder);
    if (entries == NULL) {
        close(folder);
        return;
    }
    for (const struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        if (!is_dots(entry->d_name)) {
            entry_remove(folder, entry->d_name, top < 0 ? folder : top, depth);
        }
    }
    closedir(entries);
}

static void entry_remove(int folder, const char *name, int top, int depth) {
    if (unlinkat(folder, name, 0) == 0 || (errno != EISDIR && errno != EPERM)) {
        return;
    }
    if (depth >= MAX_OPEN) {
        static unsigned int number;
        char moved[32];
        snprintf(moved, sizeof moved, ".agentgym-deep-%u", number++);
        renameat(folder, name, top, moved);
        return;
    }
    int below = folder_enter(folder, name);
    if (below >= 0) {
        folder_empty(below, top, depth + 1);
    }
    unlinkat(folder, name, AT_REMOVEDIR);
}

static uint64_t entries_left(int folder) {
    DIR *entries = fdopendir(folder);
    uint64_t count = 0;
    for (const struct dirent *entry = entries == NULL ? NULL : readdir(entries); entry != NULL;
         entry = readdir(entries)) {
        count += !is_dots(entry->d_name);
    }
    if (entries != NULL) {
        closedir(entries);
    }
    return count;
}

// Entries that could not be removed; one for a folder that cannot be opened.
static uint64_t folder_clear(const char *path) {
    enum { MAX_ROUNDS = 64 };
    uint64_t left = 0;
    for (int round = 0; round < MAX_ROUNDS; round++) {
        int folder = folder_enter(AT_FDCWD, path);
        if (folder < 0) {
            return errno != ENOENT;
        }
        struct stat before;
        bool is_known = fstat(folder, &before) == 0;
        int again = fcntl(folder, F_DUPFD_CLOEXEC, 3);
        folder_empty(folder, -1, 0);
        if (again < 0) {
            return 1;
        }
        if (is_known) {
            fchmod(again, before.st_mode & 07777);
        }
        lseek(again, 0, SEEK_SET);
        left = entries_left(again);
        if (left == 0) {
            break;
        }
    }
    return left;
}

// Only in a namespace of the sandbox's own: elsewhere the objects may be anybody's.
static void ipc_clear(void) {
    struct shm_info memory;
    struct msginfo queues;
    struct seminfo semaphores;
    int last = shmctl(0, SHM_INFO, (struct shmid_ds *)(void *)&memory);
    for (int at = 0; at <= last; at++) {
        struct shmid_ds found;
        int id = shmctl(at, SHM_STAT, &found);
        if (id >= 0) {
            shmctl(id, IPC_RMID, NULL);
        }
    }
    last = msgctl(0, MSG_INFO, (struct msqid_ds *)(void *)&queues);
    for (int at = 0; at <= last; at++) {
        struct msqid_ds found;
        int id = msgctl(at, MSG_STAT, &found);
        if (id >= 0) {
            msgctl(id, IPC_RMID, NULL);
        }
    }
    last = semctl(0, 0, SEM_INFO, &semaphores);
    for (int at = 0; at <= last; at++) {
        struct semid_ds found;
        int id = semctl(at, 0, SEM_STAT, &found);
        if (id >= 0) {
            semctl(id, 0, IPC_RMID);
        }
    }
}

void clear_serve(struct keeper *keeper) {
    struct fields fields = fields_of(&keeper->request);
    uint32_t num_folders = take_u32(&fields);
    uint64_t left = 0;
    for (uint32_t at = 0; at < num_folders && !fields.is_bad; at++) {
        const char *path = take_string(&fields);
        left += fields.is_bad ? 0 : folder_clear(path);
    }
    if (keeper->settings->is_init) {
        ipc_clear();
        left += folder_clear("/dev/mqueue");
    }
    if (fields.is_bad) {
        frame_fail(keeper->channel, EINVAL, "the runner was sent a malformed request to clear");
    } else {
        frame_send(keeper->channel, FRAME_READY, &left, sizeof left);
    }
}

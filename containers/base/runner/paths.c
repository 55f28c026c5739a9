#define _GNU_SOURCE
#include "paths.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FOLDER_FLAGS = O_RDONLY | O_DIRECTORY | O_CLOEXEC };

// The rest of a path below the work folder, or NULL where it lies elsewhere.
static const char *within(const char *work_dir, const char *path) {
    if (path[0] != '/') {
        return path;
    }
    size_t length = strlen(work_dir);
    while (length > 1 && work_dir[length - 1] == '/') {
        length--;
    }
    if (strncmp(path, work_dir, length) != 0 || (path[length] != '/' && path[length] != 0)) {
        return NULL;
    }
    path += length;
    while (*path == '/') {
        path++;
    }
    return path;
}

// Without openat2 (old kernels, filters that do not know it) no link at all is followed.
static int open_without_links(int folder, const char *path, int flags) {
    char *copy = strdup(path);
    if (copy == NULL) {
        return -1;
    }
    int at = fcntl(folder, F_DUPFD_CLOEXEC, 3);
    char *rest = NULL;
    char *part = strtok_r(copy, "/", &rest);
    while (at >= 0 && part != NULL) {
        char *next_part = strtok_r(NULL, "/", &rest);
        bool is_outside = strcmp(part, "..") == 0;
        int next = -1;
        if (is_outside) {
            errno = EXDEV;
        } else {
            next = openat(at, part, (next_part == NULL ? flags : FOLDER_FLAGS) | O_NOFOLLOW);
        }
        int error = errno;
        close(at);
        errno = error == ELOOP ? EXDEV : error;
        at = next;
        part = next_part;
    }
    free(copy);
    return at;
}

static int open_beneath(int folder, const char *path, int flags) {
    struct open_how how = {.flags = (unsigned long long)(unsigned int)flags};
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
    const char *target = path[0] == 0 ? "." : path;
    int fd = (int)syscall(SYS_openat2, folder, target, &how, sizeof how);
    if (fd < 0 && (errno == ENOSYS || errno == EPERM)) {
        return open_without_links(folder, target, flags);
    }
    return fd;
}

static int open_in_work(const char *work_dir, const char *path, int flags) {
    int folder = open(work_dir, FOLDER_FLAGS);
    if (folder < 0) {
        return -1;
    }
    int fd = open_beneath(folder, path, flags);
    int error = errno;
    close(folder);
    errno = error;
    return fd;
}

int folder_open(const char *work_dir, const char *path, bool stays_beneath) {
    const char *rest = within(work_dir, path);
    if (stays_beneath) {
        if (rest == NULL) {
            errno = EXDEV;
            return -1;
        }
        return open_in_work(work_dir, rest, FOLDER_FLAGS);
    }
    // A command may go anywhere by itself, so its folder may be anywhere.
    int work = open(work_dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (work < 0 && path[0] != '/') {
        return -1;
    }
    int folder = openat(work, path[0] == 0 ? "." : path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int error = errno;
    if (work >= 0) {
        close(work);
    }
    errno = error;
    return folder;
}

int file_open(const char *work_dir, const char *path) {
    // A fifo or a device must not make the keeper wait.
    int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    const char *rest = within(work_dir, path);
    return rest == NULL ? open(path, flags) : open_in_work(work_dir, rest, flags);
}

// Opens the folder of that name in a folder, and makes it where it is missing.
static int folder_step(int folder, const char *name, bool stays_beneath) {
    int next = stays_beneath ? open_beneath(folder, name, FOLDER_FLAGS) : openat(folder, name, FOLDER_FLAGS);
    if (next < 0 && errno == ENOENT && (mkdirat(folder, name, 0755) == 0 || errno == EEXIST)) {
        next = openat(folder, name, FOLDER_FLAGS | O_NOFOLLOW);
    }
    return next;
}

static int folders_make(int folder, char *path, bool stays_beneath) {
    // A whole path at once where it is there: only so may a link within it lead back up.
    int whole = stays_beneath ? open_beneath(folder, path, FOLDER_FLAGS) : openat(folder, path, FOLDER_FLAGS);
    if (whole >= 0 || errno != ENOENT) {
        return whole;
    }
    int at = fcntl(folder, F_DUPFD_CLOEXEC, 3);
    char *rest = NULL;
    for (char *part = strtok_r(path, "/", &rest); at >= 0 && part != NULL; part = strtok_r(NULL, "/", &rest)) {
        int next = folder_step(at, part, stays_beneath);
        int error = errno;
        close(at);
        errno = error;
        at = next;
    }
    return at;
}

int parent_open(const char *work_dir, const char *path, const char **name) {
    const char *rest = within(work_dir, path);
    bool stays_beneath = rest != NULL;
    const char *target = stays_beneath ? rest : path + 1;
    const char *slash = strrchr(target, '/');
    *name = slash == NULL ? target : slash + 1;
    if ((*name)[0] == 0 || strcmp(*name, ".") == 0 || strcmp(*name, "..") == 0) {
        errno = EISDIR;
        return -1;
    }
    int folder = open(stays_beneath ? work_dir : "/", FOLDER_FLAGS);
    if (folder < 0 || slash == NULL) {
        return folder;
    }
    char *parents = strndup(target, (size_t)(slash - target));
    int parent = parents == NULL ? -1 : folders_make(folder, parents, stays_beneath);
    int error = errno;
    free(parents);
    close(folder);
    errno = error;
    return parent;
}

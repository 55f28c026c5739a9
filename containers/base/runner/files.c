// Reading and writing one file, as the sandbox's user.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "keeper.h"
#include "paths.h"

static struct outbox files_outbox;

static void file_send(struct keeper *keeper, int file, uint64_t left, const char *path) {
    struct outbox *outbox = &files_outbox;
    for (;;) {
        ssize_t got = read(file, outbox->bytes + HEADER_BYTES, PIECE_BYTES);
        if (got < 0) {
            frame_fail(keeper->channel, errno, "cannot read %s: %s", path, strerror(errno));
            return;
        }
        if (got == 0) {
            keeper->is_free = frame_send(keeper->channel, FRAME_READY, NULL, 0);
            return;
        }
        // The size that was looked at first may have grown.
        if ((uint64_t)got > left) {
            frame_fail(keeper->channel, EFBIG, "%s grew past the size allowed while it was read", path);
            return;
        }
        left -= (uint64_t)got;
        outbox_seal(outbox, FRAME_OUTPUT, (size_t)got);
        if (!outbox_drain(outbox, keeper->channel)) {
            return;
        }
    }
}

void read_serve(struct keeper *keeper) {
    struct fields fields = fields_of(&keeper->request);
    uint64_t max_bytes = take_u64(&fields);
    const char *path = take_string(&fields);
    if (fields.is_bad) {
        frame_fail(keeper->channel, EINVAL, "the runner was sent a malformed request to read");
        return;
    }
    int file = file_open(keeper->settings->work_dir, path);
    struct stat found;
    if (file < 0 || fstat(file, &found) < 0) {
        frame_fail(keeper->channel, errno, "cannot read %s: %s", path,
                   errno == EXDEV ? "it leads out of the work folder" : strerror(errno));
    } else if (!S_ISREG(found.st_mode)) {
        frame_fail(keeper->channel, S_ISDIR(found.st_mode) ? EISDIR : EINVAL, "cannot read %s: it is no regular file",
                   path);
    } else if ((uint64_t)found.st_size > max_bytes) {
        frame_fail(keeper->channel, EFBIG, "cannot read %s: it has %lld bytes, %llu are allowed", path,
                   (long long)found.st_size, (unsigned long long)max_bytes);
    } else {
        file_send(keeper, file, max_bytes, path);
    }
    if (file >= 0) {
        close(file);
    }
}

static bool write_all(int file, const unsigned char *bytes, size_t length) {
    while (length > 0) {
        ssize_t written = write(file, bytes, length);
        if (written < 0 && errno != EINTR) {
            return false;
        }
        if (written > 0) {
            bytes += written;
            length -= (size_t)written;
        }
    }
    return true;
}

// False with errno 0 where the channel ended, else with the reason.
static bool content_take(const struct keeper *keeper, int file, uint64_t left) {
    while (left > 0) {
        struct frame frame = {.payload = NULL};
        errno = 0;
        if (!frame_receive(keeper->channel, &frame) || frame.kind != FRAME_INPUT || frame.length > left) {
            free(frame.payload);
            errno = 0;
            return false;
        }
        left -= frame.length;
        bool is_written = write_all(file, frame.payload, frame.length);
        int error = errno;
        free(frame.payload);
        errno = error;
        if (!is_written) {
            return false;
        }
    }
    return true;
}

static bool name_draw(char *name, size_t room) {
    uint64_t number = 0;
    if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number) {
        return false;
    }
    snprintf(name, room, ".agentgym-%016llx", (unsigned long long)number);
    return true;
}

static bool file_replace(const struct keeper *keeper, int folder, const char *name, mode_t mode, uint64_t size) {
    char temporary[40];
    if (!name_draw(temporary, sizeof temporary)) {
        return false;
    }
    int file = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0) {
        return false;
    }
    bool is_whole = content_take(keeper, file, size) && fchmod(file, mode) == 0;
    int error = errno;
    if (close(file) < 0 && is_whole) {
        error = errno;
        is_whole = false;
    }
    if (is_whole && renameat(folder, temporary, folder, name) == 0) {
        return true;
    }
    error = is_whole ? errno : error;
    unlinkat(folder, temporary, 0);
    errno = error;
    return false;
}

void write_serve(struct keeper *keeper) {
    struct fields fields = fields_of(&keeper->request);
    mode_t mode = take_u32(&fields) & 07777;
    uint64_t size = take_u64(&fields);
    const char *path = take_string(&fields);
    if (fields.is_bad) {
        frame_fail(keeper->channel, EINVAL, "the runner was sent a malformed request to write");
        return;
    }
    const char *name = NULL;
    umask(022);
    int folder = parent_open(keeper->settings->work_dir, path, &name);
    bool is_written = folder >= 0 && file_replace(keeper, folder, name, mode, size);
    int error = errno;
    if (folder >= 0) {
        close(folder);
    }
    if (is_written) {
        keeper->is_free = frame_send(keeper->channel, FRAME_READY, NULL, 0);
    } else {
        frame_fail(keeper->channel, error, "cannot write %s: %s", path,
                   error == EXDEV ? "it leads out of the work folder" : strerror(error));
    }
}

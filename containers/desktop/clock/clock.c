// A clock for the X server that desk can set forward, by a number in a file. It is loaded before the C library's.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MS_A_SECOND = 1000, NS_A_MS = 1000000, NS_A_SECOND = 1000000000 };

static const _Atomic int64_t *ahead_ms;

__attribute__((constructor)) static void open_file(void) {
    const char *path = getenv("AGENTGYM_DESK_CLOCK");
    int fd = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return;
    }
    void *mapped = mmap(NULL, sizeof *ahead_ms, PROT_READ, MAP_SHARED, fd, 0);
    ahead_ms = mapped == MAP_FAILED ? NULL : mapped;
    close(fd);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    int result = (int)syscall(SYS_clock_gettime, clock, time);
    if (result == 0 && ahead_ms != NULL && (clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_COARSE)) {
        int64_t ahead = *ahead_ms;
        time->tv_sec += ahead / MS_A_SECOND;
        time->tv_nsec += ahead % MS_A_SECOND * NS_A_MS;
        if (time->tv_nsec >= NS_A_SECOND) {
            time->tv_sec++;
            time->tv_nsec -= NS_A_SECOND;
        }
    }
    return result;
}

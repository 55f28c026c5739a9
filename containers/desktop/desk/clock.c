// The X server's clock, which is set forward so that a click counts as later than it is. The file that says by how much is the
// agent's to spoil, as the whole session is.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "desk.h"

#define SERVER_CLOCK "/usr/local/lib/agentgym-desk-clock.so"

void clock_prepare(struct desk *desk) {
    char path[256];
    snprintf(path, sizeof path, "%s/clock", desk->folder);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    void *mapped = MAP_FAILED;
    if (fd >= 0 && ftruncate(fd, sizeof *desk->ahead_ms) == 0) {
        mapped = mmap(NULL, sizeof *desk->ahead_ms, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    }
    if (mapped == MAP_FAILED) {
        perror("agentgym-desk: the X server's clock");
        exit(1);
    }
    close(fd);
    desk->ahead_ms = mapped;
    setenv("AGENTGYM_DESK_CLOCK", path, 1);
    setenv("LD_PRELOAD", SERVER_CLOCK, 1);
}

void clock_forward(struct desk *desk, int64_t milliseconds) {
    *desk->ahead_ms += milliseconds;
}

// Time that no clock change moves.
#ifndef AGENTGYM_CLOCK_H
#define AGENTGYM_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NEVER INT64_MAX

static inline int64_t now_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

// Milliseconds that poll may wait until a moment, rounded up; -1 where there is none.
static inline int wait_ms(int64_t moment_us) {
    if (moment_us == NEVER) {
        return -1;
    }
    int64_t left = (moment_us - now_us() + 999) / 1000;
    return left < 0 ? 0 : left > 3600000 ? 3600000 : (int)left;
}

#endif

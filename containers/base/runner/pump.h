// Two streams joined into one: what comes out of either goes into the other.
#ifndef AGENTGYM_PUMP_H
#define AGENTGYM_PUMP_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

enum { LANE_BYTES = 16384 };

struct lane {
    unsigned char bytes[LANE_BYTES];
    size_t start;
    size_t end;
    bool has_ended; // its source gives no more
    bool is_shut;   // its target was told so
};

struct pump {
    int sides[2];
    struct lane lanes[2]; // lane n goes from side n to the other
};

void pump_start(struct pump *pump, int side, int other_side);

// What to wait for.
void pump_poll(const struct pump *pump, struct pollfd slots[2]);

// Moves what can be moved; false when both directions have ended or one side failed.
bool pump_move(struct pump *pump, const struct pollfd slots[2]);

void pump_close(struct pump *pump);

#endif

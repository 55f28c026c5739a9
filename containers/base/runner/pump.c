#define _GNU_SOURCE
#include "pump.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

void pump_start(struct pump *pump, int side, int other_side) {
    pump->sides[0] = side;
    pump->sides[1] = other_side;
    for (int at = 0; at < 2; at++) {
        struct lane *lane = &pump->lanes[at];
        lane->start = lane->end = 0;
        lane->has_ended = lane->is_shut = false;
    }
}

static bool lane_has_content(const struct lane *lane) {
    return lane->start < lane->end;
}

void pump_poll(const struct pump *pump, struct pollfd slots[2]) {
    for (int at = 0; at < 2; at++) {
        const struct lane *out = &pump->lanes[at];
        const struct lane *in = &pump->lanes[1 - at];
        bool reads = !out->has_ended && !lane_has_content(out);
        short events = (short)((reads ? POLLIN : 0) | (lane_has_content(in) ? POLLOUT : 0));
        // A side that is asked for nothing would report its hang-up again and again.
        slots[at] = (struct pollfd){.fd = events == 0 ? -1 : pump->sides[at], .events = events};
    }
}

static bool lane_fill(struct lane *lane, int from) {
    ssize_t got = recv(from, lane->bytes, sizeof lane->bytes, MSG_DONTWAIT);
    if (got < 0) {
        return errno == EAGAIN || errno == EINTR;
    }
    lane->start = 0;
    lane->end = (size_t)got;
    lane->has_ended = got == 0;
    return true;
}

static bool lane_drain(struct lane *lane, int into) {
    while (lane_has_content(lane)) {
        ssize_t sent = send(into, lane->bytes + lane->start, lane->end - lane->start, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0) {
            return errno == EAGAIN || errno == EINTR;
        }
        lane->start += (size_t)sent;
    }
    if (lane->has_ended && !lane->is_shut) {
        shutdown(into, SHUT_WR);
        lane->is_shut = true;
    }
    return true;
}

bool pump_move(struct pump *pump, const struct pollfd slots[2]) {
    for (int at = 0; at < 2; at++) {
        struct lane *lane = &pump->lanes[at];
        bool is_ready = (slots[at].revents & (POLLIN | POLLHUP | POLLERR)) != 0;
        bool reads = is_ready && !lane->has_ended && !lane_has_content(lane);
        if ((reads && !lane_fill(lane, pump->sides[at])) || !lane_drain(lane, pump->sides[1 - at])) {
            return false;
        }
    }
    return !pump->lanes[0].is_shut || !pump->lanes[1].is_shut;
}

void pump_close(struct pump *pump) {
    close(pump->sides[0]);
    close(pump->sides[1]);
    pump->sides[0] = pump->sides[1] = -1;
}

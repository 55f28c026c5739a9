// One stream to a server inside, and a relay that opens one for each connection to a listener.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "keeper.h"
#include "pump.h"

enum { MAX_RELAYED = 64, CONNECT_TIMEOUT_MS = 10000 };

struct address {
    union {
        struct sockaddr any;
        struct sockaddr_in loopback;
        struct sockaddr_un path;
    } name;
    socklen_t length;
};

// A loopback port, or the path of a unix socket where the port is 0.
static bool address_of(uint32_t port, const char *path, struct address *address) {
    memset(address, 0, sizeof *address);
    if (port != 0) {
        address->name.loopback.sin_family = AF_INET;
        address->name.loopback.sin_port = htons((uint16_t)port);
        address->name.loopback.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address->length = sizeof address->name.loopback;
        return port <= UINT16_MAX;
    }
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof address->name.path.sun_path) {
        return false;
    }
    address->name.path.sun_family = AF_UNIX;
    memcpy(address->name.path.sun_path, path, length + 1);
    address->length = sizeof address->name.path;
    return true;
}

static int stream_to(const struct address *address) {
    int fd = socket(address->name.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) {
        return -1;
    }
    if (address->name.any.sa_family == AF_INET) {
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    }
    if (connect(fd, &address->name.any, address->length) < 0 && errno != EINPROGRESS) {
        int error = errno;
        close(fd);
        errno = error;
        return -1;
    }
    return fd;
}

static int failure_of(int fd) {
    if (poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, CONNECT_TIMEOUT_MS) <= 0) {
        return ETIMEDOUT;
    }
    int error = 0;
    getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &(socklen_t){sizeof error});
    return error;
}

void connect_serve(struct keeper *keeper) {
    static struct pump pump;
    struct fields fields = fields_of(&keeper->request);
    uint32_t port = take_u32(&fields);
    const char *path = take_string(&fields);
    struct address address;
    if (fields.is_bad || !address_of(port, path, &address)) {
        frame_fail(keeper->channel, EINVAL, "neither port %u nor path '%s' can be connected to", port, path);
        return;
    }
    int fd = stream_to(&address);
    int error = fd < 0 ? errno : failure_of(fd);
    if (error != 0) {
        frame_fail(keeper->channel, error, "cannot connect to port %u%s inside: %s", port, path, strerror(error));
        return;
    }
    frame_send(keeper->channel, FRAME_READY, NULL, 0);
    pump_start(&pump, keeper->channel, fd);
    struct pollfd slots[2];
    do {
        pump_poll(&pump, slots);
        poll(slots, 2, -1);
    } while (pump_move(&pump, slots));
}

static int listener_make(uint32_t port) {
    struct address address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || !address_of(port, "", &address)) {
        return -1;
    }
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
    if (bind(fd, &address.name.any, address.length) < 0 || listen(fd, MAX_RELAYED) < 0) {
        int error = errno;
        close(fd);
        errno = error;
        return -1;
    }
    return fd;
}

struct relay {
    int channel;
    int listener;
    struct address target;
    size_t count;
    struct pump *pumps;
};

static void relay_accept(struct relay *relay) {
    int from = accept4(relay->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (from < 0) {
        return;
    }
    int to = stream_to(&relay->target);
    if (to < 0) {
        close(from);
        return;
    }
    pump_start(&relay->pumps[relay->count++], from, to);
}

static void relay_run(struct relay *relay) {
    struct pollfd slots[2 + 2 * MAX_RELAYED];
    for (;;) {
        slots[0] = (struct pollfd){.fd = relay->channel, .events = POLLRDHUP};
        slots[1] = (struct pollfd){.fd = relay->count < MAX_RELAYED ? relay->listener : -1, .events = POLLIN};
        for (size_t at = 0; at < relay->count; at++) {
            pump_poll(&relay->pumps[at], slots + 2 + 2 * at);
        }
        poll(slots, 2 + 2 * relay->count, -1);
        if (slots[0].revents != 0) {
            return;
        }
        // From the last: a pump that ends gives its place to the last one, which has been served by then.
        for (size_t at = relay->count; at-- > 0;) {
            if (!pump_move(&relay->pumps[at], slots + 2 + 2 * at)) {
                pump_close(&relay->pumps[at]);
                relay->pumps[at] = relay->pumps[--relay->count];
            }
        }
        if (slots[1].revents != 0) {
            relay_accept(relay);
        }
    }
}

void relay_serve(struct keeper *keeper) {
    static struct pump pumps[MAX_RELAYED];
    struct fields fields = fields_of(&keeper->request);
    uint32_t listens_on = take_u32(&fields);
    uint32_t port = take_u32(&fields);
    const char *path = take_string(&fields);
    struct relay relay = {.channel = keeper->channel, .listener = keeper->passed, .pumps = pumps};
    if (fields.is_bad || !address_of(port, path, &relay.target)) {
        frame_fail(keeper->channel, EINVAL, "neither port %u nor path '%s' can be relayed to", port, path);
        return;
    }
    if (listens_on != 0) {
        relay.listener = listener_make(listens_on);
    }
    if (relay.listener < 0) {
        frame_fail(keeper->channel, errno, "cannot listen on port %u inside: %s", listens_on, strerror(errno));
        return;
    }
    frame_send(keeper->channel, FRAME_READY, NULL, 0);
    relay_run(&relay);
}

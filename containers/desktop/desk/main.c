// desk: starts and supervises a session, and lets one socket offer input to it and look at it.
//
// A request is its length in 4 bytes and text, a reply its length and blocks of "name length\n" with content.
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "desk.h"

enum { MAX_TALKERS = 8, SEND_TIMEOUT_S = 20 };

static struct desk desk;
static int talkers[MAX_TALKERS];
static int num_talkers;

static bool all_received(int fd, void *bytes, size_t count) {
    for (size_t at = 0; at < count;) {
        ssize_t got = recv(fd, (char *)bytes + at, count - at, 0);
        if (got <= 0) {
            return false;
        }
        at += (size_t)got;
    }
    return true;
}

static bool all_sent(int fd, const void *bytes, size_t count) {
    for (size_t at = 0; at < count;) {
        ssize_t sent = send(fd, (const char *)bytes + at, count - at, MSG_NOSIGNAL);
        if (sent <= 0) {
            return false;
        }
        at += (size_t)sent;
    }
    return true;
}

static bool serve(int fd) {
    uint32_t length;
    if (!all_received(fd, &length, sizeof length) || length > MAX_REQUEST) {
        return false;
    }
    char *text = malloc(length + 1);
    struct buffer reply = {0};
    bool is_whole = all_received(fd, text, length);
    if (is_whole) {
        text[length] = '\0';
        request_serve(&desk, text, &reply);
        uint32_t size = (uint32_t)reply.length;
        is_whole = all_sent(fd, &size, sizeof size) && all_sent(fd, reply.bytes, reply.length);
    }
    buffer_free(&reply);
    free(text);
    return is_whole;
}

static int listen_at(const char *folder) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s/socket", folder);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    unlink(address.sun_path);
    if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0 || listen(fd, MAX_TALKERS) < 0) {
        fprintf(stderr, "agentgym-desk: cannot listen at %s: %s\n", address.sun_path, strerror(errno));
        exit(1);
    }
    return fd;
}

static void accept_talker(int listener) {
    int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    struct timeval patience = {.tv_sec = SEND_TIMEOUT_S};
    if (fd < 0 || num_talkers == MAX_TALKERS) {
        close(fd);
        return;
    }
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    talkers[num_talkers++] = fd;
}

static void talk(int listener) {
    for (;;) {
        struct pollfd slots[MAX_TALKERS + 2];
        slots[0] = (struct pollfd){.fd = listener, .events = POLLIN};
        slots[1] = (struct pollfd){.fd = ConnectionNumber(desk.display), .events = POLLIN};
        for (int at = 0; at < num_talkers; at++) {
            slots[at + 2] = (struct pollfd){.fd = talkers[at], .events = POLLIN};
        }
        int num_polled = num_talkers;
        XFlush(desk.display);
        poll(slots, (nfds_t)(num_polled + 2), 1000);
        watch_wait(&desk, 0);
        for (int at = num_polled - 1; at >= 0; at--) {
            if (slots[at + 2].revents != 0 && !serve(talkers[at])) {
                close(talkers[at]);
                talkers[at] = talkers[--num_talkers];
            }
        }
        if (slots[0].revents != 0) {
            accept_talker(listener);
        }
    }
}

int main(int argc, char *argv[]) {
    if (argc != 3 || sscanf(argv[2], "%dx%d", &desk.width, &desk.height) != 2 || desk.width < 64 || desk.height < 64 ||
        desk.width > 8192 || desk.height > 8192) {
        fprintf(stderr, "usage: agentgym-desk FOLDER WIDTHxHEIGHT\n");
        return 2;
    }
    desk.folder = argv[1];
    mkdir(desk.folder, 0700);
    char path[256];
    snprintf(path, sizeof path, "%s/run", desk.folder);
    mkdir(path, 0700);
    setenv("XDG_RUNTIME_DIR", path, 1);
    int listener = listen_at(desk.folder);
    session_start(&desk);
    talk(listener);
}

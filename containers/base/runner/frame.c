#define _GNU_SOURCE
#include "frame.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers of the protocol are read in place");

static void header_write(unsigned char *header, enum frame_kind kind, size_t length) {
    uint32_t size = (uint32_t)length;
    memcpy(header, &size, sizeof size);
    header[4] = (unsigned char)kind;
}

static bool receive_all(int fd, unsigned char *bytes, size_t length) {
    while (length > 0) {
        ssize_t got = recv(fd, bytes, length, 0);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return false;
        }
        bytes += got;
        length -= (size_t)got;
    }
    return true;
}

static bool send_all(int fd, const unsigned char *bytes, size_t length) {
    while (length > 0) {
        ssize_t sent = send(fd, bytes, length, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) {
            continue;
        }
        if (sent <= 0) {
            return false;
        }
        bytes += sent;
        length -= (size_t)sent;
    }
    return true;
}

// Makes room for a payload whose header has arrived; false where it is larger than any honest one.
static bool frame_open(struct frame *frame, const unsigned char *header) {
    memcpy(&frame->length, header, sizeof frame->length);
    frame->kind = header[4];
    if (frame->length > MAX_PAYLOAD) {
        return false;
    }
    frame->payload = malloc((size_t)frame->length + 1);
    if (frame->payload == NULL) {
        return false;
    }
    frame->payload[frame->length] = 0;
    return true;
}

bool frame_receive(int fd, struct frame *frame) {
    unsigned char header[HEADER_BYTES];
    return receive_all(fd, header, sizeof header) && frame_open(frame, header) &&
           receive_all(fd, frame->payload, frame->length);
}

bool frame_send(int fd, enum frame_kind kind, const void *payload, size_t length) {
    unsigned char small[HEADER_BYTES + 1024];
    header_write(small, kind, length);
    if (length <= sizeof small - HEADER_BYTES) {
        if (length > 0) {
            memcpy(small + HEADER_BYTES, payload, length);
        }
        return send_all(fd, small, HEADER_BYTES + length);
    }
    return send_all(fd, small, HEADER_BYTES) && send_all(fd, payload, length);
}

void frame_fail(int fd, int error, const char *format, ...) {
    char payload[512];
    memcpy(payload, &(uint32_t){(uint32_t)error}, 4);
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(payload + 4, sizeof payload - 4, format, arguments);
    va_end(arguments);
    size_t text = length < 0 ? 0 : (size_t)length;
    frame_send(fd, FRAME_FAILED, payload, 4 + (text < sizeof payload - 4 ? text : sizeof payload - 5));
}

enum inbox_state inbox_receive(struct inbox *inbox, int fd) {
    for (;;) {
        bool is_header = inbox->have < HEADER_BYTES;
        size_t whole = is_header ? HEADER_BYTES : HEADER_BYTES + inbox->frame.length;
        if (!is_header && inbox->have == whole) {
            return INBOX_FRAME;
        }
        unsigned char *into = is_header ? inbox->header + inbox->have : inbox->frame.payload + inbox->have - HEADER_BYTES;
        ssize_t got = recv(fd, into, whole - inbox->have, MSG_DONTWAIT);
        if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
            return INBOX_PARTIAL;
        }
        if (got <= 0) {
            return INBOX_CLOSED;
        }
        inbox->have += (size_t)got;
        if (is_header && inbox->have == HEADER_BYTES && !frame_open(&inbox->frame, inbox->header)) {
            return INBOX_CLOSED;
        }
    }
}

void inbox_clear(struct inbox *inbox) {
    free(inbox->frame.payload);
    *inbox = (struct inbox){.have = 0};
}

void outbox_seal(struct outbox *outbox, enum frame_kind kind, size_t length) {
    header_write(outbox->bytes, kind, length);
    outbox->start = 0;
    outbox->end = HEADER_BYTES + length;
}

bool outbox_is_empty(const struct outbox *outbox) {
    return outbox->start == outbox->end;
}

bool outbox_flush(struct outbox *outbox, int fd) {
    while (!outbox_is_empty(outbox)) {
        ssize_t sent =
            send(fd, outbox->bytes + outbox->start, outbox->end - outbox->start, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno == EINTR) {
            continue;
        }
        if (sent < 0) {
            return errno == EAGAIN;
        }
        outbox->start += (size_t)sent;
    }
    return true;
}

bool outbox_drain(struct outbox *outbox, int fd) {
    while (outbox_flush(outbox, fd)) {
        if (outbox_is_empty(outbox)) {
            return true;
        }
        poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, -1);
    }
    return false;
}

struct fields fields_of(const struct frame *frame) {
    return (struct fields){.at = frame->payload, .end = frame->payload + frame->length, .is_bad = false};
}

static bool take(struct fields *fields, void *number, size_t size) {
    if (fields->is_bad || (size_t)(fields->end - fields->at) < size) {
        fields->is_bad = true;
        return false;
    }
    memcpy(number, fields->at, size);
    fields->at += size;
    return true;
}

uint32_t take_u32(struct fields *fields) {
    uint32_t number = 0;
    return take(fields, &number, sizeof number) ? number : 0;
}

uint64_t take_u64(struct fields *fields) {
    uint64_t number = 0;
    return take(fields, &number, sizeof number) ? number : 0;
}

const char *take_string(struct fields *fields) {
    size_t left = fields->is_bad ? 0 : (size_t)(fields->end - fields->at);
    const unsigned char *end = left > 0 ? memchr(fields->at, 0, left) : NULL;
    if (end == NULL) {
        fields->is_bad = true;
        return "";
    }
    const char *text = (const char *)fields->at;
    fields->at = end + 1;
    return text;
}

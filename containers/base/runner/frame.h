// Frames on a channel: whole ones for requests and replies, and boxes for a loop that must never block.
#ifndef AGENTGYM_FRAME_H
#define AGENTGYM_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocol.h"

struct frame {
    uint8_t kind;
    uint32_t length;
    unsigned char *payload; // one byte longer than its length: a NUL, so that a cut string still ends
};

// Collects one frame from pieces that arrive when they like.
struct inbox {
    unsigned char header[HEADER_BYTES];
    size_t have;
    struct frame frame;
};

// Holds one frame until the peer has taken it.
struct outbox {
    unsigned char bytes[HEADER_BYTES + PIECE_BYTES];
    size_t start;
    size_t end;
};

enum inbox_state { INBOX_PARTIAL, INBOX_FRAME, INBOX_CLOSED };

// Waits for a whole frame; false where the channel ended or the frame is malformed. The caller frees the payload.
bool frame_receive(int fd, struct frame *frame);

// Waits until a whole frame is sent; false where the channel ended.
bool frame_send(int fd, enum frame_kind kind, const void *payload, size_t length);

// Reports an operation that could not be carried out: an errno and a sentence.
void frame_fail(int fd, int error, const char *format, ...) __attribute__((format(printf, 3, 4)));

enum inbox_state inbox_receive(struct inbox *inbox, int fd);
void inbox_clear(struct inbox *inbox);

// Turns bytes that lie behind the outbox's header already into a frame.
void outbox_seal(struct outbox *outbox, enum frame_kind kind, size_t length);
bool outbox_is_empty(const struct outbox *outbox);

// Sends what the peer takes now; false where the channel ended.
bool outbox_flush(struct outbox *outbox, int fd);

// Waits until all is sent; false where the channel ended.
bool outbox_drain(struct outbox *outbox, int fd);

// Reads the fields of a payload; after the first field that is missing, `is_bad` stays set and all fields are empty.
struct fields {
    const unsigned char *at;
    const unsigned char *end;
    bool is_bad;
};

struct fields fields_of(const struct frame *frame);
uint32_t take_u32(struct fields *fields);
uint64_t take_u64(struct fields *fields);
const char *take_string(struct fields *fields);

#endif

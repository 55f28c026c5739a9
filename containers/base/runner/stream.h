// An output stream of a command, read as fast as it writes: kept up to a limit, counted beyond it.
#ifndef AGENTGYM_STREAM_H
#define AGENTGYM_STREAM_H

#include <stdint.h>

#include "frame.h"

struct stream {
    int fd; // -1 when it has ended
    enum frame_kind kind;
    uint64_t left;
    uint64_t dropped;
};

// Moves what can be read now, at most `limit` bytes, into an empty outbox. False where there was nothing.
bool stream_forward(struct stream *stream, struct outbox *outbox, size_t limit);

// Sends all that lies in the pipe at this moment; false where the channel ended.
bool stream_finish(struct stream *stream, struct outbox *outbox, int channel);

#endif

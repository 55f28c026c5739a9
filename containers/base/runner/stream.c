#define _GNU_SOURCE
#include "stream.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "command.h"

bool stream_forward(struct stream *stream, struct outbox *outbox, size_t limit) {
    size_t most = limit < PIECE_BYTES ? limit : PIECE_BYTES;
    ssize_t got = read(stream->fd, outbox->bytes + HEADER_BYTES, most);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return false;
    }
    if (got <= 0) {
        descriptor_close(&stream->fd);
        return false;
    }
    uint64_t kept = (uint64_t)got < stream->left ? (uint64_t)got : stream->left;
    stream->left -= kept;
    stream->dropped += (uint64_t)got - kept;
    if (kept > 0) {
        outbox_seal(outbox, stream->kind, (size_t)kept);
    }
    return true;
}

bool stream_finish(struct stream *stream, struct outbox *outbox, int channel) {
    // What lies there now and no more: a background job may write without end.
    int lying = 0;
    if (stream->fd < 0 || ioctl(stream->fd, FIONREAD, &lying) < 0) {
        return true;
    }
    size_t left = (size_t)lying;
    while (stream->fd >= 0 && left > 0) {
        if (!outbox_drain(outbox, channel) || !stream_forward(stream, outbox, left)) {
            break;
        }
        left -= left < PIECE_BYTES ? left : PIECE_BYTES;
    }
    return outbox_drain(outbox, channel);
}

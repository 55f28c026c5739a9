#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "desk.h"

static void buffer_make_room(struct buffer *buffer, size_t more) {
    if (buffer->length + more <= buffer->room) {
        return;
    }
    size_t room = buffer->room ? buffer->room : 4096;
    while (room < buffer->length + more) {
        room *= 2;
    }
    buffer->bytes = realloc(buffer->bytes, room);
    if (buffer->bytes == NULL) {
        abort();
    }
    buffer->room = room;
}

void buffer_add(struct buffer *buffer, const void *bytes, size_t length) {
    buffer_make_room(buffer, length + 1);
    if (length > 0) {
        memcpy(buffer->bytes + buffer->length, bytes, length);
    }
    buffer->length += length;
    buffer->bytes[buffer->length] = '\0';
}

void buffer_print(struct buffer *buffer, const char *format, ...) {
    char *text = NULL;
    va_list values;
    va_start(values, format);
    int length = vasprintf(&text, format, values);
    va_end(values);
    if (length > 0) {
        buffer_add(buffer, text, (size_t)length);
    }
    free(text);
}

void buffer_add_line(struct buffer *buffer, const char *text, size_t length) {
    for (size_t at = 0; at < length; at++) {
        unsigned char letter = (unsigned char)text[at];
        char kept = letter < 32 || letter == 127 ? ' ' : (char)letter;
        buffer_add(buffer, &kept, 1);
    }
}

void buffer_add_letter(struct buffer *buffer, uint32_t letter) {
    unsigned char bytes[4];
    if (letter < 0x80) {
        bytes[0] = (unsigned char)letter;
        buffer_add(buffer, bytes, 1);
        return;
    }
    size_t count = letter < 0x800 ? 2 : letter < 0x10000 ? 3 : 4;
    for (size_t at = count - 1; at > 0; at--, letter >>= 6) {
        bytes[at] = (unsigned char)(0x80 | (letter & 0x3f));
    }
    bytes[0] = (unsigned char)(letter | (count == 2 ? 0xc0 : count == 3 ? 0xe0 : 0xf0));
    buffer_add(buffer, bytes, count);
}

void buffer_clear(struct buffer *buffer) {
    buffer->length = 0;
}

void buffer_free(struct buffer *buffer) {
    free(buffer->bytes);
    *buffer = (struct buffer){0};
}

int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

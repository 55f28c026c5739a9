// Pixels by shared memory with the X server: RGB, with the pointer drawn in where that is wanted. The reply is the number
// of a row, and the rows from there on: from the first that differs from the picture before to the last, or all of them. It
// is empty where none differs.
#define _GNU_SOURCE
#include <X11/Xutil.h>
#include <X11/extensions/XShm.h>
#include <X11/extensions/Xfixes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/shm.h>

#include "desk.h"

static XImage *image;
static XShmSegmentInfo segment;
static char *last, *next;  // the picture that was taken before, and room for the one that is taken
static struct shot last_shot;

static bool segment_make(struct desk *desk) {
    image = XShmCreateImage(desk->display, DefaultVisual(desk->display, 0), 24, ZPixmap, NULL, &segment,
                            (unsigned)desk->width, (unsigned)desk->height);
    if (image == NULL) {
        return false;
    }
    segment.shmid = shmget(IPC_PRIVATE, (size_t)(image->bytes_per_line * image->height), IPC_CREAT | 0600);
    segment.shmaddr = image->data = segment.shmid < 0 ? NULL : shmat(segment.shmid, NULL, 0);
    segment.readOnly = False;
    if (segment.shmid < 0 || segment.shmaddr == (void *)-1 || !XShmAttach(desk->display, &segment)) {
        return false;
    }
    XSync(desk->display, False);
    shmctl(segment.shmid, IPC_RMID, NULL);
    return true;
}

// Four pixels of 4 bytes to three words at a time, which is most of what a picture costs here.
static void pack_row(const uint32_t *in, char *out, int width) {
    int column = 0;
    for (; column + 4 <= width; column += 4, in += 4, out += 12) {
        uint32_t a = __builtin_bswap32(in[0]) >> 8, b = __builtin_bswap32(in[1]) >> 8;
        uint32_t c = __builtin_bswap32(in[2]) >> 8, d = __builtin_bswap32(in[3]) >> 8;
        uint32_t words[3] = {a | b << 24, b >> 8 | c << 16, c >> 16 | d << 8};
        memcpy(out, words, sizeof words);
    }
    for (; column < width; column++, in++, out += 3) {
        uint32_t pixel = __builtin_bswap32(*in) >> 8;
        memcpy(out, &pixel, 3);
    }
}

static void pack(struct shot shot, char *out) {
    for (int row = 0; row < shot.height; row++) {
        const char *in = image->data + (size_t)(shot.y + row) * (size_t)image->bytes_per_line + 4 * (size_t)shot.x;
        pack_row((const uint32_t *)in, out + 3 * (size_t)row * (size_t)shot.width, shot.width);
    }
}

// The server's picture has no pointer; its own is given as pixels with opacity, already multiplied by it.
static void draw_pointer(struct desk *desk, struct shot shot, unsigned char *out) {
    XFixesCursorImage *pointer = XFixesGetCursorImage(desk->display);
    if (pointer == NULL) {
        return;
    }
    for (int row = 0; row < pointer->height; row++) {
        for (int column = 0; column < pointer->width; column++) {
            int x = pointer->x - pointer->xhot + column - shot.x, y = pointer->y - pointer->yhot + row - shot.y;
            if (x < 0 || y < 0 || x >= shot.width || y >= shot.height) {
                continue;
            }
            unsigned long pixel = pointer->pixels[row * pointer->width + column];
            unsigned left = 255 - ((pixel >> 24) & 255);
            unsigned char *at = out + 3 * ((size_t)y * (size_t)shot.width + (size_t)x);
            for (int colour = 0; colour < 3; colour++) {
                at[colour] = (unsigned char)(((pixel >> (16 - 8 * colour)) & 255) + at[colour] * left / 255);
            }
        }
    }
    XFree(pointer);
}

// Room for two pictures of a size. One that was taken before another size was asked for is forgotten.
static bool make_room(struct shot shot) {
    bool is_there = last != NULL && last_shot.x == shot.x && last_shot.y == shot.y && last_shot.width == shot.width &&
                    last_shot.height == shot.height;
    if (!is_there) {
        size_t size = 3 * (size_t)shot.width * (size_t)shot.height;
        last = realloc(last, size);
        next = realloc(next, size);
        if (last == NULL || next == NULL) {
            abort();
        }
    }
    return is_there;
}

bool screen_write(struct desk *desk, struct shot shot, struct buffer *reply) {
    if (image == NULL && !segment_make(desk)) {
        return false;
    }
    if (!XShmGetImage(desk->display, desk->root, image, 0, 0, AllPlanes)) {
        return false;
    }
    bool is_whole = !make_room(shot) || shot.is_wanted_anew;
    pack(shot, next);
    if (shot.has_pointer) {
        draw_pointer(desk, shot, (unsigned char *)next);
    }
    size_t row = 3 * (size_t)shot.width;
    uint32_t first = 0, end = (uint32_t)shot.height;
    while (!is_whole && first < end && memcmp(last + first * row, next + first * row, row) == 0) {
        first++;
    }
    while (!is_whole && end > first && memcmp(last + (end - 1) * row, next + (end - 1) * row, row) == 0) {
        end--;
    }
    if (first < end) {
        buffer_add(reply, &first, sizeof first);
        buffer_add(reply, next + first * row, (end - first) * row);
    }
    char *taken = next;
    next = last;
    last = taken;
    last_shot = shot;
    return true;
}

// What would be pasted now: the owner of the clipboard is asked for it, and need not answer.
#define _GNU_SOURCE
#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <poll.h>

#include "desk.h"

enum { ANSWER_MS = 1000, MAX_CLIPBOARD = 1 << 16 };

static bool is_answered(struct desk *desk, Window asker, XEvent *event) {
    int64_t deadline = now_ms() + ANSWER_MS;
    while (!XCheckTypedWindowEvent(desk->display, asker, SelectionNotify, event)) {
        int64_t left = deadline - now_ms();
        if (left <= 0) {
            return false;
        }
        XFlush(desk->display);
        poll(&(struct pollfd){.fd = ConnectionNumber(desk->display), .events = POLLIN}, 1, (int)left);
    }
    return true;
}

void clipboard_write(struct desk *desk, struct buffer *reply) {
    Display *display = desk->display;
    Atom clipboard = XInternAtom(display, "CLIPBOARD", False), target = XInternAtom(display, "UTF8_STRING", False);
    Window asker = XCreateSimpleWindow(display, desk->root, -10, -10, 1, 1, 0, 0, 0);
    Atom place = XInternAtom(display, "AGENTGYM_CLIPBOARD", False);
    XEvent event;
    XConvertSelection(display, clipboard, target, place, asker, CurrentTime);
    if (is_answered(desk, asker, &event) && event.xselection.property != None) {
        Atom type;
        int format;
        unsigned long count, left;
        unsigned char *value = NULL;
        XGetWindowProperty(display, asker, place, 0, MAX_CLIPBOARD / 4, True, AnyPropertyType, &type, &format, &count,
                           &left, &value);
        if (value != NULL && format == 8) {
            buffer_add(reply, value, count);
        }
        XFree(value);
    }
    XDestroyWindow(display, asker);
    XSync(display, False);
}

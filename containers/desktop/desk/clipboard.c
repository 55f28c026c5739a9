// The clipboard: whoever owns it is asked for what would be pasted, and need not answer; desk can own it itself.
#define _GNU_SOURCE
#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <poll.h>

#include "desk.h"

enum { ANSWER_MS = 1000, MAX_CLIPBOARD = 1 << 16 };

static Window own_window;
static struct buffer own_text;

void clipboard_own(struct desk *desk, const uint32_t *letters, size_t count) {
    Display *display = desk->display;
    if (own_window == None) {
        own_window = XCreateSimpleWindow(display, desk->root, -10, -10, 1, 1, 0, 0, 0);
    }
    buffer_clear(&own_text);
    for (size_t at = 0; at < count; at++) {
        buffer_add_letter(&own_text, letters[at]);
    }
    XSetSelectionOwner(display, XInternAtom(display, "CLIPBOARD", False), own_window, CurrentTime);
    XSync(display, False);
}

// Another program pastes what desk owns.
void clipboard_give(struct desk *desk, const XSelectionRequestEvent *request) {
    Display *display = desk->display;
    Atom targets = XInternAtom(display, "TARGETS", False), text = XInternAtom(display, "UTF8_STRING", False);
    Atom place = request->property != None ? request->property : request->target;
    XSelectionEvent answer = {.type = SelectionNotify, .requestor = request->requestor,
                              .selection = request->selection, .target = request->target, .time = request->time};
    if (request->target == targets) {
        Atom offered[] = {targets, text, XA_STRING};
        XChangeProperty(display, request->requestor, place, XA_ATOM, 32, PropModeReplace, (unsigned char *)offered, 3);
        answer.property = place;
    } else if (request->target == text || request->target == XA_STRING) {
        XChangeProperty(display, request->requestor, place, request->target, 8, PropModeReplace,
                        (unsigned char *)own_text.bytes, (int)own_text.length);
        answer.property = place;
    }
    XSendEvent(display, request->requestor, False, 0, (XEvent *)&answer);
    XFlush(display);
}

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
    if (own_window != None && XGetSelectionOwner(display, clipboard) == own_window) {
        buffer_add(reply, own_text.bytes, own_text.length);
        return;
    }
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

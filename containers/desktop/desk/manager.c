// The window manager is asked, too: a question that it answers on a window of desk's own, in turn with all else it has
// to do. It also wakes it: openbox now and then sleeps on events that it has read, until another one comes.
#define _GNU_SOURCE
#include <X11/Xatom.h>
#include <stdlib.h>

#include "desk.h"

static Window asker;
static Atom question, answer;
static unsigned num_asked, num_answered, wanted;

void manager_prepare(struct desk *desk) {
    asker = XCreateSimpleWindow(desk->display, desk->root, -10, -10, 1, 1, 0, 0, 0);
    XSelectInput(desk->display, asker, PropertyChangeMask);
    question = XInternAtom(desk->display, "_NET_REQUEST_FRAME_EXTENTS", False);
    answer = XInternAtom(desk->display, "_NET_FRAME_EXTENTS", False);
}

void manager_ask(struct desk *desk) {
    XEvent event = {.xclient = {.type = ClientMessage, .window = asker, .message_type = question, .format = 32}};
    num_asked = num_answered > num_asked ? num_answered + 1 : num_asked + 1;
    if (desk->manager_has_answered) {  // else this only wakes it: the answer to the first question is enough
        desk->manager_has_answered = false;
        wanted = num_asked;
    }
    XSendEvent(desk->display, desk->root, False, SubstructureRedirectMask | SubstructureNotifyMask, &event);
    XFlush(desk->display);
}

// What was asked so far will not be answered.
void manager_forget(void) {
    num_asked = num_answered;
}

void manager_hear(struct desk *desk, const XPropertyEvent *event) {
    if (event->window == asker && event->atom == answer && event->state == PropertyNewValue) {
        num_answered++;
        desk->manager_has_answered = desk->manager_has_answered || num_answered >= wanted;
    }
}

bool manager_answers(struct desk *desk, int64_t deadline_ms) {
    desk->manager_has_answered = true;
    manager_ask(desk);
    for (int64_t asked_ms = now_ms(); !desk->manager_has_answered;) {
        int64_t left = deadline_ms - now_ms();
        if (left <= 0) {
            manager_forget();
            return false;
        }
        watch_wait(desk, (int)(left < MANAGER_PATIENCE_MS ? left : MANAGER_PATIENCE_MS));
        if (!desk->manager_has_answered && now_ms() - asked_ms >= MANAGER_PATIENCE_MS) {
            manager_ask(desk);  // it may sleep on the first question
            asked_ms = now_ms();
        }
    }
    return true;
}

bool manager_wait(struct desk *desk, int64_t deadline_ms) {
    desk->manager_has_answered = true;
    manager_ask(desk);
    while (!desk->manager_has_answered) {
        int64_t left = deadline_ms - now_ms();
        if (left <= 0) {
            manager_forget();
            return false;
        }
        watch_wait(desk, (int)(left < MANAGER_PATIENCE_MS ? left : MANAGER_PATIENCE_MS));
        if (!desk->manager_has_answered) {
            manager_forget();  // it may not have listened yet, or sleep on the question
            desk->manager_has_answered = true;
            manager_ask(desk);
        }
    }
    return true;
}

// It announces itself on the root window, and repeats that on a window of its own, which dies with it.
bool manager_is_there(struct desk *desk) {
    unsigned long count;
    Window *check = property(desk->display, desk->root, "_NET_SUPPORTING_WM_CHECK", &count);
    bool is_there = false;
    if (check != NULL && count == 1) {
        Window *again = property(desk->display, *check, "_NET_SUPPORTING_WM_CHECK", &count);
        is_there = again != NULL && count == 1 && *again == *check;
        free(again);
    }
    free(check);
    return is_there;
}

// Waiting for whatever comes first: an event of the X server, the answer of a module, a new module.
#define _GNU_SOURCE
#include <X11/extensions/Xdamage.h>
#include <poll.h>
#include <sys/wait.h>

#include "desk.h"

void watch_drain(struct desk *desk) {
    while (XPending(desk->display) > 0) {
        XEvent event;
        XNextEvent(desk->display, &event);
        if (event.type == desk->damage_event + XDamageNotify) {
            desk->num_damaged++;
            desk->damaged_at_ms = now_ms();
            XDamageSubtract(desk->display, desk->damage, None, None);
        } else if (event.type == MappingNotify) {
            XRefreshKeyboardMapping(&event.xmapping);
        } else if (event.type == PropertyNotify) {
            manager_hear(desk, &event.xproperty);
        } else if (event.type == SelectionRequest) {
            clipboard_give(desk, &event.xselectionrequest);
        }
    }
    while (waitpid(-1, NULL, WNOHANG) > 0) {
    }
}

void watch_wait(struct desk *desk, int timeout_ms) {
    struct pollfd slots[MAX_MODULES + 2];
    XFlush(desk->display);
    watch_drain(desk);
    slots[0] = (struct pollfd){.fd = ConnectionNumber(desk->display), .events = POLLIN};
    slots[1] = (struct pollfd){.fd = desk->module_listener, .events = POLLIN};
    int num_modules = desk->num_modules;
    for (int at = 0; at < num_modules; at++) {
        slots[at + 2] = (struct pollfd){.fd = desk->modules[at].fd, .events = POLLIN};
    }
    if (poll(slots, (nfds_t)(num_modules + 2), timeout_ms) > 0) {
        for (int at = num_modules - 1; at >= 0; at--) {
            if (slots[at + 2].revents != 0 && !module_read(&desk->modules[at])) {
                module_drop(desk, at);
            }
        }
        if (desk->module_listener > 0 && slots[1].revents != 0) {
            modules_accept(desk);
        }
    }
    watch_drain(desk);
}

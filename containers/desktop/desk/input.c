// Input by XTEST: to applications it is the one pointer and the one keyboard.
#define _GNU_SOURCE
#include <X11/XKBlib.h>
#include <X11/extensions/XTest.h>
#include <X11/keysym.h>
#include <stdlib.h>
#include <string.h>

#include "desk.h"

enum { MAX_KEYCODE = 256, MAX_BUTTON = 16, DOUBLE_CLICK_MS = 1050, MENU_MS = 510, NEAR = 8 };

struct press {
    unsigned button;
    int x;
    int y;
    int64_t at_ms;
    bool is_of_series;
};

static bool held_buttons[MAX_BUTTON];
static bool held_keys[MAX_KEYCODE];
static bool shifted_keys[MAX_KEYCODE];

static struct press last;
static int pointer_x, pointer_y;

void input_end_series(void) {
    last.is_of_series = false;
}

static void wait_until(struct desk *desk, int64_t until) {
    int64_t left;
    while ((left = until - now_ms()) > 0) {
        watch_wait(desk, (int)left);
    }
}

// A click at the place of the last message's waits until applications count it as a new one. Their time for double clicks
// is a second, so that its timer is not one that settling waits for.
static void wait_for_series(struct desk *desk, unsigned button) {
    bool is_near = abs(last.x - pointer_x) < NEAR && abs(last.y - pointer_y) < NEAR && last.button == button;
    if (!last.is_of_series && is_near) {
        wait_until(desk, last.at_ms + DOUBLE_CLICK_MS);
    }
}

// GTK leaves a menu open at a click beside it within half a second of the press that opened it. To such a click the X
// server gives a later time, so that it closes the menu at any pace.
static void close_menu(struct desk *desk) {
    int64_t left = last.at_ms + MENU_MS - now_ms();
    if (!last.is_of_series && left > 0 && windows_have_menu_beside(desk, pointer_x, pointer_y)) {
        clock_forward(desk, left);
    }
}

void input_move(struct desk *desk, int x, int y) {
    pointer_x = x;
    pointer_y = y;
    XTestFakeMotionEvent(desk->display, DefaultScreen(desk->display), x, y, CurrentTime);
}

void input_button(struct desk *desk, unsigned button, bool is_down) {
    if (is_down) {
        wait_for_series(desk, button);
        close_menu(desk);
        last = (struct press){button, pointer_x, pointer_y, now_ms(), true};
    }
    XTestFakeButtonEvent(desk->display, button, is_down, CurrentTime);
    held_buttons[button % MAX_BUTTON] = is_down;
}

bool input_knows(const char *name) {
    return XStringToKeysym(name) != NoSymbol;
}

static KeyCode shift_key(const struct desk *desk) {
    return XKeysymToKeycode(desk->display, XK_Shift_L);
}

bool input_key(struct desk *desk, const char *name, bool is_down) {
    bool needs_shift = false;
    KeyCode key = key_for(desk, XStringToKeysym(name), &needs_shift);
    if (key == 0) {
        return false;
    }
    if (is_down && needs_shift && !held_keys[shift_key(desk)]) {
        XTestFakeKeyEvent(desk->display, shift_key(desk), True, CurrentTime);
        shifted_keys[key] = true;
    }
    XTestFakeKeyEvent(desk->display, key, is_down, CurrentTime);
    held_keys[key] = is_down;
    if (!is_down && shifted_keys[key]) {
        XTestFakeKeyEvent(desk->display, shift_key(desk), False, CurrentTime);
        shifted_keys[key] = false;
    }
    return true;
}

void input_release_all(struct desk *desk) {
    for (unsigned button = 1; button < MAX_BUTTON; button++) {
        if (held_buttons[button]) {
            input_button(desk, button, false);
        }
    }
    for (int key = 0; key < MAX_KEYCODE; key++) {
        if (held_keys[key] || shifted_keys[key]) {
            XTestFakeKeyEvent(desk->display, (KeyCode)key, False, CurrentTime);
        }
        if (shifted_keys[key]) {
            XTestFakeKeyEvent(desk->display, shift_key(desk), False, CurrentTime);
        }
    }
    memset(held_keys, 0, sizeof held_keys);
    memset(shifted_keys, 0, sizeof shifted_keys);
}

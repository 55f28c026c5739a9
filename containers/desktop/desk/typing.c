// Text of any script: what the keyboard lacks is given to spare keys, a batch at a time, and applications learn of a
// batch before it is typed: one that is told of new keys while it reads old ones reads them wrong.
#define _GNU_SOURCE
#include <X11/XKBlib.h>
#include <X11/extensions/XTest.h>
#include <X11/keysym.h>
#include <string.h>
#include <time.h>

#include "desk.h"

enum { MAX_SPARE = 200, UNICODE_SYMBOLS = 0x01000000, LEARN_MS = 3000, UNTOLD_MS = 60 };

struct keyboard {
    int first;
    int last;
    int per_key;
    KeyCode spare[MAX_SPARE];
    KeySym given[MAX_SPARE];
    int num_spare;
    int num_given;
};

static struct keyboard keyboard;

void keyboard_read(struct desk *desk) {
    XDisplayKeycodes(desk->display, &keyboard.first, &keyboard.last);
    KeySym *symbols = XGetKeyboardMapping(desk->display, (KeyCode)keyboard.first,
                                          keyboard.last - keyboard.first + 1, &keyboard.per_key);
    for (int key = keyboard.first; key <= keyboard.last && keyboard.num_spare < MAX_SPARE; key++) {
        bool is_spare = true;
        for (int at = 0; at < keyboard.per_key; at++) {
            is_spare = is_spare && symbols[(key - keyboard.first) * keyboard.per_key + at] == NoSymbol;
        }
        if (is_spare) {
            keyboard.spare[keyboard.num_spare++] = (KeyCode)key;
        }
    }
    XFree(symbols);
}

static KeyCode known_key(struct desk *desk, KeySym symbol, bool *needs_shift) {
    for (int level = 0; level < 2; level++) {
        for (int key = keyboard.first; key <= keyboard.last; key++) {
            if (XkbKeycodeToKeysym(desk->display, (KeyCode)key, 0, level) == symbol) {
                *needs_shift = level == 1;
                return (KeyCode)key;
            }
        }
    }
    for (int at = 0; at < keyboard.num_given; at++) {
        if (keyboard.given[at] == symbol) {
            *needs_shift = false;
            return keyboard.spare[at];
        }
    }
    return 0;
}

// All given symbols in one request, so that applications are told once.
static void keyboard_tell(struct desk *desk) {
    int count = keyboard.last - keyboard.first + 1, per_key;
    KeySym *symbols = XGetKeyboardMapping(desk->display, (KeyCode)keyboard.first, count, &per_key);
    for (int at = 0; at < keyboard.num_given; at++) {
        KeySym *row = symbols + (keyboard.spare[at] - keyboard.first) * per_key;
        memset(row, 0, (size_t)per_key * sizeof *row);
        row[0] = keyboard.given[at];
        row[1] = keyboard.given[at];
    }
    XChangeKeyboardMapping(desk->display, keyboard.first, per_key, symbols, count);
    XFree(symbols);
    XSync(desk->display, False);
    watch_drain(desk);
    modules_ask(desk, 'C', now_ms() + LEARN_MS);
    if (windows_unseen(desk) > 0) {
        nanosleep(&(struct timespec){.tv_nsec = UNTOLD_MS * 1000000L}, NULL);
    }
}

static bool give(KeySym symbol) {
    if (keyboard.num_given == keyboard.num_spare) {
        return false;
    }
    keyboard.given[keyboard.num_given++] = symbol;
    return true;
}

KeyCode key_for(struct desk *desk, KeySym symbol, bool *needs_shift) {
    KeyCode key = known_key(desk, symbol, needs_shift);
    if (key == 0 && symbol != NoSymbol) {
        if (!give(symbol)) {
            keyboard.num_given = 0;
            give(symbol);
        }
        keyboard_tell(desk);
        key = known_key(desk, symbol, needs_shift);
    }
    return key;
}

static KeySym symbol_of(uint32_t letter) {
    if (letter == '\n' || letter == '\r') {
        return XK_Return;
    }
    if (letter == '\t') {
        return XK_Tab;
    }
    bool is_latin = (letter >= 0x20 && letter < 0x7f) || (letter >= 0xa0 && letter < 0x100);
    return is_latin ? letter : UNICODE_SYMBOLS | letter;
}

// How many letters from the front the keyboard has, once those that it lacks were given to the spare keys left.
static size_t prepare(struct desk *desk, const uint32_t *letters, size_t count) {
    bool is_changed = false, needs_shift;
    size_t ready = 0;
    for (; ready < count; ready++) {
        KeySym symbol = symbol_of(letters[ready]);
        if (known_key(desk, symbol, &needs_shift) != 0) {
            continue;
        }
        if (!give(symbol)) {
            break;
        }
        is_changed = true;
    }
    if (is_changed) {
        keyboard_tell(desk);
    }
    return ready;
}

static void type_letter(struct desk *desk, uint32_t letter) {
    bool needs_shift = false;
    KeyCode key = known_key(desk, symbol_of(letter), &needs_shift);
    KeyCode shift = XKeysymToKeycode(desk->display, XK_Shift_L);
    if (needs_shift) {
        XTestFakeKeyEvent(desk->display, shift, True, CurrentTime);
    }
    XTestFakeKeyEvent(desk->display, key, True, CurrentTime);
    XTestFakeKeyEvent(desk->display, key, False, CurrentTime);
    if (needs_shift) {
        XTestFakeKeyEvent(desk->display, shift, False, CurrentTime);
    }
}

void type_text(struct desk *desk, const uint32_t *letters, size_t count) {
    while (count > 0) {
        size_t ready = prepare(desk, letters, count);
        for (size_t at = 0; at < ready; at++) {
            type_letter(desk, letters[at]);
        }
        letters += ready;
        count -= ready;
        if (count > 0 && keyboard.num_spare == 0) {
            letters++;  // no key types it
            count--;
        } else if (count > 0) {
            XSync(desk->display, False);
            watch_drain(desk);
            modules_ask(desk, 'C', now_ms() + LEARN_MS);
            keyboard.num_given = 0;
        }
    }
}

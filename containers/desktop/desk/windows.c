// The windows as the window manager knows them, and what of the server's state a used desktop must not keep.
#define _GNU_SOURCE
#include <X11/XKBlib.h>
#include <X11/Xatom.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "desk.h"

enum { MAX_TITLE = 300, MAX_LISTED = 200 };

// A property of 32-bit items, as longs; NULL where there is none. The caller frees it.
void *property(Display *display, Window window, const char *name, unsigned long *count) {
    Atom type;
    int format;
    unsigned long left;
    unsigned char *value = NULL;
    *count = 0;
    Atom atom = XInternAtom(display, name, False);
    if (XGetWindowProperty(display, window, atom, 0, 4096, False, AnyPropertyType, &type, &format, count, &left,
                           &value) != Success || value == NULL) {
        *count = 0;
        return NULL;
    }
    size_t size = *count * (format == 32 ? sizeof(long) : (size_t)format / 8);
    void *copy = malloc(size + 1);
    memcpy(copy, value, size);
    ((char *)copy)[size] = '\0';
    XFree(value);
    return copy;
}

static long number_of(Display *display, Window window, const char *name, long missing) {
    unsigned long count;
    long *value = property(display, window, name, &count);
    long number = value != NULL && count > 0 ? value[0] : missing;
    free(value);
    return number;
}

static bool has_state(Display *display, Window window, const char *name) {
    unsigned long count;
    bool is_found = false;
    long *states = property(display, window, "_NET_WM_STATE", &count);
    Atom wanted = XInternAtom(display, name, False);
    for (unsigned long at = 0; states != NULL && at < count; at++) {
        is_found = is_found || (Atom)states[at] == wanted;
    }
    free(states);
    return is_found;
}

static void add_text(struct desk *desk, Window window, const char *name, struct buffer *reply) {
    unsigned long count;
    char *text = property(desk->display, window, name, &count);
    if (text != NULL) {
        buffer_add_line(reply, text, count < MAX_TITLE ? strnlen(text, count) : MAX_TITLE);
    }
    free(text);
}

static void window_write(struct desk *desk, Window window, bool is_active, struct buffer *reply) {
    Window root, child;
    int x = 0, y = 0, left, top;
    unsigned width = 0, height = 0, border, depth;
    Display *display = desk->display;
    if (!XGetGeometry(display, window, &root, &left, &top, &width, &height, &border, &depth)) {
        return;
    }
    XTranslateCoordinates(display, window, desk->root, 0, 0, &x, &y, &child);
    unsigned long count;
    long *frame = property(display, window, "_NET_FRAME_EXTENTS", &count);
    long edges[4] = {0, 0, 0, 0};
    for (unsigned long at = 0; frame != NULL && count == 4 && at < 4; at++) {
        edges[at] = frame[at] >= 0 && frame[at] < 200 ? frame[at] : 0;
    }
    free(frame);
    bool is_hidden = has_state(display, window, "_NET_WM_STATE_HIDDEN");
    bool is_modal = has_state(display, window, "_NET_WM_STATE_MODAL");
    buffer_print(reply, "%lu\t%ld\t%ld\t%ld\t%ld\t%ld\t%s%s%s\t", window, number_of(display, window, "_NET_WM_PID", 0),
                 x - edges[0], y - edges[2], (long)width + edges[0] + edges[1], (long)height + edges[2] + edges[3],
                 is_active ? "a" : "", is_hidden ? "h" : "", is_modal ? "m" : "");
    add_text(desk, window, "WM_CLASS", reply);
    buffer_add(reply, "\t", 1);
    add_text(desk, window, "_NET_WM_NAME", reply);
    buffer_add(reply, "\n", 1);
}

void windows_write(struct desk *desk, struct buffer *reply) {
    unsigned long count;
    Window *listed = property(desk->display, desk->root, "_NET_CLIENT_LIST_STACKING", &count);
    Window active = (Window)number_of(desk->display, desk->root, "_NET_ACTIVE_WINDOW", 0);
    unsigned long first = count > MAX_LISTED ? count - MAX_LISTED : 0;
    for (unsigned long at = first; listed != NULL && at < count; at++) {
        window_write(desk, listed[at], listed[at] == active, reply);
    }
    if (first > 0) {
        buffer_print(reply, "more\t%lu\n", first);
    }
    free(listed);
}

// Windows that no module speaks for.
int windows_unseen(struct desk *desk) {
    unsigned long count;
    int num_unseen = 0;
    Window *listed = property(desk->display, desk->root, "_NET_CLIENT_LIST", &count);
    for (unsigned long at = 0; listed != NULL && at < count && at < MAX_LISTED; at++) {
        long pid = number_of(desk->display, listed[at], "_NET_WM_PID", 0);
        const struct module *module = module_of(desk, (pid_t)pid);
        num_unseen += module == NULL || module->num_shown == 0;
    }
    free(listed);
    return num_unseen;
}

static bool is_menu(Display *display, Window window) {
    static const char *const kinds[] = {"DROPDOWN_MENU", "POPUP_MENU", "COMBO"};
    char name[64];
    Atom type = (Atom)number_of(display, window, "_NET_WM_WINDOW_TYPE", 0);
    for (size_t at = 0; type != 0 && at < sizeof kinds / sizeof kinds[0]; at++) {
        snprintf(name, sizeof name, "_NET_WM_WINDOW_TYPE_%s", kinds[at]);
        if (type == XInternAtom(display, name, False)) {
            return true;
        }
    }
    return false;
}

// Whether a menu is open, and a place is in none.
bool windows_have_menu_beside(struct desk *desk, int x, int y) {
    Window root, parent, *children = NULL;
    unsigned count = 0;
    bool has_menu = false, is_inside = false;
    XQueryTree(desk->display, desk->root, &root, &parent, &children, &count);
    for (unsigned at = 0; at < count; at++) {
        XWindowAttributes found;
        if (!XGetWindowAttributes(desk->display, children[at], &found) || found.map_state != IsViewable ||
            !found.override_redirect || !is_menu(desk->display, children[at])) {
            continue;
        }
        has_menu = true;
        is_inside = is_inside || (x >= found.x && x < found.x + found.width && y >= found.y && y < found.y + found.height);
    }
    if (children != NULL) {
        XFree(children);
    }
    return has_menu && !is_inside;
}

static uint64_t mixed(uint64_t hash, const void *bytes, size_t length) {
    for (size_t at = 0; at < length; at++) {
        hash = (hash ^ ((const unsigned char *)bytes)[at]) * 0x100000001b3ULL;
    }
    return hash;
}

static void add_properties(struct desk *desk, struct buffer *reply) {
    int count;
    Atom *atoms = XListProperties(desk->display, desk->root, &count);
    for (int at = 0; atoms != NULL && at < count; at++) {
        char *name = XGetAtomName(desk->display, atoms[at]);
        if (name != NULL) {
            buffer_print(reply, "property\t%s\n", name);
        }
        XFree(name);
    }
    XFree(atoms);
}

static void add_keyboard(struct desk *desk, struct buffer *reply) {
    int first, last, per_key;
    XDisplayKeycodes(desk->display, &first, &last);
    KeySym *symbols = XGetKeyboardMapping(desk->display, (KeyCode)first, last - first + 1, &per_key);
    uint64_t hash = mixed(0xcbf29ce484222325ULL, symbols, sizeof *symbols * (size_t)((last - first + 1) * per_key));
    XFree(symbols);
    XModifierKeymap *modifiers = XGetModifierMapping(desk->display);
    hash = mixed(hash, modifiers->modifiermap, (size_t)(8 * modifiers->max_keypermod));
    XFreeModifiermap(modifiers);
    XkbStateRec state = {0};
    XkbGetState(desk->display, XkbUseCoreKbd, &state);
    buffer_print(reply, "keymap\t%016llx\nmodifiers\t%u\n", (unsigned long long)hash, state.mods);
}

void state_write(struct desk *desk, struct buffer *reply) {
    unsigned long count;
    free(property(desk->display, desk->root, "_NET_CLIENT_LIST", &count));
    buffer_print(reply, "windows\t%lu\nmodules\t%d\n", count, desk->num_modules);
    add_keyboard(desk, reply);
    static const char *const selections[] = {"PRIMARY", "SECONDARY", "CLIPBOARD"};
    for (size_t at = 0; at < 3; at++) {
        Window owner = XGetSelectionOwner(desk->display, XInternAtom(desk->display, selections[at], False));
        buffer_print(reply, "selection\t%s\t%s\n", selections[at], owner == None ? "free" : "owned");
    }
    add_properties(desk, reply);
}

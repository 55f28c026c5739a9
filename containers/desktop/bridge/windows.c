// Which window of the X server an accessible window is: they share a process and a title.
#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <string.h>

#include "bridge.h"

enum { MAX_WINDOWS = 200, MAX_TITLE = 200 };

struct window {
    long id;
    long pid;
    char title[MAX_TITLE];
};

static Display *display;
static struct window windows[MAX_WINDOWS];
static int num_windows;

static int on_error(Display *which, XErrorEvent *error) {
    (void)which, (void)error;
    return 0;
}

static unsigned char *property(Window window, const char *name, unsigned long *count) {
    Atom type;
    int format;
    unsigned long left;
    unsigned char *value = NULL;
    Atom atom = XInternAtom(display, name, False);
    XGetWindowProperty(display, window, atom, 0, 1024, False, AnyPropertyType, &type, &format, count, &left, &value);
    return value;
}

void windows_read(void) {
    unsigned long count = 0, length = 0;
    num_windows = 0;
    if (display == NULL) {
        XSetErrorHandler(on_error);
        display = XOpenDisplay(NULL);
    }
    if (display == NULL) {
        return;
    }
    Window *listed = (Window *)(void *)property(DefaultRootWindow(display), "_NET_CLIENT_LIST", &count);
    for (unsigned long at = 0; listed != NULL && at < count && num_windows < MAX_WINDOWS; at++) {
        struct window *found = &windows[num_windows++];
        unsigned char *pid = property(listed[at], "_NET_WM_PID", &length);
        *found = (struct window){.id = (long)listed[at], .pid = pid != NULL && length == 1 ? *(long *)(void *)pid : 0};
        unsigned char *title = property(listed[at], "_NET_WM_NAME", &length);
        g_strlcpy(found->title, title == NULL ? "" : (char *)title, MAX_TITLE);
        XFree(pid);
        XFree(title);
    }
    XFree(listed);
}

void screen_size(int *width, int *height) {
    *width = display == NULL ? G_MAXINT : DisplayWidth(display, DefaultScreen(display));
    *height = display == NULL ? G_MAXINT : DisplayHeight(display, DefaultScreen(display));
}

gboolean has_window(long pid) {
    for (int at = 0; at < num_windows; at++) {
        if (windows[at].pid == pid) {
            return TRUE;
        }
    }
    return FALSE;
}

long window_of(long pid, const char *title) {
    long only = 0;
    int count = 0;
    for (int at = 0; at < num_windows; at++) {
        if (windows[at].pid != pid) {
            continue;
        }
        if (title != NULL && strncmp(windows[at].title, title, MAX_TITLE - 1) == 0) {
            return windows[at].id;
        }
        only = windows[at].id;
        count++;
    }
    return count == 1 ? only : 0;
}

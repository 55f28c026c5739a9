// What the parts of the bridge share.
#pragma once
#include <atspi/atspi.h>

#include "answer.h"

// walk.c
// The visible part of all applications that no module speaks for, an "application" line before each.
void bridge_write(struct answer *answer);

// windows.c
void windows_read(void);
void screen_size(int *width, int *height);
// The X server's id of the window of a process that has this title, or the only one it has; 0 for none.
long window_of(long pid, const char *title);
// Whether a process shows a window that a window manager knows.
gboolean has_window(long pid);

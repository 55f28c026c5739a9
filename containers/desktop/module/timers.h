// Timers of the main loop: when the next one is due, and bringing it forward in place of waiting for it.
#pragma once
#include <glib.h>

struct timers {
    int next_ms;          // until the next timer that settling has to wait for; -1 for none
    gboolean may_hurry;   // whether that timer can be brought forward: it is due soon, and has not fired before
    int num_ticking;      // timers due soon that have fired several times: no sign that something is still to come
};

struct timers timers_read(void);
// Makes the next timer due now, such as that of the next frame; none that is due later than soon. To be called while the
// main loop is at rest: a frame that is drawn too soon, while a window is still being made, leaves it deaf to the pointer.
void timers_hurry(void);

// Whether the application has come to rest: what is pending is laid out and painted, and its next timer is told.
#pragma once
#include "answer.h"

// A line: windows that are shown, milliseconds to the next timer: -1 for none, 0 where the application is never idle.
void calm_write(struct answer *answer, gboolean is_idle);
// A window that is being mapped is not at rest, nor laid out.
void calm_await_maps(void);
// No tooltips: one that opens by itself, half a second after the pointer came to rest, is no answer to an action.
void calm_forbid_tooltips(void);

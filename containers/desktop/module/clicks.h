// Clicks of an earlier message are forgotten: two single clicks are no double click, however soon they follow.
//
// The setting gtk-double-click-time is an hour, so that no step waits for the timer that ends the counting of clicks.
#pragma once

void clicks_watch(void);
// Called when the application has come to rest: the next press is the first of a series.
void clicks_end_series(void);

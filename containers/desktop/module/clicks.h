// Clicks of an earlier message are forgotten: two single clicks are no double click, however soon they follow. Without
// this, a timer would end the counting of clicks, and be waited for.
#pragma once

void clicks_watch(void);
// Called when the application has come to rest; what is still held goes on.
void clicks_forget(void);

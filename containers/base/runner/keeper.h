// A keeper is a process that serves one channel: one operation after the other, as long as each leaves nothing behind.
#ifndef AGENTGYM_KEEPER_H
#define AGENTGYM_KEEPER_H

#include <stdbool.h>

#include "frame.h"

struct settings {
    const char *work_dir;
    bool is_init; // first process of a pid namespace of its own
};

struct keeper {
    const struct settings *settings;
    int channel;
    int passed;  // a second descriptor that came with the channel, or -1
    int signals; // readable when a child has ended
    struct frame request;
    bool is_free; // whether the last operation came to its whole end, so that another may follow
};

// Serves the channel and never returns. To be called in a process forked for it.
_Noreturn void keeper_run(const struct settings *settings, int channel, int passed);

void exec_serve(struct keeper *keeper);
void shell_serve(struct keeper *keeper);
void read_serve(struct keeper *keeper);
void write_serve(struct keeper *keeper);
void connect_serve(struct keeper *keeper);
void relay_serve(struct keeper *keeper);
void clear_serve(struct keeper *keeper);
void status_serve(struct keeper *keeper);

#endif

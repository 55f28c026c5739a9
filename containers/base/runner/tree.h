// The processes that descend from this one: found through /proc, and signalled.
#ifndef AGENTGYM_TREE_H
#define AGENTGYM_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct process {
    pid_t pid;
    pid_t parent;
    unsigned long long started; // with the pid it names a process for good
    bool is_zombie;
};

struct processes {
    struct process *items;
    size_t count;
    size_t room;
};

// All processes that /proc shows, or none where there is no memory.
void processes_read(struct processes *all);
void processes_free(struct processes *all);

// Processes below this one that live; with a list, they are appended to it.
size_t tree_count(void);
void tree_list(struct processes *found);

// Whether this process is known to have that one descendant and no other; quick.
bool tree_is_only(pid_t child);

// Orphans among the descendants come back to this process.
void tree_adopt(void);

// Signals every descendant but the spared ones and what descends from those; `through` is spared alone, not its children.
// Returns how many of them lived.
size_t tree_signal(int signal_number, const struct processes *spared, pid_t through);

#endif

// Killing descendants until none is left, however fast they fork.
//
// In a pid namespace of its own the first process can stop everything at one moment; a keeper that does not get on asks it to.
#ifndef AGENTGYM_PURGE_H
#define AGENTGYM_PURGE_H

#include <stdbool.h>
#include <sys/types.h>

#include "tree.h"

// For the first process: how keepers will ask. A descriptor to poll, or -1.
int freezer_make(void);

// For the first process, when that descriptor is readable: stops all but the keeper that asks, until it is through.
void freezer_serve(void);

// Kills every descendant but those that `tree_signal` spares; reaps none. False where some outlive the time given.
bool purge(const struct processes *spared, pid_t through, int patience_ms);

// Kills every descendant and reaps them.
bool purge_all(int patience_ms);

#endif

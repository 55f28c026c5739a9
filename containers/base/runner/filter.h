// The filter of system calls that the host wrote, for this process and all that come from it.
#ifndef AGENTGYM_FILTER_H
#define AGENTGYM_FILTER_H

#include <stdbool.h>

// Loads the program in a file; false, with errno, where it cannot be read or the kernel takes none.
bool filter_load(const char *path);

#endif

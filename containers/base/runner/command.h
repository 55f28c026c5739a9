// A command on its way into a process of its own: what to run, where, and with which streams.
#ifndef AGENTGYM_COMMAND_H
#define AGENTGYM_COMMAND_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "frame.h"

struct command {
    uint32_t flags;
    const char *work_dir;
    const char *cwd;         // relative to the work folder, or absolute
    const char **arguments;  // end in NULL
    const char **variables;  // "NAME=value" beside the runner's own, end in NULL
};

// Commands from now on fork only while their user has fewer processes than this in its user namespace.
void commands_limit(unsigned long processes);

// Folder, arguments and variables as they stand in a request; false where it is malformed. They point into its payload.
bool command_take(struct command *command, struct fields *fields);
void command_free(struct command *command);

// Why a command did not come to run: a sentence, and exit code 126 or 127 as shells have it.
struct refusal {
    int exit_code;
    char text[512];
};

// Starts it in a session of its own. Descriptors are the command's standard streams; `extra` are two more at 198 and 199,
// or NULL. 0 where it did not come to run.
pid_t command_start(const struct command *command, const int streams[3], const int *extra, struct refusal *refusal);

// Has the kernel choose this command, never the runner, when memory is short. False where it has to be tried again: until
// its exec has come to an end, a command is as closed to its own user as the keeper that it comes from.
bool command_offer(pid_t pid);

// A pipe whose ends are closed on exec, the chosen one not blocking; false where there are no descriptors left.
bool pipe_make(int ends[2], int nonblocking_end);

void descriptor_close(int *fd);

// 128 + signal where a signal ended it, as shells say it.
uint32_t exit_code_of(int status);

#endif

// Paths of requests: relative ones, and absolute ones within the work folder, cannot leave it through links.
#ifndef AGENTGYM_PATHS_H
#define AGENTGYM_PATHS_H

#include <stdbool.h>
#include <sys/types.h>

// A folder to be entered; with `stays_beneath`, only within the work folder. A descriptor, or -1 with errno.
int folder_open(const char *work_dir, const char *path, bool stays_beneath);

// A file to be read. A descriptor, or -1 with errno; EXDEV where a link leaves the work folder.
int file_open(const char *work_dir, const char *path);

// The folder of a file to be written, made where it is missing, and the file's name in it (points into `path`).
int parent_open(const char *work_dir, const char *path, const char **name);

#endif

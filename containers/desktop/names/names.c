// Names of temporary folders that are the same in every episode: the first free number in place of random letters.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define LETTERS 6
#define MOST 1000000

// Applications show such names, for instance in the title of a file that they unpacked.
char *mkdtemp(char *name) {
    size_t length = strlen(name);
    if (length < LETTERS || strcmp(name + length - LETTERS, "XXXXXX") != 0) {
        errno = EINVAL;
        return NULL;
    }
    for (int number = 0; number < MOST; number++) {
        snprintf(name + length - LETTERS, LETTERS + 1, "%06d", number);
        if (mkdir(name, 0700) == 0) {
            return name;
        }
        if (errno != EEXIST) {
            return NULL;
        }
    }
    return NULL;
}

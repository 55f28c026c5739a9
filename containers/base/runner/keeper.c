#define _GNU_SOURCE
#include "keeper.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "tree.h"

static void keeper_serve(struct keeper *keeper) {
    switch (keeper->request.kind) {
    case FRAME_EXEC:
        exec_serve(keeper);
        break;
    case FRAME_SHELL:
        shell_serve(keeper);
        break;
    case FRAME_READ:
        read_serve(keeper);
        break;
    case FRAME_WRITE:
        write_serve(keeper);
        break;
    case FRAME_CONNECT:
        connect_serve(keeper);
        break;
    case FRAME_RELAY:
        relay_serve(keeper);
        break;
    case FRAME_CLEAR:
        clear_serve(keeper);
        break;
    case FRAME_STATUS:
        status_serve(keeper);
        break;
    default:
        frame_fail(keeper->channel, EINVAL, "the runner knows no operation %d", keeper->request.kind);
    }
}

_Noreturn void keeper_run(const struct settings *settings, int channel, int passed) {
    sigset_t child_ends;
    sigemptyset(&child_ends);
    sigaddset(&child_ends, SIGCHLD);
    struct keeper keeper = {.settings = settings, .channel = channel, .passed = passed};
    tree_adopt();
    keeper.signals = signalfd(-1, &child_ends, SFD_CLOEXEC | SFD_NONBLOCK);
    if (keeper.signals < 0) {
        frame_fail(channel, errno, "the runner has no descriptor left");
        _exit(0);
    }
    do {
        keeper.is_free = false;
        if (frame_receive(channel, &keeper.request)) {
            keeper_serve(&keeper);
        }
        free(keeper.request.payload);
        keeper.request.payload = NULL;
    } while (keeper.is_free);
    _exit(0);
}

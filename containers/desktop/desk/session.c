// Starting what a session is made of. Each part counts as there once it answers, not once it was started.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "desk.h"

#define CLOCK "/usr/local/lib/libfaketime.so.1"
#define NAMES "/usr/local/lib/agentgym-desk-names.so"

enum { PART_TIMEOUT_MS = 120000, MANAGER_START_MS = 2000, BRIDGE_MS = 2000 };

static void give_up(const char *part) {
    fprintf(stderr, "agentgym-desk: %s did not come up\n", part);
    exit(1);
}

static void child_output(const struct desk *desk) {
    char path[256];
    snprintf(path, sizeof path, "%s/log", desk->folder);
    int log = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    int none = open("/dev/null", O_RDONLY | O_CLOEXEC);
    dup2(none, 0);
    if (log >= 0) {
        dup2(log, 1);
        dup2(log, 2);
    }
}

// What a part writes about itself on a descriptor of its own, a line.
static pid_t part_start(const struct desk *desk, char *const argv[], int *told) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0) {
        return -1;
    }
    pid_t pid = fork();
    if (pid == 0) {
        child_output(desk);
        dup2(ends[1], 3);
        execvp(argv[0], argv);
        _exit(127);
    }
    close(ends[1]);
    *told = ends[0];
    return pid;
}

static bool line_from(int fd, char *line, size_t room) {
    size_t length = 0;
    struct pollfd slot = {.fd = fd, .events = POLLIN};
    while (length + 1 < room && poll(&slot, 1, PART_TIMEOUT_MS) > 0) {
        ssize_t got = read(fd, line + length, 1);
        if (got <= 0) {
            break;
        }
        if (line[length] == '\n') {
            line[length] = '\0';
            return true;
        }
        length++;
    }
    return false;
}

static void server_start(struct desk *desk) {
    char screen[64], number[24];
    int told;
    snprintf(screen, sizeof screen, "%dx%dx24", desk->width, desk->height);
    char *argv[] = {"Xvfb", "-displayfd", "3", "-screen", "0", screen, "-nolisten", "tcp", "-noreset", "-dpi", "96",
                    "-extension", "GLX", NULL};
    clock_prepare(desk);
    desk->server = part_start(desk, argv, &told);
    if (desk->server < 0 || !line_from(told, number, sizeof number)) {
        give_up("the X server");
    }
    close(told);
    snprintf(desk->display_name, sizeof desk->display_name, ":%s", number);
    setenv("DISPLAY", desk->display_name, 1);
    desk->display = XOpenDisplay(desk->display_name);
    if (desk->display == NULL) {
        give_up("the connection to the X server");
    }
    fcntl(ConnectionNumber(desk->display), F_SETFD, FD_CLOEXEC);
    // From here on: the server itself needs a clock that goes.
    setenv("LD_PRELOAD", CLOCK ":" NAMES, 1);
    unsetenv("AGENTGYM_DESK_CLOCK");
}

static void bus_start(struct desk *desk) {
    int told;
    char *argv[] = {"dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address=3", NULL};
    desk->bus = part_start(desk, argv, &told);
    if (desk->bus < 0 || !line_from(told, desk->bus_address, sizeof desk->bus_address)) {
        give_up("the message bus");
    }
    close(told);
    setenv("DBUS_SESSION_BUS_ADDRESS", desk->bus_address, 1);
}

static void manager_start(struct desk *desk) {
    char *argv[] = {"openbox", "--sm-disable", "--config-file", "/usr/local/share/agentgym-desktop/openbox.xml", NULL};
    desk->window_manager = session_run(desk, argv);
    int64_t deadline = now_ms() + PART_TIMEOUT_MS;
    while (!manager_is_there(desk)) {
        if (now_ms() > deadline) {
            give_up("the window manager");
        }
        watch_wait(desk, 5);
    }
    manager_prepare(desk);
    while (!manager_wait(desk, now_ms() + MANAGER_START_MS)) {
        if (now_ms() > deadline) {
            give_up("an answer of the window manager");
        }
    }
}

static int on_error(Display *display, XErrorEvent *error) {
    (void)display, (void)error;  // windows vanish while they are asked about
    return 0;
}

void session_start(struct desk *desk) {
    XSetErrorHandler(on_error);
    server_start(desk);
    desk->root = DefaultRootWindow(desk->display);
    int error_base;
    if (!XDamageQueryExtension(desk->display, &desk->damage_event, &error_base)) {
        give_up("the X server's damage extension");
    }
    desk->damage = XDamageCreate(desk->display, desk->root, XDamageReportNonEmpty);
    XAutoRepeatOff(desk->display);
    keyboard_read(desk);
    input_move(desk, desk->width - 1, desk->height - 1);
    bus_start(desk);
    modules_listen(desk);
    manager_start(desk);
}

pid_t session_run(struct desk *desk, char *const argv[]) {
    pid_t pid = fork();
    if (pid == 0) {
        setsid();
        child_output(desk);
        execvp(argv[0], argv);
        fprintf(stderr, "agentgym-desk: %s: %s\n", argv[0], strerror(errno));
        _exit(127);
    }
    return pid;
}

void session_bridge(struct desk *desk) {
    char *argv[] = {"agentgym-desk-bridge", NULL};
    if (desk->bridge == 0 && windows_unseen(desk) > 0) {
        desk->bridge = session_run(desk, argv);
        for (int64_t until = now_ms() + BRIDGE_MS; module_of(desk, desk->bridge) == NULL && now_ms() < until;) {
            watch_wait(desk, 20);
        }
    }
}

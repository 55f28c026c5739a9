// A GTK 3 module: in each application it answers desk's questions about the tree and about what is still to come.
//
// A question is answered once the main loop is about to sleep: an answer means that the rest was done, or that the
// application is never idle, which it says. An idle source would be too early: many a program runs the main loop for a
// moment in the middle of what it does, until nothing is ready, and an idle source runs there, too.
#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <gtk/gtk.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "answer.h"
#include "calm.h"
#include "cells.h"
#include "timers.h"
#include "tree.h"

// A question is a letter and a number, an answer its length, that number and a text; numbers are 4 bytes. T asks for the
// tree, C whether all is calm, H the same once the next timer has fired.
struct question {
    char what;
    guint32 serial;
} __attribute__((packed));

enum { BELOW_ALL = G_PRIORITY_LOW, LATE_MS = 300, NEVER_S = 1000000 };

static gboolean send_all(int fd, const char *bytes, gsize count) {
    while (count > 0) {
        ssize_t sent = send(fd, bytes, count, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR) {
            return FALSE;
        }
        if (sent > 0) {
            bytes += sent;
            count -= (gsize)sent;
        }
    }
    return TRUE;
}

// What was asked, until it is answered: by a source that becomes ready when the main loop would sleep, or late by a timer
// where the application is never idle.
struct desk {
    int fd;
    struct question question;
    guint at_rest;
    guint timer;
    int resting_depth;  // how deep in other sources the main loop was when it would have slept; -1 where it has not
};

static struct desk desk = {.resting_depth = -1};
static GPollFunc poll_before;

static void reply(gboolean is_idle) {
    struct answer answer = {.text = g_string_new(NULL)};
    struct question question = desk.question;  // what is called here may run the main loop, and hear the next one
    if (question.what == 'T') {
        tree_write(&answer);
    } else {
        calm_write(&answer, is_idle);
    }
    guint32 head[2] = {(guint32)answer.text->len, question.serial};
    if (!send_all(desk.fd, (const char *)head, sizeof head) || !send_all(desk.fd, answer.text->str, answer.text->len)) {
        shutdown(desk.fd, SHUT_RDWR);
    }
    g_string_free(answer.text, TRUE);
}

static void forget_question(void) {
    g_clear_handle_id(&desk.at_rest, g_source_remove);
    g_clear_handle_id(&desk.timer, g_source_remove);
}

static void await_rest(void);
static void await_late(void);

static gboolean on_rest(gpointer data) {
    (void)data;
    gboolean is_at_rest = g_main_depth() == desk.resting_depth + 1;
    g_clear_handle_id(&desk.at_rest, g_source_remove);  // it is no timer of the application
    if (!is_at_rest) {  // something else was ready first, and runs the main loop
        await_rest();
    } else if (desk.question.what == 'H') {
        desk.question.what = 'C';
        forget_question();  // no timer of ours is to be brought forward
        timers_hurry();
        await_rest();
        await_late();
    } else {
        forget_question();
        reply(TRUE);
    }
    return G_SOURCE_REMOVE;
}

static gboolean on_late(gpointer data) {
    (void)data;
    forget_question();
    reply(FALSE);
    return G_SOURCE_REMOVE;
}

static void await_rest(void) {
    desk.resting_depth = -1;
    desk.at_rest = g_timeout_add_seconds_full(BELOW_ALL, NEVER_S, on_rest, NULL, NULL);
}

static void await_late(void) {
    desk.timer = g_timeout_add_full(G_PRIORITY_HIGH, LATE_MS, on_late, NULL, NULL);
}

static gint poll_and_note(GPollFD *polled, guint count, gint timeout_ms) {
    GSource *at_rest = desk.at_rest == 0 ? NULL : g_main_context_find_source_by_id(NULL, desk.at_rest);
    if (timeout_ms != 0 && at_rest != NULL && g_main_context_is_owner(g_main_context_default())) {
        desk.resting_depth = g_main_depth();
        g_source_set_ready_time(at_rest, 0);
        timeout_ms = 0;
    }
    return poll_before(polled, count, timeout_ms);
}

static gboolean on_question(gint fd, GIOCondition condition, gpointer data) {
    (void)condition, (void)data;
    forget_question();
    if (recv(fd, &desk.question, sizeof desk.question, MSG_WAITALL) != (ssize_t)sizeof desk.question) {
        close(fd);
        return G_SOURCE_REMOVE;
    }
    await_rest();
    await_late();
    return G_SOURCE_CONTINUE;
}

static int connected(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        return -1;
    }
    strcpy(address.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

G_MODULE_EXPORT void gtk_module_init(gint *argc, gchar ***argv);
G_MODULE_EXPORT const gchar *g_module_check_init(GModule *module);

void gtk_module_init(gint *argc, gchar ***argv) {
    (void)argc, (void)argv;
    const char *path = g_getenv("AGENTGYM_DESK_MODULES");
    int fd = path == NULL || poll_before != NULL ? -1 : connected(path);
    if (fd < 0) {
        return;
    }
    desk.fd = fd;
    poll_before = g_main_context_get_poll_func(NULL);
    g_main_context_set_poll_func(NULL, poll_and_note);
    g_unix_fd_add_full(G_PRIORITY_HIGH, fd, G_IO_IN | G_IO_HUP, on_question, NULL, NULL);
    calm_await_maps();
    calm_forbid_tooltips();
    cells_note_reorders();
}

const gchar *g_module_check_init(GModule *module) {
    g_module_make_resident(module);
    return NULL;
}

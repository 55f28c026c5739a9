// A GTK 3 module: in each application it answers desk's questions about the tree and about what is still to come.
//
// Questions are answered on the main loop, below everything that draws: an answer means that the rest was done, or that
// the application is never idle, which it says.
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
#include "tree.h"

// A question is a letter and a number, an answer its length, that number and a text; numbers are 4 bytes.
struct question {
    char what;
    guint32 serial;
} __attribute__((packed));

enum { BELOW_ALL = G_PRIORITY_LOW, LATE_MS = 300 };

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

// What was asked, until it is answered: by an idle source, or late by a timer where the application is never idle.
struct desk {
    int fd;
    struct question question;
    guint idle;
    guint timer;
};

static void reply(struct desk *desk, gboolean is_idle) {
    struct answer answer = {.text = g_string_new(NULL)};
    if (desk->question.what == 'T') {
        tree_write(&answer);
    } else {
        calm_write(&answer, is_idle);
    }
    guint32 head[2] = {(guint32)answer.text->len, desk->question.serial};
    if (!send_all(desk->fd, (const char *)head, sizeof head) || !send_all(desk->fd, answer.text->str, answer.text->len)) {
        shutdown(desk->fd, SHUT_RDWR);
    }
    g_string_free(answer.text, TRUE);
}

static void forget_question(struct desk *desk) {
    g_clear_handle_id(&desk->idle, g_source_remove);
    g_clear_handle_id(&desk->timer, g_source_remove);
}

static gboolean on_idle(gpointer data) {
    struct desk *desk = data;
    desk->idle = 0;
    forget_question(desk);
    reply(desk, TRUE);
    return G_SOURCE_REMOVE;
}

static gboolean on_late(gpointer data) {
    struct desk *desk = data;
    desk->timer = 0;
    forget_question(desk);
    reply(desk, FALSE);
    return G_SOURCE_REMOVE;
}

static gboolean on_question(gint fd, GIOCondition condition, gpointer data) {
    (void)condition;
    struct desk *desk = data;
    forget_question(desk);
    if (recv(fd, &desk->question, sizeof desk->question, MSG_WAITALL) != (ssize_t)sizeof desk->question) {
        close(fd);
        return G_SOURCE_REMOVE;
    }
    desk->idle = g_idle_add_full(BELOW_ALL, on_idle, desk, NULL);
    desk->timer = g_timeout_add_full(G_PRIORITY_HIGH, LATE_MS, on_late, desk, NULL);
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
    int fd = path == NULL ? -1 : connected(path);
    if (fd < 0) {
        return;
    }
    static struct desk desk;
    desk.fd = fd;
    g_unix_fd_add_full(G_PRIORITY_HIGH, fd, G_IO_IN | G_IO_HUP, on_question, &desk, NULL);
    calm_forbid_tooltips();
}

const gchar *g_module_check_init(GModule *module) {
    g_module_make_resident(module);
    return NULL;
}

// A GTK 3 module: in each application it answers desk's questions about the tree and about what is still to come.
//
// Questions are answered on the main loop, below everything that draws: an answer means that the rest was done.
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
#include "clicks.h"
#include "tree.h"

// A question is a letter and a number, an answer its length, that number and a text; numbers are 4 bytes.
struct question {
    char what;
    guint32 serial;
} __attribute__((packed));

enum { BELOW_ALL = G_PRIORITY_LOW };

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

static gboolean reply(int fd, const struct question *question) {
    struct answer answer = {.text = g_string_new(NULL)};
    if (question->what == 'T') {
        tree_write(&answer);
    } else {
        calm_write(&answer);
    }
    guint32 head[2] = {(guint32)answer.text->len, question->serial};
    gboolean is_sent = send_all(fd, (const char *)head, sizeof head) && send_all(fd, answer.text->str, answer.text->len);
    g_string_free(answer.text, TRUE);
    return is_sent;
}

static gboolean on_question(gint fd, GIOCondition condition, gpointer data) {
    (void)condition, (void)data;
    struct question question;
    ssize_t got = recv(fd, &question, sizeof question, MSG_WAITALL);
    if (got == (ssize_t)sizeof question && reply(fd, &question)) {
        return G_SOURCE_CONTINUE;
    }
    close(fd);
    return G_SOURCE_REMOVE;
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
    g_unix_fd_add_full(BELOW_ALL, fd, G_IO_IN | G_IO_HUP, on_question, NULL, NULL);
    calm_forbid_tooltips();
    clicks_watch();
}

const gchar *g_module_check_init(GModule *module) {
    g_module_make_resident(module);
    return NULL;
}

// The bridge: speaks as a module for applications that have none but are on the accessibility bus, as Qt and Chromium.
//
// Each node is asked over D-Bus, so this is the slow path. It is started when such a window first appears.
#include <gio/gio.h>
#include <glib-unix.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "bridge.h"

struct question {
    char what;
    guint32 serial;
} __attribute__((packed));

enum { CALL_MS = 700, START_MS = 1500 };

static gboolean send_all(int fd, const char *bytes, gsize count) {
    while (count > 0) {
        ssize_t sent = send(fd, bytes, count, MSG_NOSIGNAL);
        if (sent <= 0) {
            return FALSE;
        }
        bytes += sent;
        count -= (gsize)sent;
    }
    return TRUE;
}

static gboolean on_question(gint fd, GIOCondition condition, gpointer data) {
    (void)condition;
    struct question question;
    struct answer answer = {.text = g_string_new(NULL)};
    gboolean is_whole = recv(fd, &question, sizeof question, MSG_WAITALL) == (ssize_t)sizeof question;
    if (is_whole && question.what == 'T') {
        bridge_write(&answer);
    } else if (is_whole) {
        answer_raw(&answer, "0\t-1\n");  // it shows nothing itself, and knows no timers
    }
    guint32 head[2] = {(guint32)answer.text->len, question.serial};
    is_whole = is_whole && send_all(fd, (const char *)head, sizeof head) &&
               send_all(fd, answer.text->str, answer.text->len);
    g_string_free(answer.text, TRUE);
    if (!is_whole) {
        g_main_loop_quit(data);
    }
    return is_whole;
}

static int connected(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (path == NULL || strlen(path) >= sizeof address.sun_path) {
        return -1;
    }
    strcpy(address.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0 ? fd : -1;
}

// Applications that wait to be told start to speak.
static void enable(void) {
    GDBusConnection *bus = g_bus_get_sync(G_BUS_TYPE_SESSION, NULL, NULL);
    if (bus == NULL) {
        return;
    }
    GVariant *change = g_variant_new("(ssv)", "org.a11y.Status", "IsEnabled", g_variant_new_boolean(TRUE));
    GVariant *said = g_dbus_connection_call_sync(bus, "org.a11y.Bus", "/org/a11y/bus", "org.freedesktop.DBus.Properties",
                                                 "Set", change, NULL, G_DBUS_CALL_FLAGS_NONE, START_MS, NULL, NULL);
    if (said != NULL) {
        g_variant_unref(said);
    }
}

static void on_event(AtspiEvent *event, void *data) {
    (void)data;
    g_boxed_free(ATSPI_TYPE_EVENT, event);
}

int main(void) {
    int fd = connected(g_getenv("AGENTGYM_DESK_MODULES"));
    if (fd < 0) {
        return 1;
    }
    enable();
    if (atspi_init() > 1) {
        return 1;
    }
    atspi_set_timeout(CALL_MS, START_MS);
    // Without a listener, applications tell no changes, and what libatspi keeps of them grows old.
    AtspiEventListener *listener = atspi_event_listener_new(on_event, NULL, NULL);
    atspi_event_listener_register(listener, "object:children-changed", NULL);
    GMainLoop *loop = g_main_loop_new(NULL, FALSE);
    g_unix_fd_add_full(G_PRIORITY_LOW, fd, G_IO_IN | G_IO_HUP, on_question, loop, NULL);
    g_main_loop_run(loop);
    return 0;
}

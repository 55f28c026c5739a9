#include "calm.h"

#include <gtk/gtk.h>

#include "timers.h"

enum { MAPPING_MS = 3000 };

static GQuark mapping_since;

static guint now_ms(void) {
    return (guint)(g_get_monotonic_time() / 1000) | 1;
}

// Whether the window manager has yet to answer, which it does within three seconds or never. Until then GDK has the size that the
// window had before: laid out in it, some windows ask for that size, or hide a pane for good.
static gboolean is_mapping(GObject *window) {
    guint since = GPOINTER_TO_UINT(g_object_get_qdata(window, mapping_since));
    return since != 0 && now_ms() - since < MAPPING_MS;
}

// Returns how many windows are being mapped.
static int paint_pending(int *num_shown) {
    int num_mapping = 0;
    GList *toplevels = gtk_window_list_toplevels();
    g_list_foreach(toplevels, (GFunc)(void (*)(void))g_object_ref, NULL);
    for (GList *at = toplevels; at != NULL; at = at->next) {
        if (gtk_widget_get_mapped(GTK_WIDGET(at->data))) {
            ++*num_shown;
            if (is_mapping(G_OBJECT(at->data))) {
                num_mapping++;
                continue;
            }
            G_GNUC_BEGIN_IGNORE_DEPRECATIONS
            gtk_container_check_resize(GTK_CONTAINER(at->data));
            G_GNUC_END_IGNORE_DEPRECATIONS
        }
    }
    g_list_free_full(toplevels, g_object_unref);
    G_GNUC_BEGIN_IGNORE_DEPRECATIONS
    gdk_window_process_all_updates();
    G_GNUC_END_IGNORE_DEPRECATIONS
    gdk_display_flush(gdk_display_get_default());
    return num_mapping;
}

void calm_write(struct answer *answer, gboolean is_idle) {
    int num_shown = 0;
    gboolean is_done = paint_pending(&num_shown) == 0 && is_idle;
    struct timers found = timers_read();
    answer_number(answer, num_shown);
    answer_number(answer, is_done ? found.next_ms : 0);
    answer_number(answer, is_done && found.may_hurry);
    answer_number(answer, found.num_ticking);
    answer_raw(answer, "\n");
}

static gboolean say_no(GtkWidget *widget, gint x, gint y, gboolean keyboard, GtkTooltip *tooltip) {
    (void)widget, (void)x, (void)y, (void)keyboard, (void)tooltip;
    return FALSE;
}

static gboolean silence(GSignalInvocationHint *hint, guint count, const GValue *values, gpointer data) {
    (void)count, (void)data;
    GtkWidget *widget = g_value_get_object(&values[0]);
    GTK_WIDGET_GET_CLASS(widget)->query_tooltip = say_no;
    g_signal_handlers_block_matched(widget, G_SIGNAL_MATCH_ID, hint->signal_id, 0, NULL, NULL, NULL);
    return TRUE;
}

static gboolean note_map(GSignalInvocationHint *hint, guint count, const GValue *values, gpointer is_mapped) {
    (void)hint, (void)count;
    GObject *widget = g_value_get_object(&values[0]);
    if (GTK_IS_WINDOW(widget) && gtk_window_get_window_type(GTK_WINDOW(widget)) == GTK_WINDOW_TOPLEVEL) {
        g_object_set_qdata(widget, mapping_since, GUINT_TO_POINTER(is_mapped ? 0 : now_ms()));
    }
    return TRUE;
}

void calm_await_maps(void) {
    g_type_class_ref(GTK_TYPE_WIDGET);
    mapping_since = g_quark_from_static_string("agentgym-mapping-since");
    g_signal_add_emission_hook(g_signal_lookup("map", GTK_TYPE_WIDGET), 0, note_map, NULL, NULL);
    g_signal_add_emission_hook(g_signal_lookup("map-event", GTK_TYPE_WIDGET), 0, note_map, GINT_TO_POINTER(TRUE), NULL);
}

void calm_forbid_tooltips(void) {
    g_type_class_ref(GTK_TYPE_WIDGET);
    guint signal = g_signal_lookup("query-tooltip", GTK_TYPE_WIDGET);
    g_signal_add_emission_hook(signal, 0, silence, NULL, NULL);
}

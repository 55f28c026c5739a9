#include "calm.h"

#include <gtk/gtk.h>

#include "timers.h"

static int paint_pending(void) {
    int num_shown = 0;
    GList *toplevels = gtk_window_list_toplevels();
    g_list_foreach(toplevels, (GFunc)(void (*)(void))g_object_ref, NULL);
    for (GList *at = toplevels; at != NULL; at = at->next) {
        if (gtk_widget_get_mapped(GTK_WIDGET(at->data))) {
            num_shown++;
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
    return num_shown;
}

void calm_write(struct answer *answer, gboolean is_idle) {
    int num_shown = paint_pending();
    struct timers found = timers_read();
    answer_number(answer, num_shown);
    answer_number(answer, is_idle ? found.next_ms : 0);
    answer_number(answer, is_idle && found.may_hurry);
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

void calm_forbid_tooltips(void) {
    g_type_class_ref(GTK_TYPE_WIDGET);
    guint signal = g_signal_lookup("query-tooltip", GTK_TYPE_WIDGET);
    g_signal_add_emission_hook(signal, 0, silence, NULL, NULL);
}

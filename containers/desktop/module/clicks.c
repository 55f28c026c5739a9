#include "clicks.h"

#include <X11/extensions/XI2.h>
#include <gdk/gdkx.h>
#include <gtk/gtk.h>

static GPtrArray *gestures;  // those that count clicks until their timer ends
static gboolean is_first = TRUE;

static void on_gone(gpointer data, GObject *gesture) {
    (void)data;
    g_ptr_array_remove_fast(gestures, gesture);
}

static gboolean on_pressed(GSignalInvocationHint *hint, guint count, const GValue *values, gpointer data) {
    (void)hint, (void)count, (void)data;
    GObject *gesture = g_value_get_object(&values[0]);
    if (!g_ptr_array_find(gestures, gesture, NULL)) {
        g_object_weak_ref(gesture, on_gone, NULL);
        g_ptr_array_add(gestures, gesture);
    }
    return TRUE;
}

static void forget_all(void) {
    for (guint at = gestures->len; at > 0; at--) {
        GtkGesture *gesture = g_ptr_array_index(gestures, at - 1);
        if (!gtk_gesture_is_active(gesture)) {
            g_object_weak_unref(G_OBJECT(gesture), on_gone, NULL);
            g_ptr_array_remove_index_fast(gestures, at - 1);
            g_object_ref(gesture);
            gtk_event_controller_reset(GTK_EVENT_CONTROLLER(gesture));
            g_object_unref(gesture);
        }
    }
}

// Before GDK and the gestures count it: the first press of a series follows none. Not sooner, because what a double click
// has selected goes with the gesture.
static GdkFilterReturn on_event(GdkXEvent *native, GdkEvent *event, gpointer data) {
    (void)event, (void)data;
    const XEvent *found = native;
    gboolean is_second_kind = found->type == GenericEvent && found->xcookie.evtype == XI_ButtonPress;
    if (found->type == ButtonPress || is_second_kind) {
        int usual_ms = 0;
        g_object_get(gtk_settings_get_default(), "gtk-double-click-time", &usual_ms, NULL);
        gdk_display_set_double_click_time(gdk_display_get_default(), is_first ? 0 : (guint)usual_ms);
        if (is_first) {
            forget_all();
        }
        is_first = FALSE;
    }
    return GDK_FILTER_CONTINUE;
}

void clicks_watch(void) {
    gestures = g_ptr_array_new();
    g_type_class_ref(GTK_TYPE_GESTURE_MULTI_PRESS);
    g_signal_add_emission_hook(g_signal_lookup("pressed", GTK_TYPE_GESTURE_MULTI_PRESS), 0, on_pressed, NULL, NULL);
    gdk_window_add_filter(NULL, on_event, NULL);
}

void clicks_end_series(void) {
    is_first = TRUE;
}

#include "cells.h"

#include <gtk/gtk-a11y.h>

static GQuark reordered;

static gboolean note_reorder(GSignalInvocationHint *hint, guint count, const GValue *values, gpointer data) {
    (void)hint, (void)count, (void)data;
    g_object_set_qdata(g_value_get_object(&values[0]), reordered, GINT_TO_POINTER(TRUE));
    return TRUE;
}

void cells_note_reorders(void) {
    reordered = g_quark_from_static_string("agentgym-reordered");
    g_type_default_interface_ref(GTK_TYPE_TREE_MODEL);
    g_signal_add_emission_hook(g_signal_lookup("rows-reordered", GTK_TYPE_TREE_MODEL), 0, note_reorder, NULL, NULL);
}

static void read_renderers(AtkObject *cell) {
    if (GTK_IS_CONTAINER_CELL_ACCESSIBLE(cell)) {
        GList *parts = gtk_container_cell_accessible_get_children(GTK_CONTAINER_CELL_ACCESSIBLE(cell));
        for (GList *at = parts; at != NULL; at = at->next) {
            read_renderers(ATK_OBJECT(at->data));
        }
    } else if (GTK_CELL_ACCESSIBLE_GET_CLASS(cell)->update_cache != NULL) {
        GTK_CELL_ACCESSIBLE_GET_CLASS(cell)->update_cache(GTK_CELL_ACCESSIBLE(cell), FALSE);
    }
}

void cells_refresh(AtkObject *cell, GtkWidget *toplevel, int x, int y) {
    AtkObject *parent = GTK_IS_CELL_ACCESSIBLE(cell) ? atk_object_get_parent(cell) : NULL;
    GtkWidget *widget = GTK_IS_ACCESSIBLE(parent) ? gtk_accessible_get_widget(GTK_ACCESSIBLE(parent)) : NULL;
    GtkTreeModel *model = GTK_IS_TREE_VIEW(widget) ? gtk_tree_view_get_model(GTK_TREE_VIEW(widget)) : NULL;
    if (model == NULL || g_object_get_qdata(G_OBJECT(model), reordered) == NULL ||
        !gtk_widget_translate_coordinates(toplevel, widget, x, y, &x, &y)) {
        return;
    }
    GtkTreeView *view = GTK_TREE_VIEW(widget);
    GtkTreePath *path = NULL;
    GtkTreeViewColumn *column = NULL;
    GtkTreeIter row;
    gtk_tree_view_convert_widget_to_bin_window_coords(view, x, y, &x, &y);
    if (gtk_tree_view_get_path_at_pos(view, x, y, &path, &column, NULL, NULL) && gtk_tree_model_get_iter(model, &row, path)) {
        gboolean can_expand = gtk_tree_model_iter_has_child(model, &row);
        gtk_tree_view_column_cell_set_cell_data(column, model, &row, can_expand, gtk_tree_view_row_expanded(view, path));
        read_renderers(cell);
    }
    g_clear_pointer(&path, gtk_tree_path_free);
}

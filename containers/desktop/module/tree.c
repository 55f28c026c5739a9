#include "tree.h"

#include <atk/atk.h>
#include <gdk/gdkx.h>
#include <gtk/gtk-a11y.h>
#include <gtk/gtk.h>

#include "cells.h"
#include "element.h"

enum { MAX_DEPTH = 60, MAX_NODES = 6000, MANY_CHILDREN = 64, MAX_CHILDREN = 600, MAX_SIDE = 100 };

struct walk {
    struct answer *answer;
    GtkWidget *toplevel;
    long window;
    int origin_x;
    int origin_y;
    int num_nodes;
};

static void walk_object(struct walk *walk, AtkObject *object, int depth, int level, GdkRectangle clip, gint64 id);

// The widget that an object stands for; cells of a view name the whole view, so they are asked for the way back.
static GtkWidget *widget_of(AtkObject *object) {
    if (!GTK_IS_ACCESSIBLE(object)) {
        return NULL;
    }
    GtkWidget *widget = gtk_accessible_get_widget(GTK_ACCESSIBLE(object));
    return widget != NULL && gtk_widget_get_accessible(widget) == object ? widget : NULL;
}

// From the window's origin, which was asked once: asking the server for each widget is most of the cost otherwise.
static gboolean box_of(struct walk *walk, AtkObject *object, GtkWidget *widget, GdkRectangle *box) {
    if (widget != NULL) {
        int x = 0, y = 0;
        if (!gtk_widget_translate_coordinates(widget, walk->toplevel, 0, 0, &x, &y)) {
            return FALSE;
        }
        *box = (GdkRectangle){walk->origin_x + x, walk->origin_y + y, gtk_widget_get_allocated_width(widget),
                              gtk_widget_get_allocated_height(widget)};
        return TRUE;
    }
    if (!ATK_IS_COMPONENT(object)) {
        return FALSE;
    }
    atk_component_get_extents(ATK_COMPONENT(object), &box->x, &box->y, &box->width, &box->height, ATK_XY_SCREEN);
    return box->width > 0 && box->height > 0 && box->x > -100000 && box->y > -100000;
}

static int index_at(AtkObject *object, int x, int y) {
    AtkObject *found = atk_component_ref_accessible_at_point(ATK_COMPONENT(object), x, y, ATK_XY_SCREEN);
    if (found == NULL) {
        return -1;
    }
    AtkObject *child = found;
    int index = -1;
    if (atk_object_get_parent(child) == object) {
        index = atk_object_get_index_in_parent(child);
    }
    g_object_unref(found);
    return index;
}

// Of a long list or table only what lies between the elements at its visible corners.
static void visible_children(AtkObject *object, GdkRectangle clip, int *first, int *last) {
    int count = atk_object_get_n_accessible_children(object);
    *first = 0;
    *last = count - 1;
    if (count <= MANY_CHILDREN || !ATK_IS_COMPONENT(object)) {
        return;
    }
    int top = -1, bottom = -1;
    for (int y = clip.y + 4; y < clip.y + clip.height && top < 0; y += 8) {
        top = index_at(object, clip.x + 4, y);
    }
    for (int y = clip.y + clip.height - 4; y > clip.y && bottom < 0; y -= 8) {
        bottom = index_at(object, clip.x + clip.width - 4, y);
        if (bottom < 0) {
            bottom = index_at(object, clip.x + 4, y);
        }
    }
    if (top >= 0) {
        *first = MAX(0, top - 16);
    }
    if (bottom >= 0) {
        *last = MIN(count - 1, bottom + 16);
    }
    *last = MIN(*last, *first + MAX_CHILDREN);
}

static void walk_children(struct walk *walk, AtkObject *object, int depth, int level, GdkRectangle clip) {
    int first, last;
    visible_children(object, clip, &first, &last);
    for (int index = first; index <= last && !answer_is_full(walk->answer); index++) {
        AtkObject *child = atk_object_ref_accessible_child(object, index);
        if (child != NULL) {
            walk_object(walk, child, depth, level, clip, 0);
            g_object_unref(child);
        }
    }
}

// A sheet makes its cells anew for each question, so they are named by their places.
static void walk_cells(struct walk *walk, AtkObject *object, int depth, int level, GdkRectangle clip) {
    G_GNUC_BEGIN_IGNORE_DEPRECATIONS
    AtkTable *table = ATK_TABLE(object);
    int first = -1;
    for (int y = clip.y + 4; y < clip.y + clip.height && first < 0; y += 8) {
        first = index_at(object, clip.x + 4, y);
    }
    int row = atk_table_get_row_at_index(table, first), column = atk_table_get_column_at_index(table, first);
    G_GNUC_END_IGNORE_DEPRECATIONS
    for (int y = MAX(row, 0); y < MAX(row, 0) + MAX_SIDE; y++) {
        gboolean is_row_seen = FALSE;
        for (int x = MAX(column, 0); x < MAX(column, 0) + MAX_SIDE && !answer_is_full(walk->answer); x++) {
            AtkObject *cell = atk_table_ref_at(table, y, x);
            GdkRectangle box, seen;
            gboolean is_seen = cell != NULL && box_of(walk, cell, NULL, &box) &&
                               gdk_rectangle_intersect(&box, &clip, &seen);
            if (is_seen) {
                walk_object(walk, cell, depth, level, clip, element_place(object, y, x));
            }
            g_clear_object(&cell);
            is_row_seen = is_row_seen || is_seen;
            if (!is_seen && is_row_seen) {
                break;
            }
        }
        if (!is_row_seen) {
            break;
        }
    }
}

// What a menu item or a box with choices opens is a window of its own; a button's label is its name.
static gboolean is_whole(GtkWidget *widget, AtkObject *object) {
    if (GTK_IS_MENU_ITEM(widget) || GTK_IS_SCALE(widget) || GTK_IS_SPIN_BUTTON(widget)) {
        return TRUE;
    }
    const char *name = atk_object_get_name(object);
    return GTK_IS_BUTTON(widget) && name != NULL && name[0] != '\0';
}

static gboolean is_sheet(AtkObject *object, GtkWidget *widget) {
    return widget == NULL && ATK_IS_TABLE(object) && ATK_IS_COMPONENT(object) &&
           atk_object_get_n_accessible_children(object) > MAX_CHILDREN;
}

static void walk_object(struct walk *walk, AtkObject *object, int depth, int level, GdkRectangle clip, gint64 id) {
    if (level > MAX_DEPTH || ++walk->num_nodes > MAX_NODES) {
        walk->answer->is_cut = TRUE;
        return;
    }
    GtkWidget *widget = widget_of(object);
    if (widget != NULL && !gtk_widget_get_mapped(widget)) {
        return;
    }
    GdkRectangle box, visible;
    if (!box_of(walk, object, widget, &box)) {
        walk_children(walk, object, depth, level + 1, clip);
        return;
    }
    if (!gdk_rectangle_intersect(&box, &clip, &visible)) {
        return;
    }
    if (widget == NULL) {
        int x = visible.x + visible.width / 2 - walk->origin_x, y = visible.y + visible.height / 2 - walk->origin_y;
        cells_refresh(object, walk->toplevel, x, y);
    }
    if (element_write(walk->answer, object, widget, depth, visible, walk->window, id)) {
        depth++;
    }
    if (widget != NULL && GTK_IS_COMBO_BOX(widget)) {
        GtkWidget *entry = gtk_bin_get_child(GTK_BIN(widget));
        if (entry != NULL && GTK_IS_ENTRY(entry)) {
            walk_object(walk, gtk_widget_get_accessible(entry), depth, level + 1, visible, 0);
        }
        return;
    }
    // A page of a notebook lies where its tab lies, and what it shows does not.
    gboolean is_page = widget == NULL && atk_object_get_role(object) == ATK_ROLE_PAGE_TAB;
    if (is_sheet(object, widget)) {
        walk_cells(walk, object, depth, level + 1, visible);
    } else if (widget == NULL || !is_whole(widget, object)) {
        walk_children(walk, object, depth, level + 1, is_page ? clip : visible);
    }
}

static void walk_popover(GtkWidget *child, gpointer data) {
    struct walk *walk = data;
    if (GTK_IS_POPOVER(child) && gtk_widget_get_mapped(child)) {
        GdkRectangle everything = {-32768, -32768, 65536, 65536};
        walk_object(walk, gtk_widget_get_accessible(child), 1, 1, everything, 0);
    }
}

static void walk_toplevel(struct answer *answer, GtkWidget *toplevel) {
    GdkWindow *window = gtk_widget_get_window(toplevel);
    struct walk walk = {.answer = answer, .toplevel = toplevel};
    gdk_window_get_origin(window, &walk.origin_x, &walk.origin_y);
    walk.window = GDK_IS_X11_WINDOW(window) ? (long)gdk_x11_window_get_xid(window) : 0;
    GdkWindow *root = gdk_get_default_root_window();
    GdkRectangle screen = {0, 0, gdk_window_get_width(root), gdk_window_get_height(root)};
    walk_object(&walk, gtk_widget_get_accessible(toplevel), 0, 0, screen, 0);
    gtk_container_forall(GTK_CONTAINER(toplevel), walk_popover, &walk);
}

static gboolean is_tooltip(GtkWidget *toplevel) {
    return GTK_IS_WINDOW(toplevel) && gtk_window_get_type_hint(GTK_WINDOW(toplevel)) == GDK_WINDOW_TYPE_HINT_TOOLTIP;
}

void tree_write(struct answer *answer) {
    GList *toplevels = gtk_window_list_toplevels();
    for (GList *at = toplevels; at != NULL; at = at->next) {
        GtkWidget *toplevel = GTK_WIDGET(at->data);
        if (gtk_widget_get_mapped(toplevel) && gtk_widget_get_window(toplevel) != NULL && !is_tooltip(toplevel)) {
            walk_toplevel(answer, toplevel);
        }
    }
    g_list_free(toplevels);
    if (answer->is_cut) {
        answer_raw(answer, "cut\n");
    }
}

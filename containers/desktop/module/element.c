#include "element.h"

#include <string.h>

enum { MAX_NAME = 200, MAX_VALUE = 2000 };

// An id lasts as long as the object: it is kept with it, and none is given twice.
static long id_of(AtkObject *object) {
    static GQuark quark;
    static long last;
    if (quark == 0) {
        quark = g_quark_from_static_string("agentgym-desk-id");
    }
    long id = GPOINTER_TO_SIZE(g_object_get_qdata(G_OBJECT(object), quark));
    if (id == 0) {
        id = ++last;
        g_object_set_qdata(G_OBJECT(object), quark, GSIZE_TO_POINTER(id));
    }
    return id;
}

gint64 element_place(AtkObject *table, int row, int column) {
    return (id_of(table) % 1000) * G_GINT64_CONSTANT(1000000000000) + row * G_GINT64_CONSTANT(100000) + column + 1;
}

static gboolean arranges(AtkRole role) {
    switch (role) {
    case ATK_ROLE_INVALID:
    case ATK_ROLE_FILLER:
    case ATK_ROLE_PANEL:
    case ATK_ROLE_SCROLL_PANE:
    case ATK_ROLE_SPLIT_PANE:
    case ATK_ROLE_LAYERED_PANE:
    case ATK_ROLE_VIEWPORT:
    case ATK_ROLE_UNKNOWN:
    case ATK_ROLE_REDUNDANT_OBJECT:
    case ATK_ROLE_ROOT_PANE:
    case ATK_ROLE_GLASS_PANE:
    case ATK_ROLE_SEPARATOR:
    case ATK_ROLE_PAGE_TAB_LIST:
    case ATK_ROLE_MENU:
    case ATK_ROLE_MENU_BAR:
    case ATK_ROLE_TOOL_BAR:
    case ATK_ROLE_SCROLL_BAR:
    case ATK_ROLE_TABLE_COLUMN_HEADER:
    case ATK_ROLE_LABEL:
    case ATK_ROLE_ICON:
    case ATK_ROLE_IMAGE:
    case ATK_ROLE_STATUSBAR:
    case ATK_ROLE_GROUPING:
        return TRUE;
    default:
        return FALSE;
    }
}

// A cell without a text that can be ticked.
static gboolean is_switch(AtkObject *object) {
    AtkStateSet *states = atk_object_ref_state_set(object);
    gboolean is_checked = atk_state_set_contains_state(states, ATK_STATE_CHECKED);
    g_object_unref(states);
    const char *action = atk_action_get_n_actions(ATK_ACTION(object)) > 0 ? atk_action_get_name(ATK_ACTION(object), 0) : NULL;
    return is_checked || (action != NULL && strcmp(action, "toggle") == 0);
}

// Of a menu bar's menus each is an element with a name, and so is a scroll bar that has somewhere to go.
static gboolean is_worth_a_line(AtkObject *object, GtkWidget *widget, AtkRole role, const char *name) {
    gboolean has_name = name != NULL && name[0] != '\0';
    if (role == ATK_ROLE_TABLE_CELL && !has_name) {
        return atk_object_get_n_accessible_children(object) == 0 && ATK_IS_ACTION(object) && is_switch(object);
    }
    if (!arranges(role)) {
        return TRUE;
    }
    if (role == ATK_ROLE_SCROLL_BAR && widget != NULL && GTK_IS_RANGE(widget)) {
        GtkAdjustment *range = gtk_range_get_adjustment(GTK_RANGE(widget));
        double length = gtk_adjustment_get_upper(range) - gtk_adjustment_get_lower(range);
        return length > gtk_adjustment_get_page_size(range);
    }
    if (role == ATK_ROLE_SCROLL_BAR || role == ATK_ROLE_SEPARATOR || role == ATK_ROLE_FILLER) {
        return FALSE;
    }
    if (role == ATK_ROLE_MENU && (widget == NULL || !GTK_IS_MENU_ITEM(widget))) {
        return FALSE;
    }
    return has_name;
}

// The icons of a file manager's view have no names; the files in the rows of its model have.
static gchar *name_in_model(AtkObject *object) {
    AtkObject *parent = atk_object_get_parent(object);
    GtkWidget *view = GTK_IS_ACCESSIBLE(parent) ? gtk_accessible_get_widget(GTK_ACCESSIBLE(parent)) : NULL;
    GtkTreeModel *model = NULL;
    GtkTreeIter row;
    gchar *name = NULL;
    if (view == NULL || g_object_class_find_property(G_OBJECT_GET_CLASS(view), "model") == NULL) {
        return NULL;
    }
    g_object_get(view, "model", &model, NULL);
    if (!GTK_IS_TREE_MODEL(model)) {
        g_clear_object(&model);
        return NULL;
    }
    int index = atk_object_get_index_in_parent(object);
    for (int column = 0; gtk_tree_model_iter_nth_child(model, &row, NULL, index) && name == NULL &&
                         column < gtk_tree_model_get_n_columns(model); column++) {
        if (!g_type_is_a(gtk_tree_model_get_column_type(model, column), G_TYPE_OBJECT)) {
            continue;
        }
        GObject *item = NULL;
        gtk_tree_model_get(model, &row, column, &item, -1);
        if (item != NULL && g_object_class_find_property(G_OBJECT_GET_CLASS(item), "display-name") != NULL) {
            g_object_get(item, "display-name", &name, NULL);
        }
        g_clear_object(&item);
    }
    g_object_unref(model);
    return name;
}

static gchar *name_of(AtkObject *object, GtkWidget *widget) {
    const char *name = atk_object_get_name(object);
    if (name == NULL || name[0] == '\0') {
        name = atk_object_get_description(object);
    }
    if (name != NULL && name[0] != '\0') {
        return g_strdup(name);
    }
    if (widget == NULL) {
        return atk_object_get_role(object) == ATK_ROLE_ICON ? name_in_model(object) : NULL;
    }
    gchar *tip = gtk_widget_get_tooltip_text(widget);
    if (tip != NULL && tip[0] != '\0') {
        return tip;
    }
    g_free(tip);
    GtkWidget *inner = GTK_IS_BUTTON(widget) ? gtk_bin_get_child(GTK_BIN(widget)) : NULL;
    const char *icon = NULL;
    if (inner != NULL && GTK_IS_IMAGE(inner)) {
        gtk_image_get_icon_name(GTK_IMAGE(inner), &icon, NULL);
    }
    return g_strdup(icon);
}

static void write_states(struct answer *answer, AtkObject *object, GtkWidget *widget) {
    static const struct {
        AtkStateType type;
        const char *letter;
    } known[] = {
        {ATK_STATE_ACTIVE, "a"},  {ATK_STATE_FOCUSED, "f"},  {ATK_STATE_CHECKED, "c"}, {ATK_STATE_SELECTED, "s"},
        {ATK_STATE_PRESSED, "p"}, {ATK_STATE_EXPANDED, "e"}, {ATK_STATE_MODAL, "m"},   {ATK_STATE_EDITABLE, "t"},
    };
    AtkStateSet *states = atk_object_ref_state_set(object);
    for (size_t at = 0; at < G_N_ELEMENTS(known); at++) {
        if (atk_state_set_contains_state(states, known[at].type)) {
            answer_raw(answer, known[at].letter);
        }
    }
    gboolean can_expand = atk_state_set_contains_state(states, ATK_STATE_EXPANDABLE);
    if (can_expand && !atk_state_set_contains_state(states, ATK_STATE_EXPANDED)) {
        answer_raw(answer, "x");
    }
    gboolean is_sensitive = atk_state_set_contains_state(states, ATK_STATE_SENSITIVE) ||
                            atk_state_set_contains_state(states, ATK_STATE_ENABLED);
    if (widget != NULL ? !gtk_widget_is_sensitive(widget) : !is_sensitive) {
        answer_raw(answer, "d");
    }
    g_object_unref(states);
    answer_raw(answer, "\t");
}

// What of a document is in sight: whole lines, so that a page of a long file stays a page.
static gchar *seen_text(GtkTextView *view) {
    GdkRectangle seen;
    GtkTextIter start, end;
    gtk_text_view_get_visible_rect(view, &seen);
    gtk_text_view_get_line_at_y(view, &start, seen.y, NULL);
    gtk_text_view_get_line_at_y(view, &end, seen.y + seen.height, NULL);
    if (!gtk_text_iter_ends_line(&end)) {
        gtk_text_iter_forward_to_line_end(&end);
    }
    return gtk_text_buffer_get_text(gtk_text_view_get_buffer(view), &start, &end, FALSE);
}

static gchar *text_of(AtkObject *object, GtkWidget *widget, AtkRole role) {
    if (widget != NULL && GTK_IS_TEXT_VIEW(widget)) {
        return seen_text(GTK_TEXT_VIEW(widget));
    }
    if (ATK_IS_TEXT(object) && role != ATK_ROLE_LABEL) {
        int count = atk_text_get_character_count(ATK_TEXT(object));
        int first = role == ATK_ROLE_TERMINAL ? MAX(0, count - 4 * MAX_VALUE) : 0;
        return atk_text_get_text(ATK_TEXT(object), first, MIN(count, first + 4 * MAX_VALUE));
    }
    if (ATK_IS_VALUE(object) && role != ATK_ROLE_PUSH_BUTTON && role != ATK_ROLE_TABLE_CELL) {
        double value = 0;
        gchar *said = NULL;
        atk_value_get_value_and_text(ATK_VALUE(object), &value, &said);
        g_free(said);
        return g_strdup_printf("%g", value);
    }
    return NULL;
}

static void write_text(struct answer *answer, AtkObject *object, GtkWidget *widget, AtkRole role, const char *name) {
    gchar *text = text_of(object, widget, role);
    gboolean is_told = text == NULL || (name != NULL && strcmp(name, text) == 0);
    answer_field(answer, is_told ? NULL : g_strchomp(text), MAX_VALUE);
    g_free(text);
}

gboolean element_write(
    struct answer *answer, AtkObject *object, GtkWidget *widget, int depth, GdkRectangle box, long window, gint64 id
) {
    AtkRole role = atk_object_get_role(object);
    gchar *name = name_of(object, widget);
    gboolean is_written = depth == 0 || is_worth_a_line(object, widget, role, name);
    if (is_written) {
        answer_number(answer, depth);
        answer_number(answer, id == 0 ? id_of(object) : id);
        answer_field(answer, atk_role_get_name(role), MAX_NAME);
        write_states(answer, object, widget);
        answer_number(answer, box.x);
        answer_number(answer, box.y);
        answer_number(answer, box.width);
        answer_number(answer, box.height);
        answer_number(answer, window);
        answer_field(answer, name, MAX_NAME);
        write_text(answer, object, widget, role, name);
        answer_raw(answer, "\n");
    }
    g_free(name);
    return is_written;
}

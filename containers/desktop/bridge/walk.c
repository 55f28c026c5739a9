// Walking the trees on the accessibility bus: what is showing, cut where it is too deep, too long or too slow.
#include "bridge.h"

enum { MAX_DEPTH = 40, MAX_NODES = 1500, MANY_CHILDREN = 64, MAX_CHILDREN = 300, MAX_NAME = 200, MAX_VALUE = 2000 };
enum { MAX_MS = 1500 };

struct walk {
    struct answer *answer;
    long window;
    int num_nodes;
    gint64 deadline_us;
};

static void walk_node(struct walk *walk, AtspiAccessible *node, const char *above, int depth, int level);

// An id lasts as long as the bus names the same object. Qt makes the headers of a tree anew at each look: they are known by
// their place and name.
static long id_of(AtspiAccessible *node, AtspiRole role, const AtspiRect *box, const char *name) {
    static GHashTable *ids;
    if (ids == NULL) {
        ids = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    }
    AtspiObject *object = ATSPI_OBJECT(node);
    gboolean is_header = role == ATSPI_ROLE_TABLE_COLUMN_HEADER || role == ATSPI_ROLE_TABLE_ROW_HEADER;
    char *key = is_header ? g_strdup_printf("%s %d %d %d %s", object->app->bus_name, role, box->x, box->y, name)
                          : g_strdup_printf("%s%s", object->app->bus_name, object->path);
    gpointer known = g_hash_table_lookup(ids, key);
    if (known != NULL) {
        g_free(key);
        return GPOINTER_TO_SIZE(known);
    }
    gsize id = g_hash_table_size(ids) + 1;
    g_hash_table_insert(ids, key, GSIZE_TO_POINTER(id));
    return (long)id;
}

static gboolean arranges(AtspiRole role) {
    switch (role) {
    case ATSPI_ROLE_FILLER:
    case ATSPI_ROLE_PANEL:
    case ATSPI_ROLE_SCROLL_PANE:
    case ATSPI_ROLE_SPLIT_PANE:
    case ATSPI_ROLE_LAYERED_PANE:
    case ATSPI_ROLE_VIEWPORT:
    case ATSPI_ROLE_UNKNOWN:
    case ATSPI_ROLE_REDUNDANT_OBJECT:
    case ATSPI_ROLE_ROOT_PANE:
    case ATSPI_ROLE_SEPARATOR:
    case ATSPI_ROLE_SECTION:
    case ATSPI_ROLE_PAGE_TAB_LIST:
    case ATSPI_ROLE_MENU_BAR:
    case ATSPI_ROLE_TOOL_BAR:
    case ATSPI_ROLE_SCROLL_BAR:
    case ATSPI_ROLE_LABEL:
    case ATSPI_ROLE_STATIC:
    case ATSPI_ROLE_TABLE_CELL:
    case ATSPI_ROLE_STATUS_BAR:
    case ATSPI_ROLE_GROUPING:
        return TRUE;
    default:
        return FALSE;
    }
}

static void write_states(struct answer *answer, AtspiStateSet *states) {
    static const struct {
        AtspiStateType type;
        const char *letter;
    } known[] = {
        {ATSPI_STATE_ACTIVE, "a"},  {ATSPI_STATE_FOCUSED, "f"},  {ATSPI_STATE_CHECKED, "c"}, {ATSPI_STATE_SELECTED, "s"},
        {ATSPI_STATE_PRESSED, "p"}, {ATSPI_STATE_EXPANDED, "e"}, {ATSPI_STATE_MODAL, "m"},   {ATSPI_STATE_EDITABLE, "t"},
    };
    for (gsize at = 0; at < G_N_ELEMENTS(known); at++) {
        if (atspi_state_set_contains(states, known[at].type)) {
            answer_raw(answer, known[at].letter);
        }
    }
    gboolean is_enabled = atspi_state_set_contains(states, ATSPI_STATE_ENABLED);
    if (!is_enabled && !atspi_state_set_contains(states, ATSPI_STATE_SENSITIVE)) {
        answer_raw(answer, "d");
    }
    answer_raw(answer, "\t");
}

// Marks that stand in a text for children, which are elements of their own.
static gchar *without_marks(gchar *text) {
    gchar **parts = g_strsplit(text, "\xef\xbf\xbc", -1);
    g_free(text);
    gchar *rest = g_strjoinv(" ", parts);
    g_strfreev(parts);
    return g_strstrip(rest);
}

static gchar *text_of(AtspiAccessible *node, AtspiRole role) {
    if (role == ATSPI_ROLE_LABEL || role == ATSPI_ROLE_PUSH_BUTTON || role == ATSPI_ROLE_STATIC) {
        return NULL;
    }
    AtspiText *text = atspi_accessible_get_text_iface(node);
    gchar *said = NULL;
    if (text != NULL) {
        int count = atspi_text_get_character_count(text, NULL);
        said = count > 0 ? atspi_text_get_text(text, 0, MIN(count, MAX_VALUE), NULL) : NULL;
        g_object_unref(text);
        return said == NULL ? NULL : without_marks(said);
    }
    AtspiValue *value = atspi_accessible_get_value_iface(node);
    if (value != NULL) {
        said = g_strdup_printf("%g", atspi_value_get_current_value(value, NULL));
        g_object_unref(value);
    }
    return said;
}

static void element_write(
    struct walk *walk, AtspiAccessible *node, AtspiStateSet *states, int depth, const AtspiRect *box, const char *name,
    const char *value
) {
    struct answer *answer = walk->answer;
    AtspiRole role = atspi_accessible_get_role(node, NULL);
    gchar *role_name = atspi_accessible_get_role_name(node, NULL);
    answer_number(answer, depth);
    answer_number(answer, id_of(node, role, box, name != NULL ? name : ""));
    answer_field(answer, role_name, MAX_NAME);
    write_states(answer, states);
    answer_number(answer, box->x);
    answer_number(answer, box->y);
    answer_number(answer, box->width);
    answer_number(answer, box->height);
    answer_number(answer, walk->window);
    answer_field(answer, name, MAX_NAME);
    answer_field(answer, value != NULL && g_strcmp0(value, name) != 0 ? value : NULL, MAX_VALUE);
    answer_raw(answer, "\n");
    g_free(role_name);
}

static int index_at(AtspiComponent *view, AtspiAccessible *node, int x, int y) {
    AtspiAccessible *found = atspi_component_get_accessible_at_point(view, x, y, ATSPI_COORD_TYPE_SCREEN, NULL);
    AtspiAccessible *parent = found == NULL ? NULL : atspi_accessible_get_parent(found, NULL);
    int index = parent == node ? atspi_accessible_get_index_in_parent(found, NULL) : -1;
    g_clear_object(&parent);
    g_clear_object(&found);
    return index;
}

// Of a long list or table, what lies between its visible corners; its first children where it does not tell.
static void walk_children(
    struct walk *walk, AtspiAccessible *node, const char *above, int depth, int level, const AtspiRect *box
) {
    int count = atspi_accessible_get_child_count(node, NULL);
    int first = 0, last = MIN(count, MAX_CHILDREN) - 1;
    AtspiComponent *view = count > MANY_CHILDREN ? atspi_accessible_get_component_iface(node) : NULL;
    if (view != NULL) {
        int top = -1, bottom = -1;
        for (int y = box->y + 4; y < box->y + box->height && top < 0; y += 12) {
            top = index_at(view, node, box->x + 4, y);
        }
        for (int y = box->y + box->height - 4; y > box->y && bottom < 0; y -= 12) {
            bottom = index_at(view, node, box->x + box->width - 4, y);
        }
        first = top < 0 ? 0 : MAX(0, top - 8);
        last = MIN(count - 1, bottom < 0 ? first + MAX_CHILDREN : MIN(bottom + 8, first + MAX_CHILDREN));
        g_object_unref(view);
    }
    for (int index = first; index <= last && !walk->answer->is_cut; index++) {
        AtspiAccessible *child = atspi_accessible_get_child_at_index(node, index, NULL);
        if (child != NULL) {
            walk_node(walk, child, above, depth, level);
            g_object_unref(child);
        }
    }
}

// Qt says of docks behind others that they are showing, and lays them outside the screen.
static gboolean is_on_screen(const AtspiRect *box) {
    int width, height;
    screen_size(&width, &height);
    return box->width > 0 && box->height > 0 && box->x + box->width > 0 && box->y + box->height > 0 &&
           box->x < width && box->y < height;
}

// `above` is what the nearest written element says: a page repeats it in the pieces of text below.
static void walk_node(struct walk *walk, AtspiAccessible *node, const char *above, int depth, int level) {
    gboolean is_late = g_get_monotonic_time() > walk->deadline_us;
    if (level > MAX_DEPTH || ++walk->num_nodes > MAX_NODES || is_late || answer_is_full(walk->answer)) {
        walk->answer->is_cut = TRUE;
        return;
    }
    AtspiStateSet *states = atspi_accessible_get_state_set(node);
    if (states == NULL) {
        return;
    }
    AtspiComponent *component = atspi_accessible_get_component_iface(node);
    AtspiRect *box = component == NULL ? NULL : atspi_component_get_extents(component, ATSPI_COORD_TYPE_SCREEN, NULL);
    if ((box == NULL || is_on_screen(box)) && atspi_state_set_contains(states, ATSPI_STATE_SHOWING)) {
        AtspiRole role = atspi_accessible_get_role(node, NULL);
        gchar *name = atspi_accessible_get_name(node, NULL), *value = NULL;
        gboolean has_name = name != NULL && name[0] != '\0';
        gboolean is_said = role == ATSPI_ROLE_STATIC && g_strcmp0(name, above) == 0;
        AtspiRect nowhere = {0, 0, 0, 0};
        if (box != NULL && !is_said && (depth == 0 || has_name || !arranges(role))) {
            value = text_of(node, role);
            element_write(walk, node, states, depth, box, name, value);
            above = value != NULL && value[0] != '\0' ? value : name;
            depth++;
        }
        walk_children(walk, node, above, depth, level + 1, box == NULL ? &nowhere : box);
        g_free(name);
        g_free(value);
    }
    g_free(box);
    g_clear_object(&component);
    g_object_unref(states);
}

static void walk_application(struct walk *walk, AtspiAccessible *application, long pid) {
    gchar *line = g_strdup_printf("application\t%ld\tanswered\n", pid);
    answer_raw(walk->answer, line);
    g_free(line);
    int count = atspi_accessible_get_child_count(application, NULL);
    for (int index = 0; index < count && index < MAX_CHILDREN && !walk->answer->is_cut; index++) {
        AtspiAccessible *frame = atspi_accessible_get_child_at_index(application, index, NULL);
        if (frame == NULL) {
            continue;
        }
        gchar *title = atspi_accessible_get_name(frame, NULL);
        walk->window = window_of(pid, title);
        walk_node(walk, frame, NULL, 0, 0);
        g_free(title);
        g_object_unref(frame);
    }
}

void bridge_write(struct answer *answer) {
    struct walk walk = {.answer = answer, .deadline_us = g_get_monotonic_time() + MAX_MS * 1000};
    windows_read();
    AtspiAccessible *desktop = atspi_get_desktop(0);
    int count = desktop == NULL ? 0 : atspi_accessible_get_child_count(desktop, NULL);
    for (int index = 0; index < count && !answer->is_cut; index++) {
        AtspiAccessible *application = atspi_accessible_get_child_at_index(desktop, index, NULL);
        long pid = application == NULL ? 0 : (long)atspi_accessible_get_process_id(application, NULL);
        if (pid > 0 && has_window(pid)) {
            walk_application(&walk, application, pid);
        }
        g_clear_object(&application);
    }
    g_clear_object(&desktop);
    if (answer->is_cut) {
        answer_raw(answer, "cut\n");
    }
}

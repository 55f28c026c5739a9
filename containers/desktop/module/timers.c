#include "timers.h"

// "Soon" is the horizon that desk usually settles with.
enum { MAX_POLLED = 256, SOON_MS = 300, TICKS = 4, TOGETHER_US = 2000, NEVER_S = 1000000 };

struct timer {
    guint id;
    guint num_fired;  // as far as it was seen
    gint64 due_us;    // by the main loop's clock; -1 for a source that is no timer now
};

static GArray *timers;
static guint next_id = 1;

static gboolean never(gpointer data) {
    (void)data;
    return G_SOURCE_REMOVE;
}

// Sources have growing numbers, so those after the last known one are new.
static void note_new(void) {
    guint probe = g_timeout_add_seconds(NEVER_S, never, NULL);
    g_source_remove(probe);
    for (; next_id < probe; next_id++) {
        if (g_main_context_find_source_by_id(NULL, next_id) != NULL) {
            struct timer timer = {.id = next_id, .due_us = -1};
            g_array_append_val(timers, timer);
        }
    }
}

// A source that is due later than before has fired in between, and begun anew.
static void update(void) {
    if (timers == NULL) {
        timers = g_array_new(FALSE, FALSE, sizeof(struct timer));
    }
    note_new();
    for (guint at = timers->len; at-- > 0;) {
        struct timer *timer = &g_array_index(timers, struct timer, at);
        GSource *source = g_main_context_find_source_by_id(NULL, timer->id);
        if (source == NULL) {
            g_array_remove_index_fast(timers, at);
            continue;
        }
        gint64 due_us = g_source_get_ready_time(source);
        timer->num_fired = due_us < 0 ? 0 : timer->num_fired + (timer->due_us >= 0 && due_us > timer->due_us);
        timer->due_us = due_us;
    }
}

static int left_ms(const struct timer *timer) {
    gint64 left_us = timer->due_us - g_get_monotonic_time();
    return left_us <= 0 ? 0 : (int)MIN(left_us / 1000 + 1, G_MAXINT);
}

// When the main loop itself would wake up for a timer; what is ready now counts as 0.
static int asked_ms(void) {
    GPollFD polled[MAX_POLLED];
    int priority, timeout_ms = -1;
    GMainContext *context = g_main_context_default();
    if (g_main_context_prepare(context, &priority)) {
        return 0;
    }
    g_main_context_query(context, G_MAXINT, &timeout_ms, polled, MAX_POLLED);
    return timeout_ms;
}

static gboolean is_earlier(int one, int other) {
    return one >= 0 && (other < 0 || one < other);
}

struct timers timers_read(void) {
    struct timers found = {.next_ms = -1};
    int known_ms = -1, loop_ms = asked_ms();
    update();
    for (guint at = 0; at < timers->len; at++) {
        const struct timer *timer = &g_array_index(timers, struct timer, at);
        if (timer->due_us < 0) {
            continue;
        }
        int left = left_ms(timer);
        known_ms = is_earlier(left, known_ms) ? left : known_ms;
        if (timer->num_fired >= TICKS) {
            found.num_ticking += left <= SOON_MS;
        } else if (is_earlier(left, found.next_ms)) {
            found.next_ms = left;
            found.may_hurry = timer->num_fired == 0 && left <= SOON_MS;
        }
    }
    gboolean is_of_no_timer = loop_ms >= 0 && is_earlier(loop_ms + TOGETHER_US / 1000, known_ms);
    if (is_of_no_timer && is_earlier(loop_ms, found.next_ms)) {  // a source of another kind
        found.next_ms = loop_ms;
        found.may_hurry = FALSE;
    }
    return found;
}

void timers_hurry(void) {
    gint64 last_us = g_get_monotonic_time() + SOON_MS * 1000, first_us = last_us;
    update();
    for (guint at = 0; at < timers->len; at++) {
        const struct timer *timer = &g_array_index(timers, struct timer, at);
        gboolean counts = timer->due_us >= 0 && timer->num_fired == 0;
        first_us = counts && timer->due_us < first_us ? timer->due_us : first_us;
    }
    last_us = MIN(last_us, first_us + TOGETHER_US);
    for (guint at = 0; at < timers->len; at++) {
        struct timer *timer = &g_array_index(timers, struct timer, at);
        if (timer->due_us >= 0 && timer->num_fired == 0 && timer->due_us <= last_us) {
            timer->due_us = 0;
            g_source_set_ready_time(g_main_context_find_source_by_id(NULL, timer->id), 0);
        }
    }
}

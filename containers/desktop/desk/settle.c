// Settling: no sleeping for a while, but asking each toolkit whether anything is still to come.
//
// Calm is a round in which every module has answered, nothing was drawn, and no timer is due within the horizon. An
// application without a module, or one whose timers only tick, is calm when nothing was drawn for some time.
#define _GNU_SOURCE
#include <limits.h>

#include "desk.h"

enum { TICKING_QUIET_MS = 600, LEAST_MS = 100, STUBBORN_ROUNDS = 25 };

// The next timer of the modules that show a window; INT_MAX for none.
static int next_timer(const struct desk *desk) {
    int nearest = INT_MAX;
    for (int at = 0; at < desk->num_modules; at++) {
        const struct module *module = &desk->modules[at];
        bool counts = module->num_shown > 0 && module->timer_ms >= 0 && !module->is_silent;
        nearest = counts && module->timer_ms < nearest ? module->timer_ms : nearest;
    }
    return nearest;
}

static void wait_for_damage(struct desk *desk, int64_t until_ms, uint64_t seen) {
    while (desk->num_damaged == seen) {
        int64_t left = until_ms - now_ms();
        if (left <= 0) {
            return;
        }
        watch_wait(desk, (int)left);
    }
}

static int64_t earlier(int64_t one, int64_t other) {
    return one < other ? one : other;
}

static int64_t later(int64_t one, int64_t other) {
    return one > other ? one : other;
}

void settle(struct desk *desk, struct settling how, struct buffer *reply) {
    int64_t start = now_ms();
    input_end_series();
    int64_t deadline = earlier(start + how.cap_ms, later(desk->settle_until_ms, start + LEAST_MS));
    int64_t quiet_since = start;
    int64_t painted_ms = 0;
    int rounds = 0, timer = 0;
    bool is_calm = false, has_answered = true;
    while (!is_calm && now_ms() < deadline) {
        rounds++;
        XSync(desk->display, False);
        watch_drain(desk);
        uint64_t seen = desk->num_damaged;
        has_answered = modules_ask(desk, 'C', deadline);
        XSync(desk->display, False);
        watch_drain(desk);
        int64_t now = now_ms();
        if (desk->num_damaged != seen) {
            quiet_since = now;
            painted_ms = desk->damaged_at_ms - start;
            if (rounds >= STUBBORN_ROUNDS && has_answered) {  // being asked makes it draw: is it quiet by itself?
                seen = desk->num_damaged;
                wait_for_damage(desk, earlier(now + how.quiet_ms, deadline), seen);
                is_calm = desk->num_damaged == seen && now_ms() >= now + how.quiet_ms;
            }
            continue;
        }
        timer = next_timer(desk);
        int64_t quiet_ms = now - quiet_since;
        bool is_at_rest = timer > how.horizon_ms || quiet_ms >= TICKING_QUIET_MS;
        is_calm = has_answered && is_at_rest && (quiet_ms >= how.quiet_ms || windows_unseen(desk) == 0) &&
                  !session_is_young(desk);
        if (is_calm) {
            break;
        }
        int64_t until = now + (is_at_rest ? 10 : timer < 2 ? 2 : timer);
        wait_for_damage(desk, earlier(until, deadline), seen);
        if (desk->num_damaged != seen) {
            quiet_since = now_ms();
            painted_ms = desk->damaged_at_ms - start;
        }
    }
    const char *how_it_went = modules_silent(desk) > 0 ? "silent" : is_calm ? "calm" : "restless";
    buffer_print(reply, "%s\t%lld\t%d\t%d\t%lld", how_it_went, (long long)(now_ms() - start), rounds,
                 timer == INT_MAX ? -1 : timer, (long long)painted_ms);
}

// Settling: no sleeping for a while, but asking each toolkit whether anything is still to come.
//
// Calm are two rounds, one after the other, in which every module has answered, nothing was drawn, and no timer is due within
// the horizon: what the window manager does in the first, applications hear of in the second. A timer
// within the horizon is brought forward once; after that it is waited for. A timer that has fired several times ticks, and
// is left alone. Where one ticks, and where an application has no module, nothing may be drawn for some time. Where one
// ticks and something is still drawn after a while, settling ends and says so.
#define _GNU_SOURCE
#include <limits.h>

#include "desk.h"

enum { CALM_ROUNDS = 2, RESTLESS_QUIET_MS = 600, MOVING_MS = 300, LEAST_MS = 100, STUBBORN_ROUNDS = 25, MAX_HURRIED = 60 };

static bool is_shown(const struct module *module) {
    return module->num_shown > 0 && !module->is_silent;
}

// The next timer of the modules that show a window; INT_MAX for none.
static int next_timer(const struct desk *desk) {
    int nearest = INT_MAX;
    for (int at = 0; at < desk->num_modules; at++) {
        const struct module *module = &desk->modules[at];
        bool counts = is_shown(module) && module->timer_ms >= 0;
        nearest = counts && module->timer_ms < nearest ? module->timer_ms : nearest;
    }
    return nearest;
}

static bool is_ticking(const struct desk *desk) {
    for (int at = 0; at < desk->num_modules; at++) {
        if (is_shown(&desk->modules[at]) && desk->modules[at].num_ticking > 0) {
            return true;
        }
    }
    return false;
}

// Whether nothing can still come but what timers do for ever.
static bool only_ticks(struct desk *desk) {
    return is_ticking(desk) && windows_unseen(desk) == 0 && !session_is_young(desk);
}

// Has the modules whose next timer is the next of all bring it forward; false where none can.
static bool hurry(struct desk *desk, int timer) {
    bool is_any = false;
    for (int at = 0; at < desk->num_modules; at++) {
        struct module *module = &desk->modules[at];
        module->is_hurried = is_shown(module) && module->may_hurry && module->timer_ms >= 0 && module->timer_ms <= timer;
        is_any = is_any || module->is_hurried;
    }
    return is_any;
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
    int rounds = 0, timer = 0, num_hurried = 0, num_calm = 0;
    bool is_calm = false, has_answered = true;
    uint64_t seen = desk->num_damaged;
    while (!is_calm && now_ms() < deadline) {
        rounds++;
        XSync(desk->display, False);
        has_answered = modules_ask(desk, 'C', deadline);
        XSync(desk->display, False);
        watch_drain(desk);
        int64_t now = now_ms();
        timer = next_timer(desk);
        if (desk->num_damaged != seen) {
            seen = desk->num_damaged;
            num_calm = 0;
            quiet_since = now;
            painted_ms = desk->damaged_at_ms - start;
            if (now - start >= MOVING_MS && has_answered && timer > how.horizon_ms && only_ticks(desk)) {
                break;
            }
            // Does it draw because it is asked? Then it has to be quiet by itself. A hurried timer that draws costs two rounds.
            if (rounds - 2 * num_hurried >= STUBBORN_ROUNDS && has_answered) {
                wait_for_damage(desk, earlier(now + how.quiet_ms, deadline), seen);
                is_calm = desk->num_damaged == seen && now_ms() >= now + how.quiet_ms;
            }
            continue;
        }
        int64_t quiet_ms = now - quiet_since;
        bool is_at_rest = timer > how.horizon_ms || quiet_ms >= RESTLESS_QUIET_MS;
        bool is_calm_now = has_answered && is_at_rest && !session_is_young(desk) &&
                           (quiet_ms >= how.quiet_ms || (!is_ticking(desk) && windows_unseen(desk) == 0));
        num_calm = is_calm_now ? num_calm + 1 : 0;
        is_calm = num_calm >= CALM_ROUNDS;
        if (is_calm_now) {
            continue;
        }
        if (now - start >= MOVING_MS && has_answered && is_at_rest && only_ticks(desk)) {
            break;
        }
        if (has_answered && !is_at_rest && num_hurried < MAX_HURRIED && hurry(desk, timer)) {
            num_hurried++;
            continue;
        }
        int64_t until = now + (is_at_rest ? 10 : timer < 2 ? 2 : timer);
        wait_for_damage(desk, earlier(until, deadline), seen);
    }
    const char *how_it_went = modules_silent(desk) > 0 ? "silent" : is_calm ? "calm" : "restless";
    buffer_print(reply, "%s\t%lld\t%d\t%d\t%lld", how_it_went, (long long)(now_ms() - start), rounds,
                 timer == INT_MAX ? -1 : timer, (long long)painted_ms);
}

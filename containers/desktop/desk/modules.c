// The modules in the applications: whom they belong to, and questions that all of them are asked at once.
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "desk.h"

enum { SILENT_PATIENCE_MS = 100, SILENT_AFTER_MS = 400 };

struct question {
    char what;
    uint32_t serial;
} __attribute__((packed));

void modules_listen(struct desk *desk) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s/modules", desk->folder);
    desk->module_listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    unlink(address.sun_path);
    if (bind(desk->module_listener, (struct sockaddr *)&address, sizeof address) < 0 ||
        listen(desk->module_listener, MAX_MODULES) < 0) {
        fprintf(stderr, "agentgym-desk: cannot listen at %s: %s\n", address.sun_path, strerror(errno));
        exit(1);
    }
    setenv("AGENTGYM_DESK_MODULES", address.sun_path, 1);
}

void modules_accept(struct desk *desk) {
    int fd = accept4(desk->module_listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) {
        return;
    }
    struct ucred peer = {0};
    socklen_t length = sizeof peer;
    getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length);
    if (desk->num_modules == MAX_MODULES || module_of(desk, peer.pid) != NULL) {
        close(fd);
        return;
    }
    desk->modules[desk->num_modules++] = (struct module){
        // It is asked from the next question on.
        .fd = fd, .pid = peer.pid, .asked = desk->serial, .num_shown = -1, .timer_ms = -1, .has_answered = true
    };
}

void module_drop(struct desk *desk, int index) {
    struct module *module = &desk->modules[index];
    close(module->fd);
    buffer_free(&module->incoming);
    buffer_free(&module->answer);
    *module = desk->modules[--desk->num_modules];
}

struct module *module_of(struct desk *desk, pid_t pid) {
    for (int at = 0; at < desk->num_modules; at++) {
        if (desk->modules[at].pid == pid) {
            return &desk->modules[at];
        }
    }
    return NULL;
}

int modules_silent(const struct desk *desk) {
    int num_silent = 0;
    for (int at = 0; at < desk->num_modules; at++) {
        num_silent += desk->modules[at].is_silent;
    }
    return num_silent;
}

// Whole answers are taken off the front of what came; one to an earlier question is thrown away.
static bool module_take(struct module *module) {
    struct buffer *incoming = &module->incoming;
    size_t taken = 0;
    uint32_t head[2];
    bool is_sane = true;
    while (incoming->length - taken >= sizeof head) {
        memcpy(head, incoming->bytes + taken, sizeof head);
        is_sane = head[0] <= MAX_MODULE_ANSWER;
        size_t whole = sizeof head + head[0];
        if (!is_sane || incoming->length - taken < whole) {
            break;
        }
        if (head[1] == module->serial && !module->has_answered) {
            buffer_clear(&module->answer);
            buffer_add(&module->answer, incoming->bytes + taken + sizeof head, head[0]);
            module->has_answered = true;
        }
        module->is_silent = false;
        taken += whole;
    }
    memmove(incoming->bytes, incoming->bytes + taken, incoming->length - taken);
    incoming->length -= taken;
    return is_sane;
}

bool module_read(struct module *module) {
    char bytes[65536];
    for (int turn = 0; turn < 64; turn++) {
        ssize_t got = recv(module->fd, bytes, sizeof bytes, MSG_DONTWAIT);
        if (got < 0) {
            return errno == EAGAIN || errno == EINTR;
        }
        if (got == 0) {
            return false;
        }
        buffer_add(&module->incoming, bytes, (size_t)got);
        if (!module_take(module)) {
            return false;
        }
    }
    return true;
}

static bool all_have_answered(const struct desk *desk, bool has_patience) {
    for (int at = 0; at < desk->num_modules; at++) {
        const struct module *module = &desk->modules[at];
        if (!module->has_answered && (has_patience || !module->is_silent)) {
            return false;
        }
    }
    return true;
}

// A silent one owes an answer already, and would have to give one to each question first; it is asked once it speaks.
static void send_question(struct desk *desk, struct question question) {
    for (int at = desk->num_modules - 1; at >= 0; at--) {
        struct module *module = &desk->modules[at];
        if (module->is_silent || module->asked == question.serial) {
            continue;
        }
        module->asked = question.serial;
        struct question own = {question.what == 'C' && module->is_hurried ? 'H' : question.what, question.serial};
        module->is_hurried = false;
        ssize_t sent = send(module->fd, &own, sizeof own, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno != EAGAIN) {
            module_drop(desk, at);
        }
    }
}

static struct question begin_question(struct desk *desk, char what) {
    struct question question = {what, ++desk->serial};
    for (int at = 0; at < desk->num_modules; at++) {
        struct module *module = &desk->modules[at];
        module->serial = question.serial;
        module->has_answered = false;
        buffer_clear(&module->answer);
    }
    send_question(desk, question);
    return question;
}

static void note_calm(struct module *module) {
    if (module->answer.length > 0) {
        module->may_hurry = module->num_ticking = 0;
        sscanf(module->answer.bytes, "%d\t%d\t%d\t%d", &module->num_shown, &module->timer_ms, &module->may_hurry,
               &module->num_ticking);
    }
}

bool modules_ask(struct desk *desk, char what, int64_t deadline_ms) {
    struct question question = begin_question(desk, what);
    int64_t began_ms = now_ms();
    bool is_in_time = true;
    while (!all_have_answered(desk, now_ms() - began_ms < SILENT_PATIENCE_MS)) {
        int64_t left = deadline_ms - now_ms();
        if (left <= 0) {
            bool was_long = now_ms() - began_ms >= SILENT_AFTER_MS;
            for (int at = 0; at < desk->num_modules; at++) {
                struct module *module = &desk->modules[at];
                module->is_silent = module->is_silent || (was_long && !module->has_answered);
            }
            is_in_time = false;
            break;
        }
        watch_wait(desk, (int)(left < MANAGER_PATIENCE_MS ? left : MANAGER_PATIENCE_MS));
        send_question(desk, question);
    }
    for (int at = 0; what == 'C' && at < desk->num_modules; at++) {
        note_calm(&desk->modules[at]);
    }
    return is_in_time && (what != 'C' || manager_answers(desk, deadline_ms));
}

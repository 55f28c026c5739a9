// Requests: lines of words, carried out in order, after each was found well formed, so that nothing is half done.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "desk.h"

enum { MAX_WAIT_MS = 60000, MAX_ARGUMENTS = 64, SHOWN_LINE = 60, TREE_MS = 2000, SETTLE_MS = 30000 };

struct command {
    const char *name;
    int num_numbers;
    bool (*carry_out)(struct desk *desk, const long *numbers, char *rest, struct buffer *reply);
    bool (*is_well_formed)(const struct desk *desk, const long *numbers, const char *rest);
};

static bool do_move(struct desk *desk, const long *numbers, char *rest, struct buffer *reply) {
    (void)rest, (void)reply;
    input_move(desk, (int)numbers[0], (int)numbers[1]);
    return true;
}

static bool is_on_screen(const struct desk *desk, const long *numbers, const char *rest) {
    (void)rest;
    return numbers[0] >= 0 && numbers[1] >= 0 && numbers[0] < desk->width && numbers[1] < desk->height;
}

static bool do_button(struct desk *desk, const long *numbers, char *rest, struct buffer *reply) {
    (void)rest, (void)reply;
    input_button(desk, (unsigned)numbers[0], numbers[1] != 0);
    return true;
}

static bool is_button(const struct desk *desk, const long *numbers, const char *rest) {
    (void)desk, (void)rest;
    return numbers[0] >= 1 && numbers[0] <= 9;
}

static bool do_key(struct desk *desk, const long *numbers, char *rest, struct buffer *reply) {
    (void)reply;
    return input_key(desk, rest, numbers[0] != 0);
}

static bool is_key(const struct desk *desk, const long *numbers, const char *rest) {
    (void)desk, (void)numbers;
    return input_knows(rest);
}

static size_t letters_of(char *text, uint32_t **letters) {
    size_t count = 0;
    *letters = malloc(sizeof **letters * (strlen(text) / 2 + 1));
    for (char *at = text; *at != '\0';) {
        (*letters)[count++] = (uint32_t)strtoul(at, &at, 10);
        at += *at == ' ';
    }
    return count;
}

static bool do_text(struct desk *desk, const long *numbers, char *rest, struct buffer *reply) {
    (void)numbers, (void)reply;
    uint32_t *letters;
    size_t count = letters_of(rest, &letters);
    type_text(desk, letters, count);
    free(letters);
    return true;
}

static bool do_copy(struct desk *desk, const long *numbers, char *rest, struct buffer *reply) {
    (void)numbers, (void)reply;
    uint32_t *letters;
    size_t count = letters_of(rest, &letters);
    clipboard_own(desk, letters, count);
    free(letters);
    return true;
}

static bool is_text(const struct desk *desk, const long *numbers, const char *rest) {
    (void)desk, (void)numbers;
    return rest[0] != '\0' && strspn(rest, "0123456789 ") == strlen(rest);
}

static bool do_wait(struct desk *desk, const long *numbers, char *rest, struct buffer *reply) {
    (void)rest, (void)reply;
    int64_t until = now_ms() + numbers[0], left;
    while ((left = until - now_ms()) > 0) {
        watch_wait(desk, (int)left);
    }
    return true;
}

static bool is_wait(const struct desk *desk, const long *numbers, const char *rest) {
    (void)desk, (void)rest;
    return numbers[0] >= 0 && numbers[0] <= MAX_WAIT_MS;
}

static bool do_settle(struct desk *desk, const long *numbers, char *rest, struct buffer *reply) {
    (void)rest;
    settle(desk, (struct settling){(int)numbers[0], (int)numbers[1], (int)numbers[2]}, reply);
    return true;
}

static bool do_tree(struct desk *desk, const long *numbers, char *rest, struct buffer *reply) {
    (void)numbers, (void)rest;
    session_bridge(desk);
    modules_ask(desk, 'T', now_ms() + TREE_MS);
    for (int at = 0; at < desk->num_modules; at++) {
        struct module *module = &desk->modules[at];
        bool is_told = module->has_answered && module->answer.length > 0;
        buffer_print(reply, "application\t%d\t%s\n", module->pid, module->has_answered ? "answered" : "silent");
        if (is_told) {
            buffer_add(reply, module->answer.bytes, module->answer.length);
        }
        buffer_clear(&module->answer);
    }
    return true;
}

static bool do_windows(struct desk *desk, const long *numbers, char *rest, struct buffer *reply) {
    (void)numbers, (void)rest;
    windows_write(desk, reply);
    return true;
}

static bool do_pixels(struct desk *desk, const long *numbers, char *rest, struct buffer *reply) {
    (void)rest;
    struct shot shot = {(int)numbers[0], (int)numbers[1], (int)numbers[2], (int)numbers[3], numbers[4], numbers[5]};
    return screen_write(desk, shot, reply);
}

static bool is_region(const struct desk *desk, const long *numbers, const char *rest) {
    (void)rest;
    return numbers[0] >= 0 && numbers[1] >= 0 && numbers[2] > 0 && numbers[3] > 0 &&
           numbers[0] + numbers[2] <= desk->width && numbers[1] + numbers[3] <= desk->height;
}

static bool do_clipboard(struct desk *desk, const long *numbers, char *rest, struct buffer *reply) {
    (void)numbers, (void)rest;
    clipboard_write(desk, reply);
    return true;
}

static bool do_state(struct desk *desk, const long *numbers, char *rest, struct buffer *reply) {
    (void)numbers, (void)rest;
    state_write(desk, reply);
    return true;
}

static bool do_release(struct desk *desk, const long *numbers, char *rest, struct buffer *reply) {
    (void)numbers, (void)rest, (void)reply;
    input_release_all(desk);
    return true;
}

static bool do_ready(struct desk *desk, const long *numbers, char *rest, struct buffer *reply) {
    (void)numbers, (void)rest;
    buffer_print(reply, "%d\t%d\t%s\t%s", desk->width, desk->height, desk->display_name, desk->bus_address);
    return true;
}

// Arguments are separated by the unit separator, which no argument of ours holds.
static bool do_run(struct desk *desk, const long *numbers, char *rest, struct buffer *reply) {
    (void)numbers;
    char *argv[MAX_ARGUMENTS + 1] = {NULL}, *kept = NULL;
    int count = 0;
    for (char *word = strtok_r(rest, "\037", &kept); word && count < MAX_ARGUMENTS; word = strtok_r(NULL, "\037", &kept)) {
        argv[count++] = word;
    }
    buffer_print(reply, "%d", count > 0 ? session_run(desk, argv) : -1);
    return true;
}

static const struct command commands[] = {
    {"move", 2, do_move, is_on_screen}, {"button", 2, do_button, is_button}, {"key", 1, do_key, is_key},
    {"text", 0, do_text, is_text},      {"wait", 1, do_wait, is_wait},       {"settle", 3, do_settle, NULL},
    {"tree", 0, do_tree, NULL},         {"windows", 0, do_windows, NULL},    {"pixels", 6, do_pixels, is_region},
    {"clipboard", 0, do_clipboard, NULL}, {"state", 0, do_state, NULL},      {"release", 0, do_release, NULL},
    {"ready", 0, do_ready, NULL},       {"run", 0, do_run, NULL},
    {"copy", 0, do_copy, is_text},
};

// The command of a line with its numbers; `rest` is what follows them. NULL for a line that is none.
static const struct command *command_of(struct desk *desk, char *line, long numbers[6], char **rest) {
    size_t length = strcspn(line, " ");
    for (size_t at = 0; at < sizeof commands / sizeof commands[0]; at++) {
        const struct command *command = &commands[at];
        if (strlen(command->name) != length || strncmp(command->name, line, length) != 0) {
            continue;
        }
        char *position = line + length;
        for (int number = 0; number < command->num_numbers; number++) {
            char *end;
            numbers[number] = strtol(position, &end, 10);
            if (end == position) {
                return NULL;
            }
            position = end;
        }
        *rest = position + (*position == ' ');
        bool is_fine = command->is_well_formed == NULL || command->is_well_formed(desk, numbers, *rest);
        return is_fine ? command : NULL;
    }
    return NULL;
}

static void block_add(struct buffer *reply, const char *name, const struct buffer *content) {
    buffer_print(reply, "%s %zu\n", name, content->length);
    buffer_add(reply, content->bytes, content->length);
}

static void refuse(struct buffer *reply, const char *why, const char *line) {
    struct buffer content = {0};
    buffer_print(&content, "%s: %.*s", why, SHOWN_LINE, line);
    block_add(reply, "error", &content);
    buffer_free(&content);
}

static bool all_are_well_formed(struct desk *desk, char *text, struct buffer *reply) {
    long numbers[6];
    for (char *line = text; *line != '\0';) {
        char *end = strchrnul(line, '\n'), kept = *end, *rest;
        *end = '\0';
        bool is_fine = command_of(desk, line, numbers, &rest) != NULL;
        if (!is_fine) {
            refuse(reply, "cannot be done", line);
            return false;
        }
        *end = kept;
        line = end + (kept == '\n');
    }
    return true;
}

void request_serve(struct desk *desk, char *text, struct buffer *reply) {
    long numbers[6];
    struct buffer content = {0};
    if (!all_are_well_formed(desk, text, reply)) {
        return;
    }
    desk->settle_until_ms = now_ms() + SETTLE_MS;
    char *kept = NULL;
    for (char *line = strtok_r(text, "\n", &kept); line != NULL; line = strtok_r(NULL, "\n", &kept)) {
        char *rest;
        const struct command *command = command_of(desk, line, numbers, &rest);
        buffer_clear(&content);
        if (!command->carry_out(desk, numbers, rest, &content)) {
            refuse(reply, "failed", command->name);
            break;
        }
        if (content.length > 0 || command->num_numbers == 6) {
            block_add(reply, command->name, &content);
        }
    }
    XFlush(desk->display);
    buffer_free(&content);
}

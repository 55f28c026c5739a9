#include "answer.h"

gboolean answer_is_full(struct answer *answer) {
    if (answer->text->len >= ANSWER_MAX) {
        answer->is_cut = TRUE;
    }
    return answer->is_cut;
}

void answer_raw(struct answer *answer, const char *text) {
    g_string_append(answer->text, text);
}

void answer_number(struct answer *answer, long number) {
    g_string_append_printf(answer->text, "%ld\t", number);
}

void answer_field(struct answer *answer, const char *text, glong max_characters) {
    glong count = 0;
    if (text != NULL && g_utf8_validate(text, -1, NULL)) {
        for (const char *at = text; *at != '\0' && count < max_characters; at = g_utf8_next_char(at), count++) {
            gunichar letter = g_utf8_get_char(at);
            if (letter == '\n') {
                g_string_append(answer->text, "\\n");
            } else if (letter == '\\') {
                g_string_append(answer->text, "\\\\");
            } else if (letter < 32 || letter == 127) {
                g_string_append_c(answer->text, ' ');
            } else {
                g_string_append_unichar(answer->text, letter);
            }
        }
        if (text[0] != '\0' && count == max_characters) {
            g_string_append(answer->text, "…");
        }
    }
    g_string_append_c(answer->text, '\t');
}

// The bytes that are sent back for one question: a growing text with a size limit.
#pragma once
#include <glib.h>

enum { ANSWER_MAX = 1 << 20 };

struct answer {
    GString *text;
    gboolean is_cut;
};

// A text as one field of a line: tabs, newlines and other control characters become spaces.
void answer_field(struct answer *answer, const char *text, glong max_characters);
void answer_number(struct answer *answer, long number);
void answer_raw(struct answer *answer, const char *text);
gboolean answer_is_full(struct answer *answer);

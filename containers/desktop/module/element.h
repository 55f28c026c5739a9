// One element of the tree as a line: what it is, what state it is in, where it lies, what it is called and holds.
#pragma once
#include <atk/atk.h>
#include <gtk/gtk.h>

#include "answer.h"

// With 0 for an id, it is the object's own. FALSE for an element that only arranges others: it gets no line, and its children take its place.
gboolean element_write(
    struct answer *answer, AtkObject *object, GtkWidget *widget, int depth, GdkRectangle box, long window, gint64 id
);
// The id of a cell of a table by its place.
gint64 element_place(AtkObject *table, int row, int column);

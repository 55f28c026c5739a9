// Cells of lists and trees whose rows have changed places: GTK goes on telling what their places held before.
#pragma once
#include <atk/atk.h>
#include <gtk/gtk.h>

void cells_note_reorders(void);
// Lets a cell tell what its place holds now. The point lies in it, from the origin of its window.
void cells_refresh(AtkObject *cell, GtkWidget *toplevel, int x, int y);

// The visible part of the application's accessible tree, a line for each element worth naming.
#pragma once
#include "answer.h"

// Lines: depth, id, role, states, x, y, width, height, window, name, value; each field ends in a tab.
void tree_write(struct answer *answer);

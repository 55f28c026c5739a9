#include "keeper.h"
void shell_serve(struct keeper *keeper) { frame_fail(keeper->channel, 38, "not yet"); }

#include "keeper.h"
void connect_serve(struct keeper *keeper) { frame_fail(keeper->channel, 38, "not yet"); }
void relay_serve(struct keeper *keeper) { frame_fail(keeper->channel, 38, "not yet"); }

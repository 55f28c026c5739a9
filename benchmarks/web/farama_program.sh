#!/bin/sh
# Runs the command in FARAMA_CHROMEDRIVER with the given arguments: Farama's miniwob takes a program, not a command.
eval "exec $FARAMA_CHROMEDRIVER \"\$@\""

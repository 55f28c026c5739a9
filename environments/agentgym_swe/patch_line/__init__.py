"""PatchLine-v0: short programs with one or two wrong tokens, mended by single fixes and judged by running them."""

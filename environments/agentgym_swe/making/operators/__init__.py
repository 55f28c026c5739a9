"""The kinds of mistake that are planted, each a small edit of the text at a place found in the syntax tree."""

"""The kinds of problem, a module per family; each has `KINDS`, functions that draw a problem at a difficulty."""

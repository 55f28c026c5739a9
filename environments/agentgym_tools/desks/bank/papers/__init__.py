"""The words of the bank's documents; `library` makes documents of them and fills in the rules of a task."""

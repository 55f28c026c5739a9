"""Three marks in a row, on nine squares, against one who plays perfectly but for some slips.

The rules are in `game`, what they share with other games of marks in a row beside this folder.
"""

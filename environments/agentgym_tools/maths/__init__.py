"""Maths-v0: generated maths problems, answered exactly with the help of a Python interpreter."""

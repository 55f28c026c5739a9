"""Better issues for tasks of Repair: programs that show the fault, run on the broken and on the original package."""

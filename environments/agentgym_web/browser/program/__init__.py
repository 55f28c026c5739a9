"""The browser as a program: which one is taken, how it is started and ended, and how much memory its pages may take."""

expected=338350

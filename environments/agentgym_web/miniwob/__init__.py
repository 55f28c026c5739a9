"""MiniWoB++: small pages with a task each, from the package `miniwob`, in a real browser."""

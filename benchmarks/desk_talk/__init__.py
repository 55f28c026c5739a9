"""Talk in words at desks: what is understood of it, what cannot be got out of customers, and what the grammar costs."""

"""A general store: products to find and compare, a cart, orders, returns, reviews and an account."""

"""The desk of a shop: orders, returns, exchanges, addresses, payments, vouchers."""

"""The desk of a bank: accounts, cards, payments, standing orders and loans, under rules that documents hold."""

"""Offers, bids and votes: games whose players want different things."""

"""The desk of an insurance company: contracts for cars, homes and trips, claims, payouts, accounts and addresses."""

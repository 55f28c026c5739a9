"""The desk of a telephone company: lines, bills, SIMs, and troubles whose cure lies in the customer's own phone."""

"""Ten apps of a person's daily life, used by an agent on the person's behalf: by calls, or by Python in a sandbox."""

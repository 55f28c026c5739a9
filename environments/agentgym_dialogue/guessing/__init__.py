"""Find a secret by asking or trying."""

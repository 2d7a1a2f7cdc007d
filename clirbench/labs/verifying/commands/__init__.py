"""Commands of the laboratory verifying."""

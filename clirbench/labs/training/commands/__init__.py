"""Commands of the laboratory training."""
